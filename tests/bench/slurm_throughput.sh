#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Jobs per second of a real Slurm, with one slurmd for each node on this host:
# pairs of runs of the same jobs, stock cons_tres and the drop-in plugin in turn.
# slurmd and the jobs, which would run on other hosts, have the lowest priority;
# still the host stalls for longer than the default deadline, so it is 200 ms.
#
# Target at 1,024 nodes and 2,000 jobs: median ratio at least 0.95.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
usage() {
  cat <<TXT
Usage: ${0##*/} [--nodes N] [--jobs N] [--pairs N] [--policy P] [--ordering O] BUILD_DIR
  --nodes N   nodes, default 1024 (about 2 MiB of memory each)
  --jobs N    exclusive jobs of 1 to 8 nodes that end at once, default 2000
  --pairs N   pairs of runs, default 6
Prints jobs per second of each run and their ratio (Coolspan to stock), the
median of the ratios, and their range: with six pairs, that of the population's
median with a confidence of 97 %. At the end, srun starts a job on all nodes.
TXT
}
nodes=1024 jobs=2000 pairs=6 policy=best-fit ordering=hilbert build=''
while (($#)); do
  case $1 in
    -h | --help) usage; exit 0 ;;
    --nodes) nodes=$2; shift ;;
    --jobs) jobs=$2; shift ;;
    --pairs) pairs=$2; shift ;;
    --policy) policy=$2; shift ;;
    --ordering) ordering=$2; shift ;;
    -*) echo "${0##*/}: unknown option $1" >&2; usage >&2; exit 2 ;;
    *) build=$1 ;;
  esac
  shift
done
[[ -n $build ]] || { usage >&2; exit 2; }

mini=$here/deploy/mini-cluster
scratch=$(mktemp -d "${TMPDIR:-/tmp}/coolspan-throughput.XXXXXX")
chmod 755 "$scratch"
trap '"$mini" stop --dir "$scratch/c" >/dev/null 2>&1 || true; rm -rf "$scratch"' EXIT

# Starts a cluster, runs the jobs, and prints jobs per second.
run() { # START OPTIONS...
  local size start end done_jobs pid pid_file
  "$mini" start --dir "$scratch/c" --nodes "$nodes" --timeout 400 \
    --slurm-conf 'SchedulerParameters=default_queue_depth=100000' "$@" 2>/dev/null
  export SLURM_CONF=$scratch/c/etc/slurm.conf
  for pid_file in "$scratch"/c/run/slurmd-*.pid; do
    read -r pid _ <"$pid_file"
    renice -n 19 -p "$pid" >/dev/null
  done
  scontrol update partition=main state=DOWN
  for size in {1..8}; do
    sbatch --exclusive --nodes="$size" --array="1-$((jobs / 8))" --output=/dev/null \
      --wrap=true >/dev/null
  done
  start=$(date +%s%N)
  scontrol update partition=main state=UP
  # CG: the nodes are free for the next job, the job has ended.
  while [[ -n $(squeue -h -t PENDING,CONFIGURING,RUNNING -o %i | head -n1) ]]; do sleep 0.2; done
  end=$(date +%s%N)
  done_jobs=$(sdiag | awk '/^Jobs completed:/ { print $3 }')
  ((done_jobs >= jobs / 8 * 8 * 99 / 100)) || { echo "only $done_jobs of $jobs jobs completed" >&2; exit 1; }
  awk -v jobs=$((jobs / 8 * 8)) -v ns=$((end - start)) 'BEGIN { printf "%.2f\n", jobs * 1e9 / ns }'
}

for ((pair = 1; pair <= pairs; pair++)); do
  stock=$(run --plugin none)
  "$mini" stop --dir "$scratch/c" 2>/dev/null
  ours=$(run --plugin dropin --plugin-dir "$build/plugin" --coolspand "$build/bin/coolspand" \
    --policy "$policy" --ordering "$ordering" --coolspan-conf DeadlineMs=200)
  log=$scratch/c/log/slurmctld.log
  enforced=$(grep -c 'coolspan: JobId=.* enforced ' "$log" || true)
  fallback=$(grep -c 'coolspan: JobId=.* fallback ' "$log" || true)
  sed -n 's/.*coolspan: JobId=.* fallback \(reason="[^"]*"\).*/  fallback: \1/p' "$log" | sort | uniq -c
  all=''
  if ((pair == pairs)); then
    if SLURM_CONF=$scratch/c/etc/slurm.conf srun --nodes="$nodes" --exclusive --time=10 true \
      2>"$scratch/srun.err"; then all='; srun on all nodes ran'; else all='; srun on all nodes failed'; fi
    (($(grep -c 'coolspan: JobId=.* enforced ' "$log") > enforced)) || all="$all, not enforced"
  fi
  "$mini" stop --dir "$scratch/c" 2>/dev/null
  awk -v s="$stock" -v o="$ours" 'BEGIN { print o / s }' >>"$scratch/ratios"
  echo "pair $pair: stock $stock jobs/s, Coolspan $ours jobs/s ($enforced enforced, $fallback fallbacks), ratio $(tail -n1 "$scratch/ratios")$all"
done
sort -g "$scratch/ratios" | awk '{ r[NR] = $1 } END {
  printf "median ratio %.3f (%.3f to %.3f, %d pairs)\n", NR % 2 ? r[(NR + 1) / 2] : (r[NR / 2] + r[NR / 2 + 1]) / 2, r[1], r[NR], NR }'
