#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests the live page of coolspand in headless Chromium. Runs with the system's Python,
for which Debian packages Selenium.

    live_page_test.py BIN_DIR SOURCE_DIR
"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True  # the source tree stays clean

from live_page import (DRIVER, HOSTILE, Daemon, Page, expect, hostlist_of, new_browser, room_machine,
                       wait_for)
from wire_client import WireClient

from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys


def tab_to(page, name):
    """By the keyboard only."""
    page.js("document.activeElement.blur()")
    page.browser.find_element(By.TAG_NAME, "body").send_keys(Keys.TAB)
    for _ in range(40):
        if page.focused() == name:
            return
        page.keys(Keys.TAB)
    sys.exit(f"failed: Tab does not reach {name}")


def words_of(text):
    return re.sub(r"\s+", " ", text)


def check_without_cluster(page):
    page.open()
    wait_for("no cluster", lambda: "No cluster has connected yet" in page.text("warnings"))
    expect("the name of the machine is text", page.text("title") == HOSTILE and
           page.js("return document.querySelectorAll('h1 i').length") == 0)


def check_events(page, client):
    client.sync()
    wait_for("the cluster", lambda: page.js("return document.getElementById('cluster').value") == client.cluster)
    wait_for("no jobs", lambda: "0 jobs" in page.text("map-state"))
    ids = client.allocate(1, 3)
    expect("the job is placed", len(ids) == 3)
    row = wait_for("the decision", lambda: page.row_of(1))
    expect(f"proposed: {row}", row[6] == "proposed" and row[2].startswith("3: ") and row[4])
    expect(f"the latency: {row}", re.fullmatch(r"[\d.,]+ (\u00b5s|ms)", row[5]))
    wait_for("the map", lambda: "1 job on 3 of 40 nodes" in page.text("map-state"))
    client.commit(1, ids, verdict="enforced", decision_id="1.0.1")
    wait_for("the start", lambda: page.row_of(1)[6] == "started as decided")
    expect("no nodes for 41", client.allocate(2, 40) == [])
    wait_for("not placed", lambda: (page.row_of(2) or [""])[-1] == "not placed")
    client.commit(3, [39], verdict="fallback", reason="no answer within 20 ms")
    wait_for("fallback", lambda: (page.row_of(3) or [""])[-1] == "fallback: no answer within 20 ms")
    client.keep_alive([38])
    wait_for("unavailable", lambda: "2 jobs" in page.text("map-state"))
    expect("the table of the map", page.js("""
      document.querySelector('#map-table details').open = true;
      return new Promise((done) => setTimeout(() => done(
        document.querySelectorAll('#map-table tbody tr').length), 200));""") == 2)
    return ids


def move_to(page, node):
    """Row by row over the map."""
    page.keys(Keys.HOME)
    for _ in range(400):
        at = page.text("map-node")
        if at.startswith(node):
            return
        page.keys(Keys.ARROW_RIGHT)
        if page.text("map-node") != at:
            continue
        page.keys(Keys.ARROW_DOWN)
        before = ""
        while page.text("map-node") != before:
            before = page.text("map-node")
            page.keys(Keys.ARROW_LEFT)
    sys.exit(f"failed: arrows do not reach {node}")


def check_keyboard(page, daemon, ids):
    names = daemon.document("machine")["names"]
    tab_to(page, "map-canvas")
    move_to(page, names[ids[0]] + ":")
    expect(f"the node has job 1: {page.text('map-node')}", ": job 1 (committed, 3 nodes)" in page.text("map-node"))
    page.keys(Keys.ENTER)
    wait_for("the explanation", lambda: "reason" in page.text("explanation-text"))
    expect("the panel has the focus", page.focused() == "explanation")
    shown = words_of(page.js("return document.getElementById('explanation-text').innerText"))
    printed = words_of(daemon.coolspan("explain", "1"))
    parts = daemon.document("explain?job=1")["text"]
    expect("a start and a decision", len(parts) == 2)
    for part in parts:
        for text in [part["before"], part["after"], *(f"{name} {value}" for name, value in part["fields"])]:
            expect(f"{text} is printed: {printed}", words_of(text).strip() in printed)
            expect(f"{text} is shown: {shown}", words_of(text).strip() in shown)
    page.keys(Keys.ESCAPE)
    expect("Escape closes it", page.js("return document.getElementById('explanation').hidden"))
    expect("the map has the focus again", page.focused() == "map-canvas")
    tab_to(page, "explain-job")
    page.keys("77", Keys.ENTER)
    wait_for("no decision", lambda: "no decision about job 77" in page.text("explanation-text"))
    page.keys(Keys.ESCAPE)
    button = page.browser.find_element(By.CSS_SELECTOR, "#decisions-list button")
    button.send_keys(Keys.ENTER)
    wait_for("explained from the list", lambda: not page.js("return document.getElementById('explanation').hidden"))
    page.keys(Keys.ESCAPE)


