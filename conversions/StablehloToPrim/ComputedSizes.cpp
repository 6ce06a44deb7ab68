// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sizes that a program computes: read from what computes them.
#include "ComputedSizes.h"
#include "kiln/Dialect/Prim/Shape.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace kiln::tensor_to_prim;

namespace kiln::stablehlo_to_prim {
namespace {

/// Follows elements of tensors to the sizes that they are computed from. Truth
/// values are 0 and 1, so that arithmetic is all that a choice needs.
class Tracer {
public:
  explicit Tracer(Translator &e) : e(e), math(e.sizeMath()) {}

  /// `depth` operations are followed, what is behind them is data. Each element
  /// is followed once, however many ways lead to it.
  OpFoldResult trace(Value list, int64_t number, int depth = 64) {
    OpFoldResult &known = traced[{list, number}];
    if (known)
      return known;
    OpFoldResult found = follow(list, number, depth);
    return traced[{list, number}] = found;
  }

private:
  OpFoldResult follow(Value list, int64_t number, int depth) {
    auto type = e.typeOf(list);
    Operation *op = list.getDefiningOp();
    if (auto known = e.constantOf(list)) {
      auto integers = known->tryGetValues<APInt>();
      if (succeeded(integers)) {
        const APInt &value = (*integers)[number];
        return e.size(value.getBitWidth() == 1 ? value.getZExtValue()
                                               : value.getSExtValue());
      }
    }
    if (op && depth > 0 && type.hasStaticShape())
      if (OpFoldResult found = through(op, number, depth - 1))
        return found;
    return read(list, number);
  }

  /// What an operation makes of numbers, or nothing.
  OpFoldResult absolute(OpFoldResult x) {
    return math.max(x, math.sub(e.size(0), x));
  }
  /// The nearest of 0 and 1.
  OpFoldResult unit(OpFoldResult x) {
    return math.max(e.size(0), math.min(e.size(1), x));
  }
  OpFoldResult differs(OpFoldResult a, OpFoldResult b) {
    return math.min(e.size(1), absolute(math.sub(a, b)));
  }
  /// What is chosen where a divisor is 0 is not the quotient.
  OpFoldResult divisor(OpFoldResult x) {
    return math.add(x, math.sub(e.size(1), differs(x, e.size(0))));
  }
  OpFoldResult choose(OpFoldResult c, OpFoldResult a, OpFoldResult b) {
    if (auto known = getConstantIntValue(c))
      return *known ? a : b;
    return math.add(b, math.mul(c, math.sub(a, b)));
  }

  /// Element `number` of what moves or converts elements.
  OpFoldResult through(Operation *op, int64_t number, int depth) {
    auto operand = [&](unsigned i) {
      return trace(op->getOperand(i), number, depth);
    };
    return llvm::TypeSwitch<Operation *, OpFoldResult>(op)
        .Case([&](prim::FromIndexOp from) -> OpFoldResult {
          return from.getValue();
        })
        .Case([&](prim::ReshapeOp reshape) -> OpFoldResult {
          return e.typeOf(reshape.getOperand()).hasStaticShape()
                     ? operand(0)
                     : OpFoldResult();
        })
        .Case([&](prim::ConvertElementTypeOp convert) -> OpFoldResult {
          // Sizes fit every type that a program computes them in.
          auto from = e.elementOf(convert.getOperand());
          bool isTruth = e.elementOf(convert.getResult()).isInteger(1);
          if (!isa<IntegerType>(from))
            return {};
          return isTruth && !from.isInteger(1) ? differs(operand(0), e.size(0))
                                               : operand(0);
        })
        .Case([&](prim::BroadcastInDimOp broadcast) -> OpFoldResult {
          auto from = e.typeOf(broadcast.getOperand());
          return from.hasStaticShape() && from.getNumElements() == 1
                     ? trace(broadcast.getOperand(), 0, depth)
                     : OpFoldResult();
        })
        .Case([&](prim::CatOp cat) -> OpFoldResult {
          if (cat.getDim() != 0)
            return {};
          for (Value part : cat.getOperands()) {
            if (!e.typeOf(part).hasStaticShape())
              return {};
            int64_t size = e.typeOf(part).getNumElements();
            if (number < size)
              return trace(part, number, depth);
            number -= size;
          }
          return {};
        })
        .Case([&](prim::SliceOp slice) -> OpFoldResult {
          if (slice.getType().getRank() != 1)
            return {};
          return trace(slice.getOperand(),
                       slice.getStarts()[0] + number * slice.getStrides()[0],
                       depth);
        })
        .Default(
            [&](Operation *) { return throughArithmetic(op, number, depth); });
  }

