"""Ids that sort by the time they were made (RFC 9562, version 7)."""

from __future__ import annotations

import secrets
from datetime import datetime
from uuid import UUID


def new_id(moment: datetime) -> str:
    """48 bits of milliseconds since 1970, then random bits around the version and variant."""
    milliseconds = int(moment.timestamp() * 1000)
    value = milliseconds << 80 | secrets.randbits(80)
    value = value & ~(0xF << 76) | 7 << 76
    value = value & ~(0x3 << 62) | 2 << 62
    return str(UUID(int=value))
