//===- ScratchNeeds.cpp - Shared memory that lowerings borrow -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ScratchNeeds.h"
#include "RegisterCandidates.h"
#include "StorageAreas.h"
#include "kiln/Dialect/Stage/StorageInterfaces.h"
#include "kiln/Interfaces/Names.h"
#include "kiln/Target/Activity.h"
#include "kiln/Target/Declines.h"
#include "kiln/Target/ModuleOptions.h"
#include "kiln/Target/PluginLoader.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::simt;

BlockShape::BlockShape(tile::Kernel kernel, int64_t lanes, int64_t warps,
                       target::TargetAttr description)
    : BlockThreads{lanes, warps, description}, machine(description),
      options(
          target::findModuleOptions(kernel).value_or(target::TargetOptions())) {
  auto rings = kernel.getBody().getOps<stage::RingOpInterface>();
  if (llvm::any_of(rings, lastsForLaunch))
    machine.reserve(storageBytes(kernel));
}

ArrayRef<RegisterCandidate> simt::candidatesFor(Operation *op,
                                                const BlockShape &block) {
  // Kinds are of an operation rather than of its name.
  unsigned kinds = 0;
  for (StringRef kind :
       {kMatrixProduct, kElementwise, kMovement, kViewRead, kViewWrite})
    kinds = kinds << 1 | isOfKind(op, kind);
  auto [known, isNew] =
      block.candidates.try_emplace(std::pair(op->getName(), kinds));
  if (!isNew)
    return known->second;
  IRRewriter rewriter(op->getContext());
  RegisterLoweringContext context(rewriter, block.options, block);
  for (const target::Lowering *lowering :
       target::LoweringRegistry::get().candidates(op, context))
    known->second.push_back({lowering, target::isOwnPlugin(lowering->plugin)});
  return known->second;
}

const RegisterCandidate *simt::findLowering(Operation *op,
                                            const BlockShape &block) {
  for (const RegisterCandidate &candidate : candidatesFor(op, block))
    if (candidate.isOwn || !target::hasDeclined(op, candidate.lowering->name))
      return &candidate;
  return nullptr;
}

/// Pieces have sizes, and room for the parts of all warps.
static LogicalResult checkNeeds(Operation *op, const target::Lowering &lowering,
                                ArrayRef<ScratchNeed> needs, int64_t warps) {
  for (const ScratchNeed &need : needs) {
    auto wrong = [&] {
      return op->emitError() << target::describeOwner("lowering", lowering.name,
                                                      lowering.plugin);
    };
    if (need.bytes < 0 || need.warpBytes < 0)
      return wrong() << " needs " << std::min(need.bytes, need.warpBytes)
                     << " bytes of shared memory, expected at least 0";
    if (need.warpBytes > need.bytes / warps)
      return wrong() << " needs " << need.bytes
                     << " bytes of shared memory with " << need.warpBytes
                     << " for each of " << warps << " warps, expected at least "
                     << need.warpBytes << " times " << warps;
  }
  return success();
}

FailureOr<bool> simt::isTakenByPlugIn(Operation *op, const BlockShape &block) {
  IRRewriter rewriter(op->getContext());
  FailureOr<bool> taken = false;
  for (const RegisterCandidate &candidate : candidatesFor(op, block)) {
    const target::Lowering &lowering = *candidate.lowering;
    // A matmul that is left becomes a `stage.product`, which the family lowers.
    if (candidate.isOwn ||
        (isa<MatrixProductOpInterface>(op) &&
         lowering.priority < GpuLoweringContext::kOwnPriority))
      break;
    if (target::hasDeclined(op, lowering.name))
      continue;
    ScratchNeeds needs;
    RegisterLoweringContext context(rewriter, block.options, block,
                                    /*thread=*/nullptr, &needs);
    taken = target::LoweringRegistry::get().applyOne(lowering, op, context);
    if (failed(taken))
      return failure();
    if (*taken && failed(checkNeeds(op, lowering, needs, block.warps)))
      return failure();
    if (*taken)
      break;
  }
  target::keepDeclines(op);
  return taken;
}

LogicalResult simt::askPlugIns(tile::Kernel kernel, const BlockShape &block) {
  WalkResult walked = kernel.getBody().walk([&](Operation *op) {
    return failed(isTakenByPlugIn(op, block)) ? WalkResult::interrupt()
                                              : WalkResult::advance();
  });
  return failure(walked.wasInterrupted());
}

ScratchNeeds simt::scratchNeeds(Operation *op, const BlockShape &block) {
  // A tile without a layout is an error of the conversion.
  auto lacksLayout = [](Type type) {
    return isa<RankedTensorType>(type) && !getLayout(type);
  };
  if (llvm::any_of(op->getOperandTypes(), lacksLayout) ||
      llvm::any_of(op->getResultTypes(), lacksLayout))
    return {};
  ScratchNeeds needs;
  IRRewriter rewriter(op->getContext());
  for (const RegisterCandidate &candidate : candidatesFor(op, block)) {
    if (!candidate.isOwn && target::hasDeclined(op, candidate.lowering->name))
      continue;
    RegisterLoweringContext context(rewriter, block.options, block,
                                    /*thread=*/nullptr, &needs);
    if (succeeded(candidate.lowering->lower(op, context)) &&
        (candidate.isOwn || !needs.empty()))
      break;
    // One that borrows nothing may yet leave the operation to the next one.
  }
  return needs;
}
