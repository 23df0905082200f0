#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests deploy/cooling-experiment: in two experiments of dynamic, the joint
policies must save cooling energy in both numberings, and Markdown and JSON must
have the same values; the rows of trace must be those of
docs/cooling-reproduction.md, as must be what static prints; errors must be one line.

    cooling_experiment_test.py COOLSPAN COOLING_EXPERIMENT DATA_FOLDER
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

SKIPPED = 77
BASE = "bqp:alpha=1:beta=0"


def main():
    coolspan, experiment, data = sys.argv[1:]
    heat = pathlib.Path(os.environ.get("COOLSPAN_DATA_DIR", data)) / "heat/boston40-D.txt"
    log = heat.parents[1] / "swf/NASA-iPSC-1993-3.1-cln.swf.gz"
    if not (heat.exists() and log.exists()):
        print(f"needs {heat} and {log}, which are not on this host")
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
        for policy in ("bqp", "hybrid"):
            against = figures[policy]["against"]
            assert against[BASE]["cooling_energy_j"]["mean"] < -5, (name, policy, against)
            assert against[BASE]["mean_runtime_s"]["mean"] > 0, (name, policy, against)
            kwh = figures[policy]["cooling_energy_j"]["mean"] / 3.6e6
            assert f"| `{policy}` | {kwh:.1f} ±" in table, (policy, kwh)
        assert figures[BASE]["against"][BASE]["cooling_energy_j"]["mean"] == 0

    # The headings of dynamic, and the rows of trace, must be in the document.
    document = (pathlib.Path(experiment).resolve().parents[1]
             / "docs/cooling-reproduction.md").read_text().splitlines()
    headings = [line for line in table.splitlines()
            if line.startswith(("| policy", "|---", "Nodes"))]
    assert len(headings) == 6 and set(headings) <= set(document), headings
    for line in table.splitlines():
        if line.startswith(f"| `{BASE}`"):
            assert line.count("|  |  |  |") == 1, line
    rows = subprocess.run(
        [experiment, "trace", *command[2:6], "--trace", log, "--policies",
         "mc1x1,mpit,hybrid"], check=True, stdout=subprocess.PIPE, text=True)
    rows = rows.stdout.splitlines()
    # Of table 1, and of figures 8 to 10 with the row of the paper.
    assert len(rows) == (2 + 2 * 3 * 3) + 1 + (2 + 2 * 3 + 1), rows
    assert set(rows) <= set(document), rows

    static = [experiment, "static", *command[2:6], "--experiments", "3"]
    result = json.loads(subprocess.run([*static, "--json"], check=True,
                                       stdout=subprocess.PIPE, text=True).stdout)
    for figures in result["numberings"].values():
        mean_w, peak_w = figures["mean_against_peak_w"].values()
        assert len(mean_w) == len(peak_w) == 40
        # mpit minimises what cooling is computed from, and is exact.
        assert all(mean > peak - 1 for mean, peak in zip(mean_w, peak_w)), (mean_w, peak_w)
        bqp = figures["filled_room"]["bqp"]
        assert bqp["cooling_change"]["mean"] < 20, bqp
        assert figures["filled_room"][BASE]["cooling_change"]["mean"] > 20, figures
    # What does not depend on the number of sequences is in the document.
    lines = subprocess.run(static, check=True, stdout=subprocess.PIPE, text=True)
    lines = [line for line in lines.stdout.splitlines() if "±" not in line]
    assert len(lines) > 15 and set(lines) <= set(document), set(lines) - set(document)

    def refusal(*arguments):
        done = subprocess.run([experiment, *arguments], check=False,
                                 capture_output=True, text=True)
        assert done.returncode == 2 and done.stdout == "", done
        return done.stderr.removeprefix("cooling-experiment: ")

    assert "--experiments" in refusal(*command[1:-4], "--experiments", "0")
    program = ["--coolspan", coolspan]
    assert refusal("dynamic", *program, "--heat", "none.txt") == (
        "--heat: none.txt: No such file or directory (expected the heat distribution "
        "matrix D of the room)\n")
    assert refusal("dynamic", *program, "--heat", experiment) == (
        f"--heat: {experiment}: not a matrix of 40 rows and columns (expected the heat "
        "distribution matrix D of the room as dense text)\n")
    assert refusal("static", *program, "--heat", heat, "--policies", "mpit") == (
        "--policies: no bqp:alpha=0:beta=1, to which static compares the others\n")
    assert refusal("dynamic", "--coolspan", "/none", "--heat", heat) == (
        "--coolspan: /none: No such file or directory (expected the program coolspan)\n")
    # The error of coolspan, without a prefix.
    assert refusal("trace", *program, "--heat", heat, "--trace", "none.swf") == (
        "none.swf: cannot open file: No such file or directory\n")

    # Paths must be quoted in the machine files.
    with tempfile.TemporaryDirectory(prefix="D: a \"b\" #c\\") as folder:
        copy = pathlib.Path(folder) / "D: ä.txt"
        copy.write_text(heat.read_text())
        elsewhere = subprocess.run(
            [experiment, "dynamic", *program, "--heat", copy, "--experiments", "1",
             "--policies", "mc1x1", "--json"],
            check=True, stdout=subprocess.PIPE, text=True)
        assert json.loads(elsewhere.stdout)["experiments"] == 1


if __name__ == "__main__":
    main()
