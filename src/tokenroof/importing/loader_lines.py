"""What llama.cpp says while it loads a model: which one, under which settings, and where it lies.

Lines that count offloaded layers are left alone: with any backend built in, a run on the CPU
prints "offloaded 19/19 layers to GPU", and a layer of the output may weigh as much as sixty of the
others. What is added up are the buffers. Where the cache of a layer lies, the layer is computed.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import Any, Literal

from tokenroof.importing.figures import number, whole
from tokenroof.importing.llama_bench_rows import base_name, build_version, file_type
from tokenroof.records import RunModel, Settings

_MIB = 2**20
_LONGEST_FACT = 200

_BUFFER = re.compile(
    r"(?P<name>[\w.-]{1,40})(?:\[[^\]]{0,100}\])?\s{1,40}(?P<kind>model|KV|RS|compute|output) "
    r"buffer size\s{1,9}=\s{1,20}(?P<size>[\d.,]{1,20}) MiB"
)
_FACTS = {
    *("arch", "file type", "model ftype", "general.name"),
    *("n_ctx", "n_batch", "n_ubatch", "flash_attn", "n_expert"),
}
_TELLERS = ("print_info", "llm_load_print_meta", "llama_context", "llama_new_context_with_model")
_METADATA = re.compile(
    r"llama_model_loader: - kv\s{1,9}\d{1,5}:\s{1,60}(?P<key>general\.(?:name|architecture)) str"
    r"\s{1,60}= (?P<value>.{1,200})"
)
_DEVICE = re.compile(
    r"(?:^|\s)using device (?P<id>[\w.-]{1,40}) \((?P<name>.{1,100}?)\) (?:\([^)]{0,60}\) )?- "
)
_BANNER = re.compile(r"\s*Device (?P<number>\d{1,3}): (?P<name>[^,]{1,100}),", re.ASCII)
_SLOT = re.compile(r"n_ctx_slot = (?P<context>\d{1,9})", re.ASCII)
_THREADS = re.compile(r"n_threads = (?P<threads>\d{1,5})", re.ASCII)
_FILE = re.compile(
    r"loading model '(?P<path>.{1,400}?)'|tensors from (?P<path2>.{1,400}?) \(version "
)
_CACHE = re.compile(r"K \((?P<k>\w{1,12})\):.{1,60}V \((?P<v>\w{1,12})\):")
_BUILD = re.compile(
    r"\bbuild:? (?P<number>\d{1,9}) \((?P<commit>\w{1,40})\)|"
    r"\bversion: (?P<number2>\d{1,9}) \((?P<commit2>\w{1,40})\)",
    re.ASCII,
)
_FLASH = re.compile(r"Flash Attention (?:was )?(?:set to )?(?P<on>enabled|disabled)")

_OFTEN = (
    *(" = ", "loading model", "loaded meta data", "build", "Flash", "version", "using device"),
    "  Device ",
)
"""One of these is in every line that says something; most lines have none."""


class Loader:
    """The lines of one load; another load begins anew."""

    def __init__(self) -> None:
        self._version: str | None = None
        self._path: str | None = None
        self._devices: dict[str, str] = {}
        self._forget()

    def take(self, text: str) -> bool:
        """Whether a line belongs to a load."""
        if len(text) > 1000 or not any(each in text for each in _OFTEN):
            return False
        if "loaded meta data with" in text:
            self._forget()
        return self._fact(text) or self._buffer(text) or self._other(text)

    @property
    def has_model(self) -> bool:
        """Whether it named a model or a buffer."""
        return bool(self._facts or self._buffers or self._path)

    @property
    def version(self) -> str | None:
        """Of the program; None where it does not know its own."""
        return self._version

    def model(self) -> RunModel:
        """The model, as far as it was named."""
        kind = self._facts.get("file type") or self._facts.get("model ftype")
        name = self._facts.get("general.name")
        if name is None and self._path is not None:
            name = base_name(self._path)
        return RunModel(
            name=name,
            architecture=self._facts.get("arch"),
            file_type=None if kind is None else file_type(kind),
        )

    def settings(self) -> Settings:
        """The settings in force."""
        context = self._slot or whole(self._facts.get("n_ctx"), 1)
        types = self._cache or (None, None)
        return Settings(
            context=context,
            kv_type_k=types[0],
            kv_type_v=types[1],
            flash_attention=self._flash,
            threads=self._threads,
            batch=whole(self._facts.get("n_batch"), 1),
            ubatch=whole(self._facts.get("n_ubatch"), 1),
        )

    def place(self) -> Literal["cpu", "gpu", "mixed"] | None:
        """Where the layers were computed, where their buffers make it certain."""
        model, cache = self.sums("model"), self.sums("KV") + self.sums("RS")
        devices = {*model, *cache}
        if not model or not devices - {"CPU"}:
            return "cpu" if model else None
        if "CPU" in cache:
            return "mixed"
        # The embedding stays on the CPU, and so may experts: their buffer is the same one.
        return None if model["CPU"] else "gpu"

    def device(self) -> str | None:
        """The one that holds the model and its cache, where its name was told."""
        model, cache = self.sums("model"), self.sums("KV") + self.sums("RS")
        held = {*model, *cache} - {"CPU"}
        if len(held) != 1 or "CPU" in cache:
            return None
        return self._devices.get(held.pop())

    def sums(self, kind: str) -> Counter[str]:
        """Bytes of one kind of buffer on each device."""
        found: Counter[str] = Counter()
        for (each, name), size in self._buffers.items():
            if each == kind:
                found[_device(name)] += size
        return found

    def raw(self) -> dict[str, Any]:
        """The sums, for the record, and how many experts the model has, if any."""
        found: dict[str, Any] = {
            f"{kind.lower()}_buffer_bytes": dict(sums)
            for kind in ("model", "KV", "RS", "compute")
            if (sums := self.sums(kind))
        }
        experts = whole(self._facts.get("n_expert"), 1)
        return found if experts is None else {**found, "experts": experts}

    def _forget(self) -> None:
        self._facts: dict[str, str] = {}
        self._buffers: Counter[tuple[str, str]] = Counter()
        self._slot: int | None = None
        self._threads: int | None = None
        self._flash: bool | None = None
        self._cache: tuple[str, str] | None = None

    def _buffer(self, text: str) -> bool:
        match = _BUFFER.search(text) if "buffer size" in text else None
        size = None if match is None else number(match["size"])
        if match is None or size is None:
            return False
        self._buffers[match["kind"], match["name"]] += round(size * _MIB)
        return True

    def _fact(self, text: str) -> bool:
        left, _, value = text.partition(" = ")
        teller, _, name = left.rpartition(": ")
        name, value = name.strip(), value.strip()
        if name not in _FACTS or not value or not teller.rstrip().endswith(_TELLERS):
            return False
        if name == "flash_attn":
            self._flash = {"1": True, "0": False, "true": True, "enabled": True}.get(value)
        else:
            self._facts[name] = value[:_LONGEST_FACT]
        return True

    def _other(self, text: str) -> bool:
        if match := _METADATA.search(text):
            name = {"general.architecture": "arch"}.get(match["key"], match["key"])
            self._facts.setdefault(name, match["value"].strip())
        elif match := _DEVICE.search(text):
            self._devices[match["id"]] = match["name"].strip()
        elif match := _BANNER.match(text):
            for kind in ("CUDA", "ROCm"):
                self._devices[f"{kind}{match['number']}"] = match["name"].strip()
        elif match := _FILE.search(text):
            self._path = match["path"] or match["path2"]
        elif match := _SLOT.search(text):
            self._slot = int(match["context"])
        elif match := _CACHE.search(text):
            self._cache = (match["k"], match["v"])
        elif match := _FLASH.search(text):
            self._flash = match["on"] == "enabled"
        elif match := _BUILD.search(text):
            self._version = build_version(
                match["number"] or match["number2"], match["commit"] or match["commit2"]
            )
        elif match := _THREADS.search(text):
            self._threads = int(match["threads"])
        else:
            return False
        return True


def _device(buffer: str) -> str:
    """The device of a buffer: pinned, mapped and repacked memory of the host is the CPU's."""
    if buffer.startswith("CPU") or buffer.endswith("_Host"):
        return "CPU"
    return re.sub(r"_(Mapped|Private)$", "", buffer)
