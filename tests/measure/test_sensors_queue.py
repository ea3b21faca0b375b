"""The queue, over a real loopback socket."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from support.fake_engine import FakeEngine
from support.ports import nobody_listens
from tokenroof.clock import FakeClock
from tokenroof.engines.llama_server import LlamaServerEngine
from tokenroof.errors import EngineError, UsageError
from tokenroof.measure.sensors import available_sensors, queue
from tokenroof.measure.sensors.queue import QueueSensor
from tokenroof.measure.sensors.requests import RequestsSensor, TellsRequests


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a busy machine a server on loopback may answer late as well."""
    monkeypatch.setattr(queue, "TIMEOUT_SECONDS", 120.0)


Answer = Callable[[BaseHTTPRequestHandler], None]


@contextmanager
def server(answer: Answer) -> Iterator[str]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            answer(self)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as http:
        thread = threading.Thread(target=http.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield f"http://127.0.0.1:{http.server_port}"
        finally:
            http.shutdown()
            thread.join()


def sends(body: bytes, status: int = 200, headers: dict[str, str] | None = None) -> Answer:
    def answer(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(status)
        for name, value in (headers or {}).items():
            handler.send_header(name, value)
        handler.send_header("Content-Length", str(len(body)))
        handler.end_headers()
        handler.wfile.write(body)

    return answer


def jobs(running: int, pending: int) -> bytes:
    job = [0, "d9b2", {"3": {"class_type": "KSampler"}}, {}, ["9"]]
    return json.dumps({"queue_running": [job] * running, "queue_pending": [job] * pending}).encode()


@pytest.mark.parametrize(("running", "pending", "queued"), [(0, 0, 0), (1, 0, 1), (1, 3, 4)])
def test_running_and_waiting_jobs_are_counted(running: int, pending: int, queued: int) -> None:
    with server(sends(jobs(running, pending))) as url:
        sensor = QueueSensor(url)
        assert sensor.check() == queued
        assert sensor.read(ours_running=True).queued == queued


@pytest.mark.parametrize("suffix", ["", "/", "/queue", "/queue/"])
def test_the_queue_is_asked_for_at_its_own_path(suffix: str) -> None:
    paths = []

    def answer(handler: BaseHTTPRequestHandler) -> None:
        paths.append(handler.path)
        sends(jobs(0, 0))(handler)

    with server(answer) as url:
        QueueSensor(url + suffix).check()
    assert paths == ["/queue"]


@pytest.mark.parametrize(
    "url",
    [
        "",
        "127.0.0.1:8188",
        "https://127.0.0.1:8188",
        "file:///etc/passwd",
        "http://",
        "http://127.0.0.1:port",
        "http://127.0.0.1:99999",
        "http://[::1",
        "http://user:word@127.0.0.1",
        "http://host/a b",
        "http://host/\r\nX: y",
    ],
)
def test_what_is_no_http_address_is_refused(url: str) -> None:
    with pytest.raises(UsageError, match="http://HOST:PORT"):
        QueueSensor(url)


@pytest.mark.parametrize("host", ["127.0.0.1:{port}", "a..b"])
def test_a_queue_that_does_not_answer_at_the_start_is_one_sentence(host: str) -> None:
    with nobody_listens() as port:
        url = "http://" + host.format(port=port)
        with pytest.raises(EngineError, match="does not answer") as caught:
            QueueSensor(url).check()
    assert url in caught.value.text("ja")
    assert "\n" not in str(caught.value)
    assert caught.value.exit_code == 4


@pytest.mark.parametrize(
    "answer",
    [
        sends(b"<html>nothing here</html>"),
        sends(b"{}"),
        sends(b"[]"),
        sends(b'{"queue_running": 1, "queue_pending": 2}'),
        sends(b"[" * 100_000),
        sends(jobs(0, 0), status=500),
        sends(jobs(0, 0), status=302, headers={"Location": "http://127.0.0.1:1/queue"}),
    ],
    ids=["html", "empty", "list", "numbers", "deep", "status 500", "redirect"],
)
def test_what_answers_otherwise_is_not_taken_for_a_queue(answer: Answer) -> None:
    with server(answer) as url:
        with pytest.raises(EngineError, match="not as ComfyUI"):
            QueueSensor(url).check()
        assert QueueSensor(url).read(ours_running=False).queued is None


def test_a_server_that_has_gone_is_unknown_and_said() -> None:
    with server(sends(jobs(0, 0))) as url:
        sensor = QueueSensor(url)
        sensor.check()
    reading = sensor.read(ours_running=True)
    assert reading.queued is None
    assert [notice.id for notice in reading.notices] == ["queue_lost"]
    assert url in reading.notices[0].text()


def test_an_answer_without_end_is_cut_off_by_size(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(queue, "LARGEST_ANSWER_BYTES", 1000)
    with server(sends(b" " * 2000 + jobs(0, 0))) as url:
        assert QueueSensor(url).read(ours_running=False).queued is None


def test_an_answer_in_drips_is_cut_off_by_the_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    class Late(FakeClock):
        def monotonic(self) -> float:
            self.seconds += 5.0
            return self.seconds

    with server(sends(jobs(0, 0))) as url, pytest.raises(EngineError, match="does not answer"):
        QueueSensor(url, Late()).check()


def test_a_server_that_accepts_and_says_nothing_is_given_up(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(queue, "TIMEOUT_SECONDS", 0.05)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        url = f"http://127.0.0.1:{listener.getsockname()[1]}"
        assert QueueSensor(url).read(ours_running=False).queued is None


def test_a_declared_queue_is_asked_before_anything_else_is_done() -> None:
    with server(sends(jobs(2, 0))) as url:
        assert [sensor.name for sensor in available_sensors(queue_url=url)][-1] == url
    with pytest.raises(EngineError):
        available_sensors(queue_url=url)


def test_requests_at_our_own_server_are_others_but_for_the_one_that_is_ours() -> None:
    at_work: list[int | None] = [0, 1, 0, 1, 3, None]
    sensor = RequestsSensor("llama-server", lambda: at_work.pop(0))
    idle = [sensor.read(ours_running=False).queued for _ in range(2)]
    ours = [sensor.read(ours_running=True).queued for _ in range(3)]
    assert (idle, ours) == ([0, 1], [0, 0, 2])
    assert sensor.read(ours_running=True).queued is None


def test_only_a_server_that_others_may_use_is_watched() -> None:
    assert isinstance(LlamaServerEngine(), TellsRequests)
    assert not isinstance(FakeEngine(), TellsRequests)
