#!/usr/bin/env python3
"""Compares the public declarations of every documented module with Tests/Fixtures/API.txt, so that a review shows each change.

  Tests/Support/api.py            fails, and prints the difference, if there is one
  Tests/Support/api.py --write    writes the file
  Tests/Support/api.py GRAPHS     compares the symbol graphs that symbol-graphs.sh wrote to a directory, as documentation.sh does

The file has a line for each declaration: its type, if any, and the declaration itself, with the
constraints of its extension. The line of a type contains its conformances. Derived and inherited declarations have no line.
"""

import difflib
import json
import subprocess
import sys
import tempfile
from pathlib import Path

root = Path(__file__).resolve().parents[2]
listing = root / "Tests/Fixtures/API.txt"
# Nearly every type conforms to these protocols implicitly.
implied = {"Copyable", "Escapable", "SendableMetatype"}
relations = {"conformance": ":", "superclass": ":", "sameType": "=="}


def conformances(graphs):
    """The names of the protocols that each type conforms to, by the type's identifier."""
    names = {
        symbol["identifier"]["precise"]: ".".join(symbol["pathComponents"])
        for graph in graphs for symbol in graph["symbols"]
    }
    found = {}
    for graph in graphs:
        for relation in graph["relationships"]:
            if relation["kind"] == "conformsTo":
                target = relation.get("targetFallback", "").split(".")[-1]
                found.setdefault(relation["source"], set()).add(names.get(relation["target"], target))
    return {source: sorted(targets - implied) for source, targets in found.items()}


def line(symbol, conforming):
    """The order and the text of a declaration's line."""
    text = " ".join("".join(part["spelling"] for part in symbol["declarationFragments"]).split())
    kind = symbol["kind"]["identifier"]
    if kind in {"swift.class", "swift.enum", "swift.struct"}:
        # The fragments of a class end with its superclass, and those of a generic type with its constraints.
        head, where, constraints = text.partition(" where ")
        head = head.partition(" : ")[0]
        inherited = conforming.get(symbol["identifier"]["precise"], [])
        text = head + (": " + ", ".join(inherited) if inherited else "") + where + constraints
    extension = symbol.get("swiftExtension", {}).get("constraints", [])
    rules = sorted(f'{rule["lhs"]} {relations[rule["kind"]]} {rule["rhs"]}' for rule in extension)
    if rules and kind not in {"swift.class", "swift.enum", "swift.struct"}:
        text += (", " if " where " in text else " where ") + ", ".join(rules)
    if any(rule.get("isUnconditionallyDeprecated") for rule in symbol.get("availability", [])):
        text = "@available(*, deprecated) " + text
    path = symbol["pathComponents"]
    owner = ".".join(path[:-1])
    return path, f"{owner} > {text}" if owner else text


def module(folder):
    """The lines of a module."""
    graphs = [json.loads(file.read_text()) for file in sorted(folder.glob("*.symbols.json"))]
    conforming = conformances(graphs)
    lines = {
        (tuple(path), text)
        for graph in graphs for symbol in graph["symbols"]
        if "::SYNTHESIZED::" not in symbol["identifier"]["precise"]
        for path, text in [line(symbol, conforming)]
    }
    return [text for _, text in sorted(lines)]


def main(arguments):
    if len(arguments) > 1:
        sys.exit(__doc__)
    with tempfile.TemporaryDirectory() as work:
        graphs = work
        if arguments in ([], ["--write"]):
            script = root / "Tests/Support/symbol-graphs.sh"
            subprocess.run(["bash", script, graphs], stdout=subprocess.DEVNULL, check=True)
        else:
            graphs = arguments[0]
        folders = sorted(folder for folder in Path(graphs).iterdir())
        parts = [[f"# {folder.name}", *module(folder)] for folder in folders]
    text = "\n\n".join("\n".join(part) for part in parts) + "\n"
    if arguments == ["--write"]:
        listing.write_text(text)
        return
    old = listing.read_text() if listing.exists() else ""
    changes = list(difflib.unified_diff(
        old.splitlines(), text.splitlines(), "Tests/Fixtures/API.txt", "the sources", lineterm="", n=0))
    if changes:
        print(*changes, sep="\n")
        sys.exit("the public API has changed; to accept it: python3 Tests/Support/api.py --write")
    print(f"the public API is that of Tests/Fixtures/API.txt: {sum(map(len, parts))} lines")


main(sys.argv[1:])
