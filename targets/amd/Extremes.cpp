//===- Extremes.cpp - Maxima and minima -----------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// v_max and v_min order zeros by their sign, and give the number beside a NaN.
// Where NaN is asked for instead and no instruction gives it, all numbers of a
// chain are compared with themselves, two at a time, and the result is chosen
// once; of many, their squares are added up. Upstream's expansion has three
// instructions for each and takes zeros for equal.
//
// One instruction takes the extreme of three numbers of f32 or f16. LLVM uses
// it where an extreme is an operand of one other, so that trees of pairs, as
// generic code has them, leave half of the pairs. They become trees of threes.
//
//===----------------------------------------------------------------------===//

#include "Extremes.h"
#include "kiln/Math/HalfFloats.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::amd;

static bool isExtreme(Operation *op) {
  return isa<arith::MaximumFOp, arith::MaxNumFOp, arith::MinimumFOp,
             arith::MinNumFOp>(op);
}

static bool isLarger(Operation *op) {
  return isa<arith::MaximumFOp, arith::MaxNumFOp>(op);
}

/// Whether the result is NaN where an operand is.
static bool givesNaN(Operation *op) {
  auto flags = cast<arith::ArithFastMathInterface>(op).getFastMathFlagsAttr();
  return isa<arith::MaximumFOp, arith::MinimumFOp>(op) &&
         !arith::bitEnumContainsAny(flags.getValue(),
                                    arith::FastMathFlags::nnan);
}

/// Whether an operation is a part of another one that nothing else uses, and
/// both may be taken in any order.
static bool isPartOf(Operation *op, Operation *whole) {
  return op && op->hasOneUse() && op->getBlock() == whole->getBlock() &&
         op->getName() == whole->getName() &&
         op->getAttrDictionary() == whole->getAttrDictionary();
}

/// The numbers of which a tree of single extremes is the extreme.
static void addNumbers(Operation *op, SmallVectorImpl<Value> &numbers) {
  for (Value operand : op->getOperands()) {
    Operation *part = operand.getDefiningOp();
    if (isPartOf(part, op))
      addNumbers(part, numbers);
    else
      numbers.push_back(operand);
  }
}

/// Computes the extreme of many numbers from those of threes.
static void takeThrees(Operation *whole) {
  SmallVector<Value> numbers;
  addNumbers(whole, numbers);
  if (numbers.size() < 4)
    return;
  OpBuilder b(whole);
  auto take = [&](Value one, Value other) {
    Operation *made = b.clone(*whole);
    made->setOperands({one, other});
    return made->getResult(0);
  };
  // What three do not divide waits for the next round.
  while (numbers.size() > 3) {
    SmallVector<Value> next;
    ArrayRef<Value> rest = numbers;
    for (; rest.size() > 2; rest = rest.drop_front(3))
      next.push_back(take(take(rest[0], rest[1]), rest[2]));
    next.append(rest.begin(), rest.end());
    numbers = std::move(next);
  }
  if (numbers.size() == 3)
    numbers = {take(numbers[0], numbers[1]), numbers[2]};
  whole->setOperands(numbers);
}

/// The extreme of which an operation is a part that nothing else uses.
static Operation *wholeOf(Operation *op) {
  if (!op->hasOneUse())
    return nullptr;
  Operation *user = *op->getUsers().begin();
  return user->getName() == op->getName() && givesNaN(user) &&
                 user->getBlock() == op->getBlock()
             ? user
             : nullptr;
}

namespace {
class Extremes {
public:
  explicit Extremes(const Chip *chip, MLIRContext *context)
      : chip(chip), b(context) {}

  void lower(Operation *op) {
    b.setInsertionPoint(op);
    Type type = getElementTypeOrSelf(op->getResult(0).getType());
    bool hasInstruction =
        chip && chip->hasMaximum() && (type.isF32() || type.isBF16());
    bool isIeee = isa<arith::MaximumFOp, arith::MinimumFOp>(op);
    Value result;
    if (isIeee && hasInstruction)
      result = call(op, isLarger(op) ? "llvm.maximum" : "llvm.minimum",
                    /*isChosen=*/false);
    else
      result = call(op, isLarger(op) ? "llvm.maximumnum" : "llvm.minimumnum",
                    givesNaN(op));
    if (givesNaN(op) && !hasInstruction)
      result = withNaN(op, result);
    op->getResult(0).replaceAllUsesWith(result);
    op->erase();
  }

private:
  /// `isChosen`: where an operand is NaN the result is not used.
  Value call(Operation *op, StringRef intrinsic, bool isChosen) {
    Location loc = op->getLoc();
    Type type = op->getResult(0).getType(), wide = type;
    if (getElementTypeOrSelf(type).isBF16())
      wide = isa<VectorType>(type)
                 ? Type(cast<VectorType>(type).clone(b.getF32Type()))
                 : b.getF32Type();
    SmallVector<Value> operands(op->getOperands());
    for (Value &operand : operands)
      operand = castFloat(b, loc, operand, wide);
    auto made = LLVM::CallIntrinsicOp::create(
        b, loc, wide, b.getStringAttr(intrinsic), operands);
    if (isChosen)
      made.setFastmathFlags(LLVM::FastmathFlags::nnan);
    return castFloat(b, loc, made.getResult(0), type);
  }

