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
folder=$(mktemp -d)
pid=
clean_up() {
  [ -z "$pid" ] || { kill "$pid" 2>/dev/null && wait "$pid" || true; }
  rm -rf "$folder"
}
trap clean_up EXIT

cat >"$folder/machine.yaml" <<'YAML'
name: load
topology: {kind: mesh, dims: [100, 100]}
nodes: "n[1-10000]"
YAML
cat >"$folder/coolspand.yaml" <<YAML
machine: machine.yaml
policy: best-fit
ordering: hilbert
deadline_ms: 1250
listen: unix://$folder/coolspand.sock
state: {sqlite: $folder/state.db}
log: {file: $folder/log, level: warning}
YAML
if [ "$kind" = pages ]; then
  policy=127.0.0.1:9643
  echo "http: {listen: $policy}" >>"$folder/coolspand.yaml"
fi
"${COOLSPAND:-$bin/coolspand}" --config "$folder/coolspand.yaml" &
pid=$!
for ((i = 0; i < 100; ++i)); do
  [ ! -S "$folder/coolspand.sock" ] || break
  sleep 0.1
done
for ((round = 1; round <= rounds; ++round)); do
  echo "round $round"
  "$bin/flood_load" "unix://$folder/coolspand.sock" 'n[1-10000]' "$kind" "$calls" "$seconds" "$policy"
done
