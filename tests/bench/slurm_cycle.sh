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
Usage: ${0##*/} [--nodes N] [--jobs N] [--backfill] [--ordering O] [--policy P] [--json] BUILD_DIR
  --nodes N   CLOUD nodes, default 10000
  --jobs N    exclusive jobs of 1 to 32 nodes, default 300
  --backfill  queue the jobs (1 to 16 nodes, default 1000) behind one that waits
              for the whole machine, half of which has such jobs: backfill
              starts some and tests the others for later
Prints, as lines or JSON: what a question took out of job_test (ask_us), the time
of all scheduling cycles that started the jobs (with --backfill, of the first
three backfill cycles) with either plugin and its ratio, decisions and starts,
and the resident memory of slurmctld and coolspand.
TXT
}
nodes=10000 jobs= policy=best-fit ordering=hilbert json='' backfill='' build=''
while (($#)); do
  case $1 in
    -h | --help) usage; exit 0 ;;
    --json) json=yes ;;
    --backfill) backfill=yes ;;
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
cycles=3 sizes=32 scheduler=bf_interval=600
if [[ -n $backfill ]]; then
  sizes=16 scheduler=bf_interval=3,bf_max_time=300,bf_max_job_test=5000,bf_continue
fi
[[ -n $jobs ]] || jobs=$([[ -n $backfill ]] && echo 1000 || echo 300)

mini=$here/deploy/mini-cluster
scratch=$(mktemp -d "${TMPDIR:-/tmp}/coolspan-cycle.XXXXXX")
chmod 755 "$scratch"
trap '"$mini" stop --dir "$scratch/c" >/dev/null 2>&1 || true; rm -rf "$scratch"' EXIT

rss_kib() { # NAME
  local pid
  read -r pid _ <"$scratch/c/run/$1.pid"
  sed -n 's/^VmRSS:[[:space:]]*\([0-9]*\).*/\1/p' "/proc/$pid/status"
}

started() { squeue -h -t CONFIGURING,RUNNING -o %i | wc -l; }
submit() { sbatch --parsable --exclusive --output=/dev/null "$@" --wrap='sleep 86400' >/dev/null; }

# slurmctld may be in a scheduling cycle for longer than scontrol waits.
set_partition() { until scontrol update partition=main state="$1" 2>/dev/null; do sleep 1; done; }

# Sum, longest, and number of the cycles of Main or Backfilling in sdiag.
cycles_of() {
  sdiag | awk -v section="$1" '/^Main schedule/ { on = "Main" } /^Backfilling/ { on = "Backfilling" }
    /^Latency/ { on = "" }
    on == section && /Mean cycle:/ { mean = $3 } on == section && /Total cycles:/ { count = $3 }
    on == section && /Max cycle:/ { max = $3 }
    END { print mean * count, max, count + 0 }'
}

# Submits the jobs while the partition is down, opens it, and waits until all
# have nodes, or backfill has tested them. Leaves files NAME.* in $scratch.
run() { # NAME START OPTIONS...
  local name=$1 i running fill=0
  shift
  "$mini" start --dir "$scratch/c" --nodes "$nodes" --cloud --timeout 120 \
    --slurm-conf "SchedulerParameters=default_queue_depth=100000,max_sched_time=60,sched_interval=2,$scheduler" \
    --slurm-conf 'SlurmctldDebug=info' "$@" >&2
  export SLURM_CONF=$scratch/c/etc/slurm.conf
  if [[ -n $backfill ]]; then
    fill=$((nodes / 17)) # of 8.5 nodes on average
    for ((i = 0; i < fill; i++)); do submit --nodes=$((1 + i * 5 % sizes)) --time=240; done
    while (($(started) < fill)); do sleep 0.5; done
  fi
  set_partition DOWN
  if [[ -n $backfill ]]; then submit --nodes="$nodes" --time=60; fi
  for ((i = 0; i < jobs; i++)); do submit --nodes=$((1 + i * 7 % sizes)) --time=30; done
  sleep 1
  sdiag --reset >/dev/null
  set_partition UP
  for ((i = 0; i < 1200; i++)); do
    running=$(started)
    if [[ -n $backfill ]]; then
      read -r _ _ count <<<"$(cycles_of Backfilling)"
      ((count < cycles)) || break
    else
      ((running < jobs)) || break
    fi
    sleep 0.1
  done
  sleep 0.5
  if [[ -n $backfill ]]; then
    ((count == cycles && running > fill)) || { echo "$count backfill cycles (expected $cycles), $running jobs with nodes" >&2; exit 1; }
    cycles_of Backfilling >"$scratch/$name.cycle"
  else
    ((running == jobs)) || { echo "only $running of $jobs jobs got nodes" >&2; squeue | head >&2; exit 1; }
    cycles_of Main >"$scratch/$name.cycle"
  fi
  started >"$scratch/$name.started"
  rss_kib slurmctld >"$scratch/$name.rss"
  if [[ -f $scratch/c/run/coolspand.pid ]]; then
    rss_kib coolspand >"$scratch/coolspand.rss"
    "$build/bin/coolspan" status --endpoint "unix://$scratch/c/run/coolspand.sock" --json |
      sed 's/.*"decisions":\([0-9]*\).*/\1/' >"$scratch/decisions"
  fi
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
decisions=$(<"$scratch/decisions") starts=$(<"$scratch/coolspan.started") stock_starts=$(<"$scratch/stock.started")
if [[ -n $json ]]; then
  printf '{"nodes":%s,"jobs":%s,"starts_stock":%s,"starts":%s,"decisions":%s,"enforced":%s,"ask_us_p50":%s,"ask_us_p99":%s,"ask_us_max":%s,"cycle_us_stock":%s,"cycle_us_coolspan":%s,"cycle_ratio":%s,"slurmctld_rss_kib_stock":%s,"slurmctld_rss_kib":%s,"coolspand_rss_kib":%s}\n' \
    "$nodes" "$jobs" "$stock_starts" "$starts" "$decisions" "$enforced" "$(percentile 0.5)" "$(percentile 0.99)" "$(percentile 1)" \
    "$stock_us" "$ours_us" "$ratio" "$(<"$scratch/stock.rss")" "$(<"$scratch/coolspan.rss")" "$(<"$scratch/coolspand.rss")"
else
  cat <<TXT
$jobs jobs on $nodes nodes: $stock_starts started by stock, $starts with Coolspan, $decisions decisions, $enforced enforced
ask_us            p50 $(percentile 0.5), p99 $(percentile 0.99), max $(percentile 1)
scheduling cycles stock $stock_us us (longest $stock_max), coolspan $ours_us us (longest $ours_max), ratio $ratio
resident          slurmctld $(<"$scratch/stock.rss") KiB stock, $(<"$scratch/coolspan.rss") KiB with coolspan; coolspand $(<"$scratch/coolspand.rss") KiB
TXT
fi
