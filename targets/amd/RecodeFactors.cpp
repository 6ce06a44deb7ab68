//===- RecodeFactors.cpp - Copies of factors of 8-bit floats --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A product that uses each element of its factors often takes copies of factors
// of 8-bit floats that the chip has no matrix instruction for, as converting
// them where it loads them takes longer than to multiply them.
//
// CDNA3 multiplies 8-bit floats without a negative zero (FNUZ) ("AMD Instinct
// MI300" instruction set manual, "Matrix Arithmetic Instructions"). The half of
// each f8E4M3FN is an f8E4M3FNUZ, NaN included, so a product of those is a
// quarter of the product, without rounding. f8E5M2 has infinities, which the
// other format lacks: it becomes the wider type, as do both formats of OCP on
// chips without 8-bit floats.
//
// The instructions of CDNA3 read bytes along the sum: a copy has them side by
// side.
//
// The compiler makes the copy of a constant.
//
//===----------------------------------------------------------------------===//

#include "Chips.h"
#include "Float8.h"
#include "Passes.h"
#include "RecodedConstants.h"
#include "kiln/Dialect/Kiln/Description.h"
#include "kiln/Dialect/Prim/Prim.h"
#include "llvm/Support/MathExtras.h"
#include <optional>

using namespace mlir;
using namespace kiln;
using namespace kiln::amd;

namespace {
/// A factor of a product in a group: an input of 8-bit floats, which is widened
/// and transposed on its way.
struct Factor {
  BlockArgument input;
  prim::ConvertElementTypeOp wider;
  SmallVector<prim::TransposeOp> moves; ///< of 8-bit floats
  bool isMoved = false;

  RankedTensorType type() const {
    return cast<RankedTensorType>(input.getType());
  }
  Type element() const { return type().getElementType(); }
  Type wide() const { return getElementTypeOrSelf(wider->getResult(0)); }
};

std::optional<Factor> factorOf(Value value) {
  Factor factor;
  while (Operation *op = value.getDefiningOp()) {
    if (!value.hasOneUse())
      return std::nullopt;
    if (auto wider = dyn_cast<prim::ConvertElementTypeOp>(op)) {
      if (factor.wider)
        return std::nullopt;
      factor.wider = wider;
    } else if (auto move = dyn_cast<prim::TransposeOp>(op)) {
      factor.isMoved = true;
      if (factor.wider)
        factor.moves.push_back(move);
    } else {
      return std::nullopt;
    }
    value = op->getOperand(0);
  }
  factor.input = cast<BlockArgument>(value);
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!value.hasOneUse() || !factor.wider || !type || !type.hasStaticShape() ||
      !isFloat8(type.getElementType()) ||
      (!factor.wide().isBF16() && !factor.wide().isF16()))
    return std::nullopt;
  return factor;
}

/// Multiplications of a product of known sizes; 0 where they are too many.
int64_t countOf(prim::DotGeneralOp dot) {
  auto result = cast<RankedTensorType>(dot.getType());
  if (!result.hasStaticShape())
    return 0;
  int64_t count = 1;
  auto multiply = [&](int64_t size) {
    if (llvm::MulOverflow(count, size, count))
      count = 0;
  };
  for (int64_t size : result.getShape())
    multiply(size);
  for (int64_t dim : dot.getLhsContract())
    multiply(cast<RankedTensorType>(dot.getLhs().getType()).getDimSize(dim));
  return count;
}

struct RecodeFactors : PassWrapper<RecodeFactors, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(RecodeFactors)

  RecodeFactors() = default;
  RecodeFactors(const RecodeFactors &other) : PassWrapper(other) {}

  StringRef getArgument() const final { return "amd-recode-factors"; }
  StringRef getDescription() const final {
    return "Gives large products of 8-bit floats copies of their factors in a "
           "format that the chip has matrix instructions for";
  }

  // Where a product has half the rate without, a copy takes as long as so many
  // uses of each element, and a launch as long as so many multiplications.
  Option<int64_t> uses{*this, "uses",
                       llvm::cl::desc("uses of each element, at least"),
                       llvm::cl::init(256)};
  Option<int64_t> products{*this, "products",
                           llvm::cl::desc("multiplications, at least"),
                           llvm::cl::init(1 << 30)};

  void runOnOperation() final {
    target::TargetAttr description = target::getDescription(getOperation());
    const Chip *chip = description && description.getName() == "amd"
                           ? findChip(description.getCpu())
                           : nullptr;
    if (!chip)
      return;
    areFnuz = chip->family == Family::CDNA3;
    SmallVector<prim::FusionOp> groups;
    getOperation().walk([&](prim::FusionOp group) {
      if (group.getKind() == prim::GroupKind::contraction)
        groups.push_back(group);
    });
    for (prim::FusionOp group : groups)
      rewrite(group, description);
    copies.clear();
  }

