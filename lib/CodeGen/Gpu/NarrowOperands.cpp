//===- NarrowOperands.cpp - Products of numbers that were narrow ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels often load bf16 or f16, extend it to f32 and multiply with tf32. All
// numbers of those types are numbers of tf32, so the matrix instruction for
// the narrow type gives the same products, in half of the bytes and half of
// the time, and may read what is loaded where it lies.
//
//===----------------------------------------------------------------------===//

#include "NarrowOperands.h"
#include "ProductChoice.h"
#include "kiln/Dialect/Kiln/Description.h"
#include "kiln/Dialect/Tile/KernelOps.h"
#include "kiln/Gpu/Passes.h"
#include "kiln/Interfaces/IndexMap.h"
#include "kiln/Interfaces/MatrixProduct.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/APFloat.h"

namespace kiln::simt {
#define GEN_PASS_DEF_SIMTNARROWOPERANDS
#include "kiln/Gpu/Passes.h.inc"
} // namespace kiln::simt

using namespace mlir;
using namespace kiln;

/// Whether all numbers of a type are numbers of a type of 16 bits.
static bool holdsAll(FloatType wide, Type type) {
  auto narrow = dyn_cast<FloatType>(type);
  return narrow && (narrow == wide ||
                    (narrow.getWidth() <= 8 && llvm::APFloat::isRepresentableBy(
                                                   narrow.getFloatSemantics(),
                                                   wide.getFloatSemantics())));
}

/// The only tile that an operation hands on, element by element; null if it
/// does anything else.
static OpOperand *findMoved(Operation *op) {
  if (op->getNumResults() != 1 || !handsOnElements(op))
    return nullptr;
  return llvm::find_if(op->getOpOperands(), [](OpOperand &operand) {
    return isa<RankedTensorType>(operand.get().getType());
  });
}

bool simt::mayFlushSubnormals(Operation *op) {
  auto kernel = op->getParentOfType<tile::KernelOp>();
  auto numerics =
      kernel ? dyn_cast_or_null<tile::NumericsAttr>(kernel.getNumericsAttr())
             : tile::NumericsAttr();
  return numerics && numerics.getFtz();
}

namespace {
/// A tile of f32 whose numbers were extended, and what was done with it since.
struct Extended {
  Value narrow;
  SmallVector<OpOperand *> moves; ///< the last first

  Value build(OpBuilder &b, FloatType type) const {
    Location loc = narrow.getLoc();
    auto shape = cast<RankedTensorType>(narrow.getType());
    Value value = narrow;
    if (shape.getElementType() != type)
      value = arith::ExtFOp::create(b, loc, shape.clone(type), value);
    for (OpOperand *move : llvm::reverse(moves)) {
      Operation *owner = move->getOwner();
      IRMapping mapping;
      mapping.map(move->get(), value);
      Operation *copy = b.clone(*owner, mapping);
      copy->getResult(0).setType(
          cast<RankedTensorType>(owner->getResult(0).getType()).clone(type));
      value = copy->getResult(0);
    }
    return value;
  }
};

struct NarrowOperands : simt::impl::SimtNarrowOperandsBase<NarrowOperands> {
  void runOnOperation() override {
    if (target::TargetAttr description = target::getDescription(getOperation()))
      getOperation().walk([&](MatrixProductOpInterface product) {
        narrow(product, description);
      });
  }

private:
  static std::optional<Extended> findExtended(Value value) {
    Extended found;
    while (Operation *op = value.getDefiningOp()) {
      if (auto extension = dyn_cast<arith::ExtFOp>(op)) {
        found.narrow = extension.getIn();
        return found;
      }
      OpOperand *moved = findMoved(op);
      if (!moved)
        break;
      found.moves.push_back(moved);
      value = moved->get();
    }
    return std::nullopt;
  }

  static void narrow(MatrixProductOpInterface product,
                     target::TargetAttr description) {
    OpOperand &lhs = product.getLhsOperand(), &rhs = product.getRhsOperand();
    // With all bits of f32, sums too are to be those of f32.
    if (product.getProductPrecision() == ProductPrecision::IEEE ||
        product.getLhsScaleOperand() || product.getRhsScaleOperand())
      return;
    std::optional<Extended> left = findExtended(lhs.get()),
                            right = findExtended(rhs.get());
    if (!left || !right)
      return;
    OpBuilder b(product);
    ProductPrecision precision = product.getProductPrecision();
    for (FloatType type :
         {FloatType(b.getBF16Type()), FloatType(b.getF16Type())}) {
      if (!holdsAll(type, getElementTypeOrSelf(left->narrow.getType())) ||
          !holdsAll(type, getElementTypeOrSelf(right->narrow.getType())))
        continue;
      Value before[] = {lhs.get(), rhs.get()};
      lhs.set(left->build(b, type));
      rhs.set(right->build(b, type));
      // What was f32 keeps its subnormal sums.
      target::MatrixInstructionAttr row;
      if (succeeded(product.setProductPrecision(ProductPrecision::IEEE)))
        row = simt::findInstruction(product, description);
      if (row &&
          (!row.getFlushesSubnormals() || simt::mayFlushSubnormals(product)))
        return;
      lhs.set(before[0]);
      rhs.set(before[1]);
      (void)product.setProductPrecision(precision);
    }
  }
};
} // namespace
