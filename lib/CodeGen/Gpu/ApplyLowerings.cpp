//===- ApplyLowerings.cpp - Lowerings of plug-ins for GPUs ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "LoweringOffer.h"
#include "kiln/Dialect/Kiln/Report.h"
#include "kiln/Dialect/Simt/Decided.h"
#include "kiln/Dialect/Tile/KernelOps.h"
#include "kiln/Gpu/Passes.h"
#include "kiln/Target/Activity.h"
#include "kiln/Target/Declines.h"
#include "kiln/Target/ModuleOptions.h"
#include "kiln/Transforms/Tile/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/ScopeExit.h"

namespace kiln::simt {
#define GEN_PASS_DEF_SIMTAPPLYLOWERINGS
#include "kiln/Gpu/Passes.h.inc"
} // namespace kiln::simt

using namespace mlir;
using namespace kiln;
using namespace kiln::simt;

using Level = GpuLoweringContext::Level;

static bool isBeingOffered(Operation *op) {
  auto emitters = getDecided<ArrayAttr>(op, kEmittersEntry);
  return emitters && !emitters.empty() &&
         isa<UnitAttr>(emitters.getValue().back());
}

static void beginOffer(Operation *op) {
  SmallVector<Attribute> emitters;
  if (auto known = getDecided<ArrayAttr>(op, kEmittersEntry))
    llvm::append_range(emitters, known);
  emitters.push_back(UnitAttr::get(op->getContext()));
  setDecided(op, kEmittersEntry, ArrayAttr::get(op->getContext(), emitters));
}

static void endOffer(Operation *op) {
  if (!isBeingOffered(op))
    return;
  auto emitters = getDecided<ArrayAttr>(op, kEmittersEntry);
  ArrayRef<Attribute> names = emitters.getValue().drop_back();
  if (names.empty())
    removeDecided(op, kEmittersEntry);
  else
    setDecided(op, kEmittersEntry, ArrayAttr::get(op->getContext(), names));
}

static std::string ownerOf(const target::Lowering &lowering) {
  return target::describeOwner("lowering", lowering.name, lowering.plugin);
}

//===----------------------------------------------------------------------===//
// LoweringOffer
//===----------------------------------------------------------------------===//

LoweringOffer::LoweringOffer(Operation *root, Level level,
                             const target::TargetOptions &options,
                             target::TargetAttr description, bool isEarly,
                             bool keepsCopies)
    : root(root), rewriter(root->getContext(), &changes), level(level),
      options(options), description(description), isEarly(isEarly),
      keepsCopies(keepsCopies) {}

bool LoweringOffer::isOffered(Operation *op) const {
  if (op->hasTrait<OpTrait::IsTerminator>() ||
      (keepsCopies && isa<AsyncCopyOpInterface>(op)))
    return false;
  // Arithmetic of threads was offered as that of tiles.
  return level == Level::Tiles ||
         !isa_and_nonnull<arith::ArithDialect, math::MathDialect,
                          scf::SCFDialect, tile::TileDialect>(op->getDialect());
}

LogicalResult LoweringOffer::run() {
  const auto &registry = target::LoweringRegistry::get();
  if (!options.name.empty())
    llvm::append_range(all, registry.lowerings(options.name));
  llvm::append_range(all, registry.lowerings(GpuLoweringContext::kFamily));
  llvm::erase_if(all, [](const target::Lowering *lowering) {
    return !lowering->form.empty(); // those of tiles in registers come later
  });
  if (all.empty())
    return success();
  LogicalResult done = offerRegions(root);
  if (!isEarly)
    root->walk([](Operation *op) { removeDecided(op, kEmittersEntry); });
  return done;
}

/// Whether the operation was emitted by this lowering in the early run.
static bool wasEmittedBy(Operation *op, StringRef owner) {
  auto emitters = getDecided<ArrayAttr>(op, kEmittersEntry);
  return emitters &&
         llvm::is_contained(emitters, StringAttr::get(op->getContext(), owner));
}

LogicalResult LoweringOffer::offerRegions(Operation *op) {
  // What other regions do with elements is their operation's affair.
  if (level == Level::Tiles && op != root &&
      !isa<scf::SCFDialect>(op->getDialect()))
    return success();
  for (Region &region : op->getRegions())
    for (Block &block : region)
      if (!block.empty() && failed(offerRange(&block.front(), nullptr)))
        return failure();
  return success();
}

LogicalResult LoweringOffer::offerRange(Operation *first, Operation *end) {
  for (Operation *op = first; op && op != end;) {
    GpuLoweringContext context(level, rewriter, options, description);
    if (!isOffered(op) || !target::LoweringRegistry::get().knows(op, context)) {
      if (failed(offerRegions(op)))
        return failure();
      op = op->getNextNode();
      continue;
    }
    // A lowering may erase whatever stands around it, but not what it does not
    // know of.
    rewriter.setInsertionPointAfter(op);
    Operation *behind =
        arith::ConstantIndexOp::create(rewriter, op->getLoc(), 0);
    LogicalResult done = offer(op);
    op = behind->getNextNode();
    rewriter.eraseOp(behind);
    if (failed(done))
      return failure();
  }
  return success();
}

