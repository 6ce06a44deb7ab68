// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Claims every product followed by an addition, and undoes the claims on
// request: by not having a schedule for them.
#include "kiln/Dialect/Prim/Prim.h"
#include "kiln/Target/Plugin.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::target;

namespace {
LogicalResult claimMulAdd(Operation *func, LoweringContext &ctx) {
  SmallVector<prim::AddOp> sums;
  func->walk([&](prim::AddOp add) { sums.push_back(add); });
  for (prim::AddOp add : sums) {
    Operation *product = add->getOperand(0).getDefiningOp<prim::MulOp>();
    if (!product) {
      (void)ctx.decline(add, "its first operand is no product");
      continue;
    }
    if (failed(claimOps({product, add}, "muladd", "cpu", ctx)))
      return failure();
  }
  return success();
}

void registerAll(TargetRegistry &registry) {
  PrimClaim claim;
  claim.name = "test.muladd";
  claim.target = "cpu";
  claim.claim = claimMulAdd;
  registry.addPrimClaim(claim);
}
} // namespace

KILN_TARGET_PLUGIN("claim", "1.0", registerAll)
