// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Normal forms of sizes.
#include "SizeForms.h"

#include "kiln/Dialect/Prim/Prim.h"
#include "kiln/Dialect/Prim/Shape.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/CheckedArithmetic.h"

using namespace mlir;

namespace kiln::tensor_to_prim {

/// How many formulas inside of each other are followed, and how many products
/// and factors a form has at most. What is beyond is an atom.
constexpr int kMostDepth = 200;
constexpr size_t kMostProducts = 16, kMostFactors = 8;
/// Stands for the dimension of a value that is a size itself.
constexpr int64_t kOwn = -1;

SizeForms::Form SizeForms::number(int64_t value) {
  Form form;
  if (value != 0)
    form[{}] = value;
  return form;
}

std::optional<int64_t> SizeForms::numberOf(const Form &form) {
  if (form.empty())
    return 0;
  if (form.size() == 1 && form.begin()->first.empty())
    return form.begin()->second;
  return std::nullopt;
}

std::string SizeForms::keyOf(const Form &form) {
  std::string key;
  for (const auto &[factors, times] : form) {
    key += "+" + std::to_string(times);
    for (unsigned factor : factors)
      key += "*" + std::to_string(factor);
  }
  return key;
}

SizeForms::Form SizeForms::atom(const std::string &key) {
  unsigned next = atoms.size();
  return {{{atoms.try_emplace(key, next).first->second}, 1}};
}

std::string SizeForms::keyOf(Value value) {
  // A value of a formula that is erased equals no other.
  if (formulas.contains(value.getParentBlock()))
    return "erased" + std::to_string(erased++);
  unsigned next = numbers.size();
  return "value" +
         std::to_string(numbers.try_emplace(value, next).first->second);
}

std::optional<SizeForms::Form> SizeForms::sum(const Form &a, const Form &b,
                                              int64_t factor) {
  Form result = a;
  for (const auto &[factors, times] : b) {
    auto more = llvm::checkedMul(times, factor);
    auto all = more ? llvm::checkedAdd(result[factors], *more) : std::nullopt;
    if (!all)
      return std::nullopt;
    result[factors] = *all;
    if (*all == 0)
      result.erase(factors);
  }
  return result.size() > kMostProducts ? std::nullopt : std::optional(result);
}

std::optional<SizeForms::Form> SizeForms::product(const Form &a,
                                                  const Form &b) {
  std::optional<Form> result = Form();
  for (const auto &[aFactors, aTimes] : a)
    for (const auto &[bFactors, bTimes] : b) {
      SmallVector<unsigned> factors(aFactors);
      llvm::append_range(factors, bFactors);
      llvm::sort(factors);
      auto times = llvm::checkedMul(aTimes, bTimes);
      if (!times || factors.size() > kMostFactors)
        return std::nullopt;
      result = sum(*result, {{factors, *times}}, 1);
      if (!result)
        return std::nullopt;
    }
  return result;
}

/// A product without the factors of another, if it has them all.
static std::optional<SmallVector<unsigned>> without(ArrayRef<unsigned> factors,
                                                    ArrayRef<unsigned> gone) {
  SmallVector<unsigned> rest(factors);
  for (unsigned factor : gone) {
    auto it = llvm::find(rest, factor);
    if (it == rest.end())
      return std::nullopt;
    rest.erase(it);
  }
  return rest;
}

/// The quotient rounded down. What the divisor divides comes out of it.
SizeForms::Form SizeForms::quotient(const Form &a, const Form &b) {
  if (b.size() != 1 || b.begin()->second < 1)
    return atom("quotient(" + keyOf(a) + "," + keyOf(b) + ")");
  const auto &[gone, by] = *b.begin();
  Form result, rest;
  for (const auto &[factors, times] : a) {
    auto left = without(factors, gone);
    int64_t whole = times / by, remainder = times % by;
    if (remainder < 0) {
      remainder += by;
      --whole;
    }
    // Of a number the rest is positive, so that 2 n + 3 and 2 (n + 1) + 1 have
    // one form.
    bool isSplit = left && (remainder == 0 || factors.empty());
    if (isSplit && whole != 0)
      result[*left] = whole;
    if (!isSplit)
      rest[factors] = times;
    else if (remainder != 0)
      rest[factors] = remainder;
  }
  if (auto left = numberOf(rest); left && *left >= 0 && *left < by)
    return result;
  return sum(result, atom("quotient(" + keyOf(rest) + "," + keyOf(b) + ")"), 1)
      .value_or(atom("quotient(" + keyOf(a) + "," + keyOf(b) + ")"));
}

SizeForms::Form SizeForms::formOf(OpFoldResult size, int depth) {
  if (auto known = getConstantIntValue(size))
    return number(*known);
  auto value = cast<Value>(size);
  Operation *op = value.getDefiningOp();
  if (!op || depth > kMostDepth)
    return atom(value);
  if (auto dim = dyn_cast<tensor::DimOp>(op)) {
    auto type = dyn_cast<RankedTensorType>(dim.getSource().getType());
    auto index = dim.getConstantIndex();
    return type && index && *index >= 0 && *index < type.getRank()
               ? formOf(dim.getSource(), *index, depth)
               : atom(value);
  }
  if (auto read = dyn_cast<prim::ToIndexOp>(op)) {
    auto from = read.getOperand().getDefiningOp<prim::FromIndexOp>();
    return from ? formOf(OpFoldResult(from.getValue()), depth + 1)
                : atom("read(" + keyOf(read.getOperand()) + ")");
  }
  if (!isa<arith::ArithDialect>(op->getDialect()))
    return atom(value);
  // Each operation is looked at once, however many formulas read it.
  if (auto it = dimensions.find({value, kOwn}); it != dimensions.end())
    return it->second;
  Form form = formOf(op, value, depth);
  return dimensions[{value, kOwn}] = form;
}

/// The form of arithmetic on sizes. Operations that have none are atoms with
/// the forms of their operands, so that the same formula is the same size.
SizeForms::Form SizeForms::formOf(Operation *op, Value value, int depth) {
  if (auto choice = dyn_cast<arith::SelectOp>(op)) {
    Form yes = formOf(OpFoldResult(choice.getTrueValue()), depth + 1),
         no = formOf(OpFoldResult(choice.getFalseValue()), depth + 1);
    return yes == no ? yes
                     : atom("choice(" +
                            keyOfCondition(choice.getCondition(), depth + 1) +
                            "," + keyOf(yes) + "," + keyOf(no) + ")");
  }
  if (op->getNumOperands() != 2 || op->getNumResults() != 1)
    return atom(value);
  Form a = formOf(OpFoldResult(op->getOperand(0)), depth + 1),
       b = formOf(OpFoldResult(op->getOperand(1)), depth + 1);
  std::string otherwise =
      (op->getName().getStringRef() + "(" + keyOf(a) + "," + keyOf(b) + ")")
          .str();
  if (isa<arith::AddIOp>(op))
    return sum(a, b, 1).value_or(atom(otherwise));
  if (isa<arith::SubIOp>(op))
    return sum(a, b, -1).value_or(atom(otherwise));
  if (isa<arith::MulIOp>(op))
    return product(a, b).value_or(atom(otherwise));
  if (isa<arith::FloorDivSIOp>(op))
    return quotient(a, b);
  if (isa<arith::CeilDivSIOp>(op))
    if (auto by = numberOf(b); by && *by > 0)
      if (auto more = sum(a, number(*by - 1), 1))
        return quotient(*more, b);
  if (isa<arith::MaxSIOp, arith::MinSIOp>(op) && a == b)
    return a;
  return isa<arith::MaxSIOp, arith::MinSIOp, arith::CeilDivSIOp, arith::DivSIOp,
             arith::DivUIOp, arith::RemSIOp, arith::RemUIOp>(op)
             ? atom(otherwise)
             : atom(value);
}

std::string SizeForms::keyOfCondition(Value value, int depth) {
  auto compare = value.getDefiningOp<arith::CmpIOp>();
  if (!compare || !compare.getLhs().getType().isIndex() || depth > kMostDepth)
    return keyOf(value);
  return arith::stringifyCmpIPredicate(compare.getPredicate()).str() + "(" +
         keyOf(formOf(OpFoldResult(compare.getLhs()), depth + 1)) + "," +
         keyOf(formOf(OpFoldResult(compare.getRhs()), depth + 1)) + ")";
}

void SizeForms::setName(Value tensor, int64_t dim, StringRef name) {
  names[{tensor, dim}] = name.str();
}

SizeForms::Form SizeForms::formOf(Value tensor, int64_t dim, int depth) {
  SmallVector<Dimension> passed;
  auto found = [&](const Form &form) {
    for (const Dimension &each : passed)
      dimensions[each] = form;
    return form;
  };
  // Operations that hand a size on are followed one by one, formulas by
  // recursion.
  while (true) {
    auto type = cast<RankedTensorType>(tensor.getType());
    if (!type.isDynamicDim(dim))
      return found(number(type.getDimSize(dim)));
    if (auto it = dimensions.find({tensor, dim}); it != dimensions.end())
      return found(Form(it->second));
    passed.push_back({tensor, dim});
    if (auto name = names.find({tensor, dim}); name != names.end())
      return found(atom("name(" + name->second + ")"));
    if (auto argument = dyn_cast<BlockArgument>(tensor)) {
      // What a loop carries keeps its sizes.
      Operation *parent = argument.getOwner()->getParentOp();
      auto loop = dyn_cast_or_null<prim::WhileOp>(parent);
      if (loop && argument.getArgNumber() < loop.getInits().size()) {
        tensor = loop.getInits()[argument.getArgNumber()];
        continue;
      }
    }
    std::string own = "dim(" + keyOf(tensor) + "," + std::to_string(dim) + ")";
    Operation *op = tensor.getDefiningOp();
    if (!op || !isa_and_nonnull<prim::PrimDialect>(op->getDialect()) ||
        depth > kMostDepth)
      return found(atom(own));
    // The formula is written where nothing reads it, and erased.
    Block scratch;
    formulas.insert(&scratch);
    llvm::scope_exit isDone([&] {
      for (Operation &each : scratch)
        for (Value result : each.getResults())
          dimensions.erase({result, kOwn});
      formulas.erase(&scratch);
    });
    OpBuilder b(op->getContext());
    b.setInsertionPointToEnd(&scratch);
    SmallVector<OpFoldResult> sizes = prim::reifyResultShape(
        b, op, cast<OpResult>(tensor).getResultNumber(),
        [&](Value operand) { return prim::dimSizes(b, op->getLoc(), operand); },
        [](Value index) { return index; });
    if (dim >= int64_t(sizes.size()))
      return found(atom(own));
    auto value = dyn_cast<Value>(sizes[dim]);
    auto next = value ? value.getDefiningOp<tensor::DimOp>() : nullptr;
    if (next && next->getBlock() == &scratch && next.getConstantIndex()) {
      tensor = next.getSource();
      dim = *next.getConstantIndex();
      continue;
    }
    return found(formOf(sizes[dim], depth + 1));
  }
}

bool SizeForms::areEqual(OpFoldResult a, OpFoldResult b) {
  return a == b || formOf(a, 0) == formOf(b, 0);
}

std::optional<int64_t> SizeForms::numberOf(OpFoldResult size) {
  return numberOf(formOf(size, 0));
}

void SizeForms::forget() {
  atoms.clear();
  numbers.clear();
  dimensions.clear();
}

} // namespace kiln::tensor_to_prim
