//===- ScratchNeeds.cpp - Shared memory that lowerings borrow -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ScratchNeeds.h"
#include "ThreadBuilder.h"
#include "kiln/Interfaces/IndexMap.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::simt;

ScratchNeeds simt::scratchNeeds(Operation *op, const BlockShape &block) {
  // A tile without a layout is an error of the conversion.
  auto lacksLayout = [](Type type) {
    return isa<RankedTensorType>(type) && !getLayout(type);
  };
  if (llvm::any_of(op->getOperandTypes(), lacksLayout) ||
      llvm::any_of(op->getResultTypes(), lacksLayout))
    return {};
  if (auto product = dyn_cast<MatrixProductOpInterface>(op))
    return productNeeds(product, block);
  return TypeSwitch<Operation *, ScratchNeeds>(op)
      .Case([&](tile::ReduceOp op) { return reduceNeeds(op, block); })
      .Case([&](tile::ScanOp op) { return scanNeeds(op, block); })
      .Case([&](tile::SortOp op) { return sortNeeds(op, block); })
      .Case([&](tile::HistogramOp op) { return histogramNeeds(op); })
      .Case([&](tile::GatherOp op) { return gatherNeeds(op); })
      .Case([&](tensor::ExtractOp op) { return extractNeeds(op); })
      .Case([&](tile::InlineAsmOp op) { return inlineAsmNeeds(op, block); })
      .Case<tile::AtomicRMWOp, tile::AtomicCASOp>(
          [&](Operation *op) { return atomicNeeds(op, block); })
      .Case<tile::PrintOp, tile::AssertOp>(
          [&](Operation *op) { return outputNeeds(op); })
      .Default([&](Operation *op) {
        auto moved = dyn_cast<IndexMapOpInterface>(op);
        return moved && moved.movesElements() ? movementNeeds(op, block)
                                              : ScratchNeeds();
      });
}
