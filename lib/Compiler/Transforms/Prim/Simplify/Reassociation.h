// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How a reshape groups dimensions. Private to the dialect.
#ifndef KILN_LIB_TRANSFORMS_PRIM_REASSOCIATION_H
#define KILN_LIB_TRANSFORMS_PRIM_REASSOCIATION_H

#include "../PrimBuilder.h"
#include "kiln/Interfaces/Movement.h"

#include <optional>

namespace kiln::prim {

/// Dimensions before a reshape that become these dimensions after it.
struct DimGroup {
  llvm::SmallVector<int64_t, 2> from;
  llvm::SmallVector<int64_t, 2> to;
};

/// The smallest groups of a reshape, in order; nothing if it cannot be known
/// that the sizes match, or if there are no elements.
std::optional<llvm::SmallVector<DimGroup>> reassociate(ReshapeOp op);

/// The same groups seen from the other side.
llvm::SmallVector<DimGroup> inverse(llvm::ArrayRef<DimGroup> groups);

/// The sizes of the result of a reshape.
llvm::SmallVector<mlir::OpFoldResult> mixedSizes(mlir::OpBuilder &builder,
                                                 ReshapeOp op);

/// Whether reshaping `value` by these groups costs nothing and separates
/// nothing that could be fused: arguments, constants, other reshapes,
/// broadcasts that take the reshape in, and elementwise operations of those.
/// `regroups`: so are broadcasts of few elements that regroupBroadcast() takes.
bool isFreelyReshaped(mlir::Value value, llvm::ArrayRef<DimGroup> groups,
                      bool regroups = false);

/// A broadcast that takes a reshape of its result in.
struct ReshapedBroadcast {
  /// The dimensions of the new result that the new operand has.
  llvm::SmallVector<int64_t> dims;
};

/// How a broadcast takes in a reshape of its result by these groups, if it can.
std::optional<ReshapedBroadcast>
reshapeBroadcast(RepeatOpInterface op, llvm::ArrayRef<DimGroup> groups);

/// A broadcast of few elements of which a reshape of its result makes another
/// one: numbers for groups of channels are repeated for each channel first.
struct RegroupedBroadcast {
  /// The dimensions of the result that the elements are repeated along first.
  llvm::SmallVector<int64_t> before;
  /// The dimensions of the new result that these become.
  llvm::SmallVector<int64_t> after;
};

/// How to do that, if elements repeated so are a fraction of the result.
std::optional<RegroupedBroadcast>
regroupBroadcast(RepeatOpInterface op, llvm::ArrayRef<DimGroup> groups);

} // namespace kiln::prim

#endif // KILN_LIB_TRANSFORMS_PRIM_REASSOCIATION_H