private:
  void rewrite(prim::FusionOp group, target::TargetAttr description) {
    SmallVector<prim::DotGeneralOp> dots(
        group.getBody().getOps<prim::DotGeneralOp>());
    if (dots.size() != 1)
      return;
    prim::DotGeneralOp dot = dots.front();
    int64_t count = countOf(dot);
    if (count < products)
      return;
    std::optional<Factor> factors[] = {factorOf(dot.getLhs()),
                                       factorOf(dot.getRhs())};
    for (std::optional<Factor> &factor : factors)
      if (factor && usesOf(*factor, count) < uses)
        factor.reset();
    bool halves = areFnuz && llvm::all_of(factors, [](auto &factor) {
                    return factor && isa<Float8E4M3FNType>(factor->element());
                  });
    bool areNative = llvm::all_of(factors, [&](auto &factor) {
      return factor && isNative(factor->element(), description);
    });
    for (unsigned i = 0; i < 2; ++i) {
      if (!factors[i])
        continue;
      Factor &factor = *factors[i];
      bool isAcross = (halves || areNative) && isTurned(dot, factor, i);
      // What lies across the sum alone costs a sixth of the rate.
      constexpr int64_t kUsesAcross = 8;
      if (halves)
        take(group, factor, Float8E4M3FNUZType::get(&getContext()), isAcross);
      else if (!areNative)
        take(group, factor, factor.wide(), /*isTurned=*/false);
      else if (isAcross && usesOf(factor, count) >= kUsesAcross * uses)
        take(group, factor, factor.element(), /*isTurned=*/true);
      else
        continue;
      if (isAcross)
        i == 0 ? dot.setLhsContract({1}) : dot.setRhsContract({1});
    }
    if (halves)
      scale(dot);
  }

  static int64_t usesOf(const Factor &factor, int64_t count) {
    return count / std::max<int64_t>(1, factor.type().getNumElements());
  }

  /// Whether the chip has a matrix instruction for a format.
  static bool isNative(Type element, target::TargetAttr description) {
    return llvm::any_of(description.getMatrixInstructions(),
                        [&](target::MatrixInstructionAttr row) {
                          return llvm::is_contained(row.getLhs().getTypes(),
                                                    element);
                        });
  }

  /// Whether a copy of a matrix whose rows are across the sum has them along
  /// it.
  bool isTurned(prim::DotGeneralOp dot, const Factor &factor, unsigned side) {
    ArrayRef<int64_t> contract =
        side == 0 ? dot.getLhsContract() : dot.getRhsContract();
    return areFnuz && factor.type().getRank() == 2 && !factor.isMoved &&
           dot.getLhsBatch().empty() && contract == ArrayRef<int64_t>{0};
  }

  /// Lets a group read a copy of a factor.
  void take(prim::FusionOp group, Factor &factor, Type element, bool isTurned) {
    unsigned at = factor.input.getArgNumber();
    RankedTensorType wide = factor.type().clone(factor.wide());
    Value copy = copyOf(group, group.getInputs()[at], element, isTurned);
    group.getInputsMutable()[at].assign(copy);
    auto type = cast<RankedTensorType>(copy.getType());
    factor.input.setType(type);
    for (prim::TransposeOp move : factor.moves)
      move.getResult().setType(
          cast<RankedTensorType>(move.getType()).clone(element));
    if (element == wide.getElementType()) {
      factor.wider.getResult().replaceAllUsesWith(factor.wider.getOperand());
      factor.wider.erase();
    } else if (isTurned) {
      factor.wider.getResult().setType(type.clone(wide.getElementType()));
    }
  }

  /// The copy of an input as a group of its own, which products share, or as a
  /// constant.
  Value copyOf(prim::FusionOp group, Value source, Type element,
               bool isTurned) {
    Value &copy =
        copies[{{group->getBlock(), source}, {element, unsigned(isTurned)}}];
    if (copy)
      return copy;
    OpBuilder b(group);
    Location loc = group.getLoc();
    auto type = cast<RankedTensorType>(source.getType());
    RankedTensorType recoded = type.clone(element), result = recoded;
    if (isTurned)
      result = recoded.clone({type.getDimSize(1), type.getDimSize(0)});
    bool isHalf = recoded != type && isFloat8(element);
    if (isRecodable(source))
      return copy = prim::ConstantOp::create(
                 b, loc, result,
                 cast<ElementsAttr>(
                     recode(source, result, isHalf ? 0.5 : 1.0, isTurned)));
    auto made =
        prim::FusionOp::create(b, loc, TypeRange(result), ValueRange(source),
                               prim::GroupKind::elementwise, nullptr);
    Block *body = b.createBlock(&made.getBody(), {}, TypeRange(type), {loc});
    Value value = body->getArgument(0);
    if (isHalf) {
      RankedTensorType f32 = type.clone(b.getF32Type());
      value = prim::ConvertElementTypeOp::create(b, loc, f32, value);
      value = multiply(b, loc, value, 0.5);
    }
    if (recoded != type)
      value = prim::ConvertElementTypeOp::create(b, loc, recoded, value);
    if (isTurned)
      value = prim::TransposeOp::create(b, loc, result, value,
                                        ArrayRef<int64_t>{1, 0});
    prim::YieldOp::create(b, loc, value);
    return copy = made.getResult(0);
  }

  static Value multiply(OpBuilder &b, Location loc, Value value, double by) {
    Value number = prim::FullOp::create(b, loc, value.getType(), ValueRange(),
                                        b.getF32FloatAttr(float(by)));
    return prim::MulOp::create(b, loc, value.getType(), value, number);
  }

  /// Multiplies a product of halves by four, in f32.
  static void scale(prim::DotGeneralOp dot) {
    OpBuilder b(dot.getContext());
    b.setInsertionPointAfter(dot);
    Location loc = dot.getLoc();
    Value sum = dot.getResult();
    auto type = cast<RankedTensorType>(sum.getType());
    sum.setType(type.clone(b.getF32Type()));
    Value whole = multiply(b, loc, sum, 4.0);
    Operation *reader = whole.getDefiningOp();
    if (!type.getElementType().isF32())
      whole = prim::ConvertElementTypeOp::create(b, loc, type, whole);
    sum.replaceAllUsesExcept(whole, reader);
  }

  DenseMap<std::pair<std::pair<Block *, Value>, std::pair<Type, unsigned>>,
           Value>
      copies;
  bool areFnuz = false; ///< whether the chip's own 8-bit floats are FNUZ
};
} // namespace

std::unique_ptr<Pass> amd::createRecodeFactorsPass() {
  return std::make_unique<RecodeFactors>();
}
