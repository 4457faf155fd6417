"""Every source file is named in the CMakeLists.txt of its folder or of one above: check_listed.py ROOT"""

import sys

import source_tree


def is_listed(root, path):
    """Whether a CMakeLists.txt on the way up names the file, by its path from there."""
    for folder in path.parents:
        lists = root / folder / "CMakeLists.txt"
        if lists.is_file():
            words = lists.read_text(encoding="utf-8").replace('"', " ").replace(")", " ").replace("(", " ").split()
            name = str(path.relative_to(folder))
            if name in words or f"${{CMAKE_CURRENT_SOURCE_DIR}}/{name}" in words:
                return True
    return False


def main():
    root = source_tree.root_of(sys.argv)
    files = source_tree.files_under(root, source_tree.CODE_FOLDERS, {".cpp"})
    problems = [f"{path}: no CMakeLists.txt names it" for path in files if not is_listed(root, path)]
    return source_tree.report(problems, f"all {len(files)} source files are built")


if __name__ == "__main__":
    sys.exit(main())
