"""Reads what `repro run` stores, manifest.json and summary.csv of a run's folder, and the cells of a report on earlier runs as references.

Nothing here needs ReFrame.
"""

import csv
import json
import statistics
from pathlib import Path


def manifest(run):
    """The manifest.json of a run's folder."""
    return json.loads((Path(run) / "manifest.json").read_text(encoding="utf-8"))


def machine(of):
    """What times depend on, from a manifest: the model of GPU, and the model and number of threads of the CPU."""
    environment = of["environment"]
    device = environment["device"]
    host = environment["host"]
    gpu = device["info"]["name"] if device else None
    return {"gpu": gpu, "cpu": (host["cpu"], host["threads"])}


def cells(run):
    """The cells of a run's summary.csv: rows as dictionaries."""
    with open(Path(run) / "summary.csv", newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def name(cell):
    """A name for a cell that ReFrame accepts for a performance variable: it splits names at colons."""
    parts = [cell["implementation"], cell["n"], cell["params"], cell["graph"]]
    return "/".join(part.replace(":", "_") for part in parts if part)


def on_cpu(cell):
    """Whether the CPU solves it: its implementations are named so."""
    return cell["implementation"].startswith("cpu-")


def references(report, of, experiment):
    """tasks/s of each cell in the runs of this experiment on the same machine `of`, by the report of `repro report --out`: the median over
    runs, by name. Nothing where there is no report.

    Cells of a GPU need the same model of GPU, cells of the CPU the same model of CPU with as many threads.
    """
    found = {}
    path = Path(report) / "cells.csv"
    if not path.exists():
        return found
    with open(path, newline="", encoding="utf-8") as file:
        for cell in csv.DictReader(file):
            on_same_cpu = (cell["cpu"], int(cell["threads"])) == of["cpu"]
            same = on_same_cpu if on_cpu(cell) else of["gpu"] and cell["gpu"] == of["gpu"]
            if cell["experiment"] == experiment and same:
                found.setdefault(name(cell), []).append(float(cell["tasks_per_s"]))
    return {cell: statistics.median(of_runs) for cell, of_runs in found.items()}
