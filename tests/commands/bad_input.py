"""Whatever a file holds, stepwellc says what is wrong with it and where, and ends as it should.

bad_input.py STEPWELLC [sanitized]
"""

import os
import re
import struct
import sys

import onnx_bytes as onnx
from command_runner import Runner, misbehaviour

ERROR, USAGE, UNSUPPORTED = 1, 2, 3

ADD = "input x: f32[2, 3]\noutput x + 1.0\n"


def npy(header, data=b"", version=1):
    text = header.encode("latin-1")
    return b"\x93NUMPY" + bytes([version, 0]) + struct.pack("<H", len(text)) + text + data


def npy_header(descr="<f4", order="False", shape="(2, 3)"):
    return f"{{'descr': '{descr}', 'fortran_order': {order}, 'shape': {shape}, }}\n"


GOOD_NPY = npy(npy_header(), bytes(24))


def programs():
    """(name, text, exit code, what the error says)"""
    return [
        ("empty", "", ERROR, r":1:1: error: the program has no output"),
        ("nul", "input x: f32[2]\noutput x\0 + 1.0\n", ERROR, r':2:9: error: "\\x00" is not a character'),
        ("utf8", b"input x: f32[2]\noutput x \xff\xfe\n", ERROR, r':2:10: error: "\\xff\\xfe" is not a character'),
        ("shapes", "input x: f32[2, 3]\ninput y: f32[2, 4]\noutput x / y\n", ERROR, r":3:\d+: error: .*\[2, 3\].*\[2, 4\]"),
        ("product", "input x: f32[2, 3]\ninput y: f32[2, 4]\noutput x @ y\n", ERROR, r":3:\d+: error: .*\[2, 3\].*\[2, 4\]"),
        ("parentheses", "output " + "(" * 100_000 + "1.0" + ")" * 100_000 + "\n", ERROR, r":1:\d+: error: .* deeper than \d+"),
        ("open", "output " + "(" * 100_000 + "\n", ERROR, r":1:\d+: error: .* deeper than \d+"),
        ("negative", "input x: f32[-3]\noutput x\n", ERROR, r":1:10: error: shape \[-3\] has a negative extent"),
        ("overflow", "input x: f32[4611686018427387904, 4]\noutput x\n", ERROR, r":1:10: error: .*4611686018427387904"),
        ("literal", "input x: f32[99999999999999999999999]\noutput x\n", ERROR, r":1:\d+: error: .*99999999999999999999999"),
        ("memory", "input x: f32[20000000000]\noutput x + 1.0\n",
         ERROR, r":1:\d+: error: .* 320000000000 bytes.* f32\[20000000000\]"),
        ("made", "output zeros([200000, 100000])\n", ERROR, r":1:\d+: error: .* bytes of memory.* f32\[200000, 100000\]"),
        ("grown", "input x: f32[200000, 1]\ninput y: f32[1, 100000]\noutput x + y\n",
         ERROR, r":3:\d+: error: .* bytes of memory"),
        ("long line", "output " + "1.0 + " * 2_000_000 + "1.0\n", ERROR, r":1:1: error: the program has \d+ bytes, at most \d+"),
        ("long name", "output " + "a" * 3_000_000 + "\n", ERROR, r":1:8: error: .* more bytes\)"),
        ("long number", "output " + "9" * 3_000_000 + "\n", ERROR, r":1:8: error: .* more bytes\)"),
        ("missing array", 'param w: f32[2] = load("nothing.npy")\noutput w\n', ERROR, r":1:\d+: error: .*nothing.npy"),
        ("array is a folder", 'param w: f32[2] = load(".")\noutput w\n', ERROR, r":1:\d+: error: "),
        ("array of another shape", 'param w: f32[7] = load("good.npy")\noutput w\n',
         ERROR, r":1:\d+: error: .*\[2, 3\].*\[7\]|\[7\].*\[2, 3\]"),
        ("array of another type", 'param w: i32[2, 3] = load("good.npy")\noutput w\n',
         ERROR, r":1:\d+: error: .*f32.*i32|i32.*f32"),
        ("endless", "def f(x):\n    return f(x) + f(x)\noutput f(1.0)\n", ERROR, r"error: .*\[limit\]"),
        ("other type", "input x: complex64[2]\noutput x\n", ERROR, r":1:10: error: .*complex64"),
    ]


