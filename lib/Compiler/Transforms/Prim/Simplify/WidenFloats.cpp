// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// prim-widen-floats: floats of at most 8 bits are moved as they are, and
// computed with in f32.
#include "../PrimBuilder.h"

#include "kiln/Dialect/Kiln/Description.h"
#include "kiln/Dialect/Prim/CallbackOps.h"
#include "kiln/Dialect/Prim/CollectiveOps.h"
#include "kiln/Dialect/Prim/Prim.h"
#include "kiln/Transforms/Prim/Passes.h"

namespace kiln::prim {
#define GEN_PASS_DEF_PRIMWIDENFLOATS
#include "kiln/Transforms/Prim/Passes.h.inc"
} // namespace kiln::prim

using namespace mlir;
using namespace kiln::prim;

/// Whether the first bit of an element is its sign, of NaNs, too, which
/// machines that widen them need not keep.
static bool hasSignBit(Type type) {
  return isa<Float8E5M2Type, Float8E4M3FNType, Float8E4M3Type, Float8E3M4Type>(
      getElementTypeOrSelf(type));
}

/// Whether a product may be summed with few bits, and the description has a
/// matrix instruction that does so with its factors as they are.
static bool isForMatrixUnit(DotGeneralOp dot) {
  kiln::target::TargetAttr description = kiln::target::getDescription(dot);
  auto takes = [](kiln::target::OperandAttr operand, Value factor) {
    return llvm::is_contained(operand.getTypes(),
                              getElementTypeOrSelf(factor.getType()));
  };
  return dot.getImprecise() && description &&
         llvm::any_of(description.getMatrixInstructions(),
                      [&](kiln::target::MatrixInstructionAttr row) {
                        return takes(row.getLhs(), dot.getLhs()) &&
                               takes(row.getRhs(), dot.getRhs());
                      });
}

/// Whether an operation takes small floats as they are: it moves or chooses
/// elements, changes their signs, or converts them.
static bool keepsSmall(Operation *op) {
  if (auto dot = dyn_cast<DotGeneralOp>(op))
    return isForMatrixUnit(dot);
  if (auto scatter = dyn_cast<ScatterOp>(op))
    return scatter.getCombine() == ScatterKind::set;
  if (isa<SignbitOp>(op))
    return hasSignBit(op->getOperand(0).getType());
  return isa<ConstantOp, FullOp, ConvertElementTypeOp, BitcastOp,
             BitcastConvertOp, BroadcastInDimOp, ReshapeOp, TransposeOp,
             SliceOp, RevOp, CatOp, PadOp, WhereOp, GatherOp, GatherSlicesOp,
             DynamicSliceOp, DynamicUpdateSliceOp, NegOp, AbsOp, CopysignOp,
             SortOp, TopKOp, IfOp, WhileOp, YieldOp, FusionOp, ClaimOp,
             AllGatherOp, AllToAllOp, BroadcastOp, PermuteOp, CallbackOp>(op);
}

namespace {

/// The pass.
struct PrimWidenFloats
    : kiln::prim::impl::PrimWidenFloatsBase<PrimWidenFloats> {
  void runOnOperation() override {
    SmallVector<Operation *> ops;
    getOperation()->walk([&](Operation *op) {
      bool isSmall = llvm::any_of(op->getOperandTypes(), isSmallFloat) ||
                     llvm::any_of(op->getResultTypes(), isSmallFloat);
      if (isSmall && isa_and_nonnull<PrimDialect>(op->getDialect()) &&
          !keepsSmall(op))
        ops.push_back(op);
    });
    for (Operation *op : ops)
      widen(op);
  }

  /// The type to compute with. All formats but scales are exact in bf16, which
  /// products of matrices have instructions for.
  static Type wideType(Operation *op, Type small) {
    MLIRContext *context = op->getContext();
    if (isa<DotGeneralOp, ConvOp>(op) &&
        !isa<Float8E8M0FNUType>(getElementTypeOrSelf(small)))
      return BFloat16Type::get(context);
    return Float32Type::get(context);
  }

  void widen(Operation *op) {
    OpBuilder builder(op);
    PrimBuilder emit(builder, op->getLoc());
    if (auto dot = dyn_cast<DotGeneralOp>(op))
      dot.setImprecise(0); // a permission for small floats
    for (OpOperand &operand : op->getOpOperands())
      if (Type type = operand.get().getType(); isSmallFloat(type))
        operand.set(emit.convert(operand.get(), wideType(op, type)));
    for (NamedAttribute attribute : op->getAttrs())
      if (auto number = dyn_cast<FloatAttr>(attribute.getValue());
          number && isSmallFloat(number.getType()))
        op->setAttr(attribute.getName(),
                    builder.getF32FloatAttr(
                        static_cast<float>(number.getValueAsDouble())));
    for (Region &region : op->getRegions())
      widenCombiner(region);
    builder.setInsertionPointAfter(op);
    for (Value result : op->getResults()) {
      Type small = result.getType();
      if (!isSmallFloat(small))
        continue;
      auto type = cast<RankedTensorType>(small);
      result.setType(type.clone(builder.getF32Type()));
      Value back = emit.convert(result, type.getElementType());
      result.replaceAllUsesExcept(back, back.getDefiningOp());
    }
  }

  /// What combines two elements takes and gives f32; in between it rounds as
  /// before.
  void widenCombiner(Region &region) {
    for (Block &block : region) {
      OpBuilder builder = OpBuilder::atBlockBegin(&block);
      for (BlockArgument argument : block.getArguments()) {
        auto type = dyn_cast<RankedTensorType>(argument.getType());
        if (!type || !isSmallFloat(type))
          continue;
        PrimBuilder emit(builder, argument.getLoc());
        argument.setType(type.clone(builder.getF32Type()));
        Value back = emit.convert(argument, type.getElementType());
        argument.replaceAllUsesExcept(back, back.getDefiningOp());
      }
      Operation *yield = block.getTerminator();
      builder.setInsertionPoint(yield);
      PrimBuilder emit(builder, yield->getLoc());
      for (OpOperand &operand : yield->getOpOperands())
        if (isSmallFloat(operand.get().getType()))
          operand.set(emit.convert(operand.get(), builder.getF32Type()));
    }
  }
};

} // namespace
