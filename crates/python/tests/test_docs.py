"""What is written about the package is true."""

import doctest
import importlib.util
import inspect
import pathlib
import re
import subprocess
import sys
import unittest

import shortest_paths
from shortest_paths import _native, _solution, _solve, _weights, errors

REPOSITORY = pathlib.Path(__file__).resolve().parents[3]


class Docs(unittest.TestCase):
    def test_examples_of_docstrings_run(self):
        for module, least in ((shortest_paths, 1), (_solve, 6), (_solution, 3), (_weights, 1)):
            tried = doctest.testmod(module)
            self.assertEqual(tried.failed, 0, module.__name__)
            self.assertGreaterEqual(tried.attempted, least, module.__name__)

    def test_examples_of_the_guide_run(self):
        for name in ("docs/python.md", "crates/python/README.md"):
            text = (REPOSITORY / name).read_text()
            blocks = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
            self.assertTrue(blocks, name)
            scope = {}
            for block in blocks:
                if ">>>" in block:
                    test = doctest.DocTestParser().get_doctest(block, scope, name, name, 0)
                    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
                    self.assertEqual(runner.run(test, clear_globs=False).failed, 0, f"{name}: {block}")
                    scope = test.globs
                else:
                    exec(compile(block, name, "exec"), scope)

    def test_everything_public_has_a_docstring(self):
        for name in shortest_paths.__all__:
            if name != "__version__":
                self.assertTrue(inspect.getdoc(getattr(shortest_paths, name)), name)
        for name in ("n", "dtype", "format", "packing", "dropped", "has_zeros", "name", "vertex", "csr"):
            self.assertTrue(inspect.getdoc(getattr(_native.Graph, name)), name)
        for name in ("shape", "dtype", "to_numpy", "item", "__dlpack__", "__dlpack_device__"):
            self.assertTrue(inspect.getdoc(getattr(_native.DeviceArray, name)), name)

    def test_every_exception_is_exported_and_one_of_the_package(self):
        for name, value in vars(errors).items():
            if inspect.isclass(value):
                self.assertIs(getattr(shortest_paths, name), value)
                self.assertTrue(issubclass(value, shortest_paths.ShortestPathsError))

    @unittest.skipIf(importlib.util.find_spec("mypy") is None, "mypy is not installed: scripts/test-wheel installs it")
    def test_the_types_are_those_of_the_code(self):
        package = pathlib.Path(shortest_paths.__file__).parent
        self.assertTrue((package / "py.typed").exists())
        checked = [sys.executable, "-m", "mypy", "--strict", "--no-incremental", "-p", "shortest_paths"]
        done = subprocess.run(checked, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        stubs = [sys.executable, "-m", "mypy.stubtest", "shortest_paths._native", "--ignore-disjoint-bases"]
        done = subprocess.run(stubs, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


if __name__ == "__main__":
    unittest.main()