def arrays():
    """(name, bytes of the .npy for f32[2, 3], exit code, what the error says)"""
    return [
        ("shape", npy(npy_header(shape="(3, 2)"), bytes(24)), ERROR, r"f32\[2, 3\].*f32\[3, 2\]"),
        ("dtype", npy(npy_header("<f8"), bytes(48)), ERROR, r"f32\[2, 3\].*f64\[2, 3\]"),
        ("byte order", npy(npy_header(">f4"), bytes(24)), UNSUPPORTED, r">f4"),
        ("object", npy(npy_header("|O"), bytes(24)), UNSUPPORTED, r"\|O"),
        ("structure", npy("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (6,), }", bytes(24)),
         UNSUPPORTED, r"array.npy"),
        ("empty", b"", ERROR, r"array.npy"),
        ("magic only", b"\x93NUMPY", ERROR, r"array.npy"),
        ("truncated header", GOOD_NPY[:40], ERROR, r"array.npy"),
        ("truncated data", GOOD_NPY[:-1], ERROR, r"array.npy"),
        ("more data", GOOD_NPY + b"\0", ERROR, r"array.npy"),
        ("negative", npy(npy_header(shape="(-2, 3)"), bytes(24)), ERROR, r"array.npy"),
        ("overflow", npy(npy_header(shape="(4611686018427387904, 4)")), ERROR, r"array.npy"),
        ("huge", npy(npy_header(shape="(1099511627776, 1)"), bytes(24)), ERROR, r"array.npy"),
        ("deep", npy("(" * 60_000), ERROR, r"array.npy"),
        ("version", npy(npy_header(), bytes(24), version=9), ERROR, r"array.npy"),
        ("noise", bytes(range(256)) * 4, ERROR, r"array.npy"),
    ]


def models():
    """(name, bytes, exit code, what the errors say)"""
    relu = onnx.node("Relu", ["x"], ["z"])
    weights = onnx.tensor("w", [1 << 31, 1 << 20], [1.0])
    several = [onnx.node("Lift", ["x"], ["a"], name="one"), onnx.node("Relu", ["a"], ["b"]), onnx.node("Drop", ["b"], ["z"])]
    cycle = [onnx.node("Add", ["x", "z"], ["a"], name="one"), onnx.node("Relu", ["a"], ["z"])]
    conv = onnx.node("Conv", ["x", "w"], ["z"], [onnx.integers("pads", [1, 1, 1])], name="c")
    deep = b""
    for _ in range(20_000):
        deep = onnx.blob(4, onnx.blob(1, deep))[-60_000:]
    return [
        ("empty", b"", ERROR, [r"the file is empty"]),
        ("text", b"# not a model\n", ERROR, [r"bad.onnx"]),
        ("cycle", onnx.model(cycle), ERROR, [r"Add 'one' can never run: it stands in a cycle"]),
        ("missing value", onnx.model([onnx.node("Relu", ["q"], ["z"])]), ERROR, [r"reads 'q', which nothing defines"]),
        ("missing output", onnx.model([onnx.node("Relu", ["x"], ["y"])]), ERROR, [r"'z'"]),
        ("twice", onnx.model([relu, onnx.node("Neg", ["x"], ["x"])]), ERROR, [r"'x' is defined twice"]),
        ("unsupported", onnx.model(several), UNSUPPORTED, [r"Lift", r"'one'", r"Drop", r"opset"]),
        ("shapes", onnx.model([onnx.node("MatMul", ["x", "x"], ["z"])]), ERROR, [r"\[2, 3\]"]),
        ("pads", onnx.model([conv], [onnx.value_info("x", [1, 1, 4, 4])], None, [onnx.tensor("w", [1, 1, 3, 3], [1.0] * 9)]),
         ERROR, [r"Conv 'c'", r"pads"]),
        ("huge weights", onnx.model([onnx.node("Add", ["x", "w"], ["z"])], initializers=[weights]),
         ERROR, [r"'w'.*\[2147483648, 1048576\]"]),
        ("negative extent", onnx.model([onnx.node("Add", ["x", "w"], ["z"])],
                                       initializers=[onnx.tensor("w", [-2, 3], [1.0] * 6)]),
         ERROR, [r"'w'.*-2"]),
        ("negative input", onnx.model([relu], [onnx.value_info("x", [-2, 3])]), ERROR, [r"'x'.*-2"]),
        ("overflow", onnx.model([relu], [onnx.value_info("x", [1 << 62, 8])]), ERROR, [r":3:1: error: .*4611686018427387904"]),
        ("memory", onnx.model([relu], [onnx.value_info("x", [1 << 37])], [onnx.value_info("z", [1 << 37])]),
         ERROR, [r"bytes of memory"]),
        ("reshape", onnx.model([onnx.node("Reshape", ["x", "s"], ["z"])],
                               initializers=[onnx.tensor("s", [2], [4, 4], onnx.INT64)]),
         ERROR, [r"\[2, 3\].*\[4, 4\]"]),
        ("expand", onnx.model([onnx.node("ConstantOfShape", ["s"], ["z"])],
                              initializers=[onnx.tensor("s", [2], [1 << 40, 1 << 40], onnx.INT64)]),
         ERROR, [r"1099511627776"]),
        ("raw data", onnx.model([onnx.node("Add", ["x", "w"], ["z"])], initializers=[onnx.tensor("w", [2, 3], raw=bytes(23))]),
         ERROR, [r"'w'"]),
        ("opset", onnx.model([relu], opset=9999), 0, [r":2:1: warning: .*opset 9999"]),
        ("no opset", onnx.model([relu], opset=0), UNSUPPORTED, [r"opset 0"]),
        ("names", onnx.model([onnx.node("\0Relu\x1b[31m", ["x"], ["z"])]), UNSUPPORTED, [r"\\x1b"]),
        ("deep", onnx.model([relu], [onnx.blob(1, "x") + onnx.blob(2, deep)]), ERROR, [r"bad.onnx"]),
    ]


