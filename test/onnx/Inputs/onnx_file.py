# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes ONNX files without the package onnx: the messages of onnx.proto that the tests need, as bytes."""
import struct

import numpy

FLOAT, UINT8, INT8, INT16, INT32, INT64, STRING, BOOL, FLOAT16, DOUBLE, UINT32 = 1, 2, 3, 5, 6, 7, 8, 9, 10, 11, 12
UINT4, INT4 = 21, 22
DATA_TYPES = {"float32": FLOAT, "uint8": UINT8, "int8": INT8, "int16": INT16, "int32": INT32, "int64": INT64, "bool": BOOL,
              "float16": FLOAT16, "float64": DOUBLE, "uint32": UINT32}


def varint(number):
    number &= (1 << 64) - 1
    result = b""
    while number >= 128:
        result += bytes([number & 127 | 128])
        number >>= 7
    return result + bytes([number])


def field(tag, value):
    """One field: an integer, a float, or bytes (text, a message)."""
    if isinstance(value, bool) or isinstance(value, int):
        return varint(tag << 3) + varint(int(value))
    if isinstance(value, float):
        return varint(tag << 3 | 5) + struct.pack("<f", value)
    data = value.encode() if isinstance(value, str) else value
    return varint(tag << 3 | 2) + varint(len(data)) + data


def fields(tag, values):
    return b"".join(field(tag, value) for value in values)


def tensor(name, array, external=None, data_type=None, dims=None):
    """TensorProto: `external` is (file, offset) of elements in another file."""
    array = numpy.asarray(array)
    shape = array.shape if dims is None else dims
    data = fields(1, shape) + field(2, data_type or DATA_TYPES[array.dtype.name]) + field(8, name)
    if external is None:
        return data + field(9, array.tobytes())
    entries = [("location", external[0]), ("offset", str(external[1])), ("length", str(array.nbytes))]
    return data + b"".join(field(13, field(1, key) + field(2, value)) for key, value in entries) + field(14, 1)


def attribute(name, value):
    """AttributeProto. A graph is given as ("graph", bytes), a tensor as ("tensor", bytes), a reference to an attribute
    of the local function as ("reference", name, type)."""
    head = field(1, name)
    if isinstance(value, tuple) and value[0] == "reference":
        return head + field(20, value[2]) + field(21, value[1])
    if isinstance(value, tuple):
        tag, kind = {"graph": (6, 5), "tensor": (5, 4)}[value[0]]
        return head + field(tag, value[1]) + field(20, kind)
    if isinstance(value, float):
        return head + field(2, value) + field(20, 1)
    if isinstance(value, int):
        return head + field(3, value) + field(20, 2)
    if isinstance(value, str):
        return head + field(4, value) + field(20, 3)
    if value and isinstance(value[0], str):
        return head + fields(9, value) + field(20, 8)
    if value and isinstance(value[0], float):
        return head + fields(7, value) + field(20, 6)
    return head + fields(8, value) + field(20, 7)


def node(op, inputs, outputs, domain="", name="", **attributes):
    """NodeProto."""
    data = fields(1, inputs) + fields(2, outputs)
    if name:
        data += field(3, name)
    data += field(4, op) + b"".join(field(5, attribute(key, value)) for key, value in attributes.items())
    return data + (field(7, domain) if domain else b"")


def tensor_type(data_type, shape):
    """TypeProto of a tensor; a dimension is a size, a name, or None. A shape of None is not known."""
    data = field(1, data_type)
    if shape is not None:
        def dim(size):
            return b"" if size is None else field(2, size) if isinstance(size, str) else field(1, size)
        data += field(2, b"".join(field(1, dim(size)) for size in shape))
    return field(1, data)


def value(name, data_type, shape):
    """ValueInfoProto."""
    return field(1, name) + field(2, tensor_type(data_type, shape))


def graph(nodes, inputs, outputs, initializers=(), name="g", values=()):
    """GraphProto."""
    return (fields(1, nodes) + field(2, name) + fields(5, initializers) + fields(11, inputs) + fields(12, outputs)
            + fields(13, values))


def function(name, domain, inputs, outputs, nodes, attributes=(), defaults=()):
    """FunctionProto."""
    return (field(1, name) + fields(4, inputs) + fields(5, outputs) + fields(6, attributes) + fields(7, nodes)
            + field(9, field(1, "") + field(2, 18)) + field(10, domain) + fields(11, defaults))


def model(graph, opset=18, functions=(), domains=()):
    """ModelProto."""
    sets = [field(1, "") + field(2, opset)] + [field(1, domain) + field(2, 1) for domain in domains]
    return field(1, 10) + field(2, "test") + field(7, graph) + fields(8, sets) + fields(25, functions)


def write(path, data):
    with open(path, "wb") as file:
        file.write(data)
