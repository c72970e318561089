"""A forward proxy on loopback: other people's programs reach simweb through it, without DNS or ports of our own."""

import http.client
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

from webgraph_it.simweb import SimWeb
from webgraph_it.simweb.hosts import healthy_address

DROPPED = ("connection", "keep-alive", "proxy-connection", "transfer-encoding")


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    port = 0

    def do_GET(self) -> None:
        """Ask simweb for the page of that host, and pass on what it says."""
        target = urlsplit(self.path)
        upstream = http.client.HTTPConnection(healthy_address(0), self.port, timeout=20)
        headers = {"Host": target.netloc, "Accept-Encoding": self.headers.get("Accept-Encoding", "identity")}
        path = target.path + (f"?{target.query}" if target.query else "")
        try:
            upstream.request("GET", path or "/", headers=headers)
            reply = upstream.getresponse()
            body = reply.read()
        except (OSError, http.client.HTTPException):
            self.close_connection = True
            return
        finally:
            upstream.close()
        self.send_response_only(reply.status, reply.reason)
        for name, value in reply.getheaders():
            if name.lower() not in (*DROPPED, "content-length"):
                self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Nothing is printed."""


@contextmanager
def proxy_to(web: SimWeb) -> Iterator[str]:
    """The address of a proxy, while the block runs."""
    handler = type("Handler", (_Handler,), {"port": web.settings["PORT_MAP"]["80"]})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.05,))
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}"
        finally:
            server.shutdown()
            thread.join()
