"""Runs tests of SciPy and of NetworkX against this package, and writes what became of each as JSON: others_tests.py scipy|networkx"""

import importlib
import json
import os
import sys

import pytest


class Outcomes:
    """What became of each test, by its name without the folder."""

    def __init__(self):
        self.of = {}

    def pytest_runtest_logreport(self, report):
        name = report.nodeid.rpartition("/")[2]
        if report.when == "call" or report.outcome != "passed":
            self.of[name] = "passed" if report.outcome == "passed" else report.outcome


def take_scipys_place():
    """Counts calls, so that it can be seen that the tests have used this package."""
    theirs, ours = importlib.import_module("scipy.sparse.csgraph"), importlib.import_module("shortest_paths.csgraph")
    native = importlib.import_module("shortest_paths._native")
    for name in ("shortest_path", "dijkstra", "floyd_warshall", "bellman_ford", "johnson"):
        setattr(theirs, name, getattr(ours, name))
    return count(native, "solve")


def count(module, name):
    calls, original = [0], getattr(module, name)

    def counted(*arguments):
        calls[0] += 1
        return original(*arguments)

    setattr(module, name, counted)
    return calls


def main(whose):
    quiet = ["-q", "-p", "no:cacheprovider", "-W", "ignore", "--pyargs"]
    if whose == "scipy":
        calls, tests = take_scipys_place(), ["scipy.sparse.csgraph.tests.test_shortest_path", "--deselect", "yen"]
    else:
        # What the backend does not have is done by NetworkX, as for users.
        os.environ.update(NETWORKX_TEST_BACKEND="shortest_paths", NETWORKX_FALLBACK_TO_NX="1")
        # Nor may it search graphs as small as those of its tests.
        importlib.import_module("shortest_paths.networkx_backend.algorithms").__dict__.update(_LEAST=0, _PART=2**62)
        calls, tests = count(importlib.import_module("shortest_paths._native"), "solve"), ["networkx.algorithms.shortest_paths"]
    outcomes = Outcomes()
    output, sys.stdout = sys.stdout, sys.stderr
    pytest.main([*quiet, *tests], plugins=[outcomes])
    json.dump({"calls": calls[0], "outcomes": outcomes.of}, output)


if __name__ == "__main__":
    main(sys.argv[1])