  OpFoldResult throughArithmetic(Operation *op, int64_t number, int depth) {
    auto operand = [&](unsigned i) {
      return trace(op->getOperand(i), number, depth);
    };
    OpFoldResult one = e.size(1), zero = e.size(0);
    return llvm::TypeSwitch<Operation *, OpFoldResult>(op)
        .Case([&](prim::AddOp) { return math.add(operand(0), operand(1)); })
        .Case([&](prim::SubOp) { return math.sub(operand(0), operand(1)); })
        .Case([&](prim::MulOp) { return math.mul(operand(0), operand(1)); })
        .Case([&](prim::NegOp) { return math.sub(zero, operand(0)); })
        .Case([&](prim::AbsOp) { return absolute(operand(0)); })
        .Case([&](prim::SignOp) {
          return math.max(e.size(-1), math.min(one, operand(0)));
        })
        .Case([&](prim::MaximumOp max) -> OpFoldResult {
          return max.getIsUnsigned() ? OpFoldResult()
                                     : math.max(operand(0), operand(1));
        })
        .Case([&](prim::MinimumOp min) -> OpFoldResult {
          return min.getIsUnsigned() ? OpFoldResult()
                                     : math.min(operand(0), operand(1));
        })
        .Case([&](prim::DivOp div) -> OpFoldResult {
          if (div.getIsUnsigned())
            return {};
          OpFoldResult a = operand(0), b = divisor(operand(1));
          return math.floorDiv(math.sub(a, math.truncRem(a, b)), b);
        })
        .Case([&](prim::FmodOp fmod) -> OpFoldResult {
          return fmod.getIsUnsigned()
                     ? OpFoldResult()
                     : math.truncRem(operand(0), divisor(operand(1)));
        })
        .Case([&](prim::WhereOp) {
          return choose(operand(0), operand(1), operand(2));
        })
        .Default([&](Operation *) { return throughLogic(op, number, depth); });
  }

  /// Comparisons, and truth values as 0 and 1.
  OpFoldResult throughLogic(Operation *op, int64_t number, int depth) {
    auto operand = [&](unsigned i) {
      return trace(op->getOperand(i), number, depth);
    };
    OpFoldResult one = e.size(1);
    bool isBool =
        op->getNumOperands() > 0 &&
        getElementTypeOrSelf(op->getOperand(0).getType()).isInteger(1);
    return llvm::TypeSwitch<Operation *, OpFoldResult>(op)
        .Case([&](prim::EqOp) {
          return math.sub(one, differs(operand(0), operand(1)));
        })
        .Case([&](prim::NeOp) { return differs(operand(0), operand(1)); })
        .Case(
            [&](prim::LtOp) { return unit(math.sub(operand(1), operand(0))); })
        .Case(
            [&](prim::GtOp) { return unit(math.sub(operand(0), operand(1))); })
        .Case([&](prim::LeOp) {
          return math.sub(one, unit(math.sub(operand(0), operand(1))));
        })
        .Case([&](prim::GeOp) {
          return math.sub(one, unit(math.sub(operand(1), operand(0))));
        })
        .Case([&](prim::BitwiseAndOp) -> OpFoldResult {
          return isBool ? math.min(operand(0), operand(1)) : OpFoldResult();
        })
        .Case([&](prim::BitwiseOrOp) -> OpFoldResult {
          return isBool ? math.max(operand(0), operand(1)) : OpFoldResult();
        })
        .Case([&](prim::BitwiseXorOp) -> OpFoldResult {
          return isBool ? differs(operand(0), operand(1)) : OpFoldResult();
        })
        .Case([&](prim::BitwiseNotOp) -> OpFoldResult {
          return isBool ? math.sub(one, operand(0)) : OpFoldResult();
        })
        .Default([](Operation *) { return OpFoldResult(); });
  }

  /// The host waits for the number.
  OpFoldResult read(Value list, int64_t number) {
    RankedTensorType type = e.typeOf(list);
    Value flat = list;
    if (type.getRank() != 1)
      flat = e.reshape(list, ArrayRef<int64_t>{type.getNumElements()});
    Value one =
        e.reshape(e.sliceDim(flat, 0, number, number + 1), ArrayRef<int64_t>());
    return prim::ToIndexOp::create(e.b, e.convert(one, e.b.getI64Type()))
        .getResult();
  }

