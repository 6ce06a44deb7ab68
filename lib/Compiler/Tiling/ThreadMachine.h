//===- ThreadMachine.h - What products cost on threads ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_LIB_TILING_THREADMACHINE_H
#define KILN_LIB_TILING_THREADMACHINE_H

#include "kiln/Dialect/Kiln/Description.h"
#include "kiln/Target/TilingModel.h"
#include "kiln/Tiling/MatmulCosts.h"
#include "kiln/Tiling/OperandCopies.h"
#include "kiln/Tiling/Warps.h"
#include <memory>
#include <optional>

namespace kiln::tiling {

/// A machine whose instances are blocks of threads: many of them share a core,
/// and hide each other's latency as far as its registers and memory go.
struct ThreadMachine {
  int64_t cores = 1;
  int64_t lanes = 32;           ///< threads that run in step
  int64_t threads = 2048;       ///< that a core holds
  int64_t registers = 65536;    ///< of 32 bits that a core holds
  int64_t threadRegisters = 64; ///< of 32 bits that a thread has at most
  int64_t shared = 0;           ///< bytes of the memory of a core
  int64_t cluster = 1;          ///< instances that add up parts as a cluster
  double matrixRate = 0;        ///< multiply-adds of 16 bits a core and cycle
  double vectorRate = 0;        ///< of 32 bits
  double memoryBytes = 16;      ///< that memory moves for a core in a cycle
  /// Nothing copies beside the threads, and barriers leave loads in flight: the
  /// factors of the next step come through registers, one slot holds a step's.
  bool loadsAhead = false;
  /// A unit copies factors into the memory of a core beside the threads.
  bool copies = false;
  OperandCopies operandCopies;
  MatmulCosts costs;

  /// What `holdersOf` has counted, of each row once: it asks a layout for every
  /// element of an operand, and each choice of blocks asks for the same rows.
  class Holders;
  std::shared_ptr<Holders> holders;

  /// Null where the description is not of such a machine: its cores hold fewer
  /// threads than two vectors have lanes, or have no memory of their own that
  /// programs fill.
  static std::optional<ThreadMachine> of(target::TargetAttr description);

  /// Whether a product with so many rows waits for memory, out of which its
  /// right operand comes.
  static bool hasFewRows(int64_t rows) {
    constexpr int64_t kFew = 32;
    return !mlir::ShapedType::isDynamic(rows) && rows <= kFew;
  }

  /// What multiplies: threads, or a row of the table that takes fragments in
  /// registers or reads the memory of the core.
  enum class By { Threads, Fragments, Memory };
  /// Whether a product of few rows takes the time that its right operand takes
  /// to come out of memory, by copies into the memory of a core.
  bool waitsForMemory(const target::TilingProblem &problem, By by) const;
  /// Lanes of a warp that hold the same element of an operand of this row of
  /// the table: one, unless its layout repeats elements. A place of a layout
  /// tells a register and a lane in an order of its own; the lane is the number
  /// that has a value for each lane of a warp over the elements of the sum.
  int64_t holdersOf(target::MatrixInstructionAttr row, bool isLhs) const;
  /// Cycles that a product takes with these blocks, 0 if a core cannot hold an
  /// instance. Blocks are m, n, k in the order of the problem's dimensions;
  /// `stages`: slots of the rings that factors come through, 0: as many as is
  /// usual. Where several instances share out the depth, with the kernel that
  /// adds up their sums. Sizes that are not known are `unknown`. `row`: of the
  /// table, that takes fragments in registers; null for the others.
  double cyclesOf(const target::TilingProblem &problem,
                  llvm::ArrayRef<int64_t> blocks, By by,
                  target::MatrixInstructionAttr row, int64_t stages,
                  int64_t unknown) const;

private:
  int64_t slotsOf(double bytes, double sums, int64_t size, double instances,
                  double steps, int64_t stages) const;
};

} // namespace kiln::tiling

#endif // KILN_LIB_TILING_THREADMACHINE_H
