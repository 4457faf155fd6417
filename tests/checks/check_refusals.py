"""Every refusal of a loop transformation is described, in its own words: check_refusals.py ROOT

A refusal is the text that a function returns or gives to invalid(). What the text leaves open ({}) stands as … in the document."""

import re
import sys

import source_tree

DOCUMENT = "resources/docs/loops.md"
# Where the texts are: every one of the first files; of the next ones, those of the functions that name a problem; of the last, those
# that a list of transformations can cause, and not only a mistake in a pass.
APPLYING = [f"engine/loops/{name}.cpp" for name in ("join", "transform", "transform_memory", "transform_order")]
PROBLEMS = [f"engine/loops/{name}.cpp" for name in ("padding", "prefetch_queries", "queries", "share_queries", "stages", "stream_queries", "tile_queries")]
VERIFYING = "engine/loops/verifier.cpp"
PROBLEM_FUNCTION = re.compile(r"^std::optional<std::string> \w+ProblemOf\(.*?^}", re.MULTILINE | re.DOTALL)
VERIFYING_FUNCTION = re.compile(r"^    Result<Done> verify(?:Groups|Waits|Vectors|Repeats|Order)\(.*?^    }", re.MULTILINE | re.DOTALL)
# A return statement to the end of its line; a semicolon may stand in a text. Adjoining literals are one text.
STATEMENT = re.compile(r"return [^;]*(?:;[^\n][^;]*)*;\n")
LITERALS = re.compile(r"\"(?:[^\"\\\n]|\\.)*\"(?:\s*\"(?:[^\"\\\n]|\\.)*\")*")
LITERAL = re.compile(r"\"((?:[^\"\\\n]|\\.)*)\"")
# Checks of what only a pass can get wrong, and words that are put into a text.
OF_PASSES = {"the loop list does not hold each leaf of its axes once"}
PARTS = {"a reduction", "the domain"}


def texts_in(code):
    found = []
    for statement in STATEMENT.findall(code):
        if "invalid(" not in statement and "format(" not in statement and not statement.startswith('return "'):
            continue
        for group in LITERALS.findall(statement):
            text = "".join(LITERAL.findall(group))
            if " " in text and text not in PARTS:
                found.append(text)
    return found


def refusals(root):
    read = lambda name: (root / name).read_text(encoding="utf-8")
    texts = [text for name in APPLYING for text in texts_in(read(name))]
    for name in PROBLEMS:
        for function in PROBLEM_FUNCTION.findall(read(name)):
            texts += texts_in(function)
    for function in VERIFYING_FUNCTION.findall(read(VERIFYING)):
        texts += texts_in(function)
    return sorted({text for text in texts if text not in OF_PASSES})


def main():
    root = source_tree.root_of(sys.argv)
    document = " ".join((root / DOCUMENT).read_text(encoding="utf-8").split())
    texts = refusals(root)
    problems = [] if len(texts) > 30 else [f"only {len(texts)} refusals were found in the sources"]
    for text in texts:
        words = "`" + text.replace("{}", "…") + "`"
        if words not in document:
            problems.append(f"{DOCUMENT}: says nothing about {words}")
    return source_tree.report(problems, f"all {len(texts)} refusals of loop transformations are described")


if __name__ == "__main__":
    sys.exit(main())
