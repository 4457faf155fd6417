"""No two classes have one name in one namespace: check_type_names.py ROOT

The linker merges what is made of templates over them (a vector's growth, a formula), and takes the code of one for the other.
Classes in unnamed namespaces and classes in classes are apart."""

import collections
import re
import sys

import source_tree

# What is linked into one program; of the tests, each file in the other folders is a program.
FOLDERS = ("app", "engine", "ui", "tests/golden", "tests/support", "tests/unit")
OPENED = re.compile(r"^namespace (?P<name>[\w:]+)? ?\{")
CLOSED = re.compile(r"^\} // namespace ?(?P<name>[\w:]+)?$")
DEFINED = re.compile(r"^(?:class|struct|union|enum class)(?: \[\[\w+\]\])? (?P<name>\w+)(?: final)?(?: :[^:;(][^;(]*)?(?: \{|$)")


def classes_in(text):
    """Names with their namespaces. Files open namespaces at the beginning of a line, one inside the other."""
    spaces = []
    for line in text.splitlines():
        if opened := OPENED.match(line):
            spaces.append(opened["name"])
        elif CLOSED.match(line) and spaces:
            spaces.pop()
        elif (defined := DEFINED.match(line)) and None not in spaces:
            yield "::".join([*spaces, defined["name"]])


def main():
    root = source_tree.root_of(sys.argv)
    files = source_tree.files_under(root, FOLDERS, {".cpp", ".h"})
    places = collections.defaultdict(set)
    for path in files:
        for name in classes_in((root / path).read_text(encoding="utf-8")):
            places[name].add(str(path))
    problems = [f"{name}: {' and '.join(sorted(paths))} define it" for name, paths in sorted(places.items()) if len(paths) > 1]
    return source_tree.report(problems, f"{len(places)} classes in {len(files)} files have names of their own")


if __name__ == "__main__":
    sys.exit(main())
