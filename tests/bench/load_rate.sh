#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Jobs per second of a coolspand of its own, and its processor time for each:
# coolspan load on 10,000 nodes (a mesh of 100x100), 40 % free, best-fit.
# Targets, 32 requests at a time on 2 cores: 8,000 jobs/s; 5 ms for 99 % of the
# calls.
#   load_rate.sh BIN_FOLDER [ROUNDS [CALLS_AT_A_TIME [JOBS]]]
# COOLSPAND: another daemon to measure, such as an earlier version.
set -euo pipefail

if [ $# -lt 1 ]; then
  echo "usage: load_rate.sh BIN_FOLDER [ROUNDS [CALLS_AT_A_TIME [JOBS]]]" >&2
  exit 2
fi
bin=$1 rounds=${2:-5} calls=${3:-32} jobs=${4:-20000}
. "$(dirname "$0")/mesh_daemon.sh"
mesh_daemon "$bin" "log: {file: $folder/log}"
ticks() { awk '{print $14 + $15}' "/proc/$pid/stat"; }
memory() { awk '/^VmRSS/ {printf "%d", $2 / 1024}' "/proc/$pid/status"; }
for ((round = 1; round <= rounds; ++round)); do
  before=$(ticks)
  "$bin/coolspan" load --endpoint "$endpoint" \
    --machine "$folder/machine.yaml" --jobs "$jobs" --concurrency "$calls" \
    --json >"$folder/result.json"
  spent=$(($(ticks) - before))
  python3 - "$folder/result.json" "$spent" "$(getconf CLK_TCK)" "$(memory)" <<'PYTHON'
import json
import sys

with open(sys.argv[1], encoding='utf-8') as file:
    result = json.load(file)
cpu_us = int(sys.argv[2]) / int(sys.argv[3]) * 1e6 / result['placed']
p99 = ', '.join(f"{name} {call['p99_us'] / 1000:.1f}"
                for name, call in result['calls'].items())
print(f"{result['jobs_per_s']:.0f} jobs/s, p99 in ms: {p99}; daemon: "
      f'{cpu_us:.0f} us of processor time per job, {sys.argv[4]} MiB')
PYTHON
done
