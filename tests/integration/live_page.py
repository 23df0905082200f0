# SPDX-License-Identifier: GPL-3.0-or-later
"""A coolspand with a live page, and the page in headless Chromium: for the test of the
page and its pictures."""

import json
import re
import socket
import subprocess
import sys
import time
import urllib.request

try:
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service
except ImportError:
    print("skipped: no python3-selenium (deploy/install-deps test)")
    sys.exit(77)

DRIVER = "/usr/bin/chromedriver"
HOSTILE = "room</script><i>&amp;"
WAIT_S = 60


def expect(what, holds):
    if not holds:
        sys.exit(f"failed: {what}")


def wait_for(what, check):
    end = time.monotonic() + WAIT_S
    while True:
        found = check()
        if found:
            return found
        expect(f"{what}: not within {WAIT_S} s", time.monotonic() < end)
        time.sleep(0.05)


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


class Daemon:
    """A coolspand with a live page."""

    def __init__(self, bin_dir, folder, machine):
        self.bin = bin_dir
        self.folder = folder
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}/"
        self.socket = folder / "s.sock"
        self.config = folder / "coolspand.yaml"
        self.config.write_text(
            f"listen: unix://{self.socket}\nmachine: {machine}\n"
            f"state: {{sqlite: {folder}/state.db}}\nlog: {{file: {folder}/log.txt}}\n"
            f"http: {{listen: 127.0.0.1:{self.port}, live: true}}\n", encoding="utf-8")
        self.process = None
        self.start()

    def start(self):
        self.process = subprocess.Popen([self.bin / "coolspand", "--config", self.config])
        wait_for("coolspand", self.answers)

    def answers(self):
        expect("coolspand runs", self.process.poll() is None)
        try:
            return urllib.request.urlopen(self.url + "healthz", timeout=5).status == 200
        except OSError:
            return False

    def stop(self):
        if self.process is not None:
            self.process.terminate()
            self.process.wait()
        self.process = None

    def coolspan(self, *words):
        done = subprocess.run([self.bin / "coolspan", *words, "--endpoint", f"unix://{self.socket}"],
                              capture_output=True, text=True, check=False)
        expect(f"coolspan {' '.join(map(str, words))}: {done.stderr}", done.returncode == 0)
        return done.stdout

    def document(self, what):
        with urllib.request.urlopen(f"{self.url}api/v1/{what}", timeout=30) as answer:
            return json.load(answer)


class Page:
    """The live page in the browser."""

    def __init__(self, browser, url):
        self.browser = browser
        self.url = url
        # What the browser says of a daemon that was stopped.
        browser.get("about:blank")
        browser.get_log("browser")
        browser.get_log("performance")

    def open(self, size=(1280, 900), dark=False):
        self.browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
            "width": size[0], "height": size[1], "deviceScaleFactor": 1, "mobile": False})
        self.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [
            {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]})
        self.browser.get(self.url)
        wait_for("connected", lambda: self.text("connection") == "Connected")

    def js(self, script, *arguments):
        return self.browser.execute_script(script, *arguments)

    def text(self, name):
        return self.js("return document.getElementById(arguments[0]).textContent", name)

    def focused(self):
        return self.js("return document.activeElement.id")

    def keys(self, *keys):
        self.browser.switch_to.active_element.send_keys(*keys)

    def number(self, name, key):
        return int(self.js("return document.getElementById(arguments[0]).dataset[arguments[1]] || 0", name, key))

    def row_of(self, job):
        """The cells of the newest row of the job; None: it has no row."""
        return self.js("""
          for (const row of document.querySelectorAll('#decisions-list tr')) {
            const cells = [...row.children].map((cell) => cell.textContent);
            if (cells[0] === arguments[0]) return cells;
          }
          return null;""", str(job))

    def colours(self):
        return self.js("""
          const canvas = document.getElementById('map-canvas');
          const pixels = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
          return new Set(new Uint32Array(pixels.buffer)).size;""")

    def colour_by(self, by):
        self.js("const by = document.getElementById('map-by'); by.value = arguments[0];"
                "by.dispatchEvent(new Event('change'));", by)

    def check_console(self):
        # Of the job that the test asks for in vain, of its own reading of pixels, and of
        # the cluster that coolspan load removes.
        own = ("job=77 ", "willReadFrequently", "jobs?cluster=coolspan-load")
        messages = [entry["message"] for entry in self.browser.get_log("browser")
                    if not any(text in entry["message"] for text in own)]
        expect(f"no message on the console: {messages}", not messages)

    def check_requests(self):
        urls = set()
        for entry in self.browser.get_log("performance"):
            message = json.loads(entry["message"])["message"]
            if message["method"] == "Network.requestWillBeSent":
                urls.add(message["params"]["request"]["url"])
        expect("there were requests", urls)
        others = {url for url in urls if not url.startswith(self.url)}
        expect(f"no request to others: {others}", not others)


def room_machine(bin_dir, folder):
    subprocess.run([bin_dir / "coolspan", "generate", "--room", "--rows", "2", "--racks", "5",
                    "--nodes-per-rack", "4", "--out", "room"], cwd=folder, check=True, stdout=subprocess.DEVNULL)
    machine = folder / "room/room.yaml"
    text = re.sub(r"(?m)^name:.*$", f'name: "{HOSTILE}"', machine.read_text(encoding="utf-8"))
    machine.write_text(text, encoding="utf-8")
    return machine


def hostlist_of(bin_dir, machine):
    done = subprocess.run([bin_dir / "coolspan", "order", "--machine", machine, "--ordering", "row-major", "--json"],
                          check=True, capture_output=True, text=True)
    return json.loads(done.stdout)["nodes"]


def new_browser():
    options = webdriver.ChromeOptions()
    for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                     "--hide-scrollbars"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    return webdriver.Chrome(service=Service(DRIVER), options=options)
