#!/usr/bin/env python3
"""Counts what a reader of the sources must know.

  Tests/Support/counts.py
"""

import json
import re
import subprocess
from pathlib import Path

root = Path(__file__).resolve().parents[2]
attribute = r"@\w+(?:\([^)]*\))?\s+"
modifier = r"(?:public|package|private|fileprivate|internal|open|final|indirect|nonisolated|distributed)\s+"
type_line = re.compile(rf"^\s*(?:{attribute}|{modifier})*(?:struct|class|enum|actor|protocol)\s+`?[A-Z]\w*", re.M)

# The code paths of Sources/README.md, as directories and files of Sources, without the commands at their ends.
devices = ["Devices/AudioThreads", "Devices/SoundCard", "Devices/ALSASoundCard"]
roads = {
    "capture -> text": [
        *devices, "Recording/AudioRecorderClientLive/Device", "Recording/AudioRecorderClientLive/Streaming",
        "Audio/Resampling", "Speech/SpeechClientLive", "Speech/SpeechEngine/SpeechEngineSession.swift",
        "Speech/SpeechEngine/SpeechHypothesis.swift", "Speech/SpeechEngine/SpeechActivityDetector.swift",
        "Speech/SpeechClient/SpeechRecognitionEvent.swift", "Speech/SpeechClient/SpeechRecognitionResult.swift",
    ],
    "file -> card": [
        "Audio/SoundFile/SoundFileReader.swift", "Audio/SoundFile/Decoding", "Audio/Resampling",
        "Playing/AudioPlayerClientLive", *devices,
    ],
}
areas = ["Devices/", "Playing/", "Recording/", "Speech/SpeechClient", "Speech/SpeechEngine"]


def swift(directory):
    """The tracked Swift files below a directory; links are other files."""
    names = subprocess.run(
        ["git", "ls-files", "-z", "--", directory], cwd=root, stdout=subprocess.PIPE, text=True, check=True).stdout
    files = [root / name for name in names.split("\0") if name.endswith(".swift")]
    return [file for file in files if not file.is_symlink()]


def types(files):
    return sum(len(type_line.findall(file.read_text())) for file in files)


def lines(files):
    return sum(file.read_text().count("\n") for file in files)


def count(pattern, files):
    return sum(len(re.findall(pattern, re.sub(r"(?m)^\s*//.*$", "", file.read_text()))) for file in files)


sources, tests = swift("Sources"), swift("Tests") + swift("Samples/Tests")
package = json.loads(subprocess.run(
    ["swift", "package", "dump-package"], cwd=root, stdout=subprocess.PIPE, text=True, check=True).stdout)
rows = [
    ("types in Sources", types(sources)),
    ("lines of Sources", lines(sources)),
    ("lines of Tests", lines(tests)),
    ("files of Sources", len(sources)),
    ("types of devices, players, recorders, and speech", sum(types(swift(f"Sources/{area}*")) for area in areas)),
    *((f"types on {road}", types({file for path in paths for file in swift(f"Sources/{path}")}))
      for road, paths in roads.items()),
    ("library products", sum("library" in product["type"] for product in package["products"])),
    ("targets", len(package["targets"])),
    ("@unchecked Sendable", count(r"@unchecked Sendable", sources)),
    ("Unmanaged", count(r"\bUnmanaged\b", sources)),
    ("unsafeDowncast", count(r"\bunsafeDowncast\b", sources)),
]
for name, value in rows:
    print(f"{value:>7}  {name}")
