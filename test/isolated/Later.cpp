// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a later release would do to the wire form: operations come with version
// 5, one of which older ones can stand for.
#include "kiln/Isolated/Vocabulary.h"
#include "kiln/Target/Plugin.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;

/// min(x, y) = -max(-x, -y); what a fast mode allows stays allowed.
static LogicalResult downgradeMinimum(Operation *op, RewriterBase &rewriter) {
  auto minimum = cast<arith::MinimumFOp>(op);
  Location loc = op->getLoc();
  auto negate = [&](Value value) -> Value {
    return arith::NegFOp::create(rewriter, loc, value);
  };
  Value lhs = negate(minimum.getLhs()), rhs = negate(minimum.getRhs());
  Value largest = arith::MaximumFOp::create(rewriter, loc, lhs, rhs);
  rewriter.replaceOp(op, negate(largest));
  return success();
}

static void registerAll(kiln::target::TargetRegistry &registry) {
  kiln::isolated::addWireOperation({"arith.minimumf", 5, downgradeMinimum});
  kiln::isolated::addWireOperation({"math.exp", 5, nullptr});
  registry.addDialects([](DialectRegistry &) {});
}

KILN_TARGET_PLUGIN("later", "1.0", registerAll)
