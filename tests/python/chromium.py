# SPDX-License-Identifier: BSD-3-Clause
"""A browser without a window, told what to do by the protocol of developer tools."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import select
import shutil
import subprocess
import tempfile
import time

NAMES = ("chromium-headless-shell", "chromium", "chromium-browser")


def found():
    """Returns the path of a browser, or None."""
    return next(filter(None, map(shutil.which, NAMES)), None)


class Browser:
    """A browser with one page. Complaints are errors of scripts, of loading and of the console."""

    def __init__(self) -> None:
        self.complaints: list[str] = []
        self._folder = tempfile.mkdtemp(prefix="plait-test-browser-")
        self._number, self._answers, self._rest, self._loaded = 0, {}, b"", False
        theirs_in, self._to = os.pipe()
        self._from, theirs_out = os.pipe()

        def take_pipes():  # as the numbers where the browser looks for them
            far = [fcntl.fcntl(one, fcntl.F_DUPFD, 10) for one in (theirs_in, theirs_out)]
            os.dup2(far[0], 3)
            os.dup2(far[1], 4)

        self._process = subprocess.Popen(
            [found(), "--headless", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe",
             f"--user-data-dir={self._folder}", "about:blank"],
            preexec_fn=take_pipes, pass_fds=(3, 4), stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            env={**os.environ, "HOME": self._folder},
        )  # fmt: skip
        os.close(theirs_in)
        os.close(theirs_out)
        self._session = None
        target = self.tell("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.tell("Target.attachToTarget", targetId=target, flatten=True)[
            "sessionId"
        ]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.tell(f"{domain}.enable")

    def close(self) -> None:
        with contextlib.suppress(OSError):
            os.close(self._to)
            os.close(self._from)
        self._process.kill()
        self._process.wait()
        shutil.rmtree(self._folder, ignore_errors=True)

    def tell(self, method, **parameters):
        """Returns the answer to a call of the protocol."""
        self._number += 1
        message = {"id": self._number, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._to, json.dumps(message).encode() + b"\0")
        self._read_until(lambda: self._number in self._answers)
        answer = self._answers.pop(self._number)
        assert "error" not in answer, (method, answer)
        return answer["result"]

    def open(self, url):
        """Opens a page, and returns when all of it is loaded."""
        self._loaded = False
        self.tell("Page.navigate", url=url)
        self._read_until(lambda: self._loaded)

    def follow(self, click):
        """Does what leads to another page, and returns when all of that is loaded."""
        self._loaded = False
        self.ask(click)
        self._read_until(lambda: self._loaded)

    def ask(self, expression):
        """Returns the value of an expression in the page; a promise's is awaited."""
        answer = self.tell(
            "Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True
        )
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    def wait_for(self, expression, seconds=60):
        """Returns the value of an expression as soon as it is true."""
        end = time.monotonic() + seconds
        while not (value := self.ask(expression)):
            assert time.monotonic() < end, f"{expression} does not come true: {self.complaints}"
            time.sleep(0.05)
        return value

    def resize(self, width, height=900):
        self.tell("Emulation.setDeviceMetricsOverride", width=width, height=height,
                  deviceScaleFactor=1, mobile=width < 500)  # fmt: skip

    def prefer(self, scheme):
        """Is `light` or `dark`, as a reader's system says."""
        self.tell("Emulation.setEmulatedMedia",
                  features=[{"name": "prefers-color-scheme", "value": scheme}])  # fmt: skip

    def _read_until(self, is_there, seconds=60):
        end = time.monotonic() + seconds
        while not is_there():
            ready, _, _ = select.select([self._from], [], [], max(0, end - time.monotonic()))
            assert ready, "the browser does not answer"
            got = os.read(self._from, 1 << 16)
            assert got, "the browser has ended"
            *whole, self._rest = (self._rest + got).split(b"\0")
            for one in whole:
                self._take(json.loads(one))

    def _take(self, message):
        if "id" in message:
            self._answers[message["id"]] = message
            return
        name, told = message["method"], message.get("params", {})
        if name == "Page.loadEventFired":
            self._loaded = True
        elif name == "Runtime.exceptionThrown":
            details = told["exceptionDetails"]
            self.complaints.append(
                details.get("exception", {}).get("description") or details["text"]
            )
        elif name == "Log.entryAdded" and told["entry"]["level"] == "error":
            self.complaints.append(f"{told['entry']['text']} {told['entry'].get('url', '')}")
        elif name == "Runtime.consoleAPICalled" and told["type"] == "error":
            self.complaints.append(str(told["args"]))
        elif name == "Network.requestWillBeSent" and told["request"]["url"].startswith("http"):
            self.complaints.append(f"asks for {told['request']['url']}")