def usages(runner):
    good = runner.write("good.sw", ADD)
    return [
        ("no command", [], USAGE, r""),
        ("unknown command", ["dance"], USAGE, r"dance"),
        ("no file", ["run"], USAGE, r"needs a file"),
        ("unknown option", ["run", good, "--fast"], USAGE, r"--fast"),
        ("no such device", ["run", good, "--device", "abacus"], UNSUPPORTED, r"abacus"),
        ("input without a file", ["run", good, "--input", "x"], USAGE, r"NAME=FILE.npy"),
        ("missing file", ["run", runner.path("nothing.sw")], ERROR, r"nothing.sw"),
        ("missing model", ["run", runner.path("nothing.onnx")], ERROR, r"nothing.onnx"),
        ("folder", ["run", runner.folder.name + "/folder.sw"], ERROR, r"folder"),
        ("folder as a model", ["run", runner.folder.name + "/folder.onnx"], ERROR, r"folder"),
        ("missing array", ["run", good, "--input", "x=" + runner.path("nothing.npy")], ERROR, r"nothing.npy"),
        ("folder as an array", ["run", good, "--input", "x=" + runner.folder.name], ERROR, r"error"),
        ("unknown input", ["run", good, "--input", "y=" + runner.path("good.npy")], ERROR, r'"y".*x'),
        ("other format", ["check", runner.write("good.txt", ADD)], ERROR, r"good.txt"),
        ("output folder is a file", ["run", good, "--device", "interpreter", "--output-dir", good], ERROR, r"good.sw"),
        ("good", ["run", good, "--device", "interpreter", "--input", "x=" + runner.path("good.npy")], 0, r""),
    ]


def main():
    runner = Runner(sys.argv[1], len(sys.argv) > 2 and sys.argv[2] != "")
    runner.write("good.npy", GOOD_NPY)
    for folder in ("folder.sw", "folder.onnx"):
        os.mkdir(runner.path(folder))
    problems = []
    count = 0

    def expect(name, words, code, patterns):
        nonlocal count
        count += 1
        outcome = runner.run(words)
        problem = misbehaviour(runner, outcome)
        if not problem and outcome.code != code:
            problem = f"exit code {outcome.code} instead of {code}"
        for pattern in patterns:
            if not problem and not re.search(pattern, outcome.errors):
                problem = f"does not say {pattern}"
        if problem:
            problems.append(f"{name}: {problem}\n{outcome.errors[:600]}")

    for name, words, code, pattern in usages(runner):
        expect(f"usage, {name}", words, code, [pattern])
    for name, text, code, pattern in programs():
        file = runner.write("bad.sw", text)
        expect(f"program, {name}", ["run", file, "--device", "interpreter"], code, [pattern])
    good = runner.write("good.sw", ADD)
    for name, content, code, pattern in arrays():
        file = runner.write("array.npy", content)
        expect(f"array, {name}", ["run", good, "--device", "interpreter", "--input", "x=" + file], code, [pattern])
    for name, content, code, patterns in models():
        file = runner.write("bad.onnx", content)
        expect(f"model, {name}", ["run", file, "--device", "interpreter"], code, patterns)
    for problem in problems:
        print(problem)
    print(f"{count} inputs, {len(problems)} wrong")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
