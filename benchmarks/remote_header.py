"""What reading a header over HTTP costs: bytes, requests and time, against the local file.

    python benchmarks/remote_header.py [--rounds 5] [--delay-ms 0]

A server in a process of its own serves files on loopback, with ranges and without; `--delay-ms`
makes it wait before each answer, as a distant one would. Local and remote reading take turns; a
time is the median over rounds. `bytes_over_header` counts what the server wrote, for one that
knows ranges (promise: at most 1.3). One JSON line a vocabulary and kind of server.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import sys
import time
from collections.abc import Callable
from multiprocessing.connection import Connection
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from simulator.file_server import Exchange, FileServer
from support.gguf_files import TensorSpec, Value, gguf_builder, vocabulary_metadata
from tokenroof.gguf import Header, read_header
from tokenroof.library.remote import RemoteModel

VOCABULARIES = (32_000, 151_936, 262_144)
BEYOND_BYTES = 64 * 2**20
"""Weights after the header, enough to tell who reads on."""


def model(tokens: int) -> tuple[dict[str, Value], list[TensorSpec]]:
    """Metadata and tensors of a model of 32 layers."""
    metadata = {"general.architecture": "llama", **vocabulary_metadata(tokens)}
    names = ("attn_q", "attn_k", "attn_v", "attn_output", "ffn_gate", "ffn_up", "ffn_down")
    tensors: list[TensorSpec] = [
        (f"blk.{block}.{name}.weight", (256, 256), "Q4_K") for block in range(32) for name in names
    ]
    return metadata, tensors


def serve(folder: str, delay_seconds: float, pipe: Connection) -> None:
    """Serve files until told to stop; tell for each question what was sent since the last."""

    def delayed(answer: Callable[[Exchange], None]) -> Callable[[Exchange], None]:
        def late(exchange: Exchange) -> None:
            time.sleep(delay_seconds)
            answer(exchange)

        return late

    with FileServer() as server:
        for path in Path(folder).iterdir():
            data = path.read_bytes()
            server.add(f"/ranges/{path.name}", data, delayed(Exchange.well))
            server.add(f"/whole/{path.name}", data, delayed(Exchange.whole))
        pipe.send(server.url)
        while pipe.recv():
            pipe.send((len(server.requests), server.sent_bytes))
            server.requests.clear()


def timed(read: Callable[[], Header]) -> float:
    """Seconds of one reading."""
    start = time.perf_counter()
    read()
    return time.perf_counter() - start


def main() -> None:
    """Measure all of them."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--delay-ms", type=float, default=0.0)
    asked = parser.parse_args()
    with TemporaryDirectory() as folder:
        headers = {}
        for tokens in VOCABULARIES:
            builder = gguf_builder(*model(tokens))
            header = builder.header()
            (Path(folder) / f"{tokens}.gguf").write_bytes(header + bytes(BEYOND_BYTES))
            headers[tokens] = len(header)
        ours, theirs = multiprocessing.Pipe()
        arguments = (folder, asked.delay_ms / 1000, theirs)
        server = multiprocessing.get_context("spawn").Process(target=serve, args=arguments)
        server.start()
        url = ours.recv()
        for tokens, header_bytes in headers.items():
            path = Path(folder) / f"{tokens}.gguf"
            for kind in ("ranges", "whole"):
                remote = RemoteModel(name="", source="web", url=f"{url}/{kind}/{path.name}")
                local_seconds, remote_seconds = [], []
                ours.send(True)
                ours.recv()
                for _ in range(asked.rounds):
                    local_seconds.append(timed(lambda path=path: read_header(path)))  # type: ignore[misc]
                    remote_seconds.append(timed(remote.header))
                ours.send(True)
                requests, sent_bytes = ours.recv()
                line = {
                    "benchmark": "remote_header",
                    "server": kind,
                    "delay_ms": asked.delay_ms,
                    "tokens": tokens,
                    "header_bytes": header_bytes,
                    "requests": requests / asked.rounds,
                    "bytes_over_header": round(sent_bytes / asked.rounds / header_bytes, 3),
                    "remote_seconds": round(median(remote_seconds), 4),
                    "local_seconds": round(median(local_seconds), 4),
                }
                print(json.dumps(line), flush=True)
        ours.send(False)
        server.join()


if __name__ == "__main__":
    main()
