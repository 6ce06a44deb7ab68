//===- CutFactors.cpp - Factors of tf32 before they are exchanged ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A product with tf32 drops all but 10 bits of the mantissa of its factors;
// the matrix instructions for xf32 round them instead ("AMD Instinct MI300"
// instruction set manual, "Matrix Arithmetic Instructions"). So the low bits
// are set to zero before. Several waves read each element of a factor: the
// thread that has it first cuts it, before waves exchange what they have.
//
// Where no matrix instruction takes the factors, threads would cut what they
// read for each product. Factors that are cut before are multiplied as f32.
//
//===----------------------------------------------------------------------===//

#include "Passes.h"
#include "kiln/Dialect/Kiln/Description.h"
#include "kiln/Dialect/Kiln/MatrixRows.h"
#include "kiln/Dialect/Simt/SimtDialect.h"
#include "kiln/Dialect/Tile/DotOps.h"
#include "kiln/Dialect/Tile/KernelOps.h"
#include "kiln/Dialect/Tile/ShapeOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::amd;

/// Elements of a tile that a thread holds.
static int64_t heldBy(Value tile) {
  auto type = cast<RankedTensorType>(tile.getType());
  auto layout = dyn_cast_or_null<simt::LayoutAttr>(type.getEncoding());
  return layout ? layout.getNumRegisters() : type.getNumElements();
}

/// The operation that only moves the elements of a tile, each once; null if
/// another one computes the tile.
static Operation *moveOf(Value tile) {
  Operation *op = tile.getDefiningOp();
  return isa_and_nonnull<simt::ConvertLayoutOp, tile::TransposeOp>(op)
             ? op
             : nullptr;
}

/// Whether all numbers have zeros in their low bits: they were widened from a
/// type with 10 bits of mantissa or fewer.
static bool isShort(Value tile) {
  constexpr unsigned kMantissa = 11; // With the bit that is not stored.
  while (Operation *move = moveOf(tile))
    tile = move->getOperand(0);
  auto wider = tile.getDefiningOp<arith::ExtFOp>();
  return wider && cast<FloatType>(getElementTypeOrSelf(wider.getIn()))
                          .getFPMantissaWidth() <= kMantissa;
}

static Value cut(Value tile, OpBuilder &b) {
  Location loc = tile.getLoc();
  auto type = cast<RankedTensorType>(tile.getType());
  auto bits = type.clone(b.getI32Type());
  constexpr uint32_t kKept = 0xffffe000;
  Value raw = arith::BitcastOp::create(b, loc, bits, tile);
  raw = arith::AndIOp::create(
      b, loc, raw,
      arith::ConstantOp::create(
          b, loc,
          DenseElementsAttr::get(bits, b.getI32IntegerAttr(int32_t(kKept)))));
  return arith::BitcastOp::create(b, loc, type, raw);
}

namespace {
struct CutFactorsPass
    : PassWrapper<CutFactorsPass, OperationPass<tile::KernelOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(CutFactorsPass)
  StringRef getArgument() const final { return "amd-cut-factors"; }
  StringRef getDescription() const final {
    return "Drops the low bits of tf32 operands before waves exchange them";
  }
  void getDependentDialects(DialectRegistry &registry) const final {
    registry.insert<arith::ArithDialect>();
  }

  /// The factor with its low bits dropped; each is cut once.
  Value cutOnce(Value factor) {
    if (isShort(factor))
      return factor;
    if (Value done = factors.lookup(factor))
      return done;
    // The tile of which a thread holds fewest elements, and the way from there.
    SmallVector<Operation *> moves;
    size_t kept = 0;
    Value first = factor;
    for (Value tile = factor; Operation *move = moveOf(tile);) {
      moves.push_back(move);
      tile = move->getOperand(0);
      if (heldBy(tile) <= heldBy(first)) {
        first = tile;
        kept = moves.size();
      }
    }
    OpBuilder b(&getContext());
    b.setInsertionPointAfterValue(first);
    Value result = cut(first, b);
    for (Operation *move : llvm::reverse(ArrayRef(moves).take_front(kept))) {
      b.setInsertionPoint(move);
      IRMapping mapping;
      mapping.map(move->getOperand(0), result);
      result = b.clone(*move, mapping)->getResult(0);
    }
    return factors[factor] = result;
  }

  void runOnOperation() final {
    SmallVector<tile::DotOp> dots;
    target::TargetAttr description = target::getDescription(getOperation());
    if (!description)
      return;
    ArrayRef<target::MatrixInstructionAttr> rows =
        description.getMatrixInstructions();
    bool rounds = llvm::any_of(rows, [](target::MatrixInstructionAttr row) {
      return row.getName().ends_with("xf32");
    });
    auto isByThreads = [&](tile::DotOp dot) {
      return llvm::none_of(rows, [&](target::MatrixInstructionAttr row) {
        return target::takesTypes(row, dot);
      });
    };
    getOperation().walk([&](tile::DotOp dot) {
      if (dot.getProductPrecision() == ProductPrecision::TF32 &&
          (rounds || isByThreads(dot)))
        dots.push_back(dot);
    });
    for (tile::DotOp dot : dots) {
      if (isByThreads(dot))
        dot.setInputPrecision(tile::InputPrecision::ieee);
      for (OpOperand *factor : {&dot.getLhsOperand(), &dot.getRhsOperand()}) {
        Value whole = factor->get();
        factor->set(cutOnce(whole));
        while (Operation *move = moveOf(whole)) {
          if (!move->use_empty())
            break;
          factors.erase(whole);
          whole = move->getOperand(0);
          move->erase();
        }
      }
    }
    factors.clear();
  }

  DenseMap<Value, Value> factors;
};
} // namespace

std::unique_ptr<Pass> amd::createCutFactorsPass() {
  return std::make_unique<CutFactorsPass>();
}