  /// The numbers of a chain wait for its last operation.
  Value withNaN(Operation *op, Value result) {
    SmallVector<Value> numbers;
    for (Value operand : op->getOperands()) {
      auto inner = parts.find(operand);
      if (inner == parts.end()) {
        numbers.push_back(operand);
        continue;
      }
      llvm::append_range(numbers, inner->second);
      parts.erase(inner);
    }
    if (wholeOf(op)) {
      parts[result] = std::move(numbers);
      return result;
    }
    Value isNaN = areSquaresNaN(numbers, op->getLoc());
    if (!isNaN)
      isNaN = isOneNaN(numbers, op->getLoc());
    Location loc = op->getLoc();
    Type type = result.getType();
    auto element = cast<FloatType>(getElementTypeOrSelf(type));
    TypedAttr nan = b.getFloatAttr(
        element, llvm::APFloat::getQNaN(element.getFloatSemantics()));
    if (auto vector = dyn_cast<VectorType>(type))
      nan = DenseElementsAttr::get(vector, Attribute(nan));
    Value quiet = arith::ConstantOp::create(b, loc, nan);
    return arith::SelectOp::create(b, loc, isNaN, quiet, result);
  }

  /// Compares the numbers, two at a time.
  Value isOneNaN(SmallVector<Value> numbers, Location loc) {
    if (numbers.size() % 2)
      numbers.push_back(numbers.back());
    Value isNaN;
    for (size_t i = 0; i < numbers.size(); i += 2) {
      Value one = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UNO,
                                        numbers[i], numbers[i + 1]);
      isNaN =
          isNaN ? arith::OrIOp::create(b, loc, isNaN, one).getResult() : one;
    }
    return isNaN;
  }

  /// Compares the sum of the squares, which is NaN if a number is: infinity
  /// meets no other sign and no zero there. CDNA squares and adds two numbers
  /// by one instruction where they lie side by side (PackFloats), as results of
  /// matrix instructions do. Null where it pays off for too few numbers.
  Value areSquaresNaN(SmallVector<Value> numbers, Location loc) {
    constexpr size_t kFewest = 8;
    if (!chip || !chip->isCdna() || numbers.size() < kFewest ||
        numbers.size() % 2 || !numbers.front().getType().isF32())
      return {};
    for (Value number : numbers) {
      Operation *op = number.getDefiningOp();
      if (!op || op->getBlock() != b.getInsertionBlock())
        return {};
    }
    llvm::sort(numbers, [](Value one, Value other) {
      return one.getDefiningOp()->isBeforeInBlock(other.getDefiningOp());
    });
    Value sums[2];
    for (auto [i, number] : llvm::enumerate(numbers)) {
      Value &sum = sums[i % 2];
      sum = sum ? math::FmaOp::create(b, loc, number, number, sum).getResult()
                : arith::MulFOp::create(b, loc, number, number).getResult();
    }
    return arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UNO, sums[0],
                                 sums[1]);
  }

  const Chip *chip;
  OpBuilder b;
  /// What the results of the inner operations of chains are extremes of.
  llvm::DenseMap<Value, SmallVector<Value>> parts;
};
} // namespace

void amd::lowerExtremes(ModuleOp module, const Chip *chip) {
  SmallVector<Operation *> all;
  auto collect = [&] {
    all.clear();
    module.walk([&](Operation *op) {
      if (isExtreme(op))
        all.push_back(op);
    });
  };
  collect();
  for (Operation *op : all) {
    Type type = op->getResult(0).getType();
    bool isWhole = !op->hasOneUse() || !isPartOf(op, *op->getUsers().begin());
    if (isWhole && (type.isF32() || type.isF16()))
      takeThrees(op);
  }
  // The trees that were replaced.
  for (Operation *op : llvm::reverse(all))
    if (op->use_empty())
      op->erase();
  collect();
  Extremes extremes(chip, module.getContext());
  for (Operation *op : all)
    extremes.lower(op);
}
