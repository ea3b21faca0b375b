"""What a token reads, computes and keeps: Header -> Model."""

from tokenroof.model.build import build_model
from tokenroof.model.cache_bytes import Allocation
from tokenroof.model.caches import Cache, State
from tokenroof.model.experts import Experts
from tokenroof.model.inspection import Inspection, inspection
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
    "Model",
    "State",
    "build_model",
    "inspection",
]
