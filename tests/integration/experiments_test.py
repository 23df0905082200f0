#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests deploy/cplant-simulation, whose rows must be those of docs/cplant-simulation.md,
and deploy/mapping-experiment; errors must be one line.

    experiments_test.py COOLSPAN SOURCE_FOLDER DATA_FOLDER
"""
import json
import os
import pathlib
import subprocess
import sys

SKIPPED = 77


def main():
    coolspan, source, data = sys.argv[1:]
    source = pathlib.Path(source)
    log = (pathlib.Path(os.environ.get("COOLSPAN_DATA_DIR", data))
           / "swf/NASA-iPSC-1993-3.1-cln.swf.gz")

    def run(program, *arguments):
        return subprocess.run([source / "deploy" / program, "--coolspan", coolspan, *arguments],
                              check=False, capture_output=True, text=True)

    def output_of(program, *arguments):
        done = run(program, *arguments)
        assert done.returncode == 0 and done.stderr == "", done
        return done.stdout

    def terminal_output_of(program, *arguments):
        """Standard error on a terminal."""
        ours, theirs = os.openpty()
        subprocess.run([source / "deploy" / program, "--coolspan", coolspan, *arguments],
                       check=True, stdout=subprocess.DEVNULL, stderr=theirs)
        os.set_blocking(ours, False)
        text = os.read(ours, 65536).decode()
        os.close(ours)
        os.close(theirs)
        return text

    def error_of(program, *arguments):
        done = run(program, *arguments)
        assert done.returncode == 2 and done.stdout == "", done
        return done.stderr.splitlines()[-1]

    rows = json.loads(output_of("mapping-experiment", "static", "--json"))
    assert len(rows) == 5 * (3 + 4), len(rows)
    for row in rows:
        assert row["rcb"] >= row["rcb:swaps=0"] - 1e-9, row
    assert max(row["rcb"] for row in rows) > 20
    for row in json.loads(output_of("mapping-experiment", "large", "--json")):
        assert row["gain_percent"] > 75, row
    queues = output_of("mapping-experiment", "dynamic", "--queues", "2").splitlines()
    assert len(queues) == 2 + 5 + 1 + 2, queues
    assert "5 of 5: stencil3d, one rank per node" in terminal_output_of(
        "mapping-experiment", "dynamic", "--queues", "1")
    assert "--queues must be at least 1" in error_of(
        "mapping-experiment", "dynamic", "--queues", "0")
    assert "--patterns: /none is not a folder" in error_of(
        "mapping-experiment", "static", "--patterns", "/none")

    assert error_of("cplant-simulation", "--trace", "none.swf") == (
        "cplant-simulation: none.swf: cannot open file: No such file or directory")
    assert "'0,x' (expected numbers above 0" in error_of(
        "cplant-simulation", "--trace", "none.swf", "--work-multiples", "0,x")
    if not log.exists():
        print(f"needs {log}, which is not on this host")
        sys.exit(1 if os.environ.get("COOLSPAN_REQUIRE_DATA") == "1" else SKIPPED)
    document = (source / "docs/cplant-simulation.md").read_text().splitlines()
    rows = output_of("cplant-simulation", "--trace", log, "--scale-procs", "320/128",
                     "--work-multiples", "0.5,2").splitlines()
    assert len(rows) == 2 + 2 * 8 and set(rows) <= set(document), rows


if __name__ == "__main__":
    main()
