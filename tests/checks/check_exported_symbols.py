"""No program of ours exports a symbol of LLVM: check_exported_symbols.py PROGRAM...

An OpenCL driver brings its own LLVM into the process and would bind to ours.
"""

import re
import subprocess
import sys

import source_tree

EXPORTED = re.compile(r"^[0-9a-f]+ [VWuTDBR] (.*\b(?:llvm|clang|google::protobuf|onnx)::.*)$")


def exported(program):
    listing = subprocess.run(["nm", "-DC", "--defined-only", program], capture_output=True, text=True, check=True).stdout
    return [match.group(1) for match in map(EXPORTED.match, listing.splitlines()) if match]


def main():
    programs = sys.argv[1:]
    problems = [f"{program}: exports {symbol}" for program in programs for symbol in exported(program)]
    return source_tree.report(problems, f"{len(programs)} programs export nothing of LLVM's")


if __name__ == "__main__":
    sys.exit(main())
