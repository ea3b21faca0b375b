"""What the verbs do, importable: typed, and without a screen."""

from __future__ import annotations

from tokenroof.api.alternating import bench_against
from tokenroof.api.batch import BatchPlan, plan_batch, run_batch
from tokenroof.api.benching import BenchResult, bench, resume_bench
from tokenroof.api.calibrating import calibrate, newest_profile
from tokenroof.api.comparing import compare, history
from tokenroof.api.estimating import estimate, estimate_cases, estimate_file
from tokenroof.api.examining import examine
from tokenroof.api.importing import import_figures, keep
from tokenroof.api.lab import LabResult, lab, new_folder, write_files
from tokenroof.api.listing import list_models
from tokenroof.api.many import estimate_grid, estimate_lists
from tokenroof.api.models import inspect, open_model
from tokenroof.api.planning import PlanResult, plan_bench
from tokenroof.api.reporting import Reported, report, report_of
from tokenroof.api.scoring import score
from tokenroof.api.types import list_types
from tokenroof.api.waiting import estimate_prompts, wait
from tokenroof.hardware.device_search import search_devices
from tokenroof.store.runs import load_runs

__all__ = [
    "BatchPlan",
    "BenchResult",
    "LabResult",
    "PlanResult",
    "Reported",
    "bench",
    "bench_against",
    "calibrate",
    "compare",
    "estimate",
    "estimate_cases",
    "estimate_file",
    "estimate_grid",
    "estimate_lists",
    "estimate_prompts",
    "examine",
    "history",
    "import_figures",
    "inspect",
    "keep",
    "lab",
    "list_models",
    "list_types",
    "load_runs",
    "new_folder",
    "newest_profile",
    "open_model",
    "plan_batch",
    "plan_bench",
    "report",
    "report_of",
    "resume_bench",
    "run_batch",
    "score",
    "search_devices",
    "wait",
    "write_files",
]
