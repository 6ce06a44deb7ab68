//===- AnchoredBox.cpp - Boxes as parts of one view of a launch -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Analysis/AnchoredBox.h"
#include "kiln/Dialect/Tile/PointerOps.h"
#include "kiln/Dialect/Tile/TileInterfaces.h"
#include "kiln/Index/ScalarBuilder.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::tile;
using kiln::index::Expr;

Value tile::extendedFrom(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    auto from = op->getNumOperands()
                    ? dyn_cast<IntegerType>(op->getOperand(0).getType())
                    : IntegerType();
    if (!isa<arith::IndexCastOp, arith::ExtSIOp>(op) || !from ||
        from.getWidth() > 64)
      return value;
    value = op->getOperand(0);
  }
  return value;
}

/// Whether products of an expression stay few, and a launch, which computes
/// words of few operations only, can compute it.
static bool isSmall(const Expr &expr) {
  size_t operations = 1;
  // The number, a sum, and for each symbol it, a cast and a product.
  for (const Expr::Term &term : expr.getTerms())
    operations += 2 + 3 * term.factors.size();
  return operations <= 60;
}

/// A number of fewer bits: a symbol, whose range its type bounds, or a sum or a
/// product, where it is one of whole numbers and sizes cancel parts of it.
Expr AnchoredBox::readNarrow(Value value) {
  value = extendedFrom(value);
  if (!opensNarrow || !unopened)
    return symbols.of(value);
  --unopened;
  Operation *op = value.getDefiningOp();
  auto flags = dyn_cast_or_null<arith::ArithIntegerOverflowFlagsInterface>(op);
  bool isWhole = flags && flags.hasNoSignedWrap();
  if (isWhole && isa<arith::AddIOp>(op))
    return readNarrow(op->getOperand(0)) + readNarrow(op->getOperand(1));
  if (isWhole && isa<arith::SubIOp>(op))
    return readNarrow(op->getOperand(0)) - readNarrow(op->getOperand(1));
  if (isWhole && isa<arith::MulIOp>(op)) {
    Expr product =
        readNarrow(op->getOperand(0)) * readNarrow(op->getOperand(1));
    if (isSmall(product))
      return product;
  }
  return symbols.of(value);
}

Expr AnchoredBox::read(OpFoldResult scalar) {
  if (index::Integer number = index::getNumber(scalar))
    return *number;
  index::Reader reader(index::Reader::Sizes, [this](Value value) {
    return std::optional(readNarrow(value));
  });
  return reader.read(cast<Value>(scalar)).value_or(Expr::unknown());
}

/// Whether a symbol is a parameter of the kernel.
bool AnchoredBox::isOfLaunch(unsigned symbol) const {
  auto argument = dyn_cast_or_null<BlockArgument>(symbols[symbol].value);
  return argument && argument.getOwner()->getParentOp() == kernel &&
         argument.getType().isSignlessInteger() &&
         !argument.getType().isInteger(1);
}

bool AnchoredBox::isOfLaunch(const Expr &expr) const {
  return expr.isKnown() && llvm::all_of(expr.getTerms(), [&](const Term &term) {
           return llvm::all_of(term.factors, [&](unsigned symbol) {
             return isOfLaunch(symbol);
           });
         });
}

static Expr toExpr(const Expr::Term &term) {
  Expr result(term.coefficient);
  for (unsigned symbol : term.factors)
    result = result * Expr::symbol(symbol);
  return result;
}

/// Follows a pointer to the parameter that it is moved from.
bool AnchoredBox::followPointer(Value pointer) {
  while (auto moved = pointer.getDefiningOp<PointerOffsetOpInterface>()) {
    Value by = moved.getOffsetInElements();
    if (moved.getBasePointers().getType() != pointer.getType())
      return false;
    if (by)
      offset = offset + read(by);
    pointer = moved.getBasePointers();
  }
  auto argument = dyn_cast<BlockArgument>(pointer);
  base = pointer;
  return argument && argument.getOwner() == &kernel.getBody().front() &&
         isa<PtrType>(argument.getType()) && offset.isKnown();
}

/// Makes a term of the offset a part of a coordinate: along a dimension of the
/// view whose stride divides it, or along one of its own.
bool AnchoredBox::placeTerm(const Term &term) {
  auto hasSizes = [&](const Expr &expr) {
    return llvm::any_of(expr.getTerms(), [&](const Term &part) {
      return llvm::any_of(part.factors,
                          [&](unsigned symbol) { return isOfLaunch(symbol); });
    });
  };
  Expr whole = toExpr(term);
  Dim *unit = nullptr;
  for (Dim &dim : MutableArrayRef(dims).drop_front(extra)) {
    if (dim.stride.is(1)) {
      unit = &dim;
      continue;
    }
    std::optional<Expr> steps =
        dim.stride.is(0) ? std::nullopt : whole.exactDiv(dim.stride);
    if (!steps || hasSizes(*steps) ||
        (keepsFar && steps->getTerms().size() == 1 &&
         steps->getTerms().front().coefficient != 1))
      continue;
    dim.at = dim.at + *steps;
    return true;
  }
  if (!hasSizes(whole)) {
    if (unit)
      unit->at = unit->at + whole;
    return unit;
  }
  Expr stride(term.coefficient), at(1);
  for (unsigned symbol : term.factors)
    (isOfLaunch(symbol) ? stride : at) =
        (isOfLaunch(symbol) ? stride : at) * Expr::symbol(symbol);
  for (Dim &dim : MutableArrayRef(dims).take_front(extra))
    if (dim.stride.same(stride)) {
      dim.at = dim.at + at;
      return true;
    }
  dims.insert(
      dims.begin() + extra++,
      Dim{stride, at.isStatic() ? at + Expr(1) : Expr(kEndless), at, 1});
  return true;
}

