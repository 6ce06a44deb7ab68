//===- SumsInFlight.cpp - Who uses the sums of asynchronous products ------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "BarrierCheck.h"
#include "kiln/Dialect/Simt/SimtDialect.h"
#include "kiln/Target/Unverified.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::simt;

/// The values that a use of sums in flight hands them on to, before any wait:
/// results of structured operations and what their regions carry. Nothing for
/// a use that is itself allowed; failure for any other one.
static FailureOr<SmallVector<Value>> handOn(OpOperand &use) {
  Operation *op = use.getOwner();
  unsigned i = use.getOperandNumber();
  if (auto product = dyn_cast<MmaAsyncOp>(op)) {
    // Products of one accumulator are executed in order. A factor is a number.
    if (llvm::is_contained(product.getLhs(), use.get()))
      return failure();
    return SmallVector<Value>{};
  }
  if (auto wait = dyn_cast<WaitProductsOp>(op))
    return wait.getBut() ? SmallVector<Value>{wait.getResult(i)}
                         : SmallVector<Value>{};
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    if (i < loop.getNumControlOperands())
      return failure();
    i -= loop.getNumControlOperands();
    return SmallVector<Value>{loop.getRegionIterArg(i), loop.getResult(i)};
  }
  if (auto loop = dyn_cast<scf::WhileOp>(op))
    return SmallVector<Value>{loop.getBeforeArguments()[i]};
  if (auto condition = dyn_cast<scf::ConditionOp>(op)) {
    if (!i)
      return failure();
    auto loop = cast<scf::WhileOp>(op->getParentOp());
    return SmallVector<Value>{loop.getAfterArguments()[i - 1],
                              loop.getResult(i - 1)};
  }
  if (isa<scf::YieldOp>(op)) {
    Operation *parent = op->getParentOp();
    if (auto loop = dyn_cast<scf::ForOp>(parent))
      return SmallVector<Value>{loop.getRegionIterArg(i), loop.getResult(i)};
    if (auto loop = dyn_cast<scf::WhileOp>(parent))
      return SmallVector<Value>{loop.getBeforeArguments()[i]};
    return SmallVector<Value>{parent->getResult(i)};
  }
  return failure();
}

LogicalResult simt::verifySumsInFlight(LLVM::LLVMFuncOp function) {
  SmallVector<std::pair<Value, Operation *>> open;
  llvm::DenseSet<Value> seen;
  auto add = [&](Value sums, Operation *product) {
    if (seen.insert(sums).second)
      open.push_back({sums, product});
  };
  function.walk([&](MmaAsyncOp product) {
    for (Value sum : product.getResults())
      add(sum, product);
  });
  while (!open.empty()) {
    auto [sums, product] = open.pop_back_val();
    for (OpOperand &use : sums.getUses()) {
      FailureOr<SmallVector<Value>> next = handOn(use);
      if (failed(next)) {
        InFlightDiagnostic error =
            target::emitUnverified(use.getOwner(), function)
            << "uses sums of a product before a wait covers it";
        error.attachNote(product->getLoc()) << "the product is here";
        return error;
      }
      for (Value value : *next)
        add(value, product);
    }
  }
  return success();
}
