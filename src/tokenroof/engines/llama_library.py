"""The shared library of llama.cpp, as llama-cpp-python brings it: its facts and its log."""

from __future__ import annotations

import ctypes
import importlib
import importlib.metadata
import re
from typing import Any

# ggml.h's log levels, and ggml-backend.h's types of devices.
_LOG_INFO, _LOG_ERROR, _LOG_CONTINUED = 2, 4, 5
_DEVICE_CPU, _DEVICE_GPU, _DEVICE_IGPU = 0, 1, 2


class Library:
    """The loaded library, what it says of itself, and its log.

    Raises:
        ImportError, OSError, RuntimeError: it is not there, or not loadable here.
    """

    def __init__(self) -> None:
        self.api: Any = importlib.import_module("llama_cpp.llama_cpp")
        self.log: list[tuple[int, str]] = []
        # Kept on self: the C side holds no reference to a Python callback.
        self._callback = self.api.llama_log_callback(self._take_log)
        self.api.llama_log_set(self._callback, ctypes.c_void_p(0))
        self.api.llama_backend_init()

    def facts(self) -> dict[str, Any]:
        """Versions, backends, devices and the CPU features that it was compiled for."""
        devices = self._devices()
        gpus = [text for kind, _, text in devices if kind in {_DEVICE_GPU, _DEVICE_IGPU}]
        if not devices and self.api.llama_supports_gpu_offload():
            gpus = ["GPU"]
        cpus = [text for kind, _, text in devices if kind == _DEVICE_CPU]
        features = self.api.llama_print_system_info().decode("utf-8", "replace").strip(" |")
        commit = self._text("ggml_commit")
        llama = self._text("llama_version")
        return {
            "version": importlib.metadata.version("llama_cpp_python"),
            # Source builds without a history say "unknown"; that is no commit.
            "llama_cpp": " ".join(
                part for part in (llama, commit) if part and "unknown" not in part
            )
            or None,
            "backend": ",".join(name for _, name, _ in devices) or None,
            "cpu": cpus[0] if cpus else None,
            "gpus": gpus,
            "system_info": features,
        }

    def last_error(self) -> str:
        """The last error that llama.cpp logged and that says something; a dash if there is none.

        It ends a failed load with lines that only repeat that the model failed to load.
        """
        errors = [_bare(text) for level, text in self.log if level == _LOG_ERROR and text.strip()]
        telling = [error for error in errors if "failed to load model" not in error]
        return (telling or errors or ["-"])[-1]

    def flash_attention(self) -> bool | None:
        """What llama.cpp decided, from the log of making a context; None if it did not say."""
        decided = None
        for _, text in self.log:
            if "enabling flash_attn" in text or ("Flash Attention" in text and "enabled" in text):
                decided = True
            elif "forcing off" in text or ("Flash Attention" in text and "disabled" in text):
                decided = False
        return decided

    def _take_log(self, level: int, text: bytes, _: object) -> None:
        line = text.decode("utf-8", "replace")
        if level == _LOG_CONTINUED and self.log:
            last, begun = self.log[-1]
            self.log[-1] = (last, begun + line)
        elif level >= _LOG_INFO:
            self.log.append((level, line))
            del self.log[:-500]

    def _devices(self) -> list[tuple[int, str, str]]:
        """Type, name and description of every device that the library can compute on."""
        count = self._function("ggml_backend_dev_count", ctypes.c_size_t)
        get = self._function("ggml_backend_dev_get", ctypes.c_void_p, ctypes.c_size_t)
        kind = self._function("ggml_backend_dev_type", ctypes.c_int, ctypes.c_void_p)
        name = self._function("ggml_backend_dev_name", ctypes.c_char_p, ctypes.c_void_p)
        text = self._function("ggml_backend_dev_description", ctypes.c_char_p, ctypes.c_void_p)
        if not (count and get and kind and name and text):
            return []
        found = [get(index) for index in range(count())]
        return [(kind(d), name(d).decode(), text(d).decode("utf-8", "replace")) for d in found]

    def _text(self, function: str) -> str | None:
        call = self._function(function, ctypes.c_char_p)
        return call().decode("utf-8", "replace") if call else None

    def _function(self, name: str, result: Any, *arguments: Any) -> Any:
        """A C function that the binding does not wrap; None where no library has it."""
        loading = importlib.import_module("llama_cpp._ctypes_extensions")
        # The base path is the binding's own, and private: the shared libraries lie there.
        folder = vars(self.api)["_base_path"]
        for library in ("llama", "ggml", "ggml-base"):
            try:
                function = getattr(loading.load_shared_library(library, folder), name)
            except (AttributeError, OSError, RuntimeError):
                continue
            function.restype = result
            function.argtypes = list(arguments)
            return function
        return None


def _bare(line: str) -> str:
    """A line of llama.cpp's log without the name of the function that logged it."""
    return re.sub(r"^\w+: (error loading model: )?", "", line.strip())
