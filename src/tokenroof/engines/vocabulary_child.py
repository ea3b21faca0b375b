"""The child process that counts: one order on stdin, one answer on stdout, and it ends.

Only the vocabulary of the model is loaded, which takes no weights and a fraction of a second.
"""

from __future__ import annotations

import json
import sys

from tokenroof.engines.embedded_child import Channel, opened, run
from tokenroof.engines.llama import tokenised


def main() -> None:
    """Answer one order: ``{"model": path, "text": text}``."""
    channel = Channel()
    library = opened(channel)
    if library is None:
        return
    order = json.loads(sys.stdin.buffer.readline())
    api = library.api
    how = api.llama_model_default_params()
    how.vocab_only = True
    how.n_gpu_layers = 0
    path = order["model"]
    model = api.llama_model_load_from_file(path.encode("utf-8", "surrogateescape"), how)
    if not model:
        values = {"model": path, "why": library.last_error()}
        channel.say("refused", message="engines.model_refused", values=values)
        return
    vocab = api.llama_model_get_vocab(model)
    channel.say("counted", tokens=len(tokenised(api, vocab, order["text"])))


if __name__ == "__main__":
    run(main)
