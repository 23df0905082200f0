# SPDX-License-Identifier: GPL-3.0-or-later
"""What the programs that repeat published experiments have in common."""
import json
import math
import pathlib
import statistics
import subprocess
import sys
import tempfile


class Failure(Exception):
    """The message is one line for the user."""


def add_common(parser):
    parser.add_argument("--coolspan", default="coolspan", metavar="PATH",
                        help="path of the program coolspan (default: %(default)s)")
    parser.add_argument("--json", action="store_true", help="write JSON")


class Progress:
    """What is being measured, on a terminal only: a line of standard error."""

    def __init__(self, steps):
        self.steps = steps
        self.step = 0
        self.shown = sys.stderr.isatty()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.write("")

    def begin(self, what):
        self.step += 1
        self.write(f"{self.step} of {self.steps}: {what}")

    def write(self, text):
        if self.shown:
            print(f"\r{text}\x1b[K", end="", file=sys.stderr, flush=True)


def run(options, *arguments):
    """Standard output of coolspan with these arguments."""
    try:
        done = subprocess.run([options.coolspan, *map(str, arguments)], check=False,
                              capture_output=True, text=True)
    except OSError as error:
        raise Failure(f"--coolspan: {options.coolspan}: {error.strerror} "
                      "(expected the program coolspan)") from None
    if done.returncode != 0:
        messages = done.stderr.splitlines() or [
            f"{options.coolspan}: exit code {done.returncode}"]
        raise Failure(messages[-1])  # the lines before are warnings
    return done.stdout


def write_mesh(folder, name, dims):
    """A machine file without a room."""
    path = folder / f"{name}.yaml"
    path.write_text(f"name: {name}\n"
                    f"topology: {{kind: mesh, dims: {list(dims)}}}\n"
                    f"nodes: \"n[1-{math.prod(dims)}]\"\n")
    return path


def mean_and_error(values):
    """The mean and twice its standard error (None for a single value)."""
    error = None
    if len(values) > 1:
        error = 2 * statistics.stdev(values) / math.sqrt(len(values))
    return {"mean": statistics.fmean(values), "error": error}


def format_value(value, digits, sign=""):
    text = f"{value['mean']:{sign}.{digits}f}"
    return text if value["error"] is None else f"{text} ± {value['error']:.{digits}f}"


def print_row(cells):
    print("| " + " | ".join(cells) + " |")


def print_heads(heads):
    print_row(heads)
    print("|---" * len(heads) + "|")


def carry_out(parser, options, measure, print_result):
    """measure(options, folder) returns what print_result prints, or --json. Exits
    with 2 on errors."""
    try:
        with tempfile.TemporaryDirectory() as folder:
            result = measure(options, pathlib.Path(folder))
    except (Failure, OSError) as error:
        print(f"{parser.prog}: {error}", file=sys.stderr)
        sys.exit(2)
    if options.json:
        json.dump(result, sys.stdout, indent=1)
        print()
    else:
        print_result(result)
