"""What NetworkX is told of the backend before it is loaded."""

from __future__ import annotations

from typing import Any


def info() -> dict[str, Any]:
    """By the entry point ``networkx.backend_info``."""
    return {
        "backend_name": "shortest_paths",
        "project": "repro-shortest-paths",
        "package": "shortest_paths",
        "short_summary": "Weighted shortest paths, searched and closed by compiled code.",
    }
