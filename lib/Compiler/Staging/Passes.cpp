//===- Passes.cpp - Registration of the passes on the stage level ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Staging/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace kiln::staging {
#define GEN_PASS_REGISTRATION
#include "kiln/Staging/Passes.h.inc"

void registerStagingPasses() {
  registerVerifyStageForm();
  registerTileDecideStorage();
  registerConvertTileToStage();
  registerStageMakeCopies();
  registerStageBlockProducts();
  registerStageGuardProducts();
  registerStageSplitProducts();
  registerStageBound();
  registerStagePlace();
  registerStageAllocate();
  registerStageMakeRings();
  registerStageFitRings();
  registerStageSchedule();
  registerStagePipeline();
}
} // namespace kiln::staging
