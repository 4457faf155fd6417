"""Sources are formatted: check_format.py ROOT

Exits with 77, which counts as skipped, where clang-format-22 is not installed.
"""

import shutil
import subprocess
import sys

import source_tree

TOOL = "clang-format-22"
SKIPPED = 77


def main():
    root = source_tree.root_of(sys.argv)
    if shutil.which(TOOL) is None:
        print(f"SKIPPED: {TOOL} is not installed, so the format of the sources was not checked")
        return SKIPPED
    files = source_tree.files_under(root, source_tree.CODE_FOLDERS, {".cpp", ".h"})
    result = subprocess.run([TOOL, "--dry-run", "-Werror", *map(str, files)], cwd=root, capture_output=True, text=True, check=False)
    wrong = sorted({line.split(":")[0] for line in result.stderr.splitlines() if ": error: " in line})
    problems = [f"{path}: run {TOOL} -i on it" for path in wrong]
    if result.returncode != 0 and not problems:
        problems = [result.stderr]
    return source_tree.report(problems, f"{len(files)} files are formatted")


if __name__ == "__main__":
    sys.exit(main())
