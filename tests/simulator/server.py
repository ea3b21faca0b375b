"""The simulator: one server on a loopback socket that speaks all dialects.

with Simulator() as simulator:
    simulator.world.scripts.append(Script(output_tokens=12))
    ...
    simulator.exchanges[-1].sent
"""

from __future__ import annotations

import contextlib
import http.server
import json
import threading
import time
from typing import Any

from simulator import llama_server, ollama, openai
from simulator.wire import Died, Exchange, Wire
from simulator.world import World

PATIENCE_SECONDS = 120.0
"""How long a test waits for what must come, on however busy a machine."""

DIALECTS = (ollama.ROUTES, llama_server.ROUTES, openai.ROUTES)


class Simulator:
    """See the module.

    Attributes:
        world: whose server it is.
        exchanges: every request and its answer, in the order of their arrival.
        url: where it listens.
    """

    def __init__(self, world: World | None = None) -> None:
        self.world = world or World()
        self.exchanges: list[Exchange] = []
        self._wires: list[Wire] = []
        self._problems: list[Exception] = []
        self._came = threading.Condition()
        self._server = _Server(("127.0.0.1", 0), _handler(self))
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,))

    def __enter__(self) -> Simulator:
        self._thread.start()
        return self

    def __exit__(self, *_exception: object) -> None:
        self.close()

    def close(self) -> None:
        for wire in self._wires:
            wire.released.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()
        # A mistake of the simulator's own must not pass for a fault that it was to show.
        for problem in self._problems:
            raise problem

    def asked(self, path: str) -> list[Exchange]:
        """The exchanges of one path."""
        return [each for each in self.exchanges if each.path == path]

    def over(self, path: str, count: int = 1) -> Exchange:
        """The exchange of a path with this number, once the server is through with it.

        A client that gave up may look before the server's thread has even read its request.
        """
        with self._came:
            assert self._came.wait_for(lambda: len(self.asked(path)) >= count, PATIENCE_SECONDS)
        exchange = self.asked(path)[count - 1]
        assert exchange.done.wait(PATIENCE_SECONDS)
        return exchange

    def handle(self, handler: http.server.BaseHTTPRequestHandler) -> None:
        exchange = _exchange(handler)
        with self._came:
            self.exchanges.append(exchange)
            self._came.notify_all()
        wire = Wire(handler.connection, exchange)
        self._wires.append(wire)
        try:
            with contextlib.suppress(Died):
                self._route(exchange, wire)
        except Exception as problem:
            # Told where the test ends.
            self._problems.append(problem)
        finally:
            exchange.done.set()

    def _route(self, exchange: Exchange, wire: Wire) -> None:
        world = self.world
        key = world.api_key
        if key is not None and exchange.headers.get("authorization") != f"Bearer {key}":
            wire.document({"error": {"message": "Invalid API Key", "code": 401}}, 401)
            return
        if exchange.path in world.endpoints_off:
            error = {"code": 501, "message": "not supported", "type": "not_supported_error"}
            wire.document({"error": error}, 501)
            return
        for routes in DIALECTS:
            # What a path asks about may be its last part, as the digest of a blob.
            above = exchange.path.rpartition("/")[0] + "/"
            answer = routes.get((exchange.method, exchange.path)) or routes.get(
                (exchange.method, above)
            )
            if answer is not None:
                answer(world, exchange, wire)
                return
        error = {"message": "File Not Found", "type": "not_found_error", "code": 404}
        wire.document({"error": error}, 404)


class _Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Clients that hang up are part of the tests."""


def _handler(simulator: Simulator) -> type[http.server.BaseHTTPRequestHandler]:
    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        wbufsize = 0
        disable_nagle_algorithm = True

        def log_message(self, *_arguments: object) -> None:
            pass

        def do_GET(self) -> None:
            self.close_connection = True
            simulator.handle(self)

        do_POST = do_HEAD = do_DELETE = do_GET  # noqa: N815

    return Handler


def _exchange(handler: http.server.BaseHTTPRequestHandler) -> Exchange:
    length = int(handler.headers.get("Content-Length") or 0)
    data = handler.rfile.read(length)
    try:
        body = json.loads(data) if data else None
    except ValueError:
        body = data
    return Exchange(
        method=handler.command,
        path=handler.path.partition("?")[0],
        headers={name.lower(): value for name, value in handler.headers.items()},
        body=body,
        received_at=time.perf_counter(),
    )
