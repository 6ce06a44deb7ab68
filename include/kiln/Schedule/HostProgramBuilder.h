//===- HostProgramBuilder.h - Buffers of a host program under construction ===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Knows for every tensor of the prim function that has memory where it lies and
// what its sizes and strides are, and makes the views that launches take.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_SCHEDULE_HOSTPROGRAM_H
#define KILN_SCHEDULE_HOSTPROGRAM_H

#include "kiln/Dialect/Program/Program.h"
#include "kiln/Dialect/Tile/TileDialect.h"
#include "kiln/Schedule/AccessMap.h"

namespace kiln::schedule {

/// A strided part of an allocation.
struct Buffer {
  mlir::Value base; ///< a dense memref
  Extent offset = 0;
  llvm::SmallVector<Extent, 4> sizes, strides;

  mlir::Type elementType() const {
    return mlir::cast<mlir::MemRefType>(base.getType()).getElementType();
  }
  unsigned rank() const { return sizes.size(); }
  bool same(const Buffer &other) const;
};

/// The host program of one function.
class HostProgramBuilder {
public:
  HostProgramBuilder(program::FuncOp func, mlir::OpBuilder &builder);

  program::FuncOp func;
  mlir::OpBuilder &builder;
  index::Math math;
  std::string name; ///< of the function

  /// The size of a dimension of any value of the function or of a group.
  Extent dimOf(mlir::Value value, unsigned dim);
  DimFn dimFn() {
    return [this](mlir::Value v, unsigned d) { return dimOf(v, d); };
  }
  llvm::SmallVector<Extent> sizesOf(mlir::Value value);
  /// Forgets sizes that were derived from those of buffers.
  void forgetSizes() { dims.clear(); }

  bool hasBuffer(mlir::Value value) const { return buffers.count(value); }
  const Buffer &buffer(mlir::Value value) const {
    return buffers.find(value)->second;
  }
  void setBuffer(mlir::Value value, Buffer buffer);
  /// Buffers in the memory `before`, which is gone, are in `after`.
  void replaceBase(mlir::Value before, mlir::Value after);
  /// Makes `alias` (a block argument of a group) stand for `value`.
  void setAlias(mlir::Value alias, mlir::Value value);
  /// The host's value for an index value of the function.
  void setIndex(mlir::Value value, mlir::Value host) { indices[value] = host; }
  mlir::Value index(mlir::Value value) const;
  bool hasIndex(mlir::Value value) const { return bool(index(value)); }

  /// A new dense buffer.
  Buffer allocate(mlir::Type elementType, llvm::ArrayRef<Extent> sizes);
  /// How many elements a dense memref has.
  Extent elementsOf(mlir::Value base);
  /// The buffer that the result of a group shall be written to: a part of a
  /// larger one if a user asked for that, else a new one.
  Buffer destination(mlir::Value result);
  /// Asks that `value` be written to `buffer`.
  void setDestination(mlir::Value value, Buffer buffer);
  bool hasDestination(mlir::Value value) const {
    return destinations.count(value);
  }
  /// A read-only buffer with a constant.
  Buffer constant(mlir::ElementsAttr value);
  /// `buffer` seen through a movement that only changes the view; fails where
  /// that needs a copy.
  mlir::LogicalResult viewThrough(mlir::Operation *movement,
                                  const Buffer &buffer, Buffer &result);

  /// The memref of a buffer, as argument of a launch.
  mlir::Value memref(const Buffer &buffer);
  /// The same, of a type with the sizes `shape`: open ones may be known.
  mlir::Value memref(const Buffer &buffer, llvm::ArrayRef<int64_t> shape);
  /// The type of the kernel parameter for a buffer.
  tile::ViewType viewType(const Buffer &buffer);

  /// Stops the program unless the extents are equal.
  void checkSame(Extent a, Extent b, const llvm::Twine &message);

private:
  llvm::DenseMap<mlir::Value, Buffer> buffers, destinations;
  llvm::DenseMap<mlir::Value, mlir::Value> indices, aliases;
  llvm::DenseMap<std::pair<mlir::Value, unsigned>, Extent> dims;
  llvm::DenseMap<mlir::Attribute, mlir::Value> constants;
};

/// The strides of a dense row-major buffer.
llvm::SmallVector<Extent, 4> denseStrides(llvm::ArrayRef<Extent> sizes,
                                          index::Math &math);

} // namespace kiln::schedule

#endif // KILN_SCHEDULE_HOSTPROGRAM_H
