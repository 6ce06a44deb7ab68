// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Decodes protobuf messages of ONNX with protozero, whose readers are views of
// the bytes.
#include "Messages.h"

#include "llvm/ADT/Twine.h"

#include <cstring>
#include <exception>
#include <protozero/pbf_reader.hpp>
#include <stdexcept>

using namespace kiln::onnx_file;
using protozero::pbf_reader;
using Wire = protozero::pbf_wire_type;

namespace {

/// Graphs in graphs and types in types beyond this are refused.
constexpr int deepestNesting = 200;

/// What an attribute of the first version of IR, which has no type, holds.
AttributeProto::Kind kindOf(const AttributeProto &attribute) {
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

/// Decodes one message; fields that it does not know are skipped, as protobuf
/// requires.
class Reader {
public:
  Reader(pbf_reader message, StringRef file, size_t &at, int depth = 0)
      : message(message), file(file), at(at), depth(depth) {
    if (depth > deepestNesting)
      throw std::runtime_error("messages are nested more than " +
                               std::to_string(deepestNesting) + " deep");
  }

  void read(ModelProto &model);
  void read(GraphProto &graph);
  void read(NodeProto &node);
  void read(AttributeProto &attribute);
  void read(TensorProto &tensor);
  void read(TypeProto &type);
  void read(ValueInfoProto &value);
  void read(FunctionProto &function);
  void read(OperatorSetProto &set);

private:
  /// Moves to the next field and remembers its place.
  bool next() {
    at = file.size() - std::min(file.size(), message.length());
    return message.next();
  }
  bool is(uint32_t tag, Wire wire) {
    return message.tag() == tag && message.wire_type() == wire;
  }
  bool isBytes(uint32_t tag) { return is(tag, Wire::length_delimited); }

  StringRef bytes() {
    protozero::data_view view = message.get_view();
    StringRef text(view.data(), view.size());
    if (text.data() >= file.begin() && text.data() <= file.end())
      at = text.data() - file.begin();
    return text;
  }
  template <typename T> void into(T &value) {
    inner(message.get_view()).read(value);
  }
  /// A reader of a part. Places count from the end of what a reader sees.
  Reader inner(protozero::data_view view) {
    StringRef before = file;
    if (view.data() >= file.begin() && view.data() <= file.end())
      before = file.take_front(view.data() - file.begin() + view.size());
    return Reader(pbf_reader(view), before, at, depth + 1);
  }
  template <typename T> void append(std::vector<T> &list) {
    list.emplace_back();
    into(list.back());
  }
  template <typename T> void into(std::unique_ptr<T> &value) {
    value = std::make_unique<T>();
    into(*value);
  }
  void text(std::vector<StringRef> &list) { list.push_back(bytes()); }

  /// One number, or many in a row.
  void integers(std::vector<int64_t> &list) {
    if (message.wire_type() == Wire::varint) {
      list.push_back(message.get_int64());
    } else if (message.wire_type() == Wire::length_delimited) {
      for (int64_t value : message.get_packed_int64())
        list.push_back(value);
    } else {
      message.skip();
    }
  }
  template <typename T> void fixed(std::vector<T> &list, Wire one) {
    if (message.wire_type() == one) {
      if constexpr (sizeof(T) == 4)
        list.push_back(message.get_float());
      else
        list.push_back(message.get_double());
    } else if (message.wire_type() == Wire::length_delimited) {
      StringRef data = bytes();
      if (data.size() % sizeof(T))
        throw std::runtime_error("packed numbers of " +
                                 std::to_string(sizeof(T)) + " bytes take " +
                                 std::to_string(data.size()) + " bytes");
      size_t old = list.size();
      list.resize(old + data.size() / sizeof(T));
      if (!data.empty())
        std::memcpy(list.data() + old, data.data(), data.size());
    } else {
      message.skip();
    }
  }
  std::pair<StringRef, StringRef> entry();
  Dim dimension(protozero::data_view view);
  void shape(protozero::data_view view, TypeProto &type);
  void tensorType(protozero::data_view view, TypeProto &type);
  void contained(protozero::data_view view, TypeProto &type);

  pbf_reader message;
  StringRef file;
  size_t &at;
  int depth;
};

std::pair<StringRef, StringRef> Reader::entry() {
  std::pair<StringRef, StringRef> result;
  Reader inner = this->inner(message.get_view());
  while (inner.next()) {
    if (inner.isBytes(1))
      result.first = inner.bytes();
    else if (inner.isBytes(2))
      result.second = inner.bytes();
    else
      inner.message.skip();
  }
  return result;
}

void Reader::read(TensorProto &tensor) {
  while (next()) {
    switch (message.tag()) {
    case 1:
      integers(tensor.dims);
      break;
    case 4:
      fixed(tensor.floats, Wire::fixed32);
      break;
    case 5:
    case 7:
    case 11:
      integers(tensor.integers);
      break;
    case 10:
      fixed(tensor.doubles, Wire::fixed64);
      break;
    default:
      if (is(2, Wire::varint))
        tensor.dataType = message.get_int64();
      else if (isBytes(6))
        text(tensor.strings);
      else if (isBytes(8))
        tensor.name = bytes();
      else if (isBytes(9))
        tensor.raw = bytes();
      else if (isBytes(13))
        tensor.external.push_back(entry());
      else if (is(14, Wire::varint))
        tensor.isExternal = message.get_int64() == 1;
      else
        message.skip();
    }
  }
}

Dim Reader::dimension(protozero::data_view view) {
  Dim dim;
  for (pbf_reader inner(view); inner.next();) {
    if (inner.tag() == 1 && inner.wire_type() == Wire::varint) {
      dim.size = inner.get_int64();
    } else if (inner.tag() == 2 &&
               inner.wire_type() == Wire::length_delimited) {
      protozero::data_view name = inner.get_view();
      dim.name = StringRef(name.data(), name.size());
    } else {
      inner.skip();
    }
  }
  return dim;
}

void Reader::shape(protozero::data_view view, TypeProto &type) {
  type.hasShape = true;
  type.shape.clear();
  for (pbf_reader inner(view); inner.next();) {
    if (inner.tag() == 1 && inner.wire_type() == Wire::length_delimited)
      type.shape.push_back(dimension(inner.get_view()));
    else
      inner.skip();
  }
}

void Reader::tensorType(protozero::data_view view, TypeProto &type) {
  type.kind = TypeProto::TensorType;
  for (pbf_reader inner(view); inner.next();) {
    if (inner.tag() == 1 && inner.wire_type() == Wire::varint)
      type.element = inner.get_int64();
    else if (inner.tag() == 2 && inner.wire_type() == Wire::length_delimited)
      shape(inner.get_view(), type);
    else
      inner.skip();
  }
}

void Reader::contained(protozero::data_view view, TypeProto &type) {
  for (pbf_reader inner(view); inner.next();) {
    if (inner.tag() == 1 && inner.wire_type() == Wire::length_delimited) {
      type.contained = std::make_unique<TypeProto>();
      this->inner(inner.get_view()).read(*type.contained);
    } else {
      inner.skip();
    }
  }
}

void Reader::read(TypeProto &type) {
  while (next()) {
    if (isBytes(1)) {
      tensorType(message.get_view(), type);
    } else if (isBytes(4)) {
      type.kind = TypeProto::Sequence;
      contained(message.get_view(), type);
    } else if (isBytes(9)) {
      type.kind = TypeProto::Optional;
      contained(message.get_view(), type);
    } else {
      if (isBytes(8))
        type.kind = TypeProto::SparseTensor;
      else if (message.tag() != 6) // what the type denotes
        type.kind = TypeProto::Other;
      message.skip();
    }
  }
}

void Reader::read(ValueInfoProto &value) {
  while (next()) {
    if (isBytes(1))
      value.name = bytes();
    else if (isBytes(2))
      into(value.type);
    else
      message.skip();
  }
}

void Reader::read(AttributeProto &attribute) {
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

void Reader::read(NodeProto &node) {
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

void Reader::read(GraphProto &graph) {
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

void Reader::read(OperatorSetProto &set) {
  while (next()) {
    if (isBytes(1))
      set.domain = bytes();
    else if (is(2, Wire::varint))
      set.version = message.get_int64();
    else
      message.skip();
  }
}

void Reader::read(FunctionProto &function) {
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

void Reader::read(ModelProto &model) {
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

} // namespace

bool kiln::onnx_file::parseModel(StringRef file, ModelProto &model,
                                 std::string &problem, size_t &at) {
  try {
    Reader(pbf_reader(file.data(), file.size()), file, at).read(model);
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
