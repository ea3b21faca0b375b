"""One loaded model, through the low-level API of llama.cpp: load, tokenise, run.

What is timed is what llama-bench times: `llama_decode` and the wait until its results are there,
in batches of `n_batch` for the prompt and token by token afterwards. Tokenising, choosing the
next token and reporting progress lie outside the clock.
"""

from __future__ import annotations

import ctypes
import gc
import time
from collections.abc import Callable
from typing import Any, Literal

from tokenroof.engines.llama_library import Library

# ggml.h numbers its types; these are the ones that a cache can have.
_GGML_TYPES = {
    "f32": 0,
    "f16": 1,
    "q4_0": 2,
    "q4_1": 3,
    "q5_0": 6,
    "q5_1": 7,
    "q8_0": 8,
    "iq4_nl": 20,
    "bf16": 30,
}

Stepper = Callable[[str, int, int], None]


class Refusal(Exception):
    """The engine says no; a message id with its values, for the parent to raise."""

    def __init__(self, message: str, /, **values: object) -> None:
        super().__init__(message, values)
        self.message = message
        self.values = values


def likeliest(logits: Any, size: int, endings: list[int]) -> int:
    """The token of the highest logit, those in `endings` left out. Overwrites their logits."""
    import numpy as np

    row = np.ctypeslib.as_array(logits, shape=(size,))
    row[endings] = -np.inf
    return int(row.argmax())


def tokenised(api: Any, vocab: Any, text: str) -> Any:
    """The tokens of a text in one vocabulary, with what the model puts before it."""
    data = text.encode("utf-8", "replace")
    # A token is at least a byte, but for those that the model adds at either end.
    room = len(data) + 16
    tokens = (api.llama_token * room)()
    count = api.llama_tokenize(vocab, data, len(data), tokens, room, True, False)
    assert count >= 0
    return (api.llama_token * count).from_buffer(tokens)


