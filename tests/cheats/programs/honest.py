"""The base that the cheats derive from. It must be accepted."""

from slow_solver import Program

Program().serve()
