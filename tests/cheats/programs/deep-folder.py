"""Trick: makes three thousand folders, one within the other, in its own.

Gain: who removes them with a descriptor or a call a level fails, and what the program wrote survives its end.
"""

import os

from slow_solver import Program

for _ in range(3000):
    os.mkdir("f")
    os.chdir("f")
with open("survivor", "w") as file:
    file.write("repro-cheat")
# Back to where the harness has put the graph.
os.chdir(os.environ["HOME"])
Program().serve()
