"""What a program prints is what a file says: check_golden.py FILE PROGRAM [ARGUMENT...]

With STEPWELL_REBASE=1 in the environment the file is written anew instead.
"""

import difflib
import os
import pathlib
import subprocess
import sys

import source_tree


def main():
    golden = pathlib.Path(sys.argv[1])
    printed = subprocess.run(sys.argv[2:], capture_output=True, text=True, check=True).stdout
    if os.environ.get("STEPWELL_REBASE") == "1":
        golden.write_text(printed, encoding="utf-8")
    expected = golden.read_text(encoding="utf-8")
    difference = difflib.unified_diff(expected.splitlines(), printed.splitlines(), str(golden), "printed", lineterm="")
    problems = list(difference)
    if problems:
        problems.append("if this is meant: run again with STEPWELL_REBASE=1 and commit the file")
    return source_tree.report(problems, f"{golden.name} is as printed")


if __name__ == "__main__":
    sys.exit(main())
