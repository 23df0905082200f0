#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# On a bare Debian 12 or 13: builds Coolspan, runs jobs that it places in a real
# Slurm cluster on this host, and compares policies on a trace. Not interactive;
# removes the cluster at the end.
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD

usage() {
  cat <<'TXT'
usage: deploy/quickstart.sh [--nodes N] [--keep] [--ha]
  --nodes N   nodes of the mini-cluster, 4 to 999, default 16
  --keep      keep the cluster running and print how to use and stop it
  --ha        also show a fail-over: three etcd, two coolspand, the leader is
              killed while jobs run
TXT
}
nodes=16 keep='' ha=
while (($#)); do
  case $1 in
    -h | --help) usage; exit 0 ;;
    --keep) keep=yes; shift ;;
    --ha) ha=yes; shift ;;
    --nodes)
      [[ ${2:-} =~ ^[1-9][0-9]{0,2}$ ]] && (($2 >= 4)) ||
        { echo "quickstart: --nodes: invalid value '${2:-}' (expected 4 to 999)" >&2; exit 2; }
      nodes=$2
      shift 2
      ;;
    *) echo "quickstart: unknown argument '$1'" >&2; usage >&2; exit 2 ;;
  esac
done

step() { printf '\n== %s\n' "$*"; }
die() { printf 'quickstart: %s\n' "$*" >&2; exit 1; }
as_root=()
if [ "$(id -u)" -ne 0 ]; then
  command -v sudo >/dev/null || die "root is required: run as root or install sudo"
  as_root=(sudo)
fi

SECONDS=0
step "1/6 installing missing packages: compiler, libraries, Slurm"
./deploy/install-deps build slurm ${ha:+ha}

step "2/6 fetching the source of the installed Slurm (required to build the plugin)"
slurm_source=$(./deploy/fetch-slurm-source)
echo "$slurm_source"

build=$root/build/release
step "3/6 building in ${build#"$root"/} (takes minutes the first time, then seconds)"
mkdir -p "$build"
# Warnings of a compiler that the project does not know are no errors here; a
# folder of the tests keeps its setting.
warnings=$(sed -n 's/^CMAKE_COMPILE_WARNING_AS_ERROR:[A-Z]*=//p' "$build/CMakeCache.txt" 2>/dev/null || true)
cmake --preset release -DSLURM_SOURCE_DIR="$slurm_source" \
  -DCMAKE_COMPILE_WARNING_AS_ERROR="${warnings:-OFF}" >"$build/configure.log" 2>&1 ||
  { tail -20 "$build/configure.log" >&2; die "cmake failed; see $build/configure.log"; }
left_out=$(sed -n 's/^-- \(Slurm plugin left out: .*\)/\1/p' "$build/configure.log")
targets=(coolspan coolspand)
[ -n "$left_out" ] || targets+=(select_coolspan)
cmake --build --preset release --target "${targets[@]}" >"$build/build.log" 2>&1 ||
  { grep -E 'error|FAILED' -A4 "$build/build.log" | head -40 >&2; die "the build failed; see $build/build.log"; }
coolspan=$build/bin/coolspan
"$coolspan" --version

scratch=$(mktemp -d "${TMPDIR:-/tmp}/coolspan-quickstart.XXXXXX")
chmod 755 "$scratch"
cluster=$scratch/cluster
mini_cluster() { "${as_root[@]}" "$root/deploy/mini-cluster" "$@"; }
clean_up() {
  [ -z "$keep" ] || return 0
  [ ! -d "$cluster" ] || mini_cluster stop --dir "$cluster"
  "${as_root[@]}" rm -rf "$scratch"
}
trap clean_up EXIT

endpoint=unix://$cluster/run/coolspand.sock
slurm() { "${as_root[@]}" env SLURM_CONF="$SLURM_CONF" "$@"; }
running() { slurm squeue -h -t RUNNING -o %i | wc -l; }
wait_until_running() { # COUNT
  local i
  for ((i = 0; i < 300; i++)); do
    [ "$(running)" -eq "$1" ] && return
    sleep 0.2
  done
  slurm squeue
  die "timeout: $1 jobs not running within 60 s; with --keep the logs remain in $cluster/log"
}
submit() { # NAME NODES
  slurm sbatch --parsable --exclusive --chdir=/ --output=/dev/null \
    --job-name="$1" --nodes="$2" --wrap='sleep 600'
}
held_by() { # JOB: its nodes in the ledger of coolspand
  "$coolspan" jobs --endpoint "$endpoint" --json | python3 -c '
import json, sys
jobs = {job["job_id"]: job["nodes"] for job in json.load(sys.stdin)["jobs"]}
print(jobs.get(int(sys.argv[1]), "-"))' "$1"
}

