#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The times of calls to a coolspand of its own whose ledger is in three members
# of etcd on this host, which sync their disks: coolspan load on 10,000 nodes (a
# mesh of 100x100), 40 % free, best-fit. Target: 25 ms for 99 % of Allocate.
#   etcd_load.sh BIN_FOLDER [ROUNDS [CALLS_AT_A_TIME [JOBS]]]
set -euo pipefail

if [ $# -lt 1 ]; then
  echo "usage: etcd_load.sh BIN_FOLDER [ROUNDS [CALLS_AT_A_TIME [JOBS]]]" >&2
  exit 2
fi
bin=$1 rounds=${2:-3} calls=${3:-4} jobs=${4:-3000}
. "$(dirname "$0")/mesh_daemon.sh"
members=()
clean_up_all() {
  clean_up
  [ ${#members[@]} -eq 0 ] || kill -9 "${members[@]}" 2>/dev/null || true
  rm -rf "$folder"
}
trap clean_up_all EXIT

port=$((26000 + $$ % 2000))
endpoints= peers=
for i in 0 1 2; do
  endpoints+=${endpoints:+, }\"127.0.0.1:$((port + i))\"
  peers+=${peers:+,}m$i=http://127.0.0.1:$((port + 10 + i))
done
for i in 0 1 2; do
  client=http://127.0.0.1:$((port + i)) peer=http://127.0.0.1:$((port + 10 + i))
  etcd --name=m$i --data-dir="$folder/m$i" --listen-client-urls="$client" \
    --advertise-client-urls="$client" --listen-peer-urls="$peer" \
    --initial-advertise-peer-urls="$peer" --initial-cluster="$peers" \
    --heartbeat-interval=50 --election-timeout=500 --logger=zap \
    --log-level=error >"$folder/etcd$i.log" 2>&1 &
  members+=($!)
done
mesh_daemon "$bin" "log: {file: $folder/log}"
kill "$pid" && wait "$pid" || true
sed -i "s|^state: .*|state: {sqlite: $folder/state.db, etcd: [$endpoints]}|" \
  "$folder/coolspand.yaml"
"$bin/coolspand" --config "$folder/coolspand.yaml" &
pid=$!
for ((i = 0; i < 200; ++i)); do
  ! grep -q '"granted' "$folder/log" 2>/dev/null || break
  sleep 0.1
done
for ((round = 1; round <= rounds; ++round)); do
  "$bin/coolspan" load --endpoint "$endpoint" \
    --machine "$folder/machine.yaml" --jobs "$jobs" --concurrency "$calls" \
    --json >"$folder/result.json"
  python3 - "$folder/result.json" <<'PYTHON'
import json
import sys

with open(sys.argv[1], encoding='utf-8') as file:
    result = json.load(file)
times = '; '.join(
    f"{name} {call['p50_us'] / 1000:.1f}, {call['p99_us'] / 1000:.1f}"
    for name, call in result['calls'].items())
print(f"{result['jobs_per_s']:.0f} jobs/s; p50, p99 in ms: {times}")
PYTHON
done
