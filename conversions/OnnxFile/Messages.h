// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The messages of an ONNX file, as far as the compiler needs them. Field
// numbers are those of onnx.proto, IR version 13. Private to the reader.
#ifndef KILN_CONVERSIONS_ONNXFILE_MESSAGES_H
#define KILN_CONVERSIONS_ONNXFILE_MESSAGES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace kiln::onnx_file {

using llvm::ArrayRef;
using llvm::StringRef;

/// TensorProto. All text and bytes are views of the file.
struct TensorProto {
  StringRef name;
  int64_t dataType = 0;
  std::vector<int64_t> dims;
  std::optional<StringRef> raw;
  /// The typed fields, in the order of their elements. `integers` holds
  /// int32_data, int64_data, and the bits of uint64_data.
  std::vector<int64_t> integers;
  std::vector<float> floats;
  std::vector<double> doubles;
  std::vector<StringRef> strings;
  bool isExternal = false;
  std::vector<std::pair<StringRef, StringRef>> external; ///< key, value
};

/// A dimension: a size, a name, or nothing.
struct Dim {
  std::optional<int64_t> size;
  StringRef name;
};

/// TypeProto.
struct TypeProto {
  enum Kind { Missing, TensorType, Sequence, Optional, SparseTensor, Other };
  Kind kind = Missing;
  int64_t element = 0;
  bool hasShape = false;
  std::vector<Dim> shape;
  std::unique_ptr<TypeProto> contained; ///< of a sequence or an optional
};

/// ValueInfoProto.
struct ValueInfoProto {
  StringRef name;
  TypeProto type;
};

struct GraphProto;

/// AttributeProto.
struct AttributeProto {
  enum Kind {
    Undefined = 0,
    Float = 1,
    Int = 2,
    String = 3,
    TensorValue = 4,
    GraphValue = 5,
    Floats = 6,
    Ints = 7,
    Strings = 8,
    Tensors = 9,
    Graphs = 10,
    SparseTensor = 11,
    SparseTensors = 12,
    TypeValue = 13,
    Types = 14
  };
  StringRef name, reference;
  int64_t kind = Undefined;
  float f = 0;
  int64_t i = 0;
  StringRef s;
  std::unique_ptr<TensorProto> t;
  std::unique_ptr<GraphProto> g;
  std::unique_ptr<TypeProto> type;
  std::vector<float> floats;
  std::vector<int64_t> ints;
  std::vector<StringRef> strings;
};

/// NodeProto.
struct NodeProto {
  StringRef name, op, domain, overload;
  std::vector<StringRef> inputs, outputs;
  std::vector<AttributeProto> attributes;
};

/// GraphProto.
struct GraphProto {
  StringRef name;
  std::vector<NodeProto> nodes;
  std::vector<TensorProto> initializers;
  std::vector<ValueInfoProto> inputs, outputs, values;
  bool hasSparse = false;
};

/// OperatorSetIdProto.
struct OperatorSetProto {
  StringRef domain;
  int64_t version = 0;
};

/// FunctionProto.
struct FunctionProto {
  StringRef name, domain, overload;
  std::vector<StringRef> inputs, outputs, attributes;
  std::vector<AttributeProto> defaults; ///< attributes that have a default
  std::vector<NodeProto> nodes;
  std::vector<ValueInfoProto> values;
  std::vector<OperatorSetProto> operatorSets;
};

/// ModelProto.
struct ModelProto {
  int64_t irVersion = 0;
  StringRef producer, producerVersion;
  std::vector<OperatorSetProto> operatorSets;
  std::optional<GraphProto> graph;
  std::vector<FunctionProto> functions;
};

/// Decodes a file. On failure `problem` says what is wrong and `at` is the byte
/// of the file where it was found. Time and memory are at most proportional to
/// the size of the file.
bool parseModel(StringRef file, ModelProto &model, std::string &problem,
                size_t &at);

} // namespace kiln::onnx_file

#endif // KILN_CONVERSIONS_ONNXFILE_MESSAGES_H
