"""The window loads no compiler and no driver, those live in stepwell-host: check_window_libraries.py PROGRAM

ldd names what the program needs, and what that needs in turn.
"""

import re
import subprocess
import sys

import source_tree

FORBIDDEN = re.compile(r"^\s*(lib(?:LLVM|clang|OpenCL|pocl)\b\S*)")
EXPECTED = "libQt6Widgets"  # without it this is not the window, or ldd did not say


def main():
    program = sys.argv[1]
    listing = subprocess.run(["ldd", program], capture_output=True, text=True, check=True).stdout
    found = [match.group(1) for match in map(FORBIDDEN.match, listing.splitlines()) if match]
    problems = [f"{program}: loads {library}" for library in found]
    if EXPECTED not in listing:
        problems.append(f"{program}: does not load {EXPECTED}, so this is not the window")
    return source_tree.report(problems, f"{program} loads neither LLVM nor OpenCL")


if __name__ == "__main__":
    sys.exit(main())
