// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pass `convert-linalg-to-prim`.
#include "kiln/Conversion/LinalgToPrim.h"
#include "../TensorToPrim/Functions.h"
#include "../TosaToPrim/Rules.h"
#include "Linalg.h"

#include "kiln/Dialect/Prim/Prim.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace kiln {
#define GEN_PASS_DEF_LINALGTOPRIM
#include "kiln/Conversion/LinalgToPrim.h.inc"
} // namespace kiln

using namespace mlir;
using namespace kiln;
using namespace kiln::tensor_to_prim;

namespace {
/// Converts the functions of a module.
struct LinalgToPrimPass : kiln::impl::LinalgToPrimBase<LinalgToPrimPass> {
  using LinalgToPrimBase::LinalgToPrimBase;

  void runOnOperation() override {
    Rules rules;
    addSharedRules(rules);
    // A lowering from TOSA may have left some of it.
    addTosaRules(rules);
    addLinalgRules(rules);
    addPackRules(rules);
    addTmTensorRules(rules);
    if (failed(convertFunctions(getOperation(), rules, entries, elided)))
      signalPassFailure();
  }
};
} // namespace
