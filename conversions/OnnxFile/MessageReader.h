// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The decoder of the messages of an ONNX file: one overload of `read` a
// message, those of data and types in MessageTypes.cpp, the others in
// Messages.cpp. Private to them.
#ifndef KILN_CONVERSIONS_ONNXFILE_MESSAGEREADER_H
#define KILN_CONVERSIONS_ONNXFILE_MESSAGEREADER_H

#include "Messages.h"

#include <cstring>
#include <protozero/pbf_reader.hpp>
#include <stdexcept>

namespace kiln::onnx_file {

using protozero::pbf_reader;
using Wire = protozero::pbf_wire_type;

/// Graphs in graphs and types in types beyond this are refused.
inline constexpr int deepestNesting = 200;

/// Decodes one message; fields that it does not know are skipped, as protobuf
/// requires.
class MessageReader {
public:
  MessageReader(pbf_reader message, StringRef file, size_t &at, int depth = 0)
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
  MessageReader inner(protozero::data_view view) {
    StringRef before = file;
    if (view.data() >= file.begin() && view.data() <= file.end())
      before = file.take_front(view.data() - file.begin() + view.size());
    return MessageReader(pbf_reader(view), before, at, depth + 1);
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

} // namespace kiln::onnx_file

#endif // KILN_CONVERSIONS_ONNXFILE_MESSAGEREADER_H