class Session:
    """One model with one context.

    Raises:
        Refusal: the file cannot be loaded, or not under these settings.
    """

    def __init__(
        self,
        library: Library,
        *,
        model: str,
        context: int,
        kv_type_k: str,
        kv_type_v: str,
        flash_attention: bool | None,
        gpu_layers: int,
        threads: int,
        threads_batch: int,
        batch: int,
        ubatch: int,
    ) -> None:
        self._library = library
        self._api = api = library.api
        library.log.clear()
        has_gpu = bool(library.facts()["gpus"])
        how = api.llama_model_default_params()
        how.n_gpu_layers = gpu_layers
        if gpu_layers == 0:
            # An empty list of devices: not even a large batch may wander off to a GPU.
            self._no_devices = (ctypes.c_void_p * 1)(None)
            how.devices = ctypes.cast(self._no_devices, ctypes.c_void_p)
        self._model = api.llama_model_load_from_file(model.encode("utf-8", "surrogateescape"), how)
        if not self._model:
            raise Refusal("engines.model_refused", model=model, why=library.last_error())
        if api.llama_model_has_encoder(self._model):
            raise Refusal("engines.not_generative", model=model)

        form = api.llama_context_default_params()
        form.n_ctx, form.n_batch, form.n_ubatch = context, batch, ubatch
        form.n_seq_max = 1
        # Only the last token's logits are ever wanted; this keeps their buffer small.
        form.n_outputs_max = 1
        form.n_threads, form.n_threads_batch = threads, threads_batch
        form.type_k, form.type_v = _GGML_TYPES[kv_type_k], _GGML_TYPES[kv_type_v]
        form.flash_attn_type = -1 if flash_attention is None else int(flash_attention)
        form.offload_kqv = form.op_offload = gpu_layers != 0
        # Windows of attention get caches of their own size, as in llama-bench and llama-server.
        form.swa_full = False
        self._context = api.llama_init_from_model(self._model, form)
        if not self._context:
            raise Refusal("engines.context_refused", model=model, why=library.last_error())
        self._memory = api.llama_get_memory(self._context)
        if not self._memory:
            raise Refusal("engines.not_generative", model=model)

        self._held: list[int] = []
        """The tokens that the cache holds."""
        self._vocab = api.llama_model_get_vocab(self._model)
        self._vocabulary_size = api.llama_vocab_n_tokens(self._vocab)
        self._endings = [
            token
            for token in range(self._vocabulary_size)
            if api.llama_vocab_is_eog(self._vocab, token)
        ]
        layers = api.llama_model_n_layer(self._model) + 1
        offloaded = 0 if not has_gpu else layers if gpu_layers < 0 else min(gpu_layers, layers)
        self.place: Literal["cpu", "gpu", "mixed"] = (
            "cpu" if offloaded == 0 else "gpu" if offloaded == layers else "mixed"
        )
        decided = library.flash_attention()
        self.settings = {
            "context": api.llama_n_ctx(self._context),
            "kv_type_k": kv_type_k,
            "kv_type_v": kv_type_v,
            "flash_attention": flash_attention if decided is None else decided,
            "gpu_layers": offloaded,
            **self._threads(),
            "batch": api.llama_n_batch(self._context),
            "ubatch": api.llama_n_ubatch(self._context),
        }

    def set_threads(self, decode: int, prefill: int) -> dict[str, Any]:
        """Use so many threads from now on; all settings as they are then."""
        self._api.llama_set_n_threads(self._context, decode, prefill)
        self.settings |= self._threads()
        return self.settings

    def _threads(self) -> dict[str, int | None]:
        """The threads in force; those for prompts only where they are others."""
        decode = self._api.llama_n_threads(self._context)
        prefill = self._api.llama_n_threads_batch(self._context)
        return {"threads": decode, "threads_batch": None if prefill == decode else prefill}

    def tokenise(self, text: str) -> Any:
        """The tokens of a prompt, with what the model puts before it; markup stays plain text."""
        return tokenised(self._api, self._vocab, text)

    def run(
        self, prompt: str, output_tokens: int, step: Stepper, *, reuse: bool = False
    ) -> dict[str, Any]:
        """Read a prompt into the emptied cache and write so many tokens.

        With `reuse`, the beginning that it shares with what is in the cache is not read again.

        Raises:
            Refusal: it does not fit into the context, or there is nothing to read.
        """
        begin = time.perf_counter_ns()
        tokens = self.tokenise(prompt)
        size = self.settings["context"]
        if len(tokens) == 0:
            raise Refusal("engines.prompt_empty")
        if len(tokens) + output_tokens > size:
            raise Refusal(
                "engines.context_too_small",
                prompt=len(tokens),
                output=output_tokens,
                context=size,
                needed=len(tokens) + output_tokens,
            )
        self._library.log.clear()
        kept = self._keep(list(tokens)) if reuse else 0
        if kept == 0:
            self._api.llama_memory_clear(self._memory, True)
        self._held = []
        self._api.llama_synchronize(self._context)
        gc.collect()
        gc.disable()
        try:
            prompt_ns, batches = self._read(tokens, kept, step)
            token = self._choose()
            first_ns = time.perf_counter_ns() - begin
            steps_ns, written = self._write(token, output_tokens, step)
        finally:
            gc.enable()
        self._held = [*tokens, *written]
        return {
            "prompt_tokens": len(tokens),
            "prompt_cached": kept,
            "prompt_seconds": prompt_ns / 1e9,
            "prompt_batches": batches,
            "step_seconds": [ns / 1e9 for ns in steps_ns],
            "output_ids": written,
            "ttft_seconds": first_ns / 1e9,
            "wall_seconds": (time.perf_counter_ns() - begin) / 1e9,
        }

    def _keep(self, tokens: list[int]) -> int:
        """Cut the cache down to what it shares with these tokens; how many stay in it.

        The last token is read in any case, since what follows it is wanted. Caches of windows
        drop what lies behind the window, and recurrent states cannot be taken back: none stay then.
        """
        same = 0
        for held, wanted in zip(self._held, tokens[:-1], strict=False):
            if held != wanted:
                break
            same += 1
        api, memory = self._api, self._memory
        window = max(api.llama_model_n_swa(self._model), 0)
        needed = max(same - window, 0) if window else 0
        if same == 0 or api.llama_memory_seq_pos_min(memory, 0) > needed:
            return 0
        return same if api.llama_memory_seq_rm(memory, 0, same, -1) else 0

    def _read(self, tokens: Any, kept: int, step: Stepper) -> tuple[int, int]:
        """Prefill: nanoseconds for all tokens that are not kept, and in how many batches."""
        api, context, size = self._api, self._context, self.settings["batch"]
        total = len(tokens)
        one = ctypes.sizeof(api.llama_token)
        batches = [
            api.llama_batch_get_one(
                (api.llama_token * min(size, total - at)).from_buffer(tokens, at * one),
                min(size, total - at),
            )
            for at in range(kept, total, size)
        ]
        begin = time.perf_counter_ns()
        for number, batch in enumerate(batches):
            step("prefill", min(kept + number * size, total), total)
            code = api.llama_decode(context, batch)
            if code != 0:
                raise self._failed(code)
        api.llama_synchronize(context)
        return time.perf_counter_ns() - begin, len(batches)

    def _write(self, token: int, count: int, step: Stepper) -> tuple[list[int], list[int]]:
        """Decode: nanoseconds of every step, and the tokens that were written."""
        api, context = self._api, self._context
        cell = (api.llama_token * 1)()
        batch = api.llama_batch_get_one(cell, 1)
        clock = time.perf_counter_ns
        spent: list[int] = []
        written: list[int] = []
        for number in range(count):
            step("decode", number, count)
            cell[0] = token
            begin = clock()
            code = api.llama_decode(context, batch)
            api.llama_synchronize(context)
            spent.append(clock() - begin)
            if code != 0:
                raise self._failed(code)
            written.append(token)
            token = self._choose()
        return spent, written

    def _choose(self) -> int:
        """The most likely next token among those that do not end the text."""
        logits = self._api.llama_get_logits_ith(self._context, -1)
        if not logits:
            raise self._failed(0)
        return likeliest(logits, self._vocabulary_size, self._endings)

    def _failed(self, code: int) -> Refusal:
        return Refusal("engines.decode_failed", code=code, why=self._library.last_error())
