#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests deploy/play-room against `coolspan thermal`: a wrong sensor, a dead sensor, a
hot spot, and a machine whose last zone has fewer nodes than the others.

    play_room_test.py COOLSPAN PLAY_ROOM
"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

MACHINE = """name: small
topology: {{kind: mesh, dims: [{nodes}]}}
nodes: "n[1-{nodes}]"
node_types:
  - {{name: std, nodes: "n[1-{nodes}]", idle_w: 100, compute_w: 300, communicate_w: 300}}
thermal:
  heat_distribution: D.txt
  airflow_w_per_k: 50
  supply_c: 15
  redline_c: 30
  zones: {{size: {zone}}}
"""
HEAT = "0.01 0 0 0\n0 0.01 0 0\n0 0 0.01 0\n0 0 0.002 0.01\n"
ZONES_HEAT = "0.01 0 0\n0 0.005 0\n0 0 0.01\n"


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
            sys.exit(f"timeout: {what}")
        time.sleep(0.1)


def expect(what, holds):
    if not holds:
        sys.exit(f"failed: {what}")


def check(url, running, faults, errors, thermal):
    idle = thermal()
    seen = inlets(url)
    expect("idle inlets", abs(seen["n1"] - idle[0]) < 0.01)
    expect("offset of n2", abs(seen["n2"] - idle[1] - 15) < 0.01)
    expect("page of one node", set(inlets(url + "/n3")) == {"n3"})
    try:
        page(url + "/n5")
        sys.exit("page of an unknown node")
    except urllib.error.HTTPError as error:
        expect("404", error.code == 404)
    running.write_text("n[3-4]\n")
    busy = thermal("n[3-4]")
    wait_for("heat of n3", lambda: abs(inlets(url)["n3"] - busy[2]) < 0.01)
    expect("power", page(url)["ipmi_dcmi_power_consumption_watts", "n3"] == 300)
    wait_for("no readings of n4", lambda: "n4" not in inlets(url))
    expect("readings of the others", set(inlets(url)) == {"n1", "n2", "n3"})
    # An invalid line is reported and changes nothing; removed faults end.
    faults.write_text("die n1\nlie n3=\n")
    wait_for("error message", lambda: "'lie n3='" in errors.read_text())
    expect("no change", set(inlets(url)) == {"n1", "n2", "n3"})
    faults.write_text("hot n1=+5\nlie n3=-2\n")
    wait_for("a hot spot", lambda: abs(inlets(url)["n1"] - busy[0] - 5) < 0.01)
    expect("offset of n3", abs(inlets(url)["n3"] - busy[2] + 2) < 0.01)
    expect("offset of n2 with other faults", abs(inlets(url)["n2"] - busy[1] - 15) < 0.01)
    faults.write_text("die n3\n")
    wait_for("end of the hot spot", lambda: abs(inlets(url)["n1"] - busy[0]) < 0.01)
    expect("no readings of n3", set(inlets(url)) == {"n1", "n2"})


class Player:
    """A running play-room, and `coolspan thermal` for its machine."""

    def __init__(self, programs, folder, machine, heat, *options):
        self.coolspan, self.play_room = programs
        self.machine = folder / "machine.yaml"
        self.machine.write_text(machine)
        (folder / "D.txt").write_text(heat)
        self.running = folder / "running"
        self.running.write_text("\n")
        self.errors = folder / "errors"
        self.process = subprocess.Popen(
            self.command(*options), stdout=subprocess.PIPE,
            stderr=self.errors.open("w"), text=True)

    def command(self, *options):
        return [sys.executable, self.play_room, "--coolspan", self.coolspan,
                "--machine", self.machine, "--running", f"cat {self.running}",
                "--time-constant", "0.3", "--every", "0.2", *options]

    def thermal(self, *busy):
        options = ["--busy", *busy] if busy else []
        return json.loads(subprocess.run(
            [self.coolspan, "thermal", "--machine", self.machine, *options,
             "--json"], capture_output=True, check=True).stdout)["inlet_c"]

    def __enter__(self):
        self.url = self.process.stdout.readline().strip()
        return self

    def __exit__(self, *_):
        self.process.terminate()
        expect("exit code", self.process.wait(timeout=20) == 0)


def check_zones(player):
    """Nine nodes in zones of four; the last zone has one node, with a hot spot."""
    idle = player.thermal()
    wait_for("a hot spot", lambda: abs(inlets(player.url)["n9"] - idle[2] - 5) < 0.01)
    seen = page(player.url)
    for number in range(1, 9):
        expect("inlets of full zones", abs(
            seen["ipmi_temperature_celsius", f"n{number}"]
            - idle[(number - 1) // 4]) < 0.01)
    player.running.write_text("n9\n")
    wait_for("power", lambda: page(player.url)[
        "ipmi_dcmi_power_consumption_watts", "n9"] == 300)
    expect("power of idle nodes",
           page(player.url)["ipmi_dcmi_power_consumption_watts", "n1"] == 100)
    player.running.write_text("n1\n")
    wait_for("power of a busy node of a zone", lambda: page(player.url)[
        "ipmi_dcmi_power_consumption_watts", "n1"] == 300)
    expect("power of an idle node in the same zone",
           page(player.url)["ipmi_dcmi_power_consumption_watts", "n2"] == 100)


def check_refusals(player):
    for option in ("--time-constant", "--every"):
        for value in ("0", "-1", "nan", "x"):
            done = subprocess.run(
                player.command(f"{option}={value}"), capture_output=True,
                text=True, check=False, timeout=20)
            expect(f"{option} {value} is done", done.returncode == 2
                   and f"argument {option}: '{value}'" in done.stderr
                   and "Traceback" not in done.stderr)


def main():
    programs = sys.argv[1:]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        faults = folder / "faults"
        faults.write_text("")
        with Player(programs, folder, MACHINE.format(nodes=4, zone=1), HEAT,
                    "--faults", faults, "--lie", "n2=+15", "--die",
                    "n4@3") as player:
            check(player.url, player.running, faults, player.errors, player.thermal)
        with Player(programs, folder, MACHINE.format(nodes=9, zone=4), ZONES_HEAT,
                    "--hot", "n9=+5") as player:
            check_zones(player)
            check_refusals(player)


if __name__ == "__main__":
    main()
