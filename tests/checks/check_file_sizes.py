"""No source file is longer than 600 lines: check_file_sizes.py ROOT"""

import sys

import source_tree

LIMIT = 600
FOLDERS = source_tree.CODE_FOLDERS + ("packaging", "resources/library", "resources/examples")
# Tables are as long as what they list.
EXEMPT = {".def", ".ll"}


def main():
    root = source_tree.root_of(sys.argv)
    files = source_tree.files_under(root, FOLDERS, source_tree.SOURCE_SUFFIXES - EXEMPT)
    problems = []
    for path in files:
        with open(root / path, encoding="utf-8") as text:
            lines = sum(1 for _ in text)
        if lines > LIMIT:
            problems.append(f"{path}: {lines} lines, the limit is {LIMIT}: split it by idea")
    return source_tree.report(problems, f"{len(files)} files, none longer than {LIMIT} lines")


if __name__ == "__main__":
    sys.exit(main())