  Translator &e;
  kiln::index::ScalarBuilder &math;
  llvm::DenseMap<std::pair<Value, int64_t>, OpFoldResult> traced;
};

} // namespace

OpFoldResult sizeAt(Value list, int64_t number, Translator &e) {
  return Tracer(e).trace(list, number);
}

FailureOr<Sizes> sizesIn(Operation *op, Value source, StringRef what,
                         int64_t count, Translator &e) {
  Value list = e.get(source);
  if (!list)
    return failure();
  RankedTensorType type = e.typeOf(list);
  if (!type.hasStaticShape() || type.getRank() > 2 ||
      !isa<IntegerType>(type.getElementType()))
    return e.unsupported(op, "has " + Twine(what) + " that is no list");
  if (failed(checkCount(op, what, type.getNumElements(), count, e)))
    return failure();
  Sizes sizes;
  Tracer tracer(e);
  for (int64_t i = 0; i < count; ++i)
    sizes.push_back(tracer.trace(list, i));
  return sizes;
}

Value numberOf(OpFoldResult size, Translator &e) {
  auto type = RankedTensorType::get({}, e.b.getI64Type());
  if (auto known = getConstantIntValue(size))
    return e.full(integerAttr(type.getElementType(), *known), {});
  return prim::FromIndexOp::create(e.b, type, cast<Value>(size));
}

Sizes withKnown(ArrayRef<OpFoldResult> sizes, RankedTensorType type,
                Translator &e) {
  Sizes result(sizes);
  for (auto [size, known] : llvm::zip_equal(result, type.getShape()))
    if (!ShapedType::isDynamic(known))
      size = e.size(known);
  return result;
}

/// Multiples of sizes, and a number. Sizes of what a program computes are sums
/// of those of its operands.
struct Sum {
  /// `left`: how many steps this sum may take, with all that are made for it.
  Sum(Translator &e, int depth, int &left) : e(e), depth(depth), left(left) {}

  SmallVector<std::pair<Value, int64_t>> terms;
  int64_t number = 0;

  void add(OpFoldResult x, int64_t factor) {
    if (auto known = getConstantIntValue(x)) {
      number += factor * *known;
      return;
    }
    Value value = cast<Value>(x);
    if (left <= 0)
      return;
    --left;
    Operation *op = value.getDefiningOp();
    if (isa_and_nonnull<arith::AddIOp, arith::SubIOp>(op)) {
      add(op->getOperand(0), factor);
      add(op->getOperand(1), isa<arith::SubIOp>(op) ? -factor : factor);
      return;
    }
    if (isa_and_nonnull<arith::MulIOp>(op))
      for (unsigned i : {0u, 1u})
        if (auto by = getConstantIntValue(op->getOperand(i)))
          return add(op->getOperand(1 - i), factor * *by);
    if (OpFoldResult size = throughDim(op))
      return add(size, factor);
    if (OpFoldResult size = throughExtremum(op))
      return add(size, factor);
    for (auto &[other, times] : terms)
      if (isSame(value, other)) {
        times += factor;
        return;
      }
    terms.push_back({value, factor});
  }

private:
  /// The size of a result in terms of operands.
  OpFoldResult throughDim(Operation *op) {
    auto dim = dyn_cast_if_present<tensor::DimOp>(op);
    auto result = dim ? dyn_cast<OpResult>(dim.getSource()) : OpResult();
    if (!result || !dim.getConstantIndex())
      return {};
    Sizes sizes = prim::reifyResultShape(e.b, result.getOwner(),
                                         result.getResultNumber());
    OpFoldResult size =
        sizes.empty() ? OpFoldResult() : sizes[*dim.getConstantIndex()];
    return size == OpFoldResult(dim.getResult()) ? OpFoldResult() : size;
  }

  /// The operand that is always the larger one, or the smaller one.
  OpFoldResult throughExtremum(Operation *op) {
    if (depth <= 0 || !isa_and_nonnull<arith::MaxSIOp, arith::MinSIOp>(op))
      return {};
    for (unsigned i : {0u, 1u}) {
      Sum sum(e, depth - 1, left);
      sum.add(op->getOperand(i), 1);
      sum.add(op->getOperand(1 - i), -1);
      if (left > 0 && sum.isNeverNegative())
        return op->getOperand(isa<arith::MaxSIOp>(op) ? i : 1 - i);
    }
    return {};
  }
  bool isNeverNegative() const {
    return number >= 0 && llvm::all_of(terms, [](auto &term) {
             return term.second == 0 ||
                    (term.second > 0 && isa_and_nonnull<tensor::DimOp>(
                                            term.first.getDefiningOp()));
           });
  }

