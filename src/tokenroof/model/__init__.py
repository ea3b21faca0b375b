"""What a token reads, computes and keeps: Header -> Model."""

from tokenroof.model.build import build_model
from tokenroof.model.cache_bytes import Allocation
from tokenroof.model.caches import Cache, State
from tokenroof.model.experts import Experts
from tokenroof.model.inspected import Inspection, InspectionPair
from tokenroof.model.inspection import Setup, inspection, usual_depths, usual_prompts
from tokenroof.model.kv_types import KV_TYPES
from tokenroof.model.ledger import Entry
from tokenroof.model.model import Model

__all__ = [
    "KV_TYPES",
    "Allocation",
    "Cache",
    "Entry",
    "Experts",
    "Inspection",
    "InspectionPair",
    "Model",
    "Setup",
    "State",
    "build_model",
    "inspection",
    "usual_depths",
    "usual_prompts",
]
