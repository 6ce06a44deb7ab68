//===- Copiers.cpp - Plug-ins that copy what a load reads -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Copiers.h"
#include "kiln/Dialect/Kiln/Report.h"
#include "kiln/Dialect/Simt/Decided.h"
#include "kiln/Dialect/Stage/CopyOps.h"
#include "kiln/Dialect/Stage/StorageInterfaces.h"
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

/// The lowerings of plug-ins that may copy what a load reads.
static auto candidatesFor(Operation *load, CopyLoweringContext &context) {
  return target::LoweringRegistry::get().candidates(load, context);
}

static LogicalResult decideCopier(Operation *load, const BlockShape &block) {
  IRRewriter rewriter(load->getContext());
  ScratchNeeds none;
  CopyLoweringContext context(rewriter, block.options, block,
                              /*thread=*/nullptr, &none);
  for (const target::Lowering *lowering : candidatesFor(load, context)) {
    if (target::hasDeclined(load, lowering->name))
      continue;
    FailureOr<bool> taken =
        target::LoweringRegistry::get().applyOne(*lowering, load, context);
    if (failed(taken))
      return failure();
    target::keepDeclines(load);
    if (*taken) {
      setDecided(load, kCopierEntry, rewriter.getStringAttr(lowering->name));
      break;
    }
  }
  return success();
}

LogicalResult simt::decideCopiers(tile::Kernel kernel,
                                  const BlockShape &block) {
  WalkResult walked = kernel.getBody().walk([&](Operation *op) {
    return failed(decideCopier(op, block)) ? WalkResult::interrupt()
                                           : WalkResult::advance();
  });
  return failure(walked.wasInterrupted());
}

void simt::removeUnusedCopiers(tile::Kernel kernel) {
  kernel.getBody().walk([](Operation *op) {
    if (getDecided(op, kCopierEntry) &&
        llvm::none_of(op->getUsers(),
                      llvm::IsaPred<stage::StorageWriteOpInterface>))
      removeDecided(op, kCopierEntry);
  });
}

void simt::startCopy(const CopyPiece &piece, ThreadBuilder &code) {
  CopyAsyncOp::create(code.b, code.loc, piece.source, piece.target, piece.bytes,
                      piece.mask, piece.valid);
}

/// The copies that were emitted behind an operation (null: the beginning of
/// the block) and before where the builder stands: how many, and their bytes.
static std::pair<int64_t, int64_t> countCopies(OpBuilder &b,
                                               Operation *behind) {
  int64_t count = 0, bytes = 0;
  Block::iterator at = behind ? std::next(behind->getIterator())
                              : b.getInsertionBlock()->begin();
  for (; at != b.getInsertionPoint(); ++at)
    at->walk([&](AsyncCopyOpInterface copy) {
      ++count;
      bytes += copy.getBytes();
    });
  return {count, bytes};
}

LogicalResult simt::startCopies(Operation *load, ArrayRef<CopyPiece> pieces,
                                ThreadWriter &walk) {
  auto copier = getDecided<StringAttr>(load, kCopierEntry);
  if (!copier || pieces.empty()) {
    for (const CopyPiece &piece : pieces)
      startCopy(piece, walk);
    return success();
  }
  IRRewriter rewriter(walk.b);
  CopyLoweringContext context(rewriter, walk.shape.options, walk.shape, &walk);
  context.pieces = pieces;
  auto candidates = candidatesFor(load, context);
  auto found = llvm::find_if(candidates, [&](const target::Lowering *one) {
    return one->name == copier.getValue();
  });
  if (found == candidates.end())
    return load->emitError() << "no lowering '" << copier.getValue()
                             << "' is registered, which starts its copies";
  const target::Lowering &lowering = **found;
  auto wrong = [&] {
    return load->emitError()
           << target::describeOwner("lowering", lowering.name, lowering.plugin);
  };
  OpBuilder &b = walk.b;
  Block *block = b.getInsertionBlock();
  Operation *last = b.getInsertionPoint() == block->begin()
                        ? nullptr
                        : &*std::prev(b.getInsertionPoint());
  FailureOr<bool> taken =
      target::LoweringRegistry::get().applyOne(lowering, load, context);
  if (failed(taken))
    return failure();
  if (!*taken)
    return wrong() << " took the copies of a load, and declined a piece of "
                      "them: it has to decline before";
  auto [started, bytes] = countCopies(b, last);
  if (started < int64_t(pieces.size()))
    return wrong() << " started " << started << " copies, expected at least "
                   << pieces.size() << ", one for each piece";
  int64_t wanted = 0;
  for (const CopyPiece &piece : pieces)
    wanted += piece.bytes;
  if (bytes != wanted)
    return wrong() << " started copies of " << bytes << " bytes, expected "
                   << wanted << " as its " << pieces.size() << " pieces have";
  target::restoreDeclines(load);
  target::Report::of(load->getContext())
      .chose(load, "lowering",
             walk.description ? walk.description.getName() : "", lowering.name,
             "copies of " + Twine(pieces.front().bytes) + " bytes");
  return success();
}
