//===- NarrowCounters.cpp - Loops that count in 32 bits -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops of tiles count in numbers of the type index, which has 64 bits. Scalar
// units add 64 bits by two instructions, and have no minima of them. A loop
// with matrix instructions whose bounds are known to be small counts in 32
// bits; of other loops LLVM would unroll more.
//
//===----------------------------------------------------------------------===//

#include "Passes.h"
#include "kiln/Dialect/Simt/SimtDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace kiln;

/// A bound that is known and fits, also one step further; none otherwise.
static std::optional<int64_t> smallOf(Value bound) {
  constexpr int64_t kMost = int64_t(1) << 30;
  APInt number;
  if (!matchPattern(bound, m_ConstantInt(&number)) ||
      number.getSignificantBits() > 32 || number.getSExtValue() < 0 ||
      number.getSExtValue() > kMost)
    return std::nullopt;
  return number.getSExtValue();
}

/// Whether a loop counts in 64 bits what fits into 31.
static bool countsLittle(scf::ForOp loop) {
  bool multiplies = llvm::any_of(
      *loop.getBody(), [](Operation &op) { return isa<simt::MmaOp>(op); });
  return multiplies && loop.getInductionVar().getType().isInteger(64) &&
         smallOf(loop.getLowerBound()) && smallOf(loop.getUpperBound()) &&
         smallOf(loop.getStep());
}

static void narrow(scf::ForOp loop) {
  IRRewriter rewriter(loop.getContext());
  rewriter.setInsertionPoint(loop);
  Location loc = loop.getLoc();
  auto number = [&](Value bound) -> Value {
    return arith::ConstantIntOp::create(rewriter, loc, rewriter.getI32Type(),
                                        *smallOf(bound));
  };
  auto made = scf::ForOp::create(
      rewriter, loc, number(loop.getLowerBound()), number(loop.getUpperBound()),
      number(loop.getStep()), loop.getInitArgs(),
      [](OpBuilder &, Location, Value, ValueRange) {});
  made->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
  rewriter.setInsertionPointToStart(made.getBody());
  Value counter = arith::ExtUIOp::create(rewriter, loc, rewriter.getI64Type(),
                                         made.getInductionVar());
  SmallVector<Value> arguments = {counter};
  llvm::append_range(arguments, made.getRegionIterArgs());
  rewriter.mergeBlocks(loop.getBody(), made.getBody(), arguments);
  rewriter.replaceOp(loop, made.getResults());
}

namespace {
struct NarrowCounters : PassWrapper<NarrowCounters, OperationPass<>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(NarrowCounters)
  StringRef getName() const final { return "AmdNarrowCounters"; }
  StringRef getArgument() const final { return "amd-narrow-counters"; }
  StringRef getDescription() const final {
    return "Gives 32-bit counters to loops with matmuls and small bounds";
  }
  void getDependentDialects(DialectRegistry &registry) const final {
    registry.insert<arith::ArithDialect, scf::SCFDialect>();
  }
  void runOnOperation() final {
    SmallVector<scf::ForOp> loops;
    getOperation()->walk([&](scf::ForOp loop) {
      if (countsLittle(loop))
        loops.push_back(loop);
    });
    llvm::for_each(loops, narrow);
  }
};
} // namespace

std::unique_ptr<Pass> amd::createNarrowCountersPass() {
  return std::make_unique<NarrowCounters>();
}
