#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests deploy/fetch-logs with a web server of its own: logs arrive whole or not at all,
and errors are one line.

    fetch_logs_test.py FETCH_LOGS
"""
import functools
import gzip
import http.server
import pathlib
import subprocess
import sys
import tempfile
import threading

LOG = gzip.compress(b"; Version: 2\n" + b"1 0 -1 10 4 -1 -1 4 -1 -1 1 1 1 -1 1 -1 -1 -1\n" * 9000)


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


def main():
    (program,) = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        site, home = folder / "site", folder / "home"
        home.mkdir()
        files = {"l_llnl_t3d/LLNL-T3D-1996-2.swf.gz": LOG,
                 "l_das2/DAS2-fs4-2003-1.swf.gz": LOG[:len(LOG) // 2],
                 "l_kth_sp2/KTH-SP2-1996-2.1-cln.swf.gz": LOG,
                 "l_nasa_ipsc/NASA-iPSC-1993-3.1-cln.swf.gz": b"<html>log in first</html>"}
        for name, content in files.items():
            (site / name).parent.mkdir(parents=True)
            (site / name).write_bytes(content)
        server = http.server.ThreadingHTTPServer(
            ("127.0.0.1", 0), functools.partial(Quiet, directory=site))
        threading.Thread(target=server.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{server.server_port}"

        def fetch(*arguments):
            return subprocess.run([program, "--archive", address + "/", "--dir", home, *arguments],
                                  check=False, capture_output=True, text=True)

        def error_of(*arguments, code=1):
            done = fetch(*arguments)
            assert done.returncode == code, done
            return done.stderr.splitlines()[-1].removeprefix("fetch-logs: ")

        done = fetch("llnl-t3d")
        path = home / "LLNL-T3D-1996-2.swf.gz"
        assert (done.returncode, done.stdout, done.stderr) == (0, f"{path}\n", ""), done
        assert path.read_bytes() == LOG
        assert fetch("llnl-t3d").stdout == f"{path}: already there\n"

        url = address + "/l_das2/DAS2-fs4-2003-1.swf.gz"
        assert error_of("das2-fs4").startswith(f"{url}: not a whole gzip file ("), url
        url = address + "/l_nasa_ipsc/NASA-iPSC-1993-3.1-cln.swf.gz"
        assert error_of("nasa").startswith(f"{url}: not a whole gzip file ("), url
        url = address + "/l_kth_sp2/KTH-SP2-1996-2.1-cln.swf.gz"
        assert error_of("kth").startswith(
            f"{url}: not the log of the published tables (SHA-256 "), url
        url = address + "/l_ricc/RICC-2010-2.swf.gz"
        assert error_of("ricc").startswith(f"{url}: 404 "), url
        server.shutdown()
        server.server_close()
        assert "Connection refused" in error_of("ricc")
        assert "'sdsc' is not a log (expected nasa, kth" in error_of("sdsc", code=2)
        assert "is not a folder" in error_of("--dir", "/none", code=2)
        # Nothing is left of what failed.
        assert [file.name for file in home.iterdir()] == [path.name], list(home.iterdir())


if __name__ == "__main__":
    main()