def check_accessibility(page):
    nameless = page.js("""
      return [...document.querySelectorAll('button, input, select, canvas, [role=region], aside')].filter((one) =>
        !(one.labels && one.labels.length) && !one.getAttribute('aria-label') &&
        !one.getAttribute('aria-labelledby') && !one.textContent.trim()).map((one) => one.outerHTML);""")
    expect(f"every control has a name: {nameless}", not nameless)
    contrast = page.js("""
      const luminance = (colour) => {
        const [r, g, b] = colour.match(/[0-9.]+/g).map((part) => {
          const share = part / 255;
          return share <= 0.03928 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
        });
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
      };
      const back = luminance(getComputedStyle(document.body).backgroundColor);
      return ['#subtitle', '#map-state', '#map-keys', '#connection', 'dt', 'dd', 'summary', '#decisions-list button',
        '#decisions-list td.bad'].map((name) => {
        const front = luminance(getComputedStyle(document.querySelector(name)).color);
        return (Math.max(front, back) + 0.05) / (Math.min(front, back) + 0.05);
      });""")
    expect(f"contrast of the text: {contrast}", min(contrast) >= 4.5)
    overflow = page.js("return document.documentElement.scrollWidth - document.documentElement.clientWidth")
    expect(f"no overflow: {overflow}", overflow == 0)


def check_colours(page):
    counts = {}
    for by in ("job", "inlet", "blocks"):
        before = page.number("map-canvas", "frames")
        page.colour_by(by)
        wait_for(f"a map by {by}", lambda: page.number("map-canvas", "frames") > before)
        counts[by] = page.colours()
    expect(f"the map has colours: {counts}", min(counts.values()) > 4)
    page.colour_by("job")
    expect("the room", "\u00b0C" in page.text("summary-room") and "cooling power" in page.text("summary-room"))
    expect("the steady state", "peak inlet, steady state" in page.text("summary-room"))
    expect("the supply temperature", re.search(r"\(maximum safe [\d.]+\s\u00b0C\)", page.text("summary-room")))
    expect("free space", "largest interval" in page.text("summary-space"))
    page.colour_by("blocks")
    wait_for("the scale", lambda: re.search(r": 1\d+Grey: ", page.text("map-legend")))
    page.colour_by("job")


def check_follower(page):
    """What only the leader knows is not shown as 0."""
    shown = page.js("""return (async () => {
      const {showCluster, warningsOf} = await import('./live/summary.js');
      const status = await (await fetch('./api/v1/status')).json();
      const cluster = {...status.clusters[0], leader: 'ipv4:10.0.0.12:7070'};
      showCluster(status, cluster);
      return document.getElementById('summary-cluster').textContent + warningsOf(status, cluster).join();
      })();""")
    for text in ("startsnone: a follower", "decisionsnone: a follower", "latencynone: a follower",
                 "leader ipv4:10.0.0.12:7070 (decisions on its page); this daemon is a follower"):
        expect(f"{text}: {shown}", text in shown)


def check_advice(page, client):
    ids = client.allocate(10, 4, mode="advise")
    others = [node for node in range(20, 24) if node not in ids]
    client.commit(10, others[:4], verdict="advised", decision_id=f"10.0.{client.attempt}")
    wait_for("advised", lambda: (page.row_of(10) or [""])[-1].startswith("started; Slurm chose"))
    wait_for("what it would save", lambda: "mean hops" in page.text("summary-advice"))
    expect("both choices", "Slurm" in page.text("summary-advice"))


def check_load(page, daemon, jobs):
    """Updates while jobs run, and the keyboard works meanwhile."""
    frames = page.number("map-canvas", "frames")
    updates = page.number("decisions-list", "updates")
    load = subprocess.Popen([daemon.bin / "coolspan", "load", "--endpoint", f"unix://{daemon.socket}",
                             "--machine", daemon.config.read_text().split("machine: ")[1].split("\n")[0],
                             "--jobs", str(jobs), "--json"], stdout=subprocess.PIPE)
    answers = 0
    while load.poll() is None:
        page.js("document.getElementById('map-canvas').focus()")
        page.keys(Keys.HOME)
        first = page.text("map-node").split(":")[0]
        page.keys(Keys.ARROW_RIGHT)
        expect("the keyboard works", page.text("map-node").split(":")[0] != first)
        answers += 1
    expect("the load succeeds", load.returncode == 0)
    wait_for("the events", lambda: page.number("decisions-list", "updates") > updates + 3)
    expect("the map was drawn", page.number("map-canvas", "frames") > frames)
    print(f"{jobs} jobs: {page.number('decisions-list', 'updates') - updates} events, "
          f"{page.number('map-canvas', 'frames') - frames} frames, {answers} key strokes answered")


