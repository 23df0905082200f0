#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# What the pattern recorder costs a program that does nothing but communicate: two
# ranks on one host send small messages back and forth, with and without it.
#
# Target: a ratio under 1.03, the median of ten alternating pairs of runs, on a host
# with two idle processors. The time of a run is the median of its blocks of round
# trips. Where runs differ by far more than that, the ratio within one run is the one
# to read: of blocks by MPI_Send, which the recorder counts, and blocks by PMPI_Send,
# which it does not.
set -euo pipefail

usage() {
  cat <<TXT
Usage: ${0##*/} [--pairs N] [--bytes N] [--blocks N] [--mpi NAME] [--nice N] BUILD_DIR
  --pairs N        runs without and with the recorder, default 10
  --bytes N        size of a message, default 8
  --blocks N       of 500 round trips in a run, default 2000
  --mpi NAME       openmpi or mpich, default both
  --nice N         of the ranks; -20 as root, for a host that is not idle
Builds nothing: ninja -C BUILD_DIR coolspan_pattern_MPI recorded_ping_pong_MPI.
Prints for each MPI the median round trip without and with the recorder, the
median ratio of a pair and its range; then the same of blocks within one run,
with the recorder and, as a control, without.
TXT
}
pairs=10 bytes=8 mpis='openmpi mpich' nice=0 blocks=2000 build=''
while (($#)); do
  case $1 in
    -h | --help) usage; exit 0 ;;
    --pairs) pairs=$2; shift ;;
    --bytes) bytes=$2; shift ;;
    --blocks) blocks=$2; shift ;;
    --mpi) mpis=$2; shift ;;
    --nice) nice=$2; shift ;;
    -*) echo "${0##*/}: unknown option $1" >&2; usage >&2; exit 2 ;;
    *) build=$1 ;;
  esac
  shift
done
[[ -n $build ]] || { usage >&2; exit 2; }
build=$(cd "$build" && pwd)
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 HYDRA_LAUNCHER=fork

scratch=$(mktemp -d "${TMPDIR:-/tmp}/coolspan-overhead.XXXXXX")
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"

ping_pong() { # MPI LIBRARY ARGUMENT... (LIBRARY empty: without)
  local preload=()
  local program=(nice -n "$nice" "$build/tests/mpi_recorder/$1/ping_pong" "${@:3}")
  if [[ $1 = openmpi ]]; then
    [[ -z $2 ]] || preload=(-x "LD_PRELOAD=$2")
    mpirun.openmpi --bind-to core --mca btl self,vader -n 2 "${preload[@]}" "${program[@]}"
  else
    [[ -z $2 ]] || preload=(-genv LD_PRELOAD "$2")
    mpirun.mpich -iface lo -bind-to core -n 2 "${preload[@]}" "${program[@]}"
  fi
}

for mpi in $mpis; do
  library=$build/plugin/mpi_recorder/$mpi/libcoolspan_pattern.so
  for ((pair = 0; pair < pairs; ++pair)); do
    # Neither is always the first of a pair.
    if ((pair % 2)); then
      with=$(ping_pong "$mpi" "$library" "$blocks" "$bytes")
      without=$(ping_pong "$mpi" '' "$blocks" "$bytes")
    else
      without=$(ping_pong "$mpi" '' "$blocks" "$bytes")
      with=$(ping_pong "$mpi" "$library" "$blocks" "$bytes")
    fi
    echo "$without $with"
  done >"$mpi.pairs"
  [[ -s coolspan-pattern.csv ]] || { echo "${0##*/}: $mpi: nothing was recorded" >&2; exit 1; }
  rm coolspan-pattern.csv
  python3 - "$mpi" "$bytes" "$mpi.pairs" <<'PY'
import statistics
import sys
pairs = [tuple(map(float, line.split())) for line in open(sys.argv[3])]
without, recorded = (statistics.median(column) for column in zip(*pairs))
ratios = sorted(b / a for a, b in pairs)
print(f'{sys.argv[1]}, {sys.argv[2]} bytes: {without:.0f} ns without, {recorded:.0f} ns with the recorder; '
      f'ratio {statistics.median(ratios):.3f} ({ratios[0]:.3f} to {ratios[-1]:.3f}, {len(pairs)} pairs)')
PY
  for recorder in "$library" ''; do
    read -r by_pmpi by_mpi ratio <<<"$(ping_pong "$mpi" "$recorder" "$blocks" "$bytes" --pmpi)"
    echo "  within one run $([[ -n $recorder ]] && echo with || echo without) the recorder:" \
      "$by_pmpi ns by PMPI_Send, $by_mpi ns by MPI_Send; ratio $ratio ($((blocks / 2)) pairs of blocks)"
  done
done
