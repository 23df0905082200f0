#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests deploy/cplant-experiment: streams must have the paper's jobs, Hilbert
orderings must be better than rows and run times grow with hops; Markdown and JSON
must have the same values; errors must be one line.

    cplant_experiment_test.py COOLSPAN CPLANT_EXPERIMENT
"""
import json
import subprocess
import sys


def main():
    coolspan, experiment = sys.argv[1:]
    command = [experiment, "stream", "--coolspan", coolspan, "--streams", "2"]

    def run(*more):
        return subprocess.run([*command, *more], check=True, stdout=subprocess.PIPE,
                              text=True).stdout

    result = json.loads(run("--json"))
    strategies = result["strategies"]
    assert len(strategies) == 6, strategies
    assert strategies["best fit (Hilbert)"]["ratio"] == 1
    rows = strategies["baseline (no curve)"]
    assert rows["ratio"] > 1.02, rows
    assert rows["paper_s"] == 5 * 3600 + 46 * 60 + 31, rows
    assert len(rows["waits_s"]) == 5, rows
    assert result["correlation"]["hops"] > 0.2, result["correlation"]
    table = run()
    for name, one in strategies.items():
        assert f"| {name} | {one['paper_s']} |" in table, name
        assert f"| {one['makespan_s']:.0f} |" in table, name

    def refusal(*arguments):
        done = subprocess.run([experiment, *arguments], check=False,
                              capture_output=True, text=True)
        assert done.returncode == 2 and done.stdout == "", done
        return done.stderr

    assert "--streams must be above 0" in refusal("stream", "--streams", "0")
    assert "--trace: missing (expected a log)" in refusal("small")
    assert refusal("stream", "--coolspan", "/none") == (
        "cplant-experiment: --coolspan: /none: No such file or directory (expected "
        "the program coolspan)\n")
    # The error of coolspan, without what comes before it.
    assert "none.swf: cannot open file" in refusal(
        "small", "--coolspan", coolspan, "--trace", "none.swf")


if __name__ == "__main__":
    main()
