//===- VerifyTileForm.cpp - What a module may hold at the tile level ------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Transforms/Tile/Passes.h"
#include "kiln/Dialect/Tile/Tile.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace kiln::tile {
#define GEN_PASS_DEF_VERIFYTILEFORM
#include "kiln/Transforms/Tile/Passes.h.inc"
} // namespace kiln::tile

using namespace kiln::tile;

namespace {

/// Tiles are meant for registers and scratchpads; more elements than this are a
/// mistake that no target should have to meet.
constexpr int64_t kMaxElements = int64_t(1) << 31;

bool isTooLarge(RankedTensorType tile) {
  int64_t elements = 1;
  for (int64_t size : tile.getShape())
    if (llvm::MulOverflow(elements, size, elements) || elements > kMaxElements)
      return true;
  return false;
}

/// True for scalars, and for tiles of positive static sizes without encoding.
bool isTileOrScalar(Type type) {
  auto tile = dyn_cast<RankedTensorType>(type);
  if (!tile)
    return isElementType(type);
  return (isElementType(tile.getElementType()) ||
          isa<PtrType>(tile.getElementType())) &&
         !tile.getEncoding() && !isTooLarge(tile) &&
         llvm::all_of(tile.getShape(), [](int64_t size) { return size > 0; });
}

bool isAllowedType(Type type) {
  return isa<ViewType, PtrType>(type) || isTileOrScalar(type);
}

bool isAllowedOp(Operation *op) {
  if (isa<TileDialect>(op->getDialect()))
    return !isa<KernelOp>(op);
  if (isa<arith::ArithDialect, math::MathDialect>(op->getDialect()))
    return true;
  return isa<scf::ForOp, scf::IfOp, scf::WhileOp, scf::YieldOp,
             scf::ConditionOp, tensor::ExtractOp>(op);
}

/// The parameter of the kernel that a store reaches, if it is one.
BlockArgument getParameter(Value view) {
  auto argument = dyn_cast<BlockArgument>(view);
  if (argument && isa<KernelOp>(argument.getOwner()->getParentOp()))
    return argument;
  return {};
}

LogicalResult verifyOp(KernelOp kernel, Operation *op) {
  if (!op->getDialect() || !isAllowedOp(op))
    return op->emitOpError() << "expected an operation of the tile level, "
                                "found one that is not allowed in a kernel";
  for (Value operand : op->getOperands())
    if (!isAllowedType(operand.getType()))
      return op->emitOpError() << "expected tiles of static shape, scalars and "
                                  "views, found an operand of type "
                               << operand.getType();
  for (Value result : op->getResults())
    if (!isAllowedType(result.getType()))
      return op->emitOpError() << "expected tiles of static shape, scalars and "
                                  "views, found a result of type "
                               << result.getType();
  if (op->getParentOfType<ReduceOp>() || op->getParentOfType<ScanOp>()) {
    for (Type type : op->getResultTypes())
      if (!isElementType(type))
        return op->emitOpError() << "expected scalars in the region of a "
                                    "reduction or scan, found "
                                 << type;
    if (!isMemoryEffectFree(op))
      return op->emitOpError()
             << "expected operations without effects in the region of a "
                "reduction or scan";
  }
  Value written;
  if (auto store = dyn_cast<StoreOp>(op))
    written = store.getView();
  else if (auto scatter = dyn_cast<StoreScatterOp>(op))
    written = scatter.getView();
  if (written)
    if (BlockArgument parameter = getParameter(written))
      if (kernel.getArgAttr(parameter.getArgNumber(), kReadonlyAttr))
        return op->emitOpError()
               << "expected a store to a writable view, "
                  "found parameter "
               << parameter.getArgNumber() << ", which is 'tile.readonly'";
  return success();
}

/// Checks the form of every kernel.
struct VerifyTileFormPass
    : kiln::tile::impl::VerifyTileFormBase<VerifyTileFormPass> {
  void runOnOperation() override {
    auto check = [&](KernelOp kernel) {
      bool failed_ = false;
      kernel.getBody().walk([&](Operation *op) {
        if (failed(verifyOp(kernel, op)))
          failed_ = true;
      });
      if (failed_)
        signalPassFailure();
      return WalkResult::skip();
    };
    getOperation()->walk<WalkOrder::PreOrder>(check);
  }
};

} // namespace