outcome_of() { # JOB: of its last decision
  "$coolspan" explain --endpoint "$endpoint" --json "$1" 2>/dev/null | python3 -c '
import json, sys
decisions = json.loads(sys.stdin.read() or "{}").get("decisions")
print(decisions[0]["outcome"] if decisions else "none")'
}

start_cluster() {
  # The deadline: this host may be busy with other things.
  mini_cluster start --dir "$cluster" --nodes "$nodes" --plugin named \
    --plugin-dir "$build/plugin" --coolspand "$build/bin/coolspand" \
    --coolspan-conf DeadlineMs=1000 \
    --policy coolspan --ordering hilbert
  eval "$(mini_cluster env --dir "$cluster")"
}

run_jobs() {
  # Each job gets a quarter of the machine. The second one ends, and two more are
  # placed on the free nodes.
  local share=$((nodes / 4)) second
  submit alpha "$share" >/dev/null
  second=$(submit beta "$share")
  submit gamma "$share" >/dev/null
  wait_until_running 3
  slurm scancel "$second"
  wait_until_running 2
  submit delta "$(((share + 1) / 2))" >/dev/null
  submit epsilon "$share" >/dev/null
  wait_until_running 4
}

show_jobs() {
  local job name shown same=0 placed=0 all=0
  while read -r job name shown; do
    all=$((all + 1))
    [ "$shown" != "$(held_by "$job")" ] || same=$((same + 1))
    printf '\njob %s (%s): squeue shows %s; coolspand:\n' "$job" "$name" "$shown"
    "$coolspan" explain --endpoint "$endpoint" "$job" 2>&1 | sed 's/^/  /' ||
      echo "  no decision: placed by Slurm"
    [ "$(outcome_of "$job")" != committed ] || placed=$((placed + 1))
  done < <(slurm squeue -h -t RUNNING --sort=i -o '%i %j %N')
  printf '\n%s of %s jobs have the same nodes in squeue and in the ledger of coolspand\n\n' "$same" "$all"
  [ "$same" -eq "$all" ] || die "squeue and the ledger of coolspand differ"
  [ "$placed" -eq "$all" ] || die "$((all - placed)) of $all jobs were not placed by coolspand"
  "$coolspan" map-view --endpoint "$endpoint"
  echo
  "$coolspan" status --endpoint "$endpoint"
}

if [ -n "$left_out" ]; then
  step "4/6 and 5/6 skipped: no Slurm plugin"
  echo "$left_out"
  keep=
else
  step "4/6 starting a Slurm cluster of $nodes nodes with coolspand in $cluster"
  start_cluster
  step "5/6 running jobs"
  run_jobs
  show_jobs
  if [ -n "$ha" ]; then
    step "5/6 fail-over: the leader of two coolspand is killed while jobs run"
    "${as_root[@]}" "$root/deploy/ha-demo" "$build"
  fi
fi

step "6/6 comparing policies on a trace"
trace=$root/../shared/data/swf/NASA-iPSC-1993-3.1-cln.swf.gz
about="log of NASA's iPSC/860, 128 nodes, 1993"
if [ ! -r "$trace" ]; then
  trace=$scratch/example.swf
  ./deploy/example-trace --jobs 5000 --nodes 128 >"$trace"
  about="synthetic, from deploy/example-trace (no real log on this host)"
fi
machine=$root/config/machines/mesh-16x8.yaml
echo "trace: $about"
echo "machine: mesh of 16x8; pairwise_mean is the mean hop distance within a job"
for ordering in row-major hilbert; do
  echo
  "$coolspan" replay --trace "$trace" --machine "$machine" --scheduler easy \
    --policy free-list,first-fit,best-fit,sum-of-squares --ordering $ordering
done
echo
echo "without an ordering: shells around a node, and the policy for a stream of jobs"
"$coolspan" replay --trace "$trace" --machine "$machine" --scheduler easy \
  --policy mc1x1,coolspan

if [ -n "$keep" ]; then
  cat <<TXT

The cluster is running. To use it (as root) and to stop it:
  eval "\$($root/deploy/mini-cluster env --dir $cluster)"; squeue
  $coolspan jobs --endpoint $endpoint
  $root/deploy/mini-cluster stop --dir $cluster
TXT
fi
printf '\nquickstart: done in %s s\n' "$SECONDS"
