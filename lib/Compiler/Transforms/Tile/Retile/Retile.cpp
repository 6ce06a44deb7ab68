//===- Retile.cpp - Other block sizes for structured kernels --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Transforms/Tile/Retile.h"
#include "Retiler.h"
#include "kiln/Dialect/Tile/KernelOps.h"
#include "kiln/Interfaces/IndexMap.h"
#include "kiln/Interfaces/OwnDiagnostics.h"
#include "kiln/Transforms/Tile/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Verifier.h"

using namespace mlir;

namespace kiln::tile {
#define GEN_PASS_DEF_TILERETILE
#include "kiln/Transforms/Tile/Passes.h.inc"
} // namespace kiln::tile

using namespace kiln;
using namespace kiln::tile;

LogicalResult Retiler::fail(const Twine &reason) {
  why = reason.str();
  return failure();
}

bool Retiler::changesAnything() const {
  return llvm::any_of(changes, [](BlockChange c) { return c.changes(); });
}

/// Gives every use of a splat or iota one of its own, so that each can get the
/// size that its use wants.
void Retiler::splitShapeless() {
  SmallVector<Operation *> shapeless;
  kernel.getBody().walk([&](Operation *op) {
    if (isShapeless(op))
      shapeless.push_back(op);
  });
  for (Operation *op : shapeless)
    for (OpOperand &use :
         llvm::make_early_inc_range(llvm::drop_begin(op->getUses())))
      use.set(OpBuilder(op).clone(*op)->getResult(0));
}

LogicalResult Retiler::setSizes(ArrayRef<int64_t> sizes) {
  if (!space.isStructured())
    return fail("the kernel is not structured: " + space.getReason());
  ArrayRef<IterationDim> dims = space.getDims();
  if (sizes.size() > dims.size())
    return fail("expected at most " + Twine(dims.size()) +
                " block sizes, found " + Twine(sizes.size()));
  for (auto [i, dim] : llvm::enumerate(dims)) {
    int64_t size = i < sizes.size() && sizes[i] != 0 ? sizes[i] : dim.block;
    changes.push_back({dim.block, size});
    if (size < 1)
      return fail("expected positive block sizes, found " + Twine(size));
    if (size != dim.block && !dim.pinned.empty())
      return fail("d" + Twine(i) + " keeps its block of " + Twine(dim.block) +
                  ": " + dim.pinned);
    if (size != dim.block && dim.isLoop() && dim.indexStep != 1 &&
        dim.indexStep != dim.block)
      return fail("the loop of d" + Twine(i) + " steps by " +
                  Twine(dim.indexStep) + ", neither 1 nor its block of " +
                  Twine(dim.block));
  }
  return success();
}

void Retiler::rewriteTypes() {
  auto retype = [&](Value value) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    if (!type)
      return;
    SmallVector<int64_t> shape(type.getShape());
    for (auto [d, size] : llvm::enumerate(shape))
      if (int dim = space.dimOf(value, d); dim >= 0 && changes[dim].changes())
        size = changes[dim].to;
    value.setType(type.clone(shape));
  };
  kernel.getBody().walk([&](Operation *op) {
    for (Region &region : op->getRegions())
      for (BlockArgument argument : region.getArguments())
        retype(argument);
    for (Value result : op->getResults())
      retype(result);
    if (auto constant = dyn_cast<arith::ConstantOp>(op))
      if (auto splat = dyn_cast<SplatElementsAttr>(constant.getValue()))
        constant.setValueAttr(
            splat.resizeSplat(cast<ShapedType>(constant.getType())));
  });
}

LogicalResult Retiler::run(ArrayRef<int64_t> sizes) {
  splitShapeless();
  space = IterationSpace::analyze(cast<KernelOp>(kernel.getOperation()));
  if (failed(setSizes(sizes)))
    return failure();
  if (!changesAnything())
    return success();
  for (unsigned i = 0; i < changes.size(); ++i)
    if (changes[i].changes() && failed(checkPadding(i)))
      return failure();

  // Index arithmetic first: it is read off the old loops.
  for (const ViewAccess &access : space.getAccesses())
    if (failed(rewriteAccess(access)))
      return failure();
  SmallVector<std::pair<Operation *, Value>> fills;
  kernel.getBody().walk([&](Operation *op) {
    if (Value fill = getFillValue(op))
      fills.push_back({op, fill});
  });
  for (auto [op, fill] : fills)
    if (failed(rewriteFill(op, fill)))
      return failure();
  if (failed(rewriteRasters()))
    return failure();
  for (unsigned i = 0; i < changes.size(); ++i)
    if (changes[i].changes() && space.getDims()[i].isLoop() &&
        failed(rewriteLoop(i)))
      return failure();
  rewriteTypes();

  // What the analysis overlooked must not get out.
  std::string message;
  OwnDiagnostics handler(kernel.getContext(), [&](Diagnostic &diag) {
    if (message.empty())
      message = diag.str();
    return success();
  });
  if (failed(verify(kernel)))
    return fail("its operations do not fit together afterwards: " + message);
  return success();
}

LogicalResult kiln::tile::retile(KernelOp kernel, ArrayRef<int64_t> sizes,
                                 std::string &why) {
  // Work on a copy, so that a failure leaves the kernel as it was.
  KernelOp copy = kernel.clone();
  Retiler retiler(copy, why, [&](unsigned parameter, int64_t block) {
    return isCountInLaunches(kernel, parameter, block);
  });
  LogicalResult result = retiler.run(sizes);
  if (succeeded(result) && retiler.changesAnything())
    result = retileLaunches(kernel, retiler, why);
  if (succeeded(result) && retiler.changesAnything())
    kernel.getBody().takeBody(copy.getBody());
  copy.erase();
  return result;
}

LogicalResult kiln::tile::retile(KernelOp kernel, ArrayRef<int64_t> sizes) {
  std::string why;
  if (succeeded(retile(kernel, sizes, why)))
    return success();
  return kernel.emitError()
         << "kernel '" << kernel.getSymName() << "' cannot be retiled: " << why;
}

namespace {

/// Rewrites one kernel, or all, to the block sizes of its options.
struct TileRetilePass : kiln::tile::impl::TileRetileBase<TileRetilePass> {
  using TileRetileBase::TileRetileBase;

  void runOnOperation() override {
    SmallVector<KernelOp> kernels;
    getOperation()->walk([&](KernelOp op) {
      if (kernel.empty() || op.getSymName() == kernel)
        kernels.push_back(op);
    });
    if (kernels.empty() && !kernel.empty()) {
      getOperation()->emitError()
          << "expected a kernel '" << kernel << "', found none of that name";
      return signalPassFailure();
    }
    for (KernelOp op : kernels)
      if (failed(retile(op, sizes)))
        return signalPassFailure();
  }
};

} // namespace