/// The size of a dimension behind what moves the pointer along it. `size` is
/// that of the view, and the box begins `within` it.
bool AnchoredBox::bound(Dim &dim, OpFoldResult size, const Expr &within) {
  if (getConstantIntValue(size)) {
    // The whole box is inside: no element is that the kernel would not read.
    dim.size = dim.at.isStatic() ? dim.at + Expr(dim.box) : Expr(kEndless);
    return true;
  }
  // From `min(left, tile)`, and not less than 0.
  Value left = cast<Value>(size);
  APInt number;
  if (auto most = left.getDefiningOp<arith::MaxSIOp>();
      most && matchPattern(most.getRhs(), m_ConstantInt(&number)) &&
      number.isZero())
    left = most.getLhs();
  if (auto least = left.getDefiningOp<arith::MinSIOp>()) {
    for (unsigned i : {0u, 1u})
      if (matchPattern(least->getOperand(i), m_ConstantInt(&number)) &&
          within.isStatic() &&
          number.getSExtValue() >= within.get() + dim.box) {
        left = least->getOperand(1 - i);
        break;
      }
  }
  dim.size = dim.at - within + read(left);
  return isOfLaunch(dim.size);
}

AffineExpr AnchoredBox::asCondition(const Expr &expr) {
  MLIRContext *context = kernel.getContext();
  AffineExpr sum = getAffineConstantExpr(expr.getNumber(), context);
  for (const Term &term : expr.getTerms()) {
    // Conditions are computed in 64 bits.
    if (term.factors.size() > 2)
      return {};
    AffineExpr product = getAffineConstantExpr(term.coefficient, context);
    for (unsigned symbol : term.factors) {
      auto argument = cast<BlockArgument>(symbols[symbol].value);
      product = product * getAffineSymbolExpr(argument.getArgNumber(), context);
    }
    sum = sum + product;
  }
  return sum;
}

/// Notes that an expression of the launch has to be at least `least`.
bool AnchoredBox::need(const Expr &expr, int64_t least) {
  if (expr.isStatic())
    return expr.get() >= least;
  AffineExpr condition = asCondition(expr - Expr(least));
  if (condition && !llvm::is_contained(conditions, condition))
    conditions.push_back(condition);
  return bool(condition);
}

/// The numbers that a coordinate may be.
index::Interval AnchoredBox::rangeOf(const Expr &at, index::Analysis &facts) {
  index::Interval range = facts.of(at, symbols).range;
  int symbol = index::asSymbol(at);
  Value value = symbol < 0 ? Value() : symbols[symbol].value;
  auto type = value ? dyn_cast<IntegerType>(value.getType()) : IntegerType();
  int64_t divisor = facts.of(at, symbols).divisor;
  if (type && type.getWidth() < 64)
    range =
        meet(range, index::Interval::between(llvm::minIntN(type.getWidth()),
                                             llvm::maxIntN(type.getWidth())));
  if (range.high && *range.high > 0 && divisor > 1)
    range.high = *range.high / divisor * divisor;
  return range;
}

/// Whether a size is not more than launches know, or a condition can say so.
bool AnchoredBox::isBelowEnd(const Expr &size, index::Analysis &facts) {
  index::Interval range = rangeOf(size, facts);
  return (range.high && *range.high <= kEndless) ||
         (isOfLaunch(size) && need(Expr(kEndless) - size, 0));
}

bool AnchoredBox::check(index::Analysis &facts) {
  auto element = cast<PtrType>(base.getType()).getElementType();
  int64_t bytes = element.isIntOrFloat()
                      ? llvm::divideCeil(element.getIntOrFloatBitWidth(), 8)
                      : 8;
  for (const Dim &dim : dims) {
    // Coordinates have 31 bits, and no element of an endless dimension is
    // outside. Of more than that launches do not know.
    index::Interval at = rangeOf(dim.at, facts);
    bool isInside = at.high && *at.high <= kEndless - dim.box;
    if (!isInside && (!at.high || *at.high >= kEndless ||
                      dim.size.is(kEndless) || !isBelowEnd(dim.size, facts)))
      return false;
    if (!at.isNonNegative() || !isSmall(dim.size) || !isSmall(dim.stride) ||
        !isOfLaunch(dim.stride) || !need(dim.stride, 1) || !need(dim.size, 1))
      return false;
    Expr rest = Expr((int64_t(1) << 40) / bytes - 1) - dim.stride;
    if (!need(rest, 0))
      return false;
  }
  return true;
}

