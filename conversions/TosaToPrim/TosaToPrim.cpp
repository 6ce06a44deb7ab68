// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pass `convert-tosa-to-prim`.
#include "kiln/Conversion/TosaToPrim.h"
#include "../TensorToPrim/Functions.h"
#include "Rules.h"

#include "kiln/Dialect/Prim/Prim.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace kiln {
#define GEN_PASS_DEF_TOSATOPRIM
#include "kiln/Conversion/TosaToPrim.h.inc"
} // namespace kiln

using namespace mlir;
using namespace kiln;
using namespace kiln::tensor_to_prim;

namespace {
/// Converts the functions of a module.
struct TosaToPrimPass : kiln::impl::TosaToPrimBase<TosaToPrimPass> {
  using TosaToPrimBase::TosaToPrimBase;

  void runOnOperation() override {
    Rules rules;
    addSharedRules(rules);
    addTosaRules(rules);
    if (failed(convertFunctions(getOperation(), rules, entries, elided)))
      signalPassFailure();
  }
};
} // namespace
