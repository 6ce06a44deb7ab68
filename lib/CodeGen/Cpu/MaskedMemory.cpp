//===- MaskedMemory.cpp - Masked accesses without instructions ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "MaskedMemory.h"
#include "Machine.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace kiln;

namespace {
/// Expands the accesses of one function.
class MaskExpander {
public:
  MaskExpander(func::FuncOp function, int64_t bits)
      : function(function), bits(bits), b(function.getContext()) {}

  void run() {
    SmallVector<Operation *> accesses;
    function.walk([&](Operation *op) {
      if (auto load = dyn_cast<LLVM::MaskedLoadOp>(op);
          load && isExpanded(load.getType()))
        accesses.push_back(op);
      else if (auto store = dyn_cast<LLVM::MaskedStoreOp>(op);
               store && isExpanded(store.getValue().getType()))
        accesses.push_back(op);
    });
    for (Operation *op : accesses) {
      b.setInsertionPoint(op);
      loc = op->getLoc();
      if (auto load = dyn_cast<LLVM::MaskedLoadOp>(op))
        expand(load);
      else
        expand(cast<LLVM::MaskedStoreOp>(op));
      op->erase();
    }
  }

private:
  bool isExpanded(Type type) const {
    auto vector = cast<VectorType>(type);
    return !bits ||
           vector.getNumElements() * vector.getElementTypeBitWidth() != bits;
  }

  void expand(LLVM::MaskedLoadOp load) {
    auto type = cast<VectorType>(load.getType());
    Value loaded = load.getPassThru();
    if (!loaded)
      loaded = LLVM::PoisonOp::create(b, loc, type);
    Value through = loaded;
    for (int64_t lane = 0; lane < type.getNumElements(); ++lane) {
      Value place = placeOf(load.getData(), load.getMask(), type, lane);
      Value element = LLVM::LoadOp::create(b, loc, type.getElementType(), place,
                                           unsigned(load.getAlignment()));
      loaded = vector::InsertOp::create(b, loc, element, loaded, lane);
    }
    Value chosen =
        arith::SelectOp::create(b, loc, load.getMask(), loaded, through);
    load->replaceAllUsesWith(ValueRange{chosen});
  }

  void expand(LLVM::MaskedStoreOp store) {
    auto type = cast<VectorType>(store.getValue().getType());
    for (int64_t lane = 0; lane < type.getNumElements(); ++lane) {
      Value place = placeOf(store.getData(), store.getMask(), type, lane);
      Value element = vector::ExtractOp::create(b, loc, store.getValue(), lane);
      LLVM::StoreOp::create(b, loc, element, place,
                            unsigned(store.getAlignment()));
    }
  }

  /// Where a lane is read or written.
  Value placeOf(Value base, Value mask, VectorType type, int64_t lane) {
    Value own =
        LLVM::GEPOp::create(b, loc, base.getType(), type.getElementType(), base,
                            ArrayRef<LLVM::GEPArg>{int32_t(lane)});
    return LLVM::SelectOp::create(b, loc, isOn(mask, lane), own, spare());
  }

  /// Whether a lane is on: one comparison of numbers where lanes are counted.
  Value isOn(Value mask, int64_t lane) {
    auto compared = mask.getDefiningOp<arith::CmpIOp>();
    auto count =
        compared && compared.getPredicate() == arith::CmpIPredicate::slt
            ? compared.getRhs().getDefiningOp<vector::BroadcastOp>()
            : vector::BroadcastOp();
    DenseElementsAttr ids;
    if (count && isa<IntegerType>(count.getSource().getType()) &&
        matchPattern(compared.getLhs(), m_Constant(&ids))) {
      Value id = arith::ConstantOp::create(
          b, loc, count.getSource().getType(),
          cast<IntegerAttr>(ids.getValues<Attribute>()[lane]));
      return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, id,
                                   count.getSource());
    }
    return vector::ExtractOp::create(b, loc, mask, lane);
  }

  /// The place on the stack, once for the function.
  Value spare() {
    if (spareSlot)
      return spareSlot;
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(&function.getBody().front());
    Value one = arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(1));
    auto pointer = LLVM::LLVMPointerType::get(b.getContext());
    Value slot =
        LLVM::AllocaOp::create(b, loc, pointer, b.getI64Type(), one, 8);
    // LLVM must not see that the place is of no use: it would branch around it.
    spareSlot = LLVM::InlineAsmOp::create(
                    b, loc, pointer, slot, "", "=r,0",
                    /*has_side_effects=*/false, /*is_align_stack=*/false,
                    LLVM::tailcallkind::TailCallKind::None,
                    /*asm_dialect=*/nullptr, /*operand_attrs=*/nullptr)
                    .getResult(0);
    return spareSlot;
  }

  func::FuncOp function;
  int64_t bits;
  OpBuilder b;
  Location loc = function.getLoc();
  Value spareSlot;
};
} // namespace

void cpu::expandMaskedMemory(ModuleOp module) {
  auto bits = dyn_cast_or_null<IntegerAttr>(extraOf(module, kMaskedBits));
  if (!bits)
    return;
  for (auto function : module.getOps<func::FuncOp>())
    if (!function.isDeclaration())
      MaskExpander(function, bits.getInt()).run();
}
