#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Replays the NASA log as users do, a process each time, and prints its time,
# the jobs a second that are in it, and the memory; then the RICC log once.
# Targets: NASA 100,000 jobs a second, and 20,000 with jobs that slow each other
# (--runtime-model contention); RICC under 1 GB of memory.
#   replay_process.sh COOLSPAN LOG_FOLDER [TIMES]
set -euo pipefail

if [ $# -lt 2 ]; then
  echo "usage: replay_process.sh COOLSPAN LOG_FOLDER [TIMES]" >&2
  exit 2
fi
coolspan=$1 logs=$2 times=${3:-9}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

machine() { # NAME DIMS NODES
  printf 'name: %s\ntopology: {kind: mesh, dims: [%s]}\nnodes: "%s"\n' "$@" \
    >"$folder/$1.yaml"
}
machine nasa '16, 8' 'n[001-128]'
machine ricc '32, 32' 'n[0001-1024]'

# measure TITLE NAME LOG TIMES OPTIONS...: the median of whole processes.
measure() {
  local title=$1 name=$2 log=$logs/$3 count=$4 i
  shift 4
  if [ ! -f "$log" ]; then
    echo "$title: skipped, $log is not on this host"
    return
  fi
  for ((i = 0; i < count; ++i)); do
    local begun=$EPOCHREALTIME
    "$coolspan" replay --trace "$log" --machine "$folder/$name.yaml" \
      --scheduler easy --policy best-fit --ordering hilbert --json "$@" \
      >"$folder/$name.json"
    echo $((${EPOCHREALTIME/[.,]/} - ${begun/[.,]/}))
  done | sort -n >"$folder/times"
  local us jobs memory
  us=$(sed -n "$((count / 2 + 1))p" "$folder/times")
  read -r jobs memory < <(python3 -c '
import json, sys
run = json.load(sys.stdin)["runs"][0]
print(run["jobs"], run["peak_rss_mb"])' <"$folder/$name.json")
  awk -v name="$title" -v us="$us" -v jobs="$jobs" -v memory="$memory" 'BEGIN {
    printf "%s: %.3f s, %.0f jobs a second, %.0f MB\n", name, us / 1e6, jobs * 1e6 / us, memory }'
}

measure nasa nasa NASA-iPSC-1993-3.1-cln.swf.gz "$times"
measure "nasa with contention" nasa NASA-iPSC-1993-3.1-cln.swf.gz "$times" \
  --runtime-model contention
measure ricc ricc RICC-2010-2.swf.gz 1 --procs-per-node 8
