#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""deploy/cooling-experiment dynamic, two experiments: what the joint policies
save must be there in both numberings, and both outputs must say the same.

    cooling_experiment_test.py COOLSPAN COOLING_EXPERIMENT DATA_FOLDER
"""
import json
import os
import pathlib
import subprocess
import sys

SKIPPED = 77
BASE = "bqp:alpha=1:beta=0"


def main():
    coolspan, experiment, data = sys.argv[1:]
    heat = pathlib.Path(os.environ.get("COOLSPAN_DATA_DIR", data)) / "heat/boston40-D.txt"
    if not heat.exists():
        print(f"needs {heat}, which is not on this host")
        sys.exit(1 if os.environ.get("COOLSPAN_REQUIRE_DATA") == "1" else SKIPPED)
    command = [experiment, "dynamic", "--coolspan", coolspan, "--heat", heat,
               "--experiments", "2", "--policies", f"{BASE},mc1x1,bqp,hybrid"]

    def run(*more):
        return subprocess.run([*command, *more], check=True, stdout=subprocess.PIPE,
                              text=True).stdout

    result = json.loads(run("--json"))
    assert result["experiments"] == 2
    assert set(result["numberings"]) == {"as D", "reversed"}
    table = run()
    for name, figures in result["numberings"].items():
        assert f"Nodes numbered {name}:" in table
        for policy in ("bqp", "hybrid"):
            against = figures[policy]["against"]
            assert against[BASE]["cooling_energy_j"]["mean"] < -5, (name, policy, against)
            assert against[BASE]["mean_runtime_s"]["mean"] > 0, (name, policy, against)
            kwh = figures[policy]["cooling_energy_j"]["mean"] / 3.6e6
            assert f"| {policy} | {kwh:.1f} ±" in table, (policy, kwh)
        assert figures[BASE]["against"][BASE]["cooling_energy_j"]["mean"] == 0

    refused = subprocess.run([*command[:-4], "--experiments", "0"], check=False,
                             stderr=subprocess.PIPE, text=True)
    assert refused.returncode == 2 and "--experiments" in refused.stderr, refused


if __name__ == "__main__":
    main()
