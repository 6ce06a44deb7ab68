//===- Copiers.cpp - Who starts the copies of a load ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Copiers.h"
#include "kiln/Dialect/Kiln/Report.h"
#include "kiln/Target/Activity.h"
#include "kiln/Target/Declines.h"
#include "kiln/Target/TargetRegistry.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::simt;

void simt::addCopyLowering(target::TargetRegistry &registry,
                           CopyLowering lowering) {
  target::Lowering entry;
  entry.name = lowering.name;
  entry.target = lowering.target;
  entry.op = lowering.op;
  entry.priority = lowering.priority;
  entry.form = CopyLoweringContext::kCopies;
  if (lowering.copy)
    entry.lower = [copy = std::move(lowering.copy),
                   accepts = std::move(lowering.accepts)](
                      Operation *op,
                      target::LoweringContext &base) -> LogicalResult {
      auto &context = static_cast<CopyLoweringContext &>(base);
      if (context.pieces.empty())
        return accepts ? accepts(op, context) : success();
      for (const CopyPiece &piece : context.pieces)
        if (failed(copy(op, context, piece)))
          return failure();
      return success();
    };
  registry.addLowering(std::move(entry));
}

FailureOr<const target::Lowering *> simt::copierOf(Operation *load,
                                                   const BlockShape &block) {
  IRRewriter rewriter(load->getContext());
  ScratchNeeds none;
  CopyLoweringContext context(rewriter, block.options, block,
                              /*thread=*/nullptr, &none);
  for (const target::Lowering *lowering :
       target::LoweringRegistry::get().candidates(load, context)) {
    if (target::hasDeclined(load, lowering->name))
      continue;
    FailureOr<bool> taken =
        target::LoweringRegistry::get().applyOne(*lowering, load, context);
    if (failed(taken))
      return failure();
    target::keepDeclines(load);
    if (*taken)
      return lowering;
  }
  return nullptr;
}

LogicalResult simt::askCopiers(tile::Kernel kernel, const BlockShape &block) {
  WalkResult walked = kernel.getBody().walk([&](Operation *op) {
    return failed(copierOf(op, block)) ? WalkResult::interrupt()
                                       : WalkResult::advance();
  });
  return failure(walked.wasInterrupted());
}

void simt::startCopy(const CopyPiece &piece, ThreadBuilder &code) {
  CopyAsyncOp::create(code.b, code.loc, piece.source, piece.target, piece.bytes,
                      piece.mask, piece.valid);
}

/// The copies that were emitted behind an operation (null: the beginning of
/// the block) and before where the builder stands.
static int64_t countCopies(OpBuilder &b, Operation *behind) {
  int64_t count = 0;
  Block::iterator at = behind ? std::next(behind->getIterator())
                              : b.getInsertionBlock()->begin();
  for (; at != b.getInsertionPoint(); ++at)
    at->walk([&](AsyncCopyOpInterface) { ++count; });
  return count;
}

LogicalResult simt::startCopies(Operation *load, ArrayRef<CopyPiece> pieces,
                                KernelWalk &walk) {
  FailureOr<const target::Lowering *> copier = copierOf(load, walk.shape);
  if (failed(copier))
    return failure();
  if (!*copier || pieces.empty()) {
    for (const CopyPiece &piece : pieces)
      startCopy(piece, walk);
    return success();
  }
  const target::Lowering &lowering = **copier;
  auto wrong = [&] {
    return load->emitError()
           << target::describeOwner("lowering", lowering.name, lowering.plugin);
  };
  OpBuilder &b = walk.b;
  Block *block = b.getInsertionBlock();
  Operation *last = b.getInsertionPoint() == block->begin()
                        ? nullptr
                        : &*std::prev(b.getInsertionPoint());
  IRRewriter rewriter(b);
  CopyLoweringContext context(rewriter, walk.shape.options, walk.shape, &walk);
  context.pieces = pieces;
  FailureOr<bool> taken =
      target::LoweringRegistry::get().applyOne(lowering, load, context);
  if (failed(taken))
    return failure();
  if (!*taken)
    return wrong() << " took the copies of a load, and declined a piece of "
                      "them: it has to decline before";
  int64_t started = countCopies(b, last);
  if (started < int64_t(pieces.size()))
    return wrong() << " started " << started << " copies, expected at least "
                   << pieces.size() << ", one for each piece";
  target::restoreDeclines(load);
  target::Report::of(load->getContext())
      .chose(load, "lowering",
             walk.description ? walk.description.getName() : "", lowering.name,
             "copies of " + Twine(pieces.front().bytes) + " bytes");
  return success();
}
