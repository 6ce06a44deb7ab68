//===- StagedFourier.h - Transforms of lines in stages ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Machines whose threads share tiles transform whole lines in one kernel, by
// stages of a small radix (Cooley and Tukey, 1965). The elements that a stage
// combines are tiles of their own, so that each thread computes with registers
// alone. Between two stages elements change places.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_SCHEDULE_STAGEDFOURIER_H
#define KILN_LIB_SCHEDULE_STAGEDFOURIER_H

#include "kiln/Index/Expr.h"
#include "mlir/Support/LLVM.h"
#include <string>

namespace kiln::prim {
class FourierOp;
} // namespace kiln::prim

namespace kiln::schedule {
class ScheduleContext;
struct Buffer;

/// Why a transform is none for such stages; empty if it is one.
std::string whyNoStages(prim::FourierOp op);

/// The kernel of a transform whose operands have buffers, and its launch;
/// `flops` of it are counted.
void emitStagedFourier(prim::FourierOp op, ScheduleContext &ctx,
                       llvm::ArrayRef<Buffer> outs, index::Expr flops);

} // namespace kiln::schedule

#endif // KILN_LIB_SCHEDULE_STAGEDFOURIER_H
