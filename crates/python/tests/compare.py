"""Compares the package with SciPy and NetworkX over seeded graphs: scripts/compare-with-scipy."""

import argparse
import sys
import time

import seeded


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--graphs", type=int, default=2016, help="how many graphs (default: %(default)s)")
    parser.add_argument("--first", type=int, default=0, help="the first seed (default: %(default)s)")
    parser.add_argument("--largest", type=int, default=300, help="the most vertices of a graph (default: %(default)s)")
    arguments = parser.parse_args()
    try:
        import networkx
    except ImportError:
        networkx = None
    started, walked, arcs, cycles, differences, sizes = time.monotonic(), 0, 0, 0, 0, []
    for seed in range(arguments.first, arguments.first + arguments.graphs):
        graph = seeded.draw(seed, arguments.largest)
        sizes.append(graph.n)
        arcs += len(graph.tails)
        cycles += seeded.by_scipy(graph) is None
        try:
            walked += seeded.compare(graph, with_networkx=networkx is not None)
        except Exception as error:
            differences += 1
            print(f"{type(error).__name__}: {error}", file=sys.stderr)
    peers = "SciPy" if networkx is None else "SciPy and NetworkX"
    print(
        f"{len(sizes)} graphs of {min(sizes)} to {max(sizes)} vertices with {arcs} arcs, {cycles} of them with a negative cycle: "
        f"{differences} differences from {peers}, {walked} paths walked, {time.monotonic() - started:.0f} s"
    )
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main())
