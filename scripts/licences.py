"""Copies the licences of the crates that a binary is built from into a folder: cargo metadata ... | licences.py FOLDER"""

import json
import pathlib
import re
import shutil
import sys

folder = pathlib.Path(sys.argv[1])
metadata = json.load(sys.stdin)
packages = {package["id"]: package for package in metadata["packages"]}
nodes = {node["id"]: node for node in metadata["resolve"]["nodes"]}
# What the binary stands on, without what tests and build scripts alone need.
reached, open_ = set(), [metadata["resolve"]["root"]]
while open_:
    at = open_.pop()
    if at in reached:
        continue
    reached.add(at)
    for dependency in nodes[at]["deps"]:
        if any(kind["kind"] is None for kind in dependency["dep_kinds"]):
            open_.append(dependency["pkg"])
overview, without = [], []
for package in sorted((packages[at] for at in reached), key=lambda package: (package["name"], package["version"])):
    # Without a source it is a part of this project.
    if package["source"] is None:
        continue
    overview.append(f"{package['name']} {package['version']}: {package['license'] or 'see its licence file'}\n")
    root = pathlib.Path(package["manifest_path"]).parent
    texts = [path for path in sorted(root.iterdir()) if path.is_file() and re.match("(?i)(licen[cs]e|copying|notice|unlicense)", path.name)]
    if not texts:
        without.append(package["name"])
    for text in texts:
        to = folder / "crates" / f"{package['name']}-{package['version']}"
        to.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(text, to / text.name)
(folder / "crates.txt").write_text("".join(overview), encoding="utf-8")
print(f"{len(overview)} crates; their packages have no licence text: {', '.join(without) or 'none'}")
