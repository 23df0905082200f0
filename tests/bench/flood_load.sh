#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Runs flood_load several times against a coolspand of its own: 10,000 nodes (a
# mesh of 100x100), best-fit, and previews that search for all of 1.25 s.
# Targets: flood_load.cc.
#   flood_load.sh BIN_FOLDER [ROUNDS [KIND [CALLS [SECONDS [POLICY]]]]]
# COOLSPAND: another daemon to measure, such as an earlier version.
set -euo pipefail

if [ $# -lt 1 ]; then
  echo "usage: flood_load.sh BIN_FOLDER [ROUNDS [KIND [CALLS [SECONDS [POLICY]]]]]" >&2
  exit 2
fi
bin=$1 rounds=${2:-5} kind=${3:-previews} calls=${4:-16} seconds=${5:-10} policy=${6-exact}
. "$(dirname "$0")/mesh_daemon.sh"
lines="deadline_ms: 1250
log: {file: $folder/log, level: warning}"
if [ "$kind" = pages ]; then
  policy=127.0.0.1:9643
  lines+="
http: {listen: $policy}"
fi
mesh_daemon "$bin" "$lines"
for ((round = 1; round <= rounds; ++round)); do
  echo "round $round"
  "$bin/flood_load" "$endpoint" 'n[1-10000]' "$kind" "$calls" "$seconds" "$policy"
done
