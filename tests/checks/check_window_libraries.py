"""The window loads no compiler and no driver: those live in stepwell-host. Usage: check_window_libraries.py PROGRAM"""

import re
import subprocess
import sys

FORBIDDEN = re.compile(r"lib(LLVM|clang|OpenCL|pocl)\b")


def main() -> int:
    listing = subprocess.run(["ldd", sys.argv[1]], capture_output=True, text=True, check=True).stdout
    found = [line.strip() for line in listing.splitlines() if FORBIDDEN.search(line)]
    for line in found:
        print(f"{sys.argv[1]} loads {line}")
    return 1 if found or "libQt6Widgets" not in listing else 0


if __name__ == "__main__":
    sys.exit(main())
