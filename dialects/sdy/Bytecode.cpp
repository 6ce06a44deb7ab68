//===- Bytecode.cpp - attributes of the sdy dialect as bytes --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The codes and the order of fields are Shardy's (shardy/dialect/sdy/ir/
// bytecode.td); they do not change.
//
//===----------------------------------------------------------------------===//

#include "kiln/Dialect/Sdy/Sdy.h"

#include "mlir/Bytecode/BytecodeImplementation.h"

using namespace mlir;
using namespace kiln::sdy;

namespace {

enum Code : uint64_t {
  kManualAxes = 0,
  kMeshAxis = 1,
  kMesh = 2,
  kSubAxis = 3,
  kAxisRef = 4,
  kDimension = 5,
  kSharding = 6,
  kShardingPerValue = 7,
  kShardingUnreduced = 15,
  kShardingPerValueUnreduced = 16,
  kShardingReduction = 17,
};

/// Axes of a mesh and parts of axes are attributes of the format alone: an
/// array of a name and a number, and an array of two numbers.
struct BytecodeInterface : BytecodeDialectInterface {
  explicit BytecodeInterface(Dialect *dialect)
      : BytecodeDialectInterface(dialect) {}

  Attribute readAttribute(DialectBytecodeReader &reader) const override;
  /// Three numbers, on which nothing here depends.
  std::unique_ptr<DialectVersion>
  readVersion(DialectBytecodeReader &reader) const override;

private:
  template <typename T>
  LogicalResult readList(DialectBytecodeReader &reader,
                         SmallVectorImpl<T> &list) const {
    auto element = [&]() -> FailureOr<T> {
      T attr;
      if (failed(reader.readAttribute(attr)))
        return failure();
      return attr;
    };
    return reader.readList(list, element);
  }
  Attribute readMeshAxis(DialectBytecodeReader &reader) const;
  Attribute readMesh(DialectBytecodeReader &reader) const;
  Attribute readAxisRef(DialectBytecodeReader &reader) const;
  Attribute readDimension(DialectBytecodeReader &reader) const;
  Attribute readSharding(DialectBytecodeReader &reader, uint64_t code) const;
};

struct Version : DialectVersion {};

} // namespace

std::unique_ptr<DialectVersion>
BytecodeInterface::readVersion(DialectBytecodeReader &reader) const {
  uint64_t number;
  for (int i = 0; i < 3; ++i)
    if (failed(reader.readVarInt(number)))
      return nullptr;
  return std::make_unique<Version>();
}

Attribute BytecodeInterface::readMeshAxis(DialectBytecodeReader &reader) const {
  StringRef name;
  int64_t size;
  if (failed(reader.readString(name)) || failed(reader.readSignedVarInt(size)))
    return {};
  if (size < 1 || size > INT32_MAX)
    return reader.emitError("expected an axis of at least 1"), Attribute();
  Builder b(getContext());
  return b.getArrayAttr({b.getStringAttr(name), b.getI64IntegerAttr(size)});
}

Attribute BytecodeInterface::readMesh(DialectBytecodeReader &reader) const {
  SmallVector<ArrayAttr> pairs;
  SmallVector<int64_t> ids;
  if (failed(readList(reader, pairs)) || failed(reader.readSignedVarInts(ids)))
    return {};
  SmallVector<StringAttr> axes;
  SmallVector<int64_t> sizes;
  for (ArrayAttr pair : pairs) {
    auto name = pair.size() == 2 ? dyn_cast<StringAttr>(pair[0]) : StringAttr();
    auto size = name ? dyn_cast<IntegerAttr>(pair[1]) : IntegerAttr();
    if (!size)
      return reader.emitError("expected the axes of a mesh"), Attribute();
    axes.push_back(name);
    sizes.push_back(size.getInt());
  }
  return MeshAttr::get(getContext(), axes, sizes, ids);
}

Attribute BytecodeInterface::readAxisRef(DialectBytecodeReader &reader) const {
  StringRef name;
  DenseI64ArrayAttr part;
  if (failed(reader.readString(name)) ||
      failed(reader.readOptionalAttribute(part)))
    return {};
  if (part && part.size() != 2)
    return reader.emitError("expected a part of an axis"), Attribute();
  return AxisRefAttr::get(getContext(), StringAttr::get(getContext(), name),
                          part ? part[0] : 0, part ? part[1] : 0);
}

Attribute
BytecodeInterface::readDimension(DialectBytecodeReader &reader) const {
  SmallVector<AxisRefAttr> axes;
  bool isClosed, hasPriority;
  uint64_t priority;
  if (failed(readList(reader, axes)) || failed(reader.readBool(isClosed)) ||
      failed(reader.readVarIntWithFlag(priority, hasPriority)))
    return {};
  return DimensionShardingAttr::get(getContext(), axes, isClosed,
                                    hasPriority ? int64_t(priority) : -1);
}

Attribute BytecodeInterface::readSharding(DialectBytecodeReader &reader,
                                          uint64_t code) const {
  Attribute mesh;
  SmallVector<DimensionShardingAttr> dims;
  SmallVector<AxisRefAttr> replicated, unreduced;
  int64_t reduction;
  if (failed(reader.readAttribute(mesh)) || failed(readList(reader, dims)) ||
      failed(readList(reader, replicated)) ||
      (code != kSharding && failed(readList(reader, unreduced))) ||
      (code == kShardingReduction &&
       failed(reader.readSignedVarInt(reduction))))
    return {};
  if (!isa<MeshAttr, FlatSymbolRefAttr>(mesh))
    return reader.emitError("expected a mesh or its name"), Attribute();
  return TensorShardingAttr::get(getContext(), mesh, dims, replicated,
                                 unreduced);
}

Attribute
BytecodeInterface::readAttribute(DialectBytecodeReader &reader) const {
  uint64_t code;
  if (failed(reader.readVarInt(code)))
    return {};
  switch (code) {
  case kManualAxes: {
    SmallVector<StringAttr> names;
    if (failed(readList(reader, names)))
      return {};
    return ArrayAttr::get(getContext(),
                          SmallVector<Attribute>(names.begin(), names.end()));
  }
  case kMeshAxis:
    return readMeshAxis(reader);
  case kMesh:
    return readMesh(reader);
  case kSubAxis: {
    int64_t preSize, size;
    if (failed(reader.readSignedVarInt(preSize)) ||
        failed(reader.readSignedVarInt(size)))
      return {};
    return DenseI64ArrayAttr::get(getContext(), {preSize, size});
  }
  case kAxisRef:
    return readAxisRef(reader);
  case kDimension:
    return readDimension(reader);
  case kSharding:
  case kShardingUnreduced:
  case kShardingReduction:
    return readSharding(reader, code);
  case kShardingPerValue:
  case kShardingPerValueUnreduced: {
    SmallVector<TensorShardingAttr> list;
    if (failed(readList(reader, list)))
      return {};
    return ArrayAttr::get(getContext(),
                          SmallVector<Attribute>(list.begin(), list.end()));
  }
  }
  reader.emitError("unsupported: an attribute of the sdy dialect with code ")
      << code;
  return {};
}

void kiln::sdy::addBytecodeInterface(SdyDialect &dialect) {
  dialect.addInterfaces<BytecodeInterface>();
}
