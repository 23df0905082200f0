#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""deploy/play-room shows a room as coolspan thermal computes it, with a sensor
that lies, one that dies, and a hot spot: play_room_test.py COOLSPAN PLAY_ROOM"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

MACHINE = """name: four
topology: {kind: mesh, dims: [4]}
nodes: "n[1-4]"
node_types:
  - {name: std, nodes: "n[1-4]", idle_w: 100, compute_w: 300, communicate_w: 300}
thermal:
  heat_distribution: D.txt
  airflow_w_per_k: 50
  supply_c: 15
  redline_c: 30
"""
HEAT = "0.01 0 0 0\n0 0.01 0 0\n0 0 0.01 0\n0 0 0.002 0.01\n"


def page(url):
    with urllib.request.urlopen(url, timeout=10) as reply:
        text = reply.read().decode()
    return {(match[1], match[2]): float(match[3]) for match in re.finditer(
        r'^(\w+)\{.*node="(\w+)"\} (\S+)$', text, re.MULTILINE)}


def inlets(url):
    return {node: value for (name, node), value in page(url).items()
            if name == "ipmi_temperature_celsius"}


def wait_for(what, holds):
    end = time.monotonic() + 60
    while not holds():
        if time.monotonic() > end:
            sys.exit(f"did not come: {what}")
        time.sleep(0.1)


def expect(what, holds):
    if not holds:
        sys.exit(f"does not hold: {what}")


def check(url, running, faults, said, thermal):
    idle = thermal()
    seen = inlets(url)
    expect("idle inlets", abs(seen["n1"] - idle[0]) < 0.01)
    expect("the liar is off", abs(seen["n2"] - idle[1] - 15) < 0.01)
    expect("one node's page", set(inlets(url + "/n3")) == {"n3"})
    try:
        page(url + "/n5")
        sys.exit("a page of no node")
    except urllib.error.HTTPError as error:
        expect("404", error.code == 404)
    running.write_text("n[3-4]\n")
    busy = thermal("n[3-4]")
    wait_for("heat", lambda: abs(inlets(url)["n3"] - busy[2]) < 0.01)
    expect("power", page(url)["ipmi_dcmi_power_consumption_watts", "n3"] == 300)
    wait_for("silence of n4", lambda: "n4" not in inlets(url))
    expect("others speak", set(inlets(url)) == {"n1", "n2", "n3"})
    # A wrong line changes nothing; what is taken out of the file heals.
    faults.write_text("die n1\nlie n3=\n")
    wait_for("the wrong line", lambda: "'lie n3='" in said.read_text())
    expect("no change", set(inlets(url)) == {"n1", "n2", "n3"})
    faults.write_text("hot n1=+5\nlie n3=-2\n")
    wait_for("a hot spot", lambda: abs(inlets(url)["n1"] - busy[0] - 5) < 0.01)
    expect("its liar", abs(inlets(url)["n3"] - busy[2] + 2) < 0.01)
    expect("the first liar", abs(inlets(url)["n2"] - busy[1] - 15) < 0.01)
    faults.write_text("die n3\n")
    wait_for("cool", lambda: abs(inlets(url)["n1"] - busy[0]) < 0.01)
    expect("silence of n3", set(inlets(url)) == {"n1", "n2"})


def main():
    coolspan, play_room = sys.argv[1:]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        machine = folder / "four.yaml"
        machine.write_text(MACHINE)
        (folder / "D.txt").write_text(HEAT)
        running = folder / "running"
        running.write_text("\n")
        faults = folder / "faults"
        faults.write_text("")
        said = folder / "said"

        def thermal(*busy):
            options = ["--busy", *busy] if busy else []
            return json.loads(subprocess.run(
                [coolspan, "thermal", "--machine", machine, *options, "--json"],
                capture_output=True, check=True).stdout)["inlet_c"]

        player = subprocess.Popen(
            [sys.executable, play_room, "--coolspan", coolspan, "--machine",
             machine, "--running", f"cat {running}", "--time-constant", "0.3",
             "--every", "0.2", "--faults", faults,
             "--lie", "n2=+15", "--die", "n4@3"],
            stdout=subprocess.PIPE, stderr=said.open("w"), text=True)
        try:
            check(player.stdout.readline().strip(), running, faults, said, thermal)
        finally:
            player.terminate()
        expect("a clean end", player.wait(timeout=20) == 0)


if __name__ == "__main__":
    main()
