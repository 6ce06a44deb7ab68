// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Decodes the messages of an ONNX file that say what data is: tensors and
// types.
#include "MessageReader.h"

using namespace kiln::onnx_file;

std::pair<StringRef, StringRef> MessageReader::entry() {
  std::pair<StringRef, StringRef> result;
  MessageReader inner = this->inner(message.get_view());
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

void MessageReader::read(TensorProto &tensor) {
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

Dim MessageReader::dimension(protozero::data_view view) {
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

void MessageReader::shape(protozero::data_view view, TypeProto &type) {
  type.hasShape = true;
  type.shape.clear();
  for (pbf_reader inner(view); inner.next();) {
    if (inner.tag() == 1 && inner.wire_type() == Wire::length_delimited)
      type.shape.push_back(dimension(inner.get_view()));
    else
      inner.skip();
  }
}

void MessageReader::tensorType(protozero::data_view view, TypeProto &type) {
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

void MessageReader::contained(protozero::data_view view, TypeProto &type) {
  for (pbf_reader inner(view); inner.next();) {
    if (inner.tag() == 1 && inner.wire_type() == Wire::length_delimited) {
      type.contained = std::make_unique<TypeProto>();
      this->inner(inner.get_view()).read(*type.contained);
    } else {
      inner.skip();
    }
  }
}

void MessageReader::read(TypeProto &type) {
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

void MessageReader::read(ValueInfoProto &value) {
  while (next()) {
    if (isBytes(1))
      value.name = bytes();
    else if (isBytes(2))
      into(value.type);
    else
      message.skip();
  }
}
