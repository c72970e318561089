"""Tests whether a worker can work with its memory limit: it starts one, which reads one small page."""

import socket
import subprocess
from typing import BinaryIO

from webgraph_it.extract import frames
from webgraph_it.extract.process import spawn
from webgraph_it.extract.records import Document, Extraction, link_policy
from webgraph_it.extract.worker import policy_fields

PAGE = Document(b"<a href=/b.html>b</a>" * 1000, "http://a.it/", "text/html")
POLICY = link_policy(["a"], [], embedded=False, plain_text=False)
SECONDS = 30.0


def can_read(memory_bytes: int) -> bool:
    """Whether a worker with this much memory can read a page. Takes half a second, because it starts a process."""
    options = {"policy": policy_fields(POLICY), "cpu_seconds": SECONDS, "memory_bytes": memory_bytes}
    channel, worker = spawn(options, stderr=subprocess.DEVNULL)
    with channel:
        try:
            return len(_answer(channel).links) == 1
        except (OSError, ValueError):  # it ended, or did not reply in time
            return False
        finally:
            worker.kill()
            worker.wait()


def _answer(channel: socket.socket) -> Extraction:
    channel.settimeout(SECONDS)
    channel.sendall(frames.request(PAGE) + PAGE.body)
    with channel.makefile("rb") as replies:
        frames.measures(_frame(replies))
        return frames.extraction(_frame(replies), PAGE.media_type)


def _frame(replies: BinaryIO) -> bytes:
    head = replies.read(frames.REPLY.size)
    if len(head) < frames.REPLY.size:
        raise ConnectionError("the worker ended before it answered")
    length = frames.reply_length(bytearray(head), 0)
    return head + replies.read(length - len(head))
