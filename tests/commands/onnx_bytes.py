"""ONNX files, written byte by byte: what no exporter would write can be written too."""

import struct

FLOAT, INT64, BFLOAT16 = 1, 7, 16


def varint(value):
    value &= (1 << 64) - 1
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def number(field, value):
    return varint(field << 3) + varint(value)


def blob(field, value):
    data = value.encode() if isinstance(value, str) else value
    return varint(field << 3 | 2) + varint(len(data)) + data


def tensor(name, dims, values=(), dtype=FLOAT, raw=None):
    out = b"".join(number(1, dim) for dim in dims) + number(2, dtype)
    if raw is not None:
        return out + blob(8, name) + blob(9, raw)
    if dtype == FLOAT:
        out += b"".join(varint(4 << 3 | 5) + struct.pack("<f", value) for value in values)
    else:
        out += b"".join(number(7, value) for value in values)
    return out + blob(8, name)


def value_info(name, dims, dtype=FLOAT):
    shape = b"".join(blob(1, number(1, dim)) for dim in dims)
    return blob(1, name) + blob(2, blob(1, number(1, dtype) + blob(2, shape)))


def integers(name, values):
    return blob(1, name) + b"".join(number(8, value) for value in values) + number(20, 7)


def integer(name, value):
    return blob(1, name) + number(3, value) + number(20, 2)


def node(op, inputs, outputs, attributes=(), name=""):
    out = b"".join(blob(1, each) for each in inputs) + b"".join(blob(2, each) for each in outputs)
    return out + blob(3, name) + blob(4, op) + b"".join(blob(5, each) for each in attributes)


def model(nodes, inputs=None, outputs=None, initializers=(), opset=13):
    graph = b"".join(blob(1, each) for each in nodes) + blob(2, "test")
    graph += b"".join(blob(5, each) for each in initializers)
    graph += b"".join(blob(11, each) for each in (inputs or [value_info("x", [2, 3])]))
    graph += b"".join(blob(12, each) for each in (outputs or [value_info("z", [2, 3])]))
    return number(1, 8) + blob(2, "test") + blob(7, graph) + blob(8, blob(1, "") + number(2, opset))