bool LoweringOffer::ask(Operation *op, bool isBehindOwn) {
  // The others are left out as if the SPEC said so.
  target::TargetOptions asked = options;
  std::string without = options.get("without", "").str();
  for (const target::Lowering *lowering : all) {
    std::string name = ownerOf(*lowering);
    bool isBehind = lowering->priority < GpuLoweringContext::kOwnPriority;
    if (isBehind != isBehindOwn || llvm::is_contained(emitters, name) ||
        wasEmittedBy(op, name) || target::hasDeclined(op, lowering->name))
      without += "+" + lowering->name;
  }
  asked.values.emplace_back("without", std::move(without));
  GpuLoweringContext context(level, rewriter, asked, description);
  changes.modified = nullptr;
  rewriter.setInsertionPoint(op);
  if (failed(target::LoweringRegistry::get().apply(op, context)))
    return false;
  owner = context.takenBy;
  return true;
}

/// Whether an operation is still what was offered.
static bool isThere(Operation *op, Operation *front, Operation *back) {
  for (Operation *at = front->getNextNode(); at != back; at = at->getNextNode())
    if (at == op)
      return isBeingOffered(at);
  return false;
}

LogicalResult LoweringOffer::offer(Operation *op) {
  Location loc = op->getLoc();
  Operation *back = op->getNextNode();
  rewriter.setInsertionPoint(op);
  Operation *front = arith::ConstantIndexOp::create(rewriter, loc, 0);
  llvm::scope_exit drop([&] { rewriter.eraseOp(front); });
  beginOffer(op);
  bool hasResults = op->getNumResults();
  auto &report = target::Report::of(op->getContext());

  bool isTaken = ask(op, /*isBehindOwn=*/false);
  if (!isTaken && !isThere(op, front, back))
    return failure(); // the registry said whose lowering replaced it
  bool isOwn = isEarly || level == Level::Threads ||
               hasRegisterLowering(op, rewriter, options, description);
  if (!isTaken && !isOwn && !report.takeBroken(op))
    isTaken = ask(op, /*isBehindOwn=*/true);
  if (isTaken)
    return checkTaken(op, loc, hasResults, front, back);
  endOffer(op);
  if (report.takeBroken(op))
    return failure(); // which was said
  if (!isOwn)
    return target::emitUnsupported(op, op->getName().getStringRef());
  target::keepDeclines(op);
  return offerRegions(op);
}

LogicalResult LoweringOffer::checkTaken(Operation *op, Location loc,
                                        bool hasResults, Operation *front,
                                        Operation *back) {
  taken = true;
  bool isLeft = isThere(op, front, back);
  bool isChanged = isLeft && changes.modified == op;
  // What stands there and has no use is as good as replaced.
  if (isLeft && !isChanged && hasResults && op->use_empty() &&
      isMemoryEffectFree(op)) {
    rewriter.eraseOp(op);
    isLeft = false;
  }
  if (isLeft && !isChanged)
    return emitError(loc) << owner
                          << " took the operation, but left it where it was: "
                             "it has to replace it";
  if (!isLeft && !hasResults && front->getNextNode() == back)
    return emitError(loc) << owner
                          << " took the operation, but emitted nothing for it";
  emitters.push_back(owner);
  SmallVector<StringRef> names(emitters.begin(), emitters.end());
  for (Operation *at = front->getNextNode(); at != back; at = at->getNextNode())
    at->walk([&](Operation *inner) {
      endOffer(inner);
      if (isEarly)
        setDecided(inner, kEmittersEntry, rewriter.getStrArrayAttr(names));
    });
  if (failed(verify(root)))
    return failure();
  LogicalResult done = offerRange(front->getNextNode(), back);
  emitters.pop_back();
  return done;
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {
struct SimtApplyLowerings
    : simt::impl::SimtApplyLoweringsBase<SimtApplyLowerings> {
  using Base::Base;

  bool canScheduleOn(RegisteredOperationName name) const override {
    return name.getStringRef() == tile::KernelOp::getOperationName() ||
           name.getStringRef() == LLVM::LLVMFuncOp::getOperationName();
  }

  void runOnOperation() override {
    Operation *root = getOperation();
    auto options =
        target::findModuleOptions(root).value_or(target::TargetOptions());
    bool isKernel = isa<tile::KernelOp>(root);
    LoweringOffer offer(root, isKernel ? Level::Tiles : Level::Threads, options,
                        target::getDescription(root), early, copies);
    if (failed(offer.run()))
      return signalPassFailure();
    if (!isKernel || !offer.hasTaken())
      return;
    // What was emitted may hold what these have expressed otherwise before.
    OpPassManager again(tile::KernelOp::getOperationName());
    again.addPass(tile::createVerifyTileForm());
    if (!early)
      addTileExpansions(again, options);
    if (failed(runPipeline(again, root)))
      signalPassFailure();
  }
};
} // namespace
