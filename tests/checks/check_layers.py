"""Includes follow the layers: check_layers.py ROOT

Each folder may include itself and the folders listed with it. Headers of big libraries stay in the folders that wrap them.
"""

import re
import sys

import source_tree

BASE = ["base"]
TYPES = BASE + ["types"]
OPS = TYPES + ["ops"]
GRAPH = OPS + ["graph"]
ACCURACY = GRAPH + ["accuracy"]
SCHEDULE = GRAPH + ["schedule"]
LOOPS = SCHEDULE + ["loops"]
LOWERED = LOOPS + ["lowered"]
FRONT_ENDS = GRAPH
BACKEND = LOWERED + ["backend"]
PASSES = BACKEND + ["passes"]
PIPELINE = PASSES + ["pipeline"]
EXECUTE = PIPELINE + ["accuracy", "execute"]
TUNE = PASSES + ["tune"]

# Folder under engine/ (the longest that fits): what it may see under engine/.
MAY_SEE = {
    "base": BASE,
    "types": TYPES,
    "ops": OPS,
    "graph": GRAPH,
    "language": FRONT_ENDS + ["language"],
    # An operator that is a formula is a function of the language, which the importer calls as a program would.
    "onnx": FRONT_ENDS + ["language", "onnx"],
    "accuracy": ACCURACY,
    "schedule": SCHEDULE,
    "loops": LOOPS,
    "lowered": LOWERED,
    "backend": BACKEND,
    # A pass sees its stage, its context (engine/passes/pass_context.h) and the facts of the device, not the list that it is in.
    "passes": PASSES,
    "pipeline": PIPELINE,
    "execute": EXECUTE,
    # The search over transformations is told what a candidate gives: it neither compiles nor measures.
    "tune": TUNE,
    "api": EXECUTE + ["tune", "language", "onnx", "api"],
}

# Headers of a library: the only folders that include them.
LIBRARIES = [
    (re.compile(r"^(llvm|llvm-c)/"), ["engine/backend/llvm", "tests/benchmarks"]),
    (re.compile(r"^(clang|clang-c)/"), ["engine/backend/c"]),
    (re.compile(r"^(CL|OpenCL)/"), ["engine/backend/opencl", "tests/benchmarks"]),
    (re.compile(r"^(onnx|google/protobuf)/"), ["engine/onnx", "tests/benchmarks"]),
    (re.compile(r"^fmt/"), ["engine/base"]),
    (re.compile(r"^Eigen/"), ["tests/benchmarks"]),
    (re.compile(r"^(ATen|c10|torch)/"), ["tests/benchmarks"]),
    (re.compile(r"^gif_lib\.h$"), ["ui/panels"]),
    (re.compile(r"^Q[A-Z]|^Qt[A-Z]"), ["ui", "app", "tests/gui", "tests/benchmarks"]),
]

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')


def includes(path):
    with open(path, encoding="utf-8") as text:
        for number, line in enumerate(text, 1):
            match = INCLUDE.match(line)
            if match:
                yield number, match.group(1) == '"', match.group(2)


def engine_folder(path):
    return str(path).split("/")[1]


def layer_problem(path, target):
    """Why a file may not include engine/... or ui/..., or None."""
    top = path.parts[0]
    if top == "engine":
        if target.startswith(("ui/", "app/", "tests/")):
            return "the engine knows nothing of what uses it"
        if target.startswith("engine/") and engine_folder(target) not in MAY_SEE[engine_folder(path)]:
            return f"engine/{engine_folder(path)} stands below engine/{engine_folder(target)}"
    if top == "ui":
        if target.startswith("engine/") and not target.startswith("engine/api/"):
            return "the window sees engine/api only"
        if target.startswith(("app/", "tests/")):
            return "the window knows nothing of what uses it"
    return None


def library_problem(path, target):
    for pattern, folders in LIBRARIES:
        if pattern.match(target) and not str(path).startswith(tuple(folder + "/" for folder in folders)):
            return f"only {', '.join(folders)} include it"
    return None


def main():
    root = source_tree.root_of(sys.argv)
    files = source_tree.files_under(root, source_tree.CODE_FOLDERS, {".cpp", ".h", ".def"})
    problems = []
    for path in files:
        if path.parts[0] == "engine" and len(path.parts) > 2 and engine_folder(path) not in MAY_SEE:
            problems.append(f"{path}: folder engine/{engine_folder(path)} is in no layer")
            continue
        for line, is_ours, target in includes(root / path):
            is_made = target.startswith("embedded/") or target.endswith(".moc")
            if is_ours and not (root / target).is_file() and not is_made:
                problems.append(f"{path}:{line}: {target}: includes are written from the root of the sources")
            problem = layer_problem(path, target) or library_problem(path, target)
            if problem:
                problems.append(f"{path}:{line}: includes {target}: {problem}")
    return source_tree.report(problems, f"{len(files)} files keep to their layers")


if __name__ == "__main__":
    sys.exit(main())
