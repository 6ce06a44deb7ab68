// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A plug-in with the code of one matrix instruction and nothing else.
#include "kiln/Cpu/MatrixInstructions.h"
#include "kiln/Target/Plugin.h"
#include "mlir/Dialect/Math/IR/Math.h"

static void registerAll(kiln::target::TargetRegistry &) {
  kiln::cpu::addMatrixInstruction(
      {"mine",
       [](kiln::cpu::MicroKernelOp op, mlir::RewriterBase &b) {
         constexpr int64_t kLanes = 8;
         return kiln::cpu::lowerToRegisterBlock(
             op, b, kLanes,
             [](mlir::OpBuilder &b, mlir::Location loc, mlir::Value x,
                mlir::Value y, mlir::Value sum) -> mlir::Value {
               return mlir::math::FmaOp::create(b, loc, x, y, sum);
             });
       },
       nullptr, nullptr});
}

KILN_TARGET_PLUGIN("rows", "1.0", registerAll)