  /// Whether values are of one dimension, or computed alike from equal ones.
  bool isSame(Value a, Value b) {
    Operation *x = a.getDefiningOp(), *y = b.getDefiningOp();
    if (a == b)
      return true;
    if (--left <= 0 || depth <= 0 || !x || !y || x->getName() != y->getName() ||
        x->getNumOperands() != y->getNumOperands() || x->getNumRegions())
      return false;
    if (auto dim = dyn_cast<tensor::DimOp>(x))
      return dim.getSource() == y->getOperand(0) &&
             dim.getConstantIndex() ==
                 cast<tensor::DimOp>(y).getConstantIndex();
    return isa<arith::ArithDialect>(x->getDialect()) && a.getType().isIndex() &&
           x->getAttrDictionary() == y->getAttrDictionary() &&
           llvm::all_of_zip(
               x->getOperands(), y->getOperands(), [&](Value one, Value other) {
                 return one.getType().isIndex() &&
                        difference(one, other, e, depth - 1, left) == 0;
               });
  }

public:
  /// None, too, if it takes more than `left` steps to find.
  static std::optional<int64_t> difference(OpFoldResult a, OpFoldResult b,
                                           Translator &e, int depth,
                                           int &left) {
    Sum sum(e, depth, left);
    sum.add(a, 1);
    sum.add(b, -1);
    if (left <= 0)
      return std::nullopt;
    for (auto [value, times] : sum.terms)
      if (times != 0)
        return std::nullopt;
    return sum.number;
  }

private:
  Translator &e;
  int depth; ///< of operations that are compared with their operands
  int &left;
};

std::optional<int64_t> differenceOf(OpFoldResult a, OpFoldResult b,
                                    Translator &e) {
  // Sums of the same sums have any number of terms; these many are enough.
  int left = 1024;
  Block *block = e.b.getInsertionBlock();
  auto before = e.b.getInsertionPoint();
  Operation *last = before == block->begin() ? nullptr : &*std::prev(before);
  std::optional<int64_t> found = Sum::difference(a, b, e, /*depth=*/4, left);
  // No operation that states a size in terms of operands is needed any more.
  while (before != block->begin()) {
    Operation *made = &*std::prev(before);
    if (made == last || !isOpTriviallyDead(made))
      break;
    made->erase();
  }
  return found;
}

bool isSameSize(OpFoldResult a, OpFoldResult b, Translator &e) {
  return differenceOf(a, b, e) == 0;
}

/// Positions of a dimension, and what is read from them.
static Value take(Value x, Value positions, int64_t dim, Translator &e) {
  SmallVector<int64_t> shape(e.typeOf(x).getShape());
  shape[dim] = e.typeOf(positions).getDimSize(0);
  return prim::GatherOp::create(e.b, e.typeOf(x).clone(shape), x, positions,
                                dim, 0);
}

static Value positions(OpFoldResult count, Translator &e) {
  Sizes sizes{count};
  return prim::IotaOp::create(e.b, e.typeFor(sizes, e.b.getI64Type()),
                              e.dynamicSizes(sizes), 0);
}

static Value alike(OpFoldResult number, Value like, Translator &e) {
  return e.broadcastInDim(numberOf(number, e), {}, e.sizesOf(like));
}

Value every(Value x, int64_t dim, OpFoldResult first, OpFoldResult step,
            OpFoldResult count, Translator &e) {
  Value at = positions(count, e);
  at = e.add(e.mul(at, alike(step, at, e)), alike(first, at, e));
  return take(x, e.keepInside(at, e.sizesOf(x)[dim]), dim, e);
}

/// One element more, behind all others, is what is read where there is none.
Value padComputed(Value x, Value value, ArrayRef<OpFoldResult> low,
                  ArrayRef<OpFoldResult> high, ArrayRef<OpFoldResult> interior,
                  Translator &e) {
  auto isZero = [](OpFoldResult number) {
    return getConstantIntValue(number) == 0;
  };
  OpFoldResult zero = e.size(0), one = e.size(1);
  for (auto [dim, before, behind, between] :
       llvm::enumerate(low, high, interior)) {
    if (isZero(before) && isZero(behind) && isZero(between))
      continue;
    Sizes sizes = e.sizesOf(x);
    OpFoldResult size = sizes[dim];
    auto &math = e.sizeMath();
    OpFoldResult step = math.add(between, one);
    OpFoldResult reach =
        math.add(size, math.mul(math.max(math.sub(size, one), zero), between));
    OpFoldResult count =
        math.max(math.add(math.add(reach, before), behind), zero);
    Value at = positions(count, e);
    at = e.sub(at, alike(before, at, e));
    Value by = alike(step, at, e), none = e.integer(0, at);
    Value inside = e.binary<prim::BitwiseAndOp>(
        e.compare<prim::GeOp>(at, none),
        e.compare<prim::LtOp>(at, alike(reach, at, e)));
    if (!isZero(between)) {
      Value rest = e.binary<prim::FmodOp>(at, by);
      inside = e.binary<prim::BitwiseAndOp>(inside,
                                            e.compare<prim::EqOp>(rest, none));
      at = e.binary<prim::DivOp>(at, by);
    }
    sizes[dim] = one;
    Value all = e.concat({x, e.broadcastInDim(value, {}, sizes)}, dim);
    x = take(all, e.where(inside, at, alike(size, at, e)), dim, e);
  }
  return x;
}

} // namespace kiln::stablehlo_to_prim
