// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Decodes protobuf messages of ONNX with protozero, whose readers are views of
// the bytes.
#include "MessageReader.h"

#include <exception>

using namespace kiln::onnx_file;

/// What an attribute of the first version of IR, which has no type, holds.
static AttributeProto::Kind kindOf(const AttributeProto &attribute) {
  if (attribute.t)
    return AttributeProto::TensorValue;
  if (attribute.g)
    return AttributeProto::GraphValue;
  if (!attribute.ints.empty())
    return AttributeProto::Ints;
  if (!attribute.floats.empty())
    return AttributeProto::Floats;
  if (!attribute.strings.empty())
    return AttributeProto::Strings;
  if (!attribute.s.empty())
    return AttributeProto::String;
  return attribute.f != 0 ? AttributeProto::Float : AttributeProto::Int;
}

void MessageReader::read(AttributeProto &attribute) {
  while (next()) {
    if (isBytes(1))
      attribute.name = bytes();
    else if (is(2, Wire::fixed32))
      attribute.f = message.get_float();
    else if (is(3, Wire::varint))
      attribute.i = message.get_int64();
    else if (isBytes(4))
      attribute.s = bytes();
    else if (isBytes(5))
      into(attribute.t);
    else if (isBytes(6))
      into(attribute.g);
    else if (message.tag() == 7)
      fixed(attribute.floats, Wire::fixed32);
    else if (message.tag() == 8)
      integers(attribute.ints);
    else if (isBytes(9))
      text(attribute.strings);
    else if (isBytes(14))
      into(attribute.type);
    else if (is(20, Wire::varint))
      attribute.kind = message.get_int64();
    else if (isBytes(21))
      attribute.reference = bytes();
    else
      message.skip();
  }
  if (attribute.kind == AttributeProto::Undefined)
    attribute.kind = kindOf(attribute);
}

void MessageReader::read(NodeProto &node) {
  while (next()) {
    if (isBytes(1))
      text(node.inputs);
    else if (isBytes(2))
      text(node.outputs);
    else if (isBytes(3))
      node.name = bytes();
    else if (isBytes(4))
      node.op = bytes();
    else if (isBytes(5))
      append(node.attributes);
    else if (isBytes(7))
      node.domain = bytes();
    else if (isBytes(8))
      node.overload = bytes();
    else
      message.skip();
  }
}

void MessageReader::read(GraphProto &graph) {
  while (next()) {
    if (isBytes(1)) {
      append(graph.nodes);
    } else if (isBytes(2)) {
      graph.name = bytes();
    } else if (isBytes(5)) {
      append(graph.initializers);
    } else if (isBytes(11)) {
      append(graph.inputs);
    } else if (isBytes(12)) {
      append(graph.outputs);
    } else if (isBytes(13)) {
      append(graph.values);
    } else {
      graph.hasSparse |= message.tag() == 15;
      message.skip();
    }
  }
}

void MessageReader::read(OperatorSetProto &set) {
  while (next()) {
    if (isBytes(1))
      set.domain = bytes();
    else if (is(2, Wire::varint))
      set.version = message.get_int64();
    else
      message.skip();
  }
}

void MessageReader::read(FunctionProto &function) {
  while (next()) {
    if (isBytes(1))
      function.name = bytes();
    else if (isBytes(4))
      text(function.inputs);
    else if (isBytes(5))
      text(function.outputs);
    else if (isBytes(6))
      text(function.attributes);
    else if (isBytes(7))
      append(function.nodes);
    else if (isBytes(9))
      append(function.operatorSets);
    else if (isBytes(10))
      function.domain = bytes();
    else if (isBytes(11))
      append(function.defaults);
    else if (isBytes(12))
      append(function.values);
    else if (isBytes(13))
      function.overload = bytes();
    else
      message.skip();
  }
}

void MessageReader::read(ModelProto &model) {
  while (next()) {
    if (is(1, Wire::varint))
      model.irVersion = message.get_int64();
    else if (isBytes(2))
      model.producer = bytes();
    else if (isBytes(3))
      model.producerVersion = bytes();
    else if (isBytes(7))
      into(model.graph.emplace());
    else if (isBytes(8))
      append(model.operatorSets);
    else if (isBytes(25))
      append(model.functions);
    else
      message.skip();
  }
}

bool kiln::onnx_file::parseModel(StringRef file, ModelProto &model,
                                 std::string &problem, size_t &at) {
  try {
    MessageReader(pbf_reader(file.data(), file.size()), file, at).read(model);
    return true;
  } catch (const protozero::end_of_buffer_exception &) {
    problem = "expected more bytes of a field, found the end of its message";
  } catch (const protozero::varint_too_long_exception &) {
    problem = "expected a number of at most 10 bytes, found a longer one";
  } catch (const protozero::exception &) {
    problem = "expected a field of a protobuf message, found other bytes";
  } catch (const std::bad_alloc &) {
    problem = "out of memory";
  } catch (const std::exception &other) {
    problem = other.what();
  }
  return false;
}
