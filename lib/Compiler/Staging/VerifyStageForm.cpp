//===- VerifyStageForm.cpp - What a kernel may hold at the stage level ----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Dialect/Stage/Places.h"
#include "kiln/Dialect/Stage/Stage.h"
#include "kiln/Dialect/Stage/StorageInterfaces.h"
#include "kiln/Dialect/Tile/KernelOps.h"
#include "kiln/Dialect/Tile/MemoryOps.h"
#include "kiln/Interfaces/MatrixProduct.h"
#include "kiln/Staging/Passes.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace kiln::staging {
#define GEN_PASS_DEF_VERIFYSTAGEFORM
#include "kiln/Staging/Passes.h.inc"
} // namespace kiln::staging

using namespace kiln;

namespace {

bool isExpression(Type type) {
  auto tile = dyn_cast<RankedTensorType>(type);
  return tile && !tile.getEncoding();
}

/// What the region of stage.compute may hold.
bool isAllowedInRegion(Operation *op) {
  if (isa<stage::StorageReadOpInterface, stage::StorageWriteOpInterface,
          stage::YieldOp, tensor::ExtractOp, affine::AffineApplyOp,
          affine::AffineMinOp, affine::AffineMaxOp>(op))
    return true;
  // A plug-in's operation stands alone, or has our interfaces.
  return !isa_and_nonnull<stage::StageDialect, scf::SCFDialect,
                          affine::AffineDialect, tensor::TensorDialect,
                          memref::MemRefDialect>(op->getDialect()) &&
         !isa<MatrixProductOpInterface, tile::KernelOp, tile::MakeViewOp>(op);
}

LogicalResult verifyOp(Operation *op) {
  auto region = op->getParentOfType<stage::BoxRegionOpInterface>();
  if (isa_and_nonnull<tile::TileDialect>(op->getDialect()) &&
      isa<MatrixProductOpInterface>(op))
    return op->emitOpError() << "expected 'stage.product' at the stage level";
  if (region) {
    // The elements that a reduction combines are its own affair.
    bool isDirect = op->getParentOp() == region;
    if (isDirect && !isAllowedInRegion(op))
      return op->emitOpError() << "expected pure operations, reads, writes and "
                                  "accesses in a region";
  } else {
    auto check = [&](Type type) -> LogicalResult {
      if (isExpression(type))
        return op->emitOpError()
               << "expected no tile without encoding outside of "
                  "'stage.compute', found "
               << type;
      return success();
    };
    for (Type type : op->getResultTypes())
      if (failed(check(type)))
        return failure();
    for (Region &inner : op->getRegions())
      for (Block &block : inner)
        for (Type type : block.getArgumentTypes())
          if (failed(check(type)))
            return failure();
  }
  // Others know addresses by strides alone.
  if (!isa<stage::StageDialect, scf::SCFDialect>(op->getDialect()))
    for (Value operand : op->getOperands())
      if (auto storage = dyn_cast<MemRefType>(operand.getType());
          storage && !stage::isStrided(storage))
        return op->emitOpError() << "expected storage that is strided and not "
                                    "permuted, found "
                                 << storage;
  return success();
}

/// How often a future is waited for on the paths through a block; none if that
/// differs between them.
std::optional<int> countWaits(Value future, Block *block) {
  int count = 0;
  llvm::SmallPtrSet<Operation *, 4> seen;
  for (OpOperand &use : future.getUses()) {
    Operation *op = block->findAncestorOpInBlock(*use.getOwner());
    if (!op)
      continue;
    if (op == use.getOwner()) {
      // A matmul that adds to a future does not wait for it.
      count += !isa<stage::StorageProductOpInterface>(op);
      continue;
    }
    if (!seen.insert(op).second)
      continue;
    auto branch = dyn_cast<scf::IfOp>(op);
    if (!branch || branch.getElseRegion().empty())
      return std::nullopt;
    auto then = countWaits(future, branch.thenBlock());
    auto other = countWaits(future, branch.elseBlock());
    if (!then || then != other)
      return std::nullopt;
    count += *then;
  }
  return count;
}

LogicalResult verifyFuture(Value future, Location loc) {
  if (!isa<stage::FutureType>(future.getType()))
    return success();
  if (countWaits(future, future.getParentBlock()) == 1)
    return success();
  return emitError(loc) << "expected a future to be waited for once on every "
                           "path";
}

struct VerifyStageFormPass
    : staging::impl::VerifyStageFormBase<VerifyStageFormPass> {
  void runOnOperation() override {
    bool isGood = true;
    auto check = [&](Operation *op) {
      isGood &= succeeded(verifyOp(op));
      for (Value result : op->getResults())
        isGood &= succeeded(verifyFuture(result, op->getLoc()));
      for (Region &region : op->getRegions())
        for (BlockArgument argument : region.getArguments())
          isGood &= succeeded(verifyFuture(argument, op->getLoc()));
    };
    getOperation()->walk(
        [&](tile::KernelOp kernel) { kernel.getBody().walk(check); });
    if (!isGood)
      signalPassFailure();
  }
};

} // namespace
