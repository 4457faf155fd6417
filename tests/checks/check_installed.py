"""What a user installs is small, whole and runs: check_installed.py BUILD_FOLDER CMAKE

Installs into a temporary folder. The debug information stays outside of the executables, which name the files that have it.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import source_tree

PROGRAMS = ("stepwell", "stepwellc", "stepwell-host")
MOST_PROGRAM_BYTES = 16_000_000  # of one executable
MOST_TREE_BYTES = 38_000_000  # of everything; README.md states the size
FILES = (
    "share/stepwell/library/softmax.sw",
    "share/stepwell/library/onnx/trilu.sw",
    "share/stepwell/examples/softmax.sw",
    "share/stepwell/docs/language.md",
    "share/applications/stepwell.desktop",
    "share/icons/hicolor/scalable/apps/stepwell.svg",
    "share/metainfo/stepwell.metainfo.xml",
)


def install(cmake, build, prefix, component):
    subprocess.run(
        [cmake, "--install", build, "--prefix", str(prefix), "--component", component], check=True, capture_output=True
    )


def sizes_of(folder):
    return {path: path.stat().st_size for path in folder.rglob("*") if path.is_file()}


def problems_of(prefix, build, cmake):
    problems = [f"{name} is not installed" for name in FILES if not (prefix / name).is_file()]
    sizes = sizes_of(prefix)
    for name in PROGRAMS:
        size = sizes.get(prefix / "bin" / name, 0)
        if not 0 < size <= MOST_PROGRAM_BYTES:
            problems.append(f"bin/{name} has {size} bytes; at most {MOST_PROGRAM_BYTES} are expected")
        sections = subprocess.run(
            ["readelf", "--section-headers", "--wide", str(prefix / "bin" / name)], capture_output=True, text=True, check=True
        ).stdout
        if ".debug_info" in sections or ".gnu_debuglink" not in sections:
            problems.append(f"bin/{name} has debug information inside, or no link to where it is")
    if sum(sizes.values()) > MOST_TREE_BYTES:
        problems.append(f"{sum(sizes.values())} bytes are installed; at most {MOST_TREE_BYTES} are expected")
    example = prefix / "share/stepwell/examples/softmax.sw"
    clean = {name: value for name, value in os.environ.items() if not name.startswith("STEPWELL_")}
    ran = subprocess.run([str(prefix / "bin/stepwellc"), "check", str(example)], env=clean, capture_output=True, text=True)
    if ran.returncode != 0:
        problems.append(f"the installed stepwellc fails on {example.name}: {ran.stderr.strip()}")
    install(cmake, build, prefix, "debug")
    found = {path.name for path in prefix.rglob("*.debug")}
    problems += [f"the debug information of {name} is not installed" for name in PROGRAMS if f"{name}.debug" not in found]
    return problems, sum(sizes.values())


def main():
    build, cmake = sys.argv[1:3]
    with tempfile.TemporaryDirectory() as folder:
        prefix = Path(folder)
        install(cmake, build, prefix, "program")
        problems, size = problems_of(prefix, build, cmake)
        return source_tree.report(problems, f"{size / 1e6:.1f} MB are installed, debug information apart")


if __name__ == "__main__":
    sys.exit(main())
