// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pass `convert-stablehlo-to-prim`.
#include "kiln/Conversion/StablehloToPrim.h"
#include "../TensorToPrim/Functions.h"
#include "Boundary.h"
#include "FunctionSizes.h"
#include "Narrow.h"
#include "Rules.h"
#include "kiln/Dialect/Sdy/Sdy.h"
#include "kiln/Dialect/Vhlo/Vhlo.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace kiln {
#define GEN_PASS_DEF_STABLEHLOTOPRIM
#include "kiln/Conversion/StablehloToPrim.h.inc"
} // namespace kiln

using namespace mlir;
using namespace kiln;
using namespace kiln::stablehlo_to_prim;

void kiln::stablehlo_to_prim::addStablehloRules(Rules &rules,
                                                bool dropsWindows) {
  addElementwiseRules(rules);
  addConversionRules(rules);
  addFunctionRules(rules);
  auto sizes = std::make_shared<FunctionSizes>();
  addMovementRules(rules, sizes);
  addDynamicRules(rules, sizes);
  addIndexRules(rules, dropsWindows);
  addReductionRules(rules);
  addWindowRules(rules);
  addSortRules(rules);
  addProductRules(rules);
  addConvolutionRules(rules);
  addFourierRules(rules);
  addEquationRules(rules);
  addNormRules(rules);
  addRandomRules(rules);
  addControlFlowRules(rules);
  addShardingRules(rules);
  addChloRules(rules);
  wrapNarrowResults(rules);
}

namespace {
/// Converts the functions of a module.
struct StablehloToPrimPass
    : kiln::impl::StablehloToPrimBase<StablehloToPrimPass> {
  using StablehloToPrimBase::StablehloToPrimBase;

  void runOnOperation() override {
    if (!windows.empty() && windows != "whole") {
      getOperation().emitError("expected windows=whole, found '")
          << windows << "'";
      return signalPassFailure();
    }
    if (failed(vhlo::convertToStablehlo(getOperation())))
      return signalPassFailure();
    Rules rules;
    tensor_to_prim::addSharedRules(rules);
    addStablehloRules(rules, windows == "whole");
    expandBoundaries(getOperation(), entries);
    if (failed(tensor_to_prim::convertFunctions(getOperation(), rules, entries,
                                                elided)))
      return signalPassFailure();
    for (auto mesh :
         llvm::make_early_inc_range(getOperation().getOps<sdy::MeshOp>()))
      mesh.erase();
  }
};
} // namespace
