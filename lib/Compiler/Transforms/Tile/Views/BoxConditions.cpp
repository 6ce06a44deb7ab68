//===- BoxConditions.cpp - Launches whose boxes a copy unit copies --------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "BoxConditions.h"
#include "TileSource.h"
#include "kiln/Analysis/AnchoredBox.h"
#include "kiln/Dialect/Kiln/Description.h"
#include "kiln/Dialect/Tile/PointerOps.h"
#include "kiln/Dialect/Tile/TileInterfaces.h"
#include "kiln/Interfaces/MatrixProduct.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IntegerSet.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::tile;

/// Whether a tile is an operand of a matmul in a loop, but for its shape.
static bool isMultiplied(Value tile) {
  return llvm::any_of(tile.getUsers(), [](Operation *user) {
    if (getMovedTile(user))
      return isMultiplied(user->getResult(0));
    return isa<MatrixProductOpInterface>(user) &&
           user->getParentOfType<scf::ForOp>();
  });
}

/// Calls `visit` with each load of a box that a copy unit may copy.
static void eachBox(KernelOp kernel,
                    function_ref<void(ViewAccessOpInterface)> visit) {
  target::TargetAttr description = target::getDescription(kernel);
  DictionaryAttr extra = description ? description.getExtra() : nullptr;
  // What a warp of its own copies is worth a condition.
  if (!extra || !extra.contains("producer"))
    return;
  kernel.walk([&](ViewAccessOpInterface access) {
    Operation *op = access;
    if (op->getNumResults() == 1 &&
        isa<RankedTensorType>(op->getResult(0).getType()) &&
        llvm::none_of(access.getAxes(),
                      [](const ViewAxis &axis) { return axis.isIndirect(); }) &&
        isMultiplied(op->getResult(0)))
      visit(access);
  });
}

void tile::boundBoxes(KernelOp kernel, LaunchBounds &launch) {
  llvm::SetVector<Value> numbers;
  auto add = [&](Value value) {
    if (value.getType().isSignlessInteger() || value.getType().isIndex())
      numbers.insert(value);
  };
  eachBox(kernel, [&](ViewAccessOpInterface access) {
    auto view = access.getAccessedView().getDefiningOp<MakeViewOp>();
    Value pointer = view ? view.getBase() : Value();
    while (auto moved = pointer
                            ? pointer.getDefiningOp<PointerOffsetOpInterface>()
                            : PointerOffsetOpInterface()) {
      if (Value by = moved.getOffsetInElements())
        add(by);
      pointer = moved.getBasePointers();
    }
  });
  for (size_t i = 0; i < numbers.size(); ++i) {
    Operation *op = numbers[i].getDefiningOp();
    if (!isa_and_nonnull<arith::AddIOp, arith::SubIOp, arith::MulIOp,
                         arith::ExtSIOp, arith::IndexCastOp>(op))
      continue;
    for (Value operand : op->getOperands())
      add(operand);
    auto flags = dyn_cast<arith::ArithIntegerOverflowFlagsInterface>(op);
    if (!flags || !isNarrow(op->getResult(0).getType()) ||
        flags.hasNoSignedWrap())
      continue;
    launch.drop();
    if (launch.areWithin({{OpFoldResult(numbers[i]), 1}}, llvm::maxIntN(31)))
      launch.commit();
    launch.drop();
  }
}

void tile::noteBoxes(KernelOp kernel) {
  llvm::SetVector<AffineExpr> found;
  eachBox(kernel, [&](ViewAccessOpInterface access) {
    SmallVector<OpFoldResult> from;
    bool countsBoxes = false;
    for (const ViewAxis &axis : access.getAxes()) {
      from.push_back(axis.offset);
      countsBoxes |= axis.countsBlocks;
    }
    AnchoredBox box(kernel);
    if (box.find(access.getAccessedView(), from,
                 access.getAccessedType().getShape(), countsBoxes))
      found.insert(box.getConditions().begin(), box.getConditions().end());
  });
  unsigned symbols = kernel.getNumArguments() + 3;
  SmallVector<AffineExpr> all;
  if (auto set = kernel.getConditionAttr())
    llvm::append_range(all, set.getValue().getConstraints());
  size_t known = all.size();
  for (AffineExpr condition : found)
    if (!llvm::is_contained(all, condition))
      all.push_back(condition);
  if (all.size() == known)
    return;
  SmallVector<bool> areEqualities(all.size(), false);
  kernel.setConditionAttr(IntegerSetAttr::get(
      IntegerSet::get(/*dimCount=*/0, symbols, all, areEqualities)));
}
