//===- RotateLoops.cpp - Loops that test behind their bodies --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A loop whose last trips follow as code of their own carries values that both
// use. LLVM converts these values where they meet, in front of the test of the
// loop, and then leaves the test in the middle of the loop: all that is carried
// is copied in each iteration. Such loops run at least once, and so they test
// behind their bodies from the start.
//
//===----------------------------------------------------------------------===//

#include "Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace kiln;

static void rotate(scf::ForOp loop) {
  IRRewriter rewriter(loop.getContext());
  rewriter.setInsertionPoint(loop);
  Location loc = loop.getLoc();
  SmallVector<Value> inits = {loop.getLowerBound()};
  llvm::append_range(inits, loop.getInitArgs());
  SmallVector<Type> types(ValueRange(inits).getTypes());
  auto made = scf::WhileOp::create(rewriter, loc, types, inits);
  SmallVector<Location> places(types.size(), loc);
  Block *body = rewriter.createBlock(&made.getBefore(), {}, types, places);
  Block *after = rewriter.createBlock(&made.getAfter(), {}, types, places);
  scf::YieldOp::create(rewriter, loc, after->getArguments());
  Operation *yield = loop.getBody()->getTerminator();
  rewriter.mergeBlocks(loop.getBody(), body, body->getArguments());
  rewriter.setInsertionPoint(yield);
  Value next = arith::AddIOp::create(rewriter, loc, body->getArgument(0),
                                     loop.getStep());
  Value goesOn = arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::slt,
                                       next, loop.getUpperBound());
  SmallVector<Value> carried = {next};
  llvm::append_range(carried, yield->getOperands());
  rewriter.replaceOpWithNewOp<scf::ConditionOp>(yield, goesOn, carried);
  rewriter.replaceOp(loop, made.getResults().drop_front());
}

namespace {
struct RotateLoops : PassWrapper<RotateLoops, OperationPass<>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(RotateLoops)
  StringRef getName() const final { return "AmdRotateLoops"; }
  StringRef getArgument() const final { return "amd-rotate-loops"; }
  StringRef getDescription() const final {
    return "Tests loops whose last trips follow behind their bodies";
  }
  void getDependentDialects(DialectRegistry &registry) const final {
    registry.insert<arith::ArithDialect, scf::SCFDialect>();
  }
  void runOnOperation() final {
    SmallVector<scf::ForOp> loops;
    getOperation()->walk([&](scf::ForOp loop) {
      if (loop->hasAttr(amd::kPeeled))
        loops.push_back(loop);
    });
    llvm::for_each(loops, rotate);
  }
};
} // namespace

std::unique_ptr<Pass> amd::createRotateLoopsPass() {
  return std::make_unique<RotateLoops>();
}
