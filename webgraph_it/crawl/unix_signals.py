"""SIGUSR1 asks for a checkpoint and fresh reports; SIGHUP stops like SIGTERM unless it was ignored before (nohup)."""

import asyncio
import os
import signal
from collections.abc import Callable


class UnixSignals:
    """Handles signals from `listen` to `stop`. SIGHUP is handled even later, so it never kills an ending crawl."""

    def __init__(self, on_request: Callable[[], object]) -> None:
        self._on_request = on_request
        self._hung_up = False

    def listen(self) -> None:
        loop = asyncio.get_running_loop()
        loop.add_signal_handler(signal.SIGUSR1, self._on_request)
        if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:
            loop.add_signal_handler(signal.SIGHUP, self._on_hangup)

    def stop(self) -> None:
        asyncio.get_running_loop().remove_signal_handler(signal.SIGUSR1)

    def _on_hangup(self) -> None:
        """The terminal is gone. Stop as on SIGTERM, once: the shell and the kernel may both send the signal."""
        if not self._hung_up:
            self._hung_up = True
            os.kill(os.getpid(), signal.SIGTERM)
