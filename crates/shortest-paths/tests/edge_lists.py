"""Prints the graphs of edge lists as Python's csv module has them. What their names say of them was known to whoever wrote them."""

import csv
import math
import pathlib
import sys

SEPARATORS = {"comma": ",", "semicolon": ";", "tab": "\t", "blank": " "}
COLUMNS = [{"source", "from", "tail", "u"}, {"target", "to", "head", "v"}, {"weight", "km", "distance"}]


def column(words, names, usual):
    found = [at for at, word in enumerate(words) if word.lower() in names]
    return found[0] if found else usual


def graph(path):
    """The vertices and the least weight of each arc; an exception where the rows are none."""
    _, separator, heading, counts = path.stem.split("-")
    lines = [line.rstrip("\r") for line in path.read_bytes().decode("utf-8-sig").split("\n")]
    lines = [line for line in lines if line.strip(" \t") and line.lstrip(" \t")[0] not in "#%"]
    # A first line with one kind of marks is separated by it, and with none by blanks and tabs.
    marks = [mark for mark in ",;\t" if mark in lines[0].strip(" \t")]
    separator = SEPARATORS[separator] if len(marks) > 1 else "".join(marks) or " "
    if len(marks) > 1 and separator not in lines[0]:
        # A line whose separators were replaced is separated by the mark that stands outside of quotes.
        outside = [mark for mark in marks if mark in "".join(lines[0].split('"')[::2])]
        separator = outside[0] if len(outside) == 1 else separator
    if separator != "\t":
        lines = [line.strip(" \t").replace("\t", " ") for line in lines]
    # A line that stands alone is an arc, whatever it was meant for.
    if counts == "counts" and len(lines) > 1:
        lines.pop(0)
    rows = csv.reader(lines, delimiter=separator, skipinitialspace=True)
    rows = [[field.strip(" \t") for field in row] for row in rows]
    order = range(3)
    if heading == "heading":
        words = rows.pop(0)
        order = [column(words, names, at) for at, names in enumerate(COLUMNS)]
    vertices, arcs = set(), {}
    for row in rows:
        if len(row) not in (2, 3) or len(row) != len(rows[0]):
            raise ValueError("fields")
        tail, head = row[order[0]], row[order[1]]
        weight = float(row[order[2]]) if len(row) == 3 else 1.0
        if not tail or not head or math.isnan(weight) or weight == -math.inf:
            raise ValueError("field")
        vertices |= {tail, head}
        if tail != head and weight < math.inf:
            arcs[tail, head] = min(weight, arcs.get((tail, head), math.inf))
    return vertices, arcs


for path in sorted(pathlib.Path(sys.argv[1]).iterdir()):
    try:
        vertices, arcs = graph(path)
    except (ValueError, IndexError, csv.Error) as error:
        print(path.name, "none", sep="\x1f")
        continue
    print(path.name, "graph", sep="\x1f")
    for vertex in vertices:
        print("", vertex, sep="\x1f")
    for (tail, head), weight in arcs.items():
        print("", tail, head, repr(weight), sep="\x1f")