bool AnchoredBox::find(Value view, ArrayRef<OpFoldResult> from,
                       ArrayRef<int64_t> sizes, bool countsBoxes) {
  // Numbers that are opened, and steps that get dimensions of their own, cancel
  // more or stay smaller.
  for (unsigned way = 0; way < 4; ++way) {
    keepsFar = way & 1;
    opensNarrow = way & 2;
    offset = 0;
    extra = 0;
    unopened = 64;
    dims.clear();
    conditions.clear();
    if (findOnce(view, from, sizes, countsBoxes))
      return true;
  }
  return false;
}

bool AnchoredBox::findOnce(Value view, ArrayRef<OpFoldResult> from,
                           ArrayRef<int64_t> sizes, bool countsBoxes) {
  auto made = view.getDefiningOp<MakeViewOp>();
  auto type = cast<ViewType>(view.getType());
  if (!made || type.isDense() || int64_t(from.size()) != type.getRank())
    return false;
  // The view, from where it begins.
  unsigned strides = 0, extents = 0;
  int64_t first = type.getRank() - int64_t(sizes.size());
  SmallVector<OpFoldResult> bounds;
  Builder b(kernel.getContext());
  for (int64_t d = 0; d < type.getRank(); ++d) {
    int64_t stride = type.getStaticStride(d), size = type.getShape()[d];
    int64_t box = d < first ? 1 : sizes[d - first];
    dims.push_back({ShapedType::isDynamic(stride)
                        ? read(made.getStrides()[strides++])
                        : Expr(stride),
                    0, read(from[d]) * Expr(countsBoxes ? box : 1), box});
    bounds.push_back(ShapedType::isDynamic(size)
                         ? OpFoldResult(made.getSizes()[extents++])
                         : OpFoldResult(b.getIndexAttr(size)));
    // A box that does not begin with its view may leave it.
    bool isStatic = !ShapedType::isDynamic(size);
    if (!isOfLaunch(dims.back().stride) || !dims.back().at.isKnown() ||
        (isStatic && (!dims.back().at.isStatic() || dims.back().at.get() < 0 ||
                      dims.back().at.get() + box > size)))
      return false;
  }
  SmallVector<Expr> within;
  for (Dim &dim : dims)
    within.push_back(dim.at);
  if (!followPointer(made.getBase()))
    return false;
  for (const Term &term : offset.getTerms())
    if (!placeTerm(term))
      return false;
  Term number;
  number.coefficient = offset.getNumber();
  if (number.coefficient && !placeTerm(number))
    return false;
  // In front of a view there is nothing to read, but there may be of its base.
  index::Analysis facts;
  for (auto [d, size] : llvm::enumerate(bounds))
    if (!rangeOf(within[d], facts).isNonNegative() ||
        !bound(dims[extra + d], size, within[d]))
      return false;
  return check(facts);
}

bool AnchoredBox::isOutside(Operation *op) const {
  auto reads = [&](const Expr &expr) {
    return llvm::any_of(expr.getTerms(), [&](const Term &term) {
      return llvm::any_of(term.factors, [&](unsigned symbol) {
        Value value = symbols[symbol].value;
        return op->isAncestor(value.getParentBlock()->getParentOp());
      });
    });
  };
  return llvm::none_of(dims, [&](const Dim &dim) {
    return reads(dim.stride) || reads(dim.size) || reads(dim.at);
  });
}

Value AnchoredBox::make(OpBuilder &b, Location loc,
                        SmallVectorImpl<Value> &at) {
  index::ScalarBuilder scalars(b, loc);
  auto build = [&](const Expr &expr) {
    OpFoldResult result = scalars.constant(expr.getNumber());
    for (const Term &term : expr.getTerms()) {
      SmallVector<OpFoldResult> factors = {scalars.constant(term.coefficient)};
      for (unsigned symbol : term.factors)
        factors.push_back(scalars.cast(symbols[symbol].value));
      result = scalars.add(result, scalars.product(factors));
    }
    return result;
  };
  SmallVector<int64_t> shape, strides;
  SmallVector<Value> sizeOperands, strideOperands;
  auto add = [&](const Expr &expr, SmallVector<int64_t> &list,
                 SmallVector<Value> &operands) {
    list.push_back(expr.asStatic());
    if (!expr.isStatic())
      operands.push_back(scalars.materialize(build(expr)));
  };
  for (const Dim &dim : dims) {
    add(dim.size, shape, sizeOperands);
    add(dim.stride, strides, strideOperands);
    at.push_back(scalars.materialize(build(dim.at)));
  }
  auto type =
      ViewType::get(b.getContext(), shape,
                    cast<PtrType>(base.getType()).getElementType(), strides);
  return MakeViewOp::create(b, loc, type, base, sizeOperands, strideOperands);
}
