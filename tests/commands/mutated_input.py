"""Damaged programs and models never bring stepwellc down: mutated_input.py STEPWELLC SOURCE_FOLDER [sanitized]

Every example and small model is cut at many places and changed at random ones, always the same, and compiled as far as it goes.
"""

import pathlib
import random
import sys

from command_runner import Runner, misbehaviour

CUTS = 10
MUTATIONS = 14
MOST_CHANGES = 4


def mutated(data, generator):
    out = bytearray(data)
    for _ in range(generator.randint(1, MOST_CHANGES)):
        at = generator.randrange(len(out))
        kind = generator.randrange(4)
        if kind == 0:
            out[at] = generator.randrange(256)
        elif kind == 1:
            out[at] ^= 1 << generator.randrange(8)
        elif kind == 2:
            del out[at : at + generator.randint(1, 16)]
        else:
            begin = generator.randrange(len(out))
            out[at:at] = out[begin : begin + generator.randint(1, 16)]
        if not out:
            return bytes(1)
    return bytes(out)


def variants(data, generator):
    for i in range(CUTS):
        yield f"cut to {len(data) * i // CUTS} bytes", data[: len(data) * i // CUTS]
    # Most of a model is weights, which may hold anything: half of the changes go to the structure around them.
    for i in range(MUTATIONS):
        if i % 2 == 0 or len(data) < 4096:
            yield f"mutation {i}", mutated(data, generator)
        else:
            yield f"mutation {i} of the end", data[:-2048] + mutated(data[-2048:], generator)


def main():
    runner = Runner(sys.argv[1], len(sys.argv) > 3 and sys.argv[3] != "")
    source = pathlib.Path(sys.argv[2])
    files = sorted((source / "resources/examples").glob("*.sw")) + sorted((source / "tests/data/models").glob("*/model.onnx"))
    problems = []
    count = 0
    for number, file in enumerate(files):
        for name, data in variants(file.read_bytes(), random.Random(number)):
            count += 1
            words = ["show", runner.write("input" + file.suffix, data), "--stage", "lowered", "--device", "interpreter"]
            outcome = runner.run(words)
            if problem := misbehaviour(runner, outcome):
                problems.append(f"{file}, {name}: {problem}\n{outcome.errors[:600]}")
    for problem in problems:
        print(problem)
    print(f"{count} inputs, {len(problems)} wrong")
    return 1 if problems or not files else 0


if __name__ == "__main__":
    sys.exit(main())
