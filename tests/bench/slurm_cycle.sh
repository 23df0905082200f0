#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# What Coolspan costs slurmctld on a large machine: the same jobs on the same
# CLOUD nodes (no slurmd) with stock cons_tres, then with the drop-in plugin.
#
# Targets at 10,000 nodes: ask_us p99 under 1,500; cycle ratio at most 1.0.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
usage() {
  cat <<TXT
Usage: ${0##*/} [--nodes N] [--jobs N] [--ordering O] [--policy P] [--json] BUILD_DIR
  --nodes N   CLOUD nodes, default 10000
  --jobs N    exclusive jobs of 1 to 32 nodes, default 300
Prints, as lines or JSON: what a question took out of job_test (ask_us), the time
of all scheduling cycles that started the jobs with either plugin and its ratio,
and the resident memory of slurmctld and coolspand.
TXT
}
nodes=10000 jobs=300 policy=best-fit ordering=hilbert json='' build=''
while (($#)); do
  case $1 in
    -h | --help) usage; exit 0 ;;
    --json) json=yes ;;
    --nodes) nodes=$2; shift ;;
    --jobs) jobs=$2; shift ;;
    --policy) policy=$2; shift ;;
    --ordering) ordering=$2; shift ;;
    -*) echo "${0##*/}: unknown option $1" >&2; usage >&2; exit 2 ;;
    *) build=$1 ;;
  esac
  shift
done
[[ -n $build ]] || { usage >&2; exit 2; }

mini=$here/deploy/mini-cluster
scratch=$(mktemp -d "${TMPDIR:-/tmp}/coolspan-cycle.XXXXXX")
chmod 755 "$scratch"
trap '"$mini" stop --dir "$scratch/c" >/dev/null 2>&1 || true; rm -rf "$scratch"' EXIT

rss_kib() { # NAME
  local pid
  read -r pid _ <"$scratch/c/run/$1.pid"
  sed -n 's/^VmRSS:[[:space:]]*\([0-9]*\).*/\1/p' "/proc/$pid/status"
}

# Submits the jobs while the partition is down, opens it, and waits until all
# have nodes. Leaves files NAME.* in $scratch.
run() { # NAME START OPTIONS...
  local name=$1 i running
  shift
  "$mini" start --dir "$scratch/c" --nodes "$nodes" --cloud --timeout 120 \
    --slurm-conf "SchedulerParameters=default_queue_depth=100000,max_sched_time=60,sched_interval=2,bf_interval=600" \
    --slurm-conf 'SlurmctldDebug=info' "$@" >&2
  export SLURM_CONF=$scratch/c/etc/slurm.conf
  scontrol update partition=main state=DOWN
  for ((i = 0; i < jobs; i++)); do
    sbatch --parsable --exclusive --nodes=$((1 + i * 7 % 32)) --output=/dev/null \
      --wrap='sleep 86400' >/dev/null
  done
  sleep 1
  sdiag --reset >/dev/null
  scontrol update partition=main state=UP
  for ((i = 0; i < 1200; i++)); do
    running=$(squeue -h -t CONFIGURING,RUNNING -o %i | wc -l)
    ((running < jobs)) || break
    sleep 0.1
  done
  ((running == jobs)) || { echo "only $running of $jobs jobs got nodes" >&2; squeue | head >&2; exit 1; }
  sleep 0.5
  sdiag | awk '/^Main schedule/ { on = 1 } /^Backfilling/ { on = 0 }
    on && /Mean cycle:/ { mean = $3 } on && /Total cycles:/ { count = $3 } on && /Max cycle:/ { max = $3 }
    END { print mean * count, max, count }' >"$scratch/$name.cycle"
  rss_kib slurmctld >"$scratch/$name.rss"
  if [[ -f $scratch/c/run/coolspand.pid ]]; then rss_kib coolspand >"$scratch/coolspand.rss"; fi
  sed -n 's/.*coolspan: JobId=.* enforced .*ask_us=\([0-9]*\)$/\1/p' "$scratch/c/log/slurmctld.log" |
    sort -n >"$scratch/$name.ask"
  "$mini" stop --dir "$scratch/c"
}

run stock --plugin none
run coolspan --plugin dropin --plugin-dir "$build/plugin" --coolspand "$build/bin/coolspand" \
  --policy "$policy" --ordering "$ordering"

percentile() { awk -v p="$1" '{ a[NR] = $1 } END { if (NR) { i = int(NR * p + 0.999999); print a[i < 1 ? 1 : i] } else print "null" }' "$scratch/coolspan.ask"; }
enforced=$(wc -l <"$scratch/coolspan.ask")
read -r stock_us stock_max _ <"$scratch/stock.cycle"
read -r ours_us ours_max _ <"$scratch/coolspan.cycle"
ratio=$(awk -v a="$ours_us" -v b="$stock_us" 'BEGIN { if (b > 0) printf "%.3f", a / b; else print "null" }')
if [[ -n $json ]]; then
  printf '{"nodes":%s,"jobs":%s,"enforced":%s,"ask_us_p50":%s,"ask_us_p99":%s,"ask_us_max":%s,"cycle_us_stock":%s,"cycle_us_coolspan":%s,"cycle_ratio":%s,"slurmctld_rss_kib_stock":%s,"slurmctld_rss_kib":%s,"coolspand_rss_kib":%s}\n' \
    "$nodes" "$jobs" "$enforced" "$(percentile 0.5)" "$(percentile 0.99)" "$(percentile 1)" \
    "$stock_us" "$ours_us" "$ratio" "$(<"$scratch/stock.rss")" "$(<"$scratch/coolspan.rss")" "$(<"$scratch/coolspand.rss")"
else
  cat <<TXT
$jobs jobs on $nodes nodes, $enforced enforced
ask_us            p50 $(percentile 0.5), p99 $(percentile 0.99), max $(percentile 1)
scheduling cycles stock $stock_us us (longest $stock_max), coolspan $ours_us us (longest $ours_max), ratio $ratio
resident          slurmctld $(<"$scratch/stock.rss") KiB stock, $(<"$scratch/coolspan.rss") KiB with coolspan; coolspand $(<"$scratch/coolspand.rss") KiB
TXT
fi
