#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests the HTML report of `coolspan replay` in headless Chromium. Runs with the
system's Python, for which Debian packages Selenium.

    report_page_test.py COOLSPAN SOURCE_DIR
"""
import base64
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import time

try:
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service
    from selenium.webdriver.common.by import By
    from selenium.webdriver.common.keys import Keys
except ImportError:
    print("skipped: no python3-selenium (deploy/install-deps test)")
    sys.exit(77)

DRIVER = "/usr/bin/chromedriver"
DESKTOP = (1280, 900)
PHONE = (400, 800)
HOSTILE = "room</script><i>&amp;"


def expect(what, holds):
    if not holds:
        sys.exit(f"failed: {what}")


class Files:
    """Replays into a folder."""

    def __init__(self, coolspan, source, folder):
        self.coolspan = coolspan
        self.source = source
        self.folder = folder
        trace = subprocess.run([source / "deploy/example-trace", "--jobs", "250", "--nodes", "40"],
                               check=True, capture_output=True).stdout
        (folder / "trace.swf").write_bytes(trace)
        self.run("generate", "--room", "--rows", "2", "--racks", "5", "--nodes-per-rack", "4",
                 "--out", "room")
        machine = folder / "room/room.yaml"
        text = re.sub(r"(?m)^name:.*$", f'name: "{HOSTILE}"', machine.read_text(encoding="utf-8"))
        machine.write_text(text, encoding="utf-8")

    def run(self, *arguments):
        done = subprocess.run([self.coolspan, *arguments], cwd=self.folder, check=False,
                              capture_output=True, text=True)
        expect(f"coolspan {' '.join(map(str, arguments))}: {done.stderr}", done.returncode == 0)
        return done.stdout

    def replay(self, name, machine, *more):
        """The JSON document; the report is NAME.html."""
        return json.loads(self.run("replay", "--trace", "trace.swf", "--machine", machine,
                                   "--report", f"{name}.html", "--json", *more))

    def example(self, machine):
        return self.source / "config/machines" / machine


class Page:
    """A report in the browser."""

    def __init__(self, browser):
        self.browser = browser

    def open(self, path, size=DESKTOP, dark=False):
        self.browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
            "width": size[0], "height": size[1], "deviceScaleFactor": 1, "mobile": size == PHONE})
        self.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [
            {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]})
        self.browser.get(path.as_uri())
        messages = [entry["message"] for entry in self.browser.get_log("browser")]
        expect(f"{path.name}: no message on the console: {messages}", not messages)
        self.check_requests(path)

    def check_requests(self, path):
        urls = set()
        for entry in self.browser.get_log("performance"):
            message = json.loads(entry["message"])["message"]
            if message["method"] == "Network.requestWillBeSent":
                urls.add(message["params"]["request"]["url"])
        urls = {url for url in urls if not url.startswith("data:")}
        expect(f"{path.name}: no request but the file: {urls}", urls <= {path.as_uri()})

    def js(self, script, *arguments):
        return self.browser.execute_script(script, *arguments)

    def element(self, name):
        return self.browser.find_element(By.ID, name)

    def colours(self):
        """By canvas: the number of different pixels."""
        return self.js("""
          const counts = {};
          for (const canvas of document.querySelectorAll('canvas')) {
            if (canvas.closest('[hidden]')) continue;
            const pixels = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
            counts[canvas.id] = new Set(new Uint32Array(pixels.buffer)).size;
          }
          return counts;""")

    def picture(self, canvas):
        return self.js("return document.getElementById(arguments[0]).toDataURL()", canvas)

    def overflow(self):
        return self.js("return document.documentElement.scrollWidth - document.documentElement.clientWidth")


def shown_number(text):
    return float(text.replace(",", "").replace("\u2212", "-"))


HIGH_IS_BEST = (
    "utilization",
    "largest_free_interval",
    "largest_free_box",
    "largest_switch_0",
    "idle_switches_0",
    "largest_job",
)


def check_table(page, columns):
    """columns: the metrics of each column, name to value."""
    rows = page.js("""
      return [...document.querySelectorAll('#results-table tbody tr')].map((row) =>
        [...row.querySelectorAll('td')].map((cell) => [cell.dataset.metric, cell.dataset.value,
          cell.dataset.size, cell.querySelector('span').textContent, cell.className]));""")
    expect("the results have rows", len(rows) >= 9)
    for row in rows:
        expect("a cell for each column", len(row) == len(columns))
        values = [metrics[row[0][0]] for metrics in columns]
        for (metric, raw, size, text, _), value in zip(row, values):
            expect(f"{metric}: {raw} is {value}", float(raw) == value)
            decimals = len(text.partition(".")[2])
            expect(f"{metric}: {text} is {value}",
                   abs(shown_number(text) - value / float(size)) <= 0.5001 * 10**-decimals)
        marked = [cell[4] == "best" for cell in row]
        best = max(values) if row[0][0] in HIGH_IS_BEST else min(values)
        expected = [abs(value - best) <= 1e-9 * abs(best) for value in values]
        if all(expected):
            expected = [False] * len(values)
        expect(f"{row[0][0]}: best of {values} marked: {marked}", marked == expected)


def check_charts(page, names):
    colours = page.colours()
    for name in names:
        expect(f"canvas {name} of {sorted(colours)}", name in colours)
    for name, count in colours.items():
        expect(f"canvas {name} is drawn: {count} colours", count > 8)


def check_slider(page):
    slider = page.element("map-slider")
    page.js("arguments[0].value = 0; arguments[0].dispatchEvent(new Event('input'))", slider)
    first, text = page.picture("map-canvas"), page.element("map-time").text
    slider.send_keys(*([Keys.ARROW_RIGHT] * 12))
    expect("the keyboard moves the slider", slider.get_attribute("value") == "12")
    expect("the slider changes the map", page.picture("map-canvas") != first)
    expect("the slider changes the time", page.element("map-time").text != text)
    expect("the canvas has the text of the map",
           page.element("map-time").text in page.element("map-canvas").get_attribute("aria-label"))
    page.element("map-play").send_keys(Keys.ENTER)
    end = time.monotonic() + 10
    while int(slider.get_attribute("value")) < 14:
        expect("Play moves the slider", time.monotonic() < end)
        time.sleep(0.05)
    page.element("map-play").click()


def check_controls(page):
    before = page.picture("map-canvas")
    page.js("const by = document.getElementById('map-by'); by.value = 'inlet';"
            "by.dispatchEvent(new Event('change'));")
    expect("the map by inlet temperature", page.picture("map-canvas") != before)
    gantt = page.picture("gantt-canvas")
    page.element("gantt-zoom").click()
    expect("the zoom of the Gantt chart", page.picture("gantt-canvas") != gantt)
    page.js("const run = document.getElementById('run-select'); run.value = '1';"
            "run.dispatchEvent(new Event('change'));")
    expect("another run", "random" in page.element("map-canvas").get_attribute("aria-label"))
    tables = page.js("""
      for (const details of document.querySelectorAll('details')) details.open = true;
      return new Promise((done) => setTimeout(() => done(
        [...document.querySelectorAll('details')].map((one) => one.querySelectorAll('tbody tr').length)), 300));""")
    expect(f"each table has rows: {tables}", len(tables) >= 10 and all(tables))


def check_accessibility(page):
    nameless = page.js("""
      return [...document.querySelectorAll('button, input, select, canvas, [role=region]')].filter((one) =>
        !(one.labels && one.labels.length) && !one.getAttribute('aria-label') && !one.textContent.trim())
        .map((one) => one.outerHTML);""")
    expect(f"every control and picture has a name: {nameless}", not nameless)
    contrast = page.js("""
      const luminance = (colour) => {
        const [r, g, b] = colour.match(/[0-9.]+/g).map((part) => {
          const share = part / 255;
          return share <= 0.03928 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
        });
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
      };
      const back = luminance(getComputedStyle(document.body).backgroundColor);
      return ['#subtitle', 'summary', '#result', '#load-note'].map((name) => {
        const front = luminance(getComputedStyle(document.querySelector(name)).color);
        return (Math.max(front, back) + 0.05) / (Math.min(front, back) + 0.05);
      });""")
    expect(f"contrast of the text: {contrast}", min(contrast) >= 4.5)


def check_print(page):
    pdf = base64.b64decode(page.browser.execute_cdp_cmd(
        "Page.printToPDF", {"printBackground": True})["data"])
    expect("a PDF", pdf.startswith(b"%PDF") and len(pdf) > 20000)
    pages = len(re.findall(rb"/Type\s*/Page\b", pdf))
    expect(f"a PDF of some pages: {pages}", 2 <= pages <= 10)


def check_policy(page):
    blocked = page.browser.execute_async_script("""
      const done = arguments[0];
      fetch('data:text/plain,x').then(() => done(false), () => done(true));""")
    expect("the page can load nothing", blocked)
    page.browser.get_log("browser")


def check_room_report(files, page):
    options = ("--policy", "best-fit,random,hybrid", "--seed", "1-3", "--jitter", "300")
    result = files.replay("room", "room/room.yaml", *options)
    path = files.folder / "room.html"
    first = path.read_bytes()
    files.replay("room", "room/room.yaml", *options)
    expect("equal replays give equal reports", path.read_bytes() == first)
    expect("no real times", b"wall_s" not in first and b"decision_us" not in first)

    page.open(path)
    check_table(page, [{name: value["mean"] for name, value in group["metrics"].items()}
                       for group in result["groups"]])
    check_charts(page, ["chart-waits", "chart-pairwise_mean", "chart-utilization", "chart-queue",
                        "chart-fragmentation", "chart-inlet", "chart-cooling", "map-canvas",
                        "gantt-canvas", "chart-fits", "chart-intervals"])
    expect("the name of the machine is text", HOSTILE in page.element("title").text and
           page.js("return document.querySelectorAll('i').length") == 0)
    expect("a sentence with numbers", re.search(r"\d.*less than", page.element("result").text))
    check_slider(page)
    check_controls(page)
    check_accessibility(page)
    check_print(page)
    check_policy(page)
    page.open(path, dark=True)
    check_accessibility(page)
    check_charts(page, ["chart-waits"])
    page.open(path, size=PHONE)
    expect(f"no overflow on a phone: {page.overflow()}", page.overflow() == 0)
    check_charts(page, ["map-canvas"])


def check_other_reports(files, page):
    """Machines without a room, other networks, one run, a matrix, no jobs."""
    one = files.replay("one", files.example("torus-8x8x8.yaml"), "--policy", "best-fit")
    page.open(files.folder / "one.html")
    check_table(page, [run["metrics"] for run in one["runs"]])
    check_charts(page, ["chart-fits"])
    for machine in ("fat-tree", "dragonfly", "graph"):
        files.replay(machine, files.example(f"{machine}.yaml"), "--policy", "best-fit,random",
                     "--scheduler", "fcfs,easy", "--scale-procs", "1/8")
        page.open(files.folder / f"{machine}.html", size=PHONE)
        check_charts(page, ["map-canvas", "gantt-canvas"])
        expect(f"{machine}: no overflow: {page.overflow()}", page.overflow() == 0)
        expect("the columns have the colours of their lines", len(page.browser.find_elements(
            By.CSS_SELECTOR, "#results-table thead .swatch")) == 4)
    matrix = files.replay("matrix", files.example("mesh-16x8.yaml"), "--situation",
                          "best-fit,random", "--decision", "first-fit,mc1x1")
    page.open(files.folder / "matrix.html")
    expect("a column for each pair", len(page.browser.find_elements(
        By.CSS_SELECTOR, "#results-table thead th")) == 1 + len(matrix["runs"]))
    (files.folder / "trace.swf").write_text("1 0 -1 0 4 -1 -1 4 9 -1 1 1 1 1 1 1 -1 -1\n",
                                            encoding="utf-8")
    files.replay("none", files.example("mesh-16.yaml"), "--policy", "best-fit")
    page.open(files.folder / "none.html")
    expect("no jobs", page.element("result").text == "No job was replayed.")


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    coolspan, source = (pathlib.Path(argument).resolve() for argument in sys.argv[1:])
    options = webdriver.ChromeOptions()
    for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    with tempfile.TemporaryDirectory(prefix="coolspan-report-") as folder:
        files = Files(coolspan, source, pathlib.Path(folder))
        browser = webdriver.Chrome(service=Service(DRIVER), options=options)
        try:
            browser.set_script_timeout(20)
            page = Page(browser)
            check_room_report(files, page)
            check_other_reports(files, page)
        finally:
            browser.quit()


if __name__ == "__main__":
    main()
