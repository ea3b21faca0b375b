"""What llama.cpp itself does with a model: run as a program, in a process of its own.

Reads one job a line from stdin and writes one result a line to stdout, both JSON. A job names a
file and the context's settings; the result lists the weight tensors that one decode step touched
with the bytes it read of each, how often each was multiplied, and what was allocated for caches
and states. A bad file may abort the process; the lines written until then stand.

How it knows. llama.cpp calls an evaluation callback for every node of the graph before computing
it; the node's sources are followed through their views to the tensors that own the memory. A
source that bears the name of a tensor of the file is a weight; one in a buffer that is neither the
weights' nor the scheduler's and is named cache_... is a cache. Of a gather (GET_ROWS) the rows
asked for are counted, of an expert product (MUL_MAT_ID) and an expert bias (ADD_ID) the experts
asked for, of everything else all. Caches are the buffers in which a touched cache tensor lies,
whole, so a cache that the step does not touch counts as well when it shares the buffer.
"""

from __future__ import annotations

import ctypes
import json
import re
import sys
from pathlib import Path
from typing import Any

import llama_cpp


class _Tensor(ctypes.Structure):
    """ggml_tensor, as ggml.h of llama.cpp 0.5.0 lays it out."""


_Pointer = ctypes.POINTER(_Tensor)
_Tensor._fields_ = [
    ("type", ctypes.c_int),
    ("buffer", ctypes.c_void_p),
    ("ne", ctypes.c_int64 * 4),
    ("nb", ctypes.c_size_t * 4),
    ("op", ctypes.c_int),
    ("op_params", ctypes.c_int32 * 16),
    ("flags", ctypes.c_int32),
    ("src", _Pointer * 10),
    ("view_src", _Pointer),
    ("view_offs", ctypes.c_size_t),
    ("data", ctypes.c_void_p),
    ("name", ctypes.c_char * 64),
    ("extra", ctypes.c_void_p),
    ("padding", ctypes.c_char * 8),
]

KV_TYPES = {"f32": 0, "f16": 1, "q4_0": 2, "q4_1": 3, "q5_0": 6, "q5_1": 7, "q8_0": 8}
_CACHE = re.compile(r"cache_|dsv4_\w+_state_(kv|score)_l|mamba_(conv1d_state|ssm_states)-")
_VIEWS = {"NONE", "VIEW", "RESHAPE", "PERMUTE", "TRANSPOSE"}
_TOKENS_BEFORE = 4


def _library() -> ctypes.CDLL:
    folder = Path(llama_cpp.__file__).parent / "lib"
    library = ctypes.CDLL(str(next(folder.glob("libggml-base.*"))))
    library.ggml_nbytes.restype = ctypes.c_size_t
    library.ggml_nbytes.argtypes = [_Pointer]
    library.ggml_op_name.restype = ctypes.c_char_p
    library.ggml_op_name.argtypes = [ctypes.c_int]
    library.ggml_backend_buffer_get_size.restype = ctypes.c_size_t
    library.ggml_backend_buffer_get_size.argtypes = [ctypes.c_void_p]
    return library


class _Recorder:
    """Remembers what the nodes of a graph touch."""

    def __init__(self, weights: set[str]) -> None:
        self._ggml = _library()
        self._weights = weights
        self._operations: dict[int, str] = {}
        self._parts: dict[str, dict[int, int]] = {}
        self.reads: dict[str, int] = {}
        self.passes: dict[str, int] = {}
        self.caches: dict[str, int] = {}
        self.buffers: dict[int, int] = {}
        self.callback = llama_cpp.ggml_backend_sched_eval_callback(self._node)

    def clear(self) -> None:
        """Forget what was read until now; caches stay."""
        self._parts.clear()
        self.reads.clear()
        self.passes.clear()

    def _operation(self, op: int) -> str:
        if op not in self._operations:
            self._operations[op] = self._ggml.ggml_op_name(op).decode()
        return self._operations[op]

    def _node(self, pointer: Any, ask: bool, _data: Any) -> bool:
        if ask:
            node = ctypes.cast(pointer, _Pointer).contents
            operation = self._operation(node.op)
            if operation not in _VIEWS:
                for place in range(10):
                    if node.src[place]:
                        self._source(node, operation, place)
                if node.view_src:
                    self._cache(_root(node.view_src))
        return False

    def _source(self, node: Any, operation: str, place: int) -> None:
        view = node.src[place]
        root = _root(view)
        name = root.contents.name.decode()
        if name not in self._weights:
            self._cache(root)
            return
        whole = self._ggml.ggml_nbytes(root)
        size, start = whole, 0
        asked = _asked_rows(node, operation, place)
        if asked is not None:
            rows, of = asked
            size = whole * min(rows, of) // of
        elif view.contents.view_src:
            size, start = self._ggml.ggml_nbytes(view), view.contents.view_offs
        parts = self._parts.setdefault(name, {})
        parts[start] = max(size, parts.get(start, 0))
        self.reads[name] = min(whole, sum(parts.values()))
        self.passes[name] = self.passes.get(name, 0) + 1

    def _cache(self, root: Any) -> None:
        name = root.contents.name.decode()
        if _CACHE.match(name) and root.contents.buffer:
            buffer = root.contents.buffer
            self.caches[f"{name}@{buffer}"] = self._ggml.ggml_nbytes(root)
            self.buffers[buffer] = self._ggml.ggml_backend_buffer_get_size(buffer)


