"""JSON objects by what they are: each goes to the reader of its kind."""

from __future__ import annotations

from typing import Any

from tokenroof.importing import batched_bench, localscore, ollama_tables, own, responses
from tokenroof.importing.collector import Collector
from tokenroof.importing.llama_bench_rows import add_row
from tokenroof.importing.log_blocks import Blocks
from tokenroof.importing.streams import Streams

_BENCH = {"n_prompt", "n_gen"}
_EVENTS = {"fit_memory_breakdown"}
"""Records of a log that hold no figure of a run."""


class Documents:
    """The objects of one paste."""

    def __init__(self, collector: Collector, log: Blocks, streams: Streams) -> None:
        self._collector = collector
        self._log = log
        self._streams = streams

    def take(self, line: int, document: dict[str, Any]) -> None:
        """Read an object, or refuse it."""
        collector = self._collector
        collector.end_of_text()
        if str(document.get("schema") or "").startswith(own.PREFIX):
            own.add_document(collector, line, document)
        elif localscore.is_results(document):
            localscore.add_results(collector, line, document)
        elif document.keys() >= _BENCH:
            add_row(collector, line, document)
        elif batched_bench.is_row(document):
            batched_bench.add_row(collector, line, document)
        elif ollama_tables.is_listing(document):
            ollama_tables.add_listing(collector, line, document)
        elif document.get("type") == "log" and isinstance(document.get("msg"), str):
            for text in document["msg"].splitlines():
                self._log.take(line, text)
        elif responses.is_ollama(document):
            self._streams.message(line, document)
        elif responses.is_openai(document):
            responses.add_openai(collector, line, document)
        elif responses.is_native(document):
            responses.add_native(collector, line, document)
        elif (error := responses.error_of(document)) is not None:
            collector.refuse(line, "importing.server_error", error=error)
        elif document.get("type") not in _EVENTS:
            collector.refuse(line, "importing.unknown_object")
