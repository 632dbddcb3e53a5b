"""Writes the trained policy as an ONNX file: the few messages of the format that it takes, and the network operator by operator."""

import json

import numpy as np

from policy import FEATURES, HIDDEN, REACH, SCALES, SEEN, SIDE, VIEWS, parts_of

OPSET, IR_VERSION = 17, 8
FLOAT, INT64 = 1, 7
KINDS = {np.dtype(np.float32): FLOAT, np.dtype(np.int64): INT64}
AS_INT, AS_INTS = 2, 7


def varint(number):
    data = bytearray()
    while number > 0x7F:
        data.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes(data + bytes([number]))


def field(number, value):
    """A field of a message: whole numbers as they are, text and bytes and messages with their length."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value & (1 << 64) - 1)
    data = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(data)) + data


def tensor(name, array):
    array = np.ascontiguousarray(array)
    little = array.astype(array.dtype.newbyteorder("<")).tobytes()
    return b"".join(field(1, size) for size in array.shape) + field(2, KINDS[array.dtype]) + field(8, name) + field(9, little)


def port(name, sizes):
    shape = b"".join(field(1, field(2, size) if isinstance(size, str) else field(1, size)) for size in sizes)
    return field(1, name) + field(2, field(1, field(1, FLOAT) + field(2, shape)))


def attribute(name, value):
    if isinstance(value, int):
        return field(1, name) + field(3, value) + field(20, AS_INT)
    return field(1, name) + b"".join(field(8, one) for one in value) + field(20, AS_INTS)


class Graph:
    """Nodes in order; a node's output has the number of the node for a name, unless it is given one."""

    def __init__(self):
        self.nodes, self.constants = [], []

    def constant(self, array):
        name = f"c{len(self.constants)}"
        self.constants.append(tensor(name, array))
        return name

    def node(self, kind, *inputs, name=None, **attributes):
        inputs = [one if isinstance(one, str) else self.constant(one) for one in inputs]
        name = name or f"n{len(self.nodes)}"
        written = b"".join(field(5, attribute(key, value)) for key, value in attributes.items())
        self.nodes.append(b"".join(field(1, one) for one in inputs) + field(2, name) + field(4, kind) + written)
        return name

    def file(self, inputs, outputs):
        parts = [field(1, node) for node in self.nodes] + [field(2, "policy")] + [field(5, one) for one in self.constants]
        parts += [field(11, one) for one in inputs] + [field(12, one) for one in outputs]
        return field(1, IR_VERSION) + field(2, "agon-train") + field(7, b"".join(parts)) + field(8, field(1, "") + field(2, OPSET))


def floats(values, *shape):
    return np.asarray(values, np.float32).reshape(shape)


def features_of(g):
    """The window is cut out by two products: a matrix picks the rows around the head's, another one the columns. Each is the head's
    row (column), shifted by every step from -REACH to REACH. No row or column off the board is picked: those stay 0."""
    plane = lambda *numbers: g.node("Gather", "obs", np.array(numbers, np.int64), axis=1)
    head, health = plane(0), plane(7)
    seen = g.node("Min", g.node("Mul", plane(*SEEN), floats(SCALES, 1, len(SEEN), 1, 1)), floats(1, 1))
    inside = g.node("Add", g.node("Mul", health, floats(0, 1)), floats(1, 1))
    channels = g.node("Concat", seen, inside, axis=1)
    shifts = np.eye(SIDE, dtype=np.float32)[::-1]
    row = g.node("ReduceMax", head, axes=[3], keepdims=1)
    col = g.node("ReduceMax", head, axes=[2], keepdims=1)
    rows = g.node("Conv", row, shifts.reshape(SIDE, 1, SIDE, 1), pads=[REACH, 0, REACH, 0])
    cols = g.node("Conv", col, shifts.reshape(SIDE, 1, 1, SIDE), pads=[0, REACH, 0, REACH])
    rows = g.node("Transpose", rows, perm=[0, 3, 1, 2])
    cols = g.node("Transpose", cols, perm=[0, 2, 3, 1])
    window = g.node("Flatten", g.node("MatMul", g.node("MatMul", rows, channels), cols), axis=1)
    lanes = g.node("ReduceMax", plane(8, 9, 10, 11), axes=[2, 3], keepdims=0)
    return g.node("Concat", window, lanes, g.node("ReduceMax", health, axes=[2, 3], keepdims=0), axis=1)


def model_bytes(weights):
    parts, g = parts_of(weights), Graph()
    views = g.node("Gather", features_of(g), VIEWS.astype(np.int64), axis=1)
    first = g.node("Relu", g.node("Add", g.node("MatMul", views, parts["w1"]), parts["b1"]))
    second = g.node("Relu", g.node("Add", g.node("MatMul", first, parts["w2"]), parts["b2"]))
    g.node("Flatten", g.node("MatMul", second, parts["w3"]), axis=1, name="logits")
    return g.file([port("obs", ["N", 12, "H", "W"])], [port("logits", ["N", 4])])


def manifest_bytes(name, game="snakes", opset=OPSET):
    manifest = {"format": "agon-manifest/1", "game": game, "runtime": "onnx", "opset": opset, "name": name}
    return json.dumps({**manifest, "memory": {"flat": 0, "cell": 0}}, indent=2).encode()


def export(weights, path, name="trained"):
    """Writes PATH.onnx and PATH.json."""
    path.with_suffix(".onnx").write_bytes(model_bytes(weights))
    path.with_suffix(".json").write_bytes(manifest_bytes(name))
