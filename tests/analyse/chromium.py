"""Debian's Chromium, spoken to over a pipe: open a page as a reader would see it, and hear all it does.

The browser's own protocol on two file descriptors (`--remote-debugging-pipe`), messages ended by a zero
byte: no port, no library. Every wait is bounded."""

import base64
import fcntl
import json
import os
import select
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

WAIT_SECONDS = 30.0


def find_chromium() -> str | None:
    return shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


class Browser:
    """One page of a headless browser."""

    def __init__(self, send: int, receive: int) -> None:
        self._send, self._receive = send, receive
        self._rest = b""
        self._last = 0
        self._session: str | None = None
        self.events: list[dict[str, Any]] = []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Network", "Log", "Runtime"):
            self.call(f"{domain}.enable")

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        self._last += 1
        message: dict[str, Any] = {"id": self._last, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._send, json.dumps(message).encode() + b"\0")
        while (answer := self._read()).get("id") != self._last:
            self.events.append(answer)
        if "error" in answer:
            raise RuntimeError(f"{method}: {answer['error']}")
        return answer["result"]  # type: ignore[no-any-return]

    def look(self, width: int, height: int, dark: bool = False, scale: float = 1) -> None:
        """Choose window and theme."""
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=scale,
            mobile=width < 500,
        )
        theme = "dark" if dark else "light"
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": theme}])

    def open(self, page: Path | str) -> None:
        """Load a file or an address and wait until it is there, with a moment for whatever it may do afterwards."""
        self.events.clear()
        self.call("Page.navigate", url=page if isinstance(page, str) else page.resolve().as_uri())
        deadline = time.monotonic() + WAIT_SECONDS
        while not any(event.get("method") == "Page.loadEventFired" for event in self.events):
            if time.monotonic() > deadline:
                raise TimeoutError(f"{page} did not load")
            self.events.append(self._read())
        self.evaluate("new Promise(done => setTimeout(done, 200))")

    def evaluate(self, expression: str) -> Any:
        answer = self.call("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        return answer["result"].get("value")

    def hover(self, x: float, y: float) -> None:
        self.call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)

    def screenshot(self, path: Path, whole_page: bool = False) -> None:
        picture = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=whole_page)
        path.write_bytes(base64.b64decode(picture["data"]))

    def requests(self) -> list[str]:
        """Addresses asked for since `open`."""
        sent = [
            event["params"] for event in self.events if event.get("method") == "Network.requestWillBeSent"
        ]
        return [str(request["request"]["url"]) for request in sent]

    def complaints(self) -> list[str]:
        """Console messages, exceptions and policy violations since `open`."""
        loud = ("Log.entryAdded", "Runtime.exceptionThrown", "Runtime.consoleAPICalled")
        return [json.dumps(event["params"]) for event in self.events if event.get("method") in loud]

    def _read(self) -> dict[str, Any]:
        while b"\0" not in self._rest:
            ready, _, _ = select.select([self._receive], [], [], WAIT_SECONDS)
            piece = os.read(self._receive, 1 << 16) if ready else b""
            if not piece:
                raise TimeoutError("the browser does not answer")
            self._rest += piece
        message, _, self._rest = self._rest.partition(b"\0")
        return json.loads(message)  # type: ignore[no-any-return]


@contextmanager
def chromium(program: str) -> Iterator[Browser]:
    """A browser with a profile of its own, gone at the end."""
    their_in, send = os.pipe()
    receive, their_out = os.pipe()
    high_in, high_out = fcntl.fcntl(their_in, fcntl.F_DUPFD, 20), fcntl.fcntl(their_out, fcntl.F_DUPFD, 20)

    def as_three_and_four() -> None:
        os.dup2(high_in, 3)
        os.dup2(high_out, 4)

    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        flags = [
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-dev-shm-usage",
            "--no-first-run",
            "--hide-scrollbars",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
        ]
        command = [program, *flags, "--remote-debugging-pipe", f"--user-data-dir={profile}", "about:blank"]
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            preexec_fn=as_three_and_four, pass_fds=(3, 4),
        )  # fmt: skip
        for descriptor in (their_in, their_out, high_in, high_out):
            os.close(descriptor)
        try:
            yield Browser(send, receive)
        finally:
            process.kill()
            process.wait(WAIT_SECONDS)
            os.close(send)
            os.close(receive)
