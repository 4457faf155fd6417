"""The files that the checks look at."""

import pathlib

SOURCE_SUFFIXES = {".cpp", ".h", ".def", ".cl", ".ll", ".py", ".sw", ".cmake"}
CODE_FOLDERS = ("app", "engine", "ui", "tests")


def files_under(root, folders, suffixes):
    """The files with one of the suffixes under the named folders, sorted, as paths relative to the root."""
    found = []
    for folder in folders:
        for path in (root / folder).rglob("*"):
            if path.is_file() and path.suffix in suffixes:
                found.append(path.relative_to(root))
    return sorted(found)


def root_of(arguments):
    return pathlib.Path(arguments[1]).resolve()


def report(problems, passed):
    """Prints the problems, or what was checked; returns the exit status."""
    for problem in problems:
        print(problem)
    if not problems:
        print(passed)
    return 1 if problems else 0
