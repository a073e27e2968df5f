"""The trick is in preloads-into-the-harness.c."""

from slow_solver import Program

Program().serve()
