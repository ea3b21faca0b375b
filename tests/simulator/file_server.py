"""A real HTTP server on loopback that serves files as good servers do, or as a script says.

Each request is one `Exchange`, handed to the page's script: a list of functions, one for each
request in turn, the last one for all that follow. What was asked and how many bytes of bodies
were handed out is kept in `requests`, on the server's side and independent of the client.
"""

from __future__ import annotations

import contextlib
import re
import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import unquote, urlsplit


@dataclass
class Request:
    """What a client asked for."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes
    sent_bytes: int = 0


@dataclass
class Exchange:
    """One request, and the means to answer it."""

    request: Request
    page: Page
    handler: BaseHTTPRequestHandler

    @property
    def range(self) -> tuple[int, int] | None:
        """First byte and the one after the last, as asked for."""
        match = re.fullmatch(r"bytes=(\d+)-(\d+)", self.request.headers.get("range", ""))
        return (int(match[1]), int(match[2]) + 1) if match else None

    def send(
        self,
        status: int,
        headers: dict[str, str],
        body: bytes = b"",
        *,
        length: int | None = None,
    ) -> None:
        """Answer. A `length` other than the body's is a promise that is not kept."""
        handler = self.handler
        handler.send_response(status)
        for name, value in {"Content-Length": str(len(body)), **headers}.items():
            if name == "Content-Length" and length is not None:
                handler.send_header(name, str(length))
            elif value:
                handler.send_header(name, value)
        handler.end_headers()
        with contextlib.suppress(OSError):
            for start in range(0, len(body), 65536):
                piece = body[start : start + 65536]
                # Counted before it goes: the client may have read it, and the test looked at the
                # count, before this thread runs again.
                self.request.sent_bytes += len(piece)
                handler.wfile.write(piece)
        if length is not None and length != len(body):
            self.hang_up()

    def hang_up(self) -> None:
        """Break the connection."""
        self.handler.close_connection = True
        with contextlib.suppress(OSError):
            self.handler.connection.shutdown(socket.SHUT_RDWR)

    def well(self) -> None:
        """Answer as a server should that knows ranges."""
        data = self.page.data
        if self.range is None:
            self.whole()
            return
        start, end = self.range[0], min(self.range[1], len(data))
        if start >= len(data):
            self.send(416, {"Content-Range": f"bytes */{len(data)}"})
            return
        self.part(start, end)

    def part(
        self, start: int, end: int, *, total: int | None = None, cut: int | None = None
    ) -> None:
        """Answer with a range, of which only `cut` bytes come."""
        data = self.page.data
        total = len(data) if total is None else total
        headers = {"Content-Range": f"bytes {start}-{end - 1}/{total}", **self.page.headers}
        body = data[start:end]
        self.send(206, headers, body[:cut], length=None if cut is None else len(body))

    def whole(self, *, cut: int | None = None) -> None:
        """Answer with the whole file, whatever was asked for."""
        body = self.page.data
        self.send(200, self.page.headers, body[:cut], length=None if cut is None else len(body))

    def redirect(self, target: str, status: int = 302) -> None:
        """Send the client elsewhere."""
        self.send(status, {"Location": target})


Script = Callable[[Exchange], None]


@dataclass
class Page:
    """A file and how it is served."""

    data: bytes = b""
    script: list[Script] = field(default_factory=list)
    headers: dict[str, str] = field(default_factory=dict)
    asked: int = 0

    def answer(self, exchange: Exchange) -> None:
        """Follow the script."""
        script = self.script or [Exchange.well]
        step = script[min(self.asked, len(script) - 1)]
        self.asked += 1
        step(exchange)


class FileServer:
    """The server; its pages by their paths."""

    def __init__(self, certificate: Path | None = None) -> None:
        self.pages: dict[str, Page] = {}
        self.requests: list[Request] = []
        self._came = threading.Condition()
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                outer._answer(self)

            def do_POST(self) -> None:
                outer._answer(self)

            def log_message(self, *_: object) -> None:
                """Say nothing."""

        self._server = _Quiet(("127.0.0.1", 0), Handler)
        scheme = "http"
        if certificate is not None:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(certificate)
            self._server.socket = context.wrap_socket(self._server.socket, server_side=True)
            scheme = "https"
        self.port: int = self._server.server_address[1]
        self.url = f"{scheme}://127.0.0.1:{self.port}"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,))

    def add(self, path: str, data: bytes = b"", *script: Script, **headers: str) -> str:
        """Serve a file; header names are written with underscores. Gives its URL."""
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        self.pages[path] = Page(data, list(script), named)
        return self.url + path

    @property
    def sent_bytes(self) -> int:
        """Bytes of all bodies."""
        return sum(request.sent_bytes for request in self.requests)

    def came(self, count: int) -> bool:
        """Whether so many requests came; a client that gave up may look before they are read."""
        with self._came:
            return self._came.wait_for(lambda: len(self.requests) >= count, 120)

    def _answer(self, handler: BaseHTTPRequestHandler) -> None:
        length = int(handler.headers.get("content-length") or 0)
        headers = {name.lower(): value for name, value in handler.headers.items()}
        request = Request(handler.command, handler.path, headers, handler.rfile.read(length))
        with self._came:
            self.requests.append(request)
            self._came.notify_all()
        page = self.pages.get(unquote(urlsplit(handler.path).path))
        if page is None:
            Exchange(request, Page(), handler).send(404, {}, b"not here")
        else:
            page.answer(Exchange(request, page, handler))

    def __enter__(self) -> FileServer:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


class _Quiet(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_: object) -> None:
        """A client that hangs up is what some tests are about."""


@contextlib.contextmanager
def serving() -> Iterator[FileServer]:
    """A server for as long as the block runs."""
    with FileServer() as server:
        yield server