def _root(pointer: Any) -> Any:
    while pointer.contents.view_src:
        pointer = pointer.contents.view_src
    return pointer


def _elements(tensor: Any) -> int:
    ne = tensor.ne
    return int(ne[0] * ne[1] * ne[2] * ne[3])


def _asked_rows(node: Any, operation: str, place: int) -> tuple[int, int] | None:
    """How many of how many rows or experts a gather asks for; None where all is read."""
    if operation == "GET_ROWS" and place == 0:
        return _elements(node.src[1].contents), node.src[0].contents.ne[1]
    if operation == "MUL_MAT_ID" and place == 0:
        return _elements(node.src[2].contents), node.src[0].contents.ne[2]
    if operation == "ADD_ID" and place == 1:
        return _elements(node.src[2].contents), node.src[1].contents.ne[1]
    return None


def _run(job: dict[str, Any], log: list[str]) -> dict[str, Any]:
    recorder = _Recorder(set(job["weights"]))
    model_settings = llama_cpp.llama_model_default_params()
    model = llama_cpp.llama_model_load_from_file(job["path"].encode(), model_settings)
    if not model:
        return {"error": "the engine does not load it"}
    settings = llama_cpp.llama_context_default_params()
    settings.n_ctx = job.get("context", 1024)
    settings.n_ubatch = job.get("ubatch", 64)
    settings.n_batch = job.get("batch", 2048)
    settings.n_seq_max = job.get("sequences", 1)
    settings.kv_unified = job.get("unified", False)
    settings.swa_full = job.get("swa_full", False)
    settings.type_k = KV_TYPES[job.get("type_k", "f16")]
    settings.type_v = KV_TYPES[job.get("type_v", "f16")]
    settings.n_threads = settings.n_threads_batch = 1
    settings.cb_eval = recorder.callback
    context = llama_cpp.llama_init_from_model(model, settings)
    if not context:
        llama_cpp.llama_model_free(model)
        return {"error": "the engine makes no context"}
    status = 0
    tokens = (llama_cpp.llama_token * 1)(1)
    if llama_cpp.llama_model_has_encoder(model):
        status = llama_cpp.llama_encode(context, llama_cpp.llama_batch_get_one(tokens, 1))
    for _ in range(_TOKENS_BEFORE):
        if status == 0:
            recorder.clear()
            status = llama_cpp.llama_decode(context, llama_cpp.llama_batch_get_one(tokens, 1))
    result = {
        "status": status,
        "reads": recorder.reads,
        "passes": recorder.passes,
        "caches": {
            name.partition("@")[0] + f"#{number}": size
            for number, (name, size) in enumerate(sorted(recorder.caches.items()))
        },
        "cache_bytes": sum(recorder.buffers.values()),
        "log": [line for line in log if "size =" in line or "kv_" in line or "rs_seq" in line],
    }
    llama_cpp.llama_free(context)
    llama_cpp.llama_model_free(model)
    return result


def main() -> None:
    """Answer the jobs on stdin, one a line."""
    log: list[str] = []

    def remember(_level: int, text: bytes, _data: Any) -> None:
        log.append(text.decode(errors="replace").rstrip())

    callback = llama_cpp.llama_log_callback(remember)  # kept alive as long as the engine
    llama_cpp.llama_log_set(callback, ctypes.c_void_p(0))
    llama_cpp.llama_backend_init()
    for line in sys.stdin:
        log.clear()
        result = _run(json.loads(line), log)
        if "error" in result:
            result["log"] = log[-6:]
        sys.stdout.write(json.dumps(result) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
