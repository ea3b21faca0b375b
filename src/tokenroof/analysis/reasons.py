"""The sentence of each finding about a run, and of each reason why one does not count."""

from __future__ import annotations

from tokenroof.records import Exclusion, Flag

FLAG_MESSAGES: dict[Flag, str] = {
    "above_ceiling": "analysis.flag_above_ceiling",
    "combined_rate": "analysis.flag_combined_rate",
    "contended": "analysis.flag_contended",
    "empty_output": "analysis.flag_empty_output",
    "end_to_end_rate": "analysis.flag_end_to_end_rate",
    "length_missed": "analysis.flag_length_missed",
    "lower_bound": "analysis.flag_lower_bound",
    "partial_offload": "analysis.flag_partial_offload",
    "prefill_implausible": "analysis.flag_prefill_implausible",
    "prefill_may_be_cached": "analysis.flag_prefill_may_be_cached",
    "prefill_too_short": "analysis.flag_prefill_too_short",
    "reloaded": "analysis.flag_reloaded",
    "speculative": "analysis.flag_speculative",
    "stopped_early": "analysis.flag_stopped_early",
    "throttled": "analysis.flag_throttled",
    "timing_disabled": "analysis.flag_timing_disabled",
    "truncated": "analysis.flag_truncated",
    "unsteady": "analysis.flag_unsteady",
}

EXCLUSION_MESSAGES: dict[Exclusion, str] = {
    "cache_hit": "analysis.excluded_cache_hit",
    "clock_step": "analysis.excluded_clock_step",
    "contended": "analysis.excluded_contended",
    "failed": "analysis.excluded_failed",
    "queue_busy": "analysis.excluded_queue_busy",
    "reloaded": "analysis.excluded_reloaded",
    "stopped_early": "analysis.excluded_stopped_early",
    "throttled": "analysis.excluded_throttled",
    "truncated": "analysis.excluded_truncated",
}
