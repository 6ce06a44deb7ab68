//===- MatrixInstructions.h - Code for rows of descriptions -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A target of the cpu family lists matrix instructions in its description, and
// registers here how a micro-kernel by each of them becomes code:
//
//   cpu::addMatrixInstruction({"dot4", [](cpu::MicroKernelOp op,
//                                         mlir::RewriterBase &b) {
//     return cpu::lowerToRegisterBlock(op, b, [](auto &b, auto loc, Value x,
//                                                Value y, Value sum) {
//       return ... sum + x * y ...;
//     });
//   }});
//
//===----------------------------------------------------------------------===//

#ifndef KILN_CPU_MATRIXINSTRUCTIONS_H
#define KILN_CPU_MATRIXINSTRUCTIONS_H

#include "kiln/Dialect/Cpu/CpuDialect.h"
#include "mlir/IR/PatternMatch.h"
#include <functional>
#include <string>
#include <vector>

namespace kiln::cpu {

/// How rows of one name become code.
struct MatrixInstruction {
  std::string name;
  /// Replaces the operation by arith, math, scf, vector and llvm. It stands in
  /// a function of its own. On failure it has reported why.
  std::function<mlir::LogicalResult(MicroKernelOp, mlir::RewriterBase &)> lower;
  /// What a thread does before its first and behind its last micro-kernel;
  /// empty where nothing is needed.
  std::function<void(mlir::OpBuilder &, mlir::Location)> acquire, release;
  /// Attributes of LLVM for a function that enters the mode of the processor in
  /// which the instruction exists, and leaves it; empty: there is no such mode.
  /// What a thread does from its first to its last micro-kernel of a product,
  /// packing included, becomes another function, which this one calls.
  std::vector<std::string> entryAttributes = {};
  /// Attributes for that other function and those of micro-kernels, which run
  /// in the mode.
  std::vector<std::string> insideAttributes = {};
  /// Whether `lower` takes left panels that keep rows, whose `lhs_group` is
  /// larger than `rhs_group`, as `lowerToRegisterBlock` does.
  bool takesRows = false;
};

/// Registers an instruction; the latest of a name counts.
void addMatrixInstruction(MatrixInstruction instruction);
/// Registers what any machine with vector registers has: `fma.f32` and
/// `fma.f64`, of rows whose n is the number of lanes.
void addFamilyInstructions();
/// The instruction of that name, or null.
const MatrixInstruction *findMatrixInstruction(llvm::StringRef name);

/// One step of vector registers: `acc` + `lhs` * `rhs`, where lhs holds the
/// steps of one row in every group of lanes, rhs those of each column. bf16 and
/// f16 elements are i16.
using MultiplyAdd = llvm::function_ref<mlir::Value(
    mlir::OpBuilder &, mlir::Location, mlir::Value lhs, mlir::Value rhs,
    mlir::Value acc)>;

/// Replaces a micro-kernel whose groups are equal by loops that keep the block
/// in registers of `lanes` elements of the accumulator. For each group of steps
/// they read the columns of rhs once and spread each row of lhs. `unroll`
/// groups make an iteration: one where a step is several instructions, whose
/// intermediate results would otherwise be computed too far ahead.
///
/// With `down` = 2 a register of the accumulator holds squares of 2 x 2 sums
/// beside each other, lhs the steps of two rows for each square, and rhs those
/// of its two columns: matrix products in segments of a register.
mlir::LogicalResult lowerToRegisterBlock(MicroKernelOp op,
                                         mlir::RewriterBase &rewriter,
                                         int64_t lanes, MultiplyAdd step,
                                         int64_t unroll = 4, int64_t down = 1);

} // namespace kiln::cpu

#endif // KILN_CPU_MATRIXINSTRUCTIONS_H
