//===- WindowInput.h - What windows slide over ------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_LIB_SCHEDULE_WINDOWINPUT_H
#define KILN_LIB_SCHEDULE_WINDOWINPUT_H

#include "kiln/Dialect/Tile/Kernel.h"
#include "kiln/Dialect/Tile/TileDialect.h"
#include "kiln/Schedule/Schedules.h"

namespace kiln::schedule {

/// The memory of an operand of a group: of what the group is given, as it is or
/// through movements that need no copy.
mlir::FailureOr<Buffer> memoryOf(Group &group, mlir::Value operand);

/// A copy of the input of a window with what the window reads around it.
struct Surrounded {
  Buffer buffer;
  program::LaunchOp launch;
  tile::Kernel kernel;

  /// Removes what makes the copy, if there is one.
  void undo();
};

/// Walks a group that has to be one convolution and what is computed from its
/// elements alone. Returns why it is not, or an empty string.
std::string planOneConvolution(Group &group);

/// Copies `input`, whose dimensions but the first and the last become `sizes`
/// long and start `low` elements before it. `order`: of the dimensions in
/// memory, outermost first. With several `phases`, elements of the last but one
/// dimension that are as many apart lie side by side; which remainder they have
/// is a further dimension of the copy, its last. `suffix` is of the kernel's
/// name.
Surrounded surround(Group &group, const Buffer &input,
                    llvm::ArrayRef<int64_t> low, llvm::ArrayRef<int64_t> sizes,
                    llvm::ArrayRef<unsigned> order, mlir::TypedAttr outside,
                    llvm::StringRef schedule, int64_t phases = 1,
                    llvm::StringRef suffix = "pad");

/// Zeros around what a dimension of an operand has: it becomes `size` long, and
/// its elements begin at `low`.
struct ZerosAround {
  unsigned dim;
  int64_t low, size;
};

/// Computes what an operand of the group's product is into memory of its own,
/// with its dimensions in `order`, outermost first, or in that of its type if
/// `order` is empty, where they have zeros around them in memory only. `suffix`
/// is of the kernel's name. Elements are rounded where a product with this
/// precision drops bits. On failure `reason` says why.
mlir::FailureOr<Surrounded>
computeInOrder(Group &group, mlir::Value operand, const AccessMap &map,
               llvm::ArrayRef<ZerosAround> around, llvm::StringRef suffix,
               llvm::StringRef schedule, std::string &reason,
               prim::Precision precision, llvm::ArrayRef<unsigned> order = {});

} // namespace kiln::schedule

#endif // KILN_LIB_SCHEDULE_WINDOWINPUT_H
