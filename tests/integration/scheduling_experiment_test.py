#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests deploy/scheduling-experiment on a short log: at light load the order of
the energies must be that of the paper with idle nodes on, SCINT must meet the
deadlines that first fit meets, Markdown and JSON must have the same values, and
errors must be one line.

    scheduling_experiment_test.py COOLSPAN SCHEDULING_EXPERIMENT DATA_FOLDER
"""
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile

SKIPPED = 77


def write_log(path):
    """Twelve days, the load of which rises."""
    draw = random.Random(4)
    submits = sorted(draw.uniform(0, 12 * 86400) ** 1.2 % (12 * 86400)
                     for _ in range(60))
    with open(path, "w", encoding="utf-8") as log:
        for number, submit in enumerate(submits, 1):
            run = draw.randint(600, 20000)
            procs = draw.choice([1, 2, 4, 8, 16])
            log.write(f"{number} {submit:.0f} 0 {run} {procs} -1 -1 {procs} "
                      f"{run * draw.randint(1, 4)} -1 1 1 1 -1 -1 -1 -1 -1\n")


def main():
    coolspan, experiment, data = sys.argv[1:]
    heat = pathlib.Path(os.environ.get("COOLSPAN_DATA_DIR", data)) / "heat/ASU-D15-50x50.txt"
    if not heat.exists():
        print(f"needs {heat}, which is not on this host")
        sys.exit(1 if os.environ.get("COOLSPAN_REQUIRE_DATA") == "1" else SKIPPED)
    with tempfile.TemporaryDirectory() as folder:
        log = pathlib.Path(folder) / "log.swf"
        write_log(log)
        command = [experiment, "--coolspan", coolspan, "--heat", heat, "--trace", log,
                   "--evaluations", "20000"]

        def run(*more):
            return subprocess.run([*command, *more], check=True, stdout=subprocess.PIPE,
                                  text=True).stdout

        result = json.loads(run("--json"))
        assert set(result) == {"light", "medium", "high"}
        table = run()
        for load, one in result.items():
            for idle, rows in one["idle"].items():
                for name, row in rows.items():
                    assert row["total_gj"] > 0 and not row["ends_late"], (load, name, row)
                    assert f"{row['total_gj']:.3f}" in table, (load, idle, name)
                assert rows["SCINT"]["missed_that_ff_meets"] == 0, (load, rows)
                assert rows["SCINT"]["total_gj"] < rows["FF"]["total_gj"], (load, rows)
        on = {name: row["total_gj"] for name, row in result["light"]["idle"]["on"].items()}
        assert on["SCINT"] < on["LRH"] < on["FF"], on

        def refusal(*arguments):
            done = subprocess.run([experiment, *arguments], check=False,
                                  capture_output=True, text=True)
            assert done.returncode == 2 and done.stdout == "", done
            return done.stderr.removeprefix("scheduling-experiment: ")

        assert refusal("--heat", "none.txt", "--trace", log) == (
            "--heat: none.txt: not a file (expected the heat distribution matrix D of "
            "the room)\n")
        assert refusal("--heat", heat, "--trace", "none.swf").startswith(
            "--trace: none.swf: ")
        assert refusal("--coolspan", "/none", "--heat", heat, "--trace", log) == (
            "--coolspan: /none: No such file or directory (expected the program "
            "coolspan)\n")


if __name__ == "__main__":
    main()
