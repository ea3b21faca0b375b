"""What is believed before any measurement, in the physics' own terms.

Numbers are logarithms. A matrix costs a few microseconds to launch (e^-12.2 s = 5 us), reading
loses a fifth of the bandwidth (e^-1.6), a weight takes a few operations to unpack, a clock follows
the cube root of the power (e^-1.1). What classes add is believed to be small.
"""

from __future__ import annotations

from public.least_squares import Prior
from tokenroof.predict.memory.footprint import KINDS

_UNPACK = {"F16": 0.0, "BF16": 0.0, "IQ": 2.0, "low_K": 1.7}

FIXED = 1e-3

DECODE_GPU = {
    "slack": Prior(-1.6, 0.4, {"vendor": 0.35, "architecture": 0.3, "pair": 0.2, "era": 0.15}),
    "matrix": Prior(-12.2, 0.5, {"vendor": 0.5, "architecture": 0.4, "pair": 0.3, "era": 0.4}),
    "token": Prior(-8.5, 0.7, {"vendor": 0.5}),
    "hop": Prior(-9.0, 1.0),
    "expert_layer": Prior(-10.2, 0.7, {"vendor": 0.4, "architecture": 0.3}),
    "state_layer": Prior(-10.2, 0.7, {"vendor": 0.4, "architecture": 0.3}),
    "expert_bytes": Prior(-3.0, 0.7, {"vendor": 0.4, "architecture": 0.3}),
    "cache": Prior(0.0, 0.7, {"flash": 0.7, "vendor_flash": 0.5, "pair_flash": 0.3}),
    "attention": Prior(0.0, 1.5, {"vendor_flash": 0.5, "pair_flash": 0.3}),
    "engine": Prior(0.0, FIXED, {"engine": 0.4, "lab": 0.5}),
    **{
        f"unpack:{kind}": Prior(_UNPACK.get(kind, 1.0), 0.5, {"vendor": 0.4, "architecture": 0.3})
        for kind in KINDS
    },
}

DECODE_CPU = {
    "slack": Prior(-0.4, 0.4, {"architecture": 0.5, "engine": 0.3}),
    "matrix": Prior(-12.0, 0.5, {"architecture": 0.4}),
    "token": Prior(-8.5, 0.7),
    "hop": Prior(-10.5, 0.7),
    "expert_layer": Prior(-10.2, 0.5),
    "state_layer": Prior(-10.2, 0.7),
    "expert_bytes": Prior(-2.0, 0.7),
    "cache": Prior(0.0, 0.7, {"flash": 0.4}),
    "attention": Prior(0.0, 1.5, {"flash": 0.4}),
    "engine": Prior(0.0, FIXED, {"engine": 0.2, "lab": 0.1}),
    **{
        f"unpack:{kind}": Prior(_UNPACK.get(kind, 1.0), 0.5, {"architecture": 0.3})
        for kind in KINDS
    },
}

PREFILL_GPU = {
    # Whether kernels use what a generation has is a matter of that backend's kernels for it.
    "compute": Prior(-0.3, 0.7, {"vendor": 0.5, "architecture": 0.3, "pair": 0.5, "era": 0.3}),
    "units": Prior(-1.2, 0.5),
    "power": Prior(-1.1, 0.3),
    "weights": Prior(0.0, 0.5, {"vendor": 0.3}),
    "matrix": Prior(-11.5, 0.3, {"vendor": 0.3}),
    "batch": Prior(-8.0, 1.0, {"vendor": 0.5}),
    "experts": Prior(0.5, 0.7, {"vendor": 0.4, "architecture": 0.3}),
    "few_tokens": Prior(3.5, 1.0, {"vendor": 0.3}),
    "short": Prior(3.0, 1.0, {"vendor": 0.5}),
    "state_layer": Prior(-9.5, 1.0, {"vendor": 0.5}),
    "attention": Prior(1.5, 1.0, {"flash": 0.5, "vendor_flash": 0.5, "pair_flash": 0.4}),
    "engine": Prior(0.0, FIXED, {"engine": 0.5, "lab": 0.5}),
    **{
        f"multiply:{kind}": Prior(
            0.0, 0.3 if kind != "F16" else FIXED, {"vendor": 0.3, "architecture": 0.2}
        )
        for kind in KINDS
    },
}

PREFILL_CPU = {
    "compute": Prior(-0.3, 0.7, {"architecture": 0.5, "engine": 0.3}),
    "units": Prior(-1.2, FIXED),
    "power": Prior(-1.1, FIXED),
    "weights": Prior(0.0, 0.5),
    "matrix": Prior(-11.5, 0.3),
    "batch": Prior(-8.0, 1.0),
    "experts": Prior(0.5, 0.7),
    "few_tokens": Prior(2.0, 1.0),
    "short": Prior(2.0, 1.0),
    "state_layer": Prior(-9.5, 1.0),
    "attention": Prior(1.5, 1.0, {"flash": 0.5}),
    "engine": Prior(0.0, FIXED, {"engine": 0.3, "lab": 0.5}),
    **{
        f"multiply:{kind}": Prior(
            0.0, 0.3 if kind != "F16" else FIXED, {"architecture": 0.4 if kind != "F16" else FIXED}
        )
        for kind in KINDS
    },
}

PRIORS = {
    ("decode", "gpu"): DECODE_GPU,
    ("decode", "cpu"): DECODE_CPU,
    ("prefill", "gpu"): PREFILL_GPU,
    ("prefill", "cpu"): PREFILL_CPU,
}
