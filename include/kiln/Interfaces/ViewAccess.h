//===- ViewAccess.h - Access to memory through a view -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What analyses and families know of operations that read or write a tile
// through a view. The operations of `tile` implement it, and so can those of a
// plug-in: they are then analysed, retiled and ordered against other accesses
// like any load or store.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_INTERFACES_VIEWACCESS_H
#define KILN_INTERFACES_VIEWACCESS_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/OpDefinition.h"
#include "llvm/ADT/SmallVector.h"

namespace kiln {

/// What an access does to memory.
enum class AccessKind {
  Read,
  Write,
  /// Combines what is there with what is stored, each element once.
  Update
};

/// What a read gives for elements outside of the view.
enum class Outside {
  Zero,
  NaN,
  /// Unspecified.
  Any,
  /// The scalar operand of the operation.
  Value
};

/// How one dimension of a view is reached. Element i of the block stands at
/// (first + i * step) along the dimension, where `first` is `offset`, or
/// `offset * block` if it counts blocks. An indirect axis is reached at
/// indices[i...] instead, and the shape of the indices takes the place of the
/// dimension in the tile.
struct ViewAxis {
  mlir::OpFoldResult offset; ///< an index; null for an indirect axis
  bool countsBlocks = false; ///< `offset` counts blocks rather than elements
  int64_t block = 1;         ///< elements of the tile along the axis
  int64_t step = 1;          ///< distance of neighbouring elements
  int tileDim = -1;          ///< (first) dimension of the tile, -1: none
  mlir::Value indices;       ///< integer tile, set for an indirect axis

  bool isIndirect() const { return static_cast<bool>(indices); }
};

namespace detail {
/// Checks that reads have one result and writes an operand that is a tile.
llvm::LogicalResult verifyViewAccess(mlir::Operation *op);
} // namespace detail
} // namespace kiln

#include "kiln/Interfaces/ViewAccess.h.inc"

namespace kiln {

/// The only indirect axis of an access, or -1 if it has none; the first one if
/// it has several.
int indirectAxis(llvm::ArrayRef<ViewAxis> axes);

/// True if two accesses reach the same elements of one view in the same order,
/// as far as their operands show.
bool accessSameElements(ViewAccessOpInterface a, ViewAccessOpInterface b);

} // namespace kiln

#endif // KILN_INTERFACES_VIEWACCESS_H
