"""SciPy's and NetworkX's own tests of shortest paths pass with this package, but for those that are named here with the reason."""

import importlib.util
import json
import pathlib
import subprocess
import sys
import unittest

#: Of SciPy's tests/test_shortest_path.py, by name.
NOT_AS_SCIPY: dict[str, str] = {}

#: Of NetworkX's algorithms/shortest_paths/tests, by name.
NOT_AS_NETWORKX: dict[str, str] = {}


@unittest.skipIf(importlib.util.find_spec("pytest") is None, "pytest is not installed: scripts/test-wheel installs it")
class OthersTests(unittest.TestCase):
    def check(self, whose, known, least, least_calls):
        script = pathlib.Path(__file__).with_name("others_tests.py")
        done = subprocess.run([sys.executable, script, whose], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        found = json.loads(done.stdout)
        passed = [name for name, outcome in found["outcomes"].items() if outcome == "passed"]
        failed = sorted(name for name, outcome in found["outcomes"].items() if outcome != "passed")
        self.assertEqual(failed, sorted(known), done.stderr)
        self.assertGreaterEqual(len(passed), least)
        self.assertGreaterEqual(found["calls"], least_calls)

    def test_scipys_own_tests_pass(self):
        self.check("scipy", NOT_AS_SCIPY, 80, 170)

    def test_networkxs_own_tests_pass(self):
        self.check("networkx", NOT_AS_NETWORKX, 137, 100)


if __name__ == "__main__":
    unittest.main()