def check_states(page, daemon):
    daemon.coolspan("drain")
    wait_for("drained", lambda: "Drained since" in page.text("warnings"))
    daemon.coolspan("drain", "--undo")
    wait_for("not drained", lambda: "Drained" not in page.text("warnings"))
    page.check_console()
    page.check_requests()
    daemon.stop()
    wait_for("disconnected", lambda: page.text("connection").startswith("Disconnected since"))
    daemon.start()
    wait_for("connected again", lambda: page.text("connection") == "Connected")
    wait_for("not synced", lambda: "no sync since the daemon started" in page.text("warnings"))
    # The browser itself reports that connections were refused.
    page.browser.get_log("browser")


def check_policy(page):
    blocked = page.browser.execute_async_script("""
      const done = arguments[0];
      fetch('http://127.0.0.1:1/').then(() => done(false), () => done(true));""")
    expect("the page can ask nobody else", blocked)
    inline = page.js("""
      const script = document.createElement('script');
      script.textContent = 'window.was_run = true';
      document.body.append(script);
      return window.was_run === true;""")
    expect("the page runs no inline script", not inline)
    page.browser.get_log("browser")
    page.browser.get_log("performance")


def in_new_folder(bin_dir, make_machine, check):
    with tempfile.TemporaryDirectory(prefix="coolspan-live-") as name:
        folder = pathlib.Path(name)
        daemon = Daemon(bin_dir, folder, make_machine(folder))
        try:
            check(daemon)
        finally:
            daemon.stop()


def check_room(bin_dir, source, browser):
    def check(daemon):
        machine = daemon.folder / "room/room.yaml"
        nodes = hostlist_of(bin_dir, machine)
        client = WireClient(source, daemon.socket, "c<i>1", ",".join(nodes), len(nodes))
        page = Page(browser, daemon.url)
        check_without_cluster(page)
        ids = check_events(page, client)
        check_keyboard(page, daemon, ids)
        check_accessibility(page)
        check_colours(page)
        check_follower(page)
        check_advice(page, client)
        page.check_console()
        page.open(dark=True)
        client.allocate(20, 2)
        wait_for("a decision", lambda: page.row_of(20))
        client.allocate(21, 40)
        wait_for("a bad row", lambda: page.row_of(21))
        check_accessibility(page)
        page.open(size=(400, 800))
        overflow = page.js("return document.documentElement.scrollWidth - document.documentElement.clientWidth")
        expect(f"no overflow on a phone: {overflow}", overflow == 0)
        page.check_console()
        check_states(page, daemon)
        check_policy(page)
    in_new_folder(bin_dir, lambda folder: room_machine(bin_dir, folder), check)


BLOCKS = """name: blocks
topology: {kind: blocks, slurm_topology: topology.conf}
nodes: "n[01-16]"
"""


def blocks_machine(folder):
    (folder / "topology.conf").write_text("BlockName=a Nodes=n[01-08]\nBlockName=b Nodes=n[09-16]\n",
                                          encoding="utf-8")
    (folder / "machine.yaml").write_text(BLOCKS, encoding="utf-8")
    return folder / "machine.yaml"


def check_networks(bin_dir, source, browser):
    """Layers of tori, switches, groups and blocks."""
    machines = {name: (lambda folder, name=name: source / f"config/machines/{name}.yaml")
                for name in ("torus-8x8x8", "fat-tree", "dragonfly", "graph")}
    machines["blocks"] = blocks_machine
    for name, make_machine in machines.items():
        def check(daemon, name=name):
            page = Page(browser, daemon.url)
            page.open()
            check_load(page, daemon, 1000)
            page.check_console()
            page.check_requests()
            expect(f"{name}: colours of the map", page.colours() > 2)
        in_new_folder(bin_dir, make_machine, check)


def check_large(bin_dir, browser):
    def large_machine(folder):
        (folder / "machine.yaml").write_text(
            "name: large\ntopology: {kind: mesh, dims: [25, 20, 20]}\nnodes: \"n[00001-10000]\"\n",
            encoding="utf-8")
        return folder / "machine.yaml"

    def check(daemon):
        page = Page(browser, daemon.url)
        page.open()
        wait_for("10,000 nodes", lambda: "10,000 nodes" in page.text("subtitle"))
        check_load(page, daemon, 1000)
        page.check_console()
        page.check_requests()
    in_new_folder(bin_dir, large_machine, check)


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    bin_dir, source = (pathlib.Path(argument).resolve() for argument in sys.argv[1:])
    for program in ("curl", "protoc", DRIVER):
        if shutil.which(program) is None:
            print(f"skipped: no {program}")
            sys.exit(77)
    browser = new_browser()
    try:
        browser.set_script_timeout(20)
        check_room(bin_dir, source, browser)
        check_networks(bin_dir, source, browser)
        check_large(bin_dir, browser)
    finally:
        browser.quit()


if __name__ == "__main__":
    main()
