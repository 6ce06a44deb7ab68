//===- Linearize.cpp - Linear forms of index computations -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Linearize.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace kiln::tile;

bool LinearForm::isInvariant() const {
  return llvm::all_of(coefficients, [](int64_t c) { return c == 0; });
}

/// r = a * x + b * y; false on overflow.
static bool combineNumbers(int64_t a, int64_t x, int64_t b, int64_t y,
                           int64_t &r) {
  int64_t ax, by;
  return !llvm::MulOverflow(a, x, ax) && !llvm::MulOverflow(b, y, by) &&
         !llvm::AddOverflow(ax, by, r);
}

std::optional<LinearForm> kiln::tile::combine(int64_t a, const LinearForm &x,
                                              int64_t b, const LinearForm &y) {
  LinearForm result;
  size_t count = std::max(x.coefficients.size(), y.coefficients.size());
  result.coefficients.resize(count);
  bool ok = combineNumbers(a, x.constant, b, y.constant, result.constant);
  for (size_t i = 0; i < count; ++i)
    ok &= combineNumbers(a, x.coefficient(i), b, y.coefficient(i),
                         result.coefficients[i]);
  auto add = [&](int64_t scale, const LinearForm &form) {
    for (auto [value, coefficient] : form.symbols) {
      auto *found = llvm::find_if(
          result.symbols, [&, v = value](auto &s) { return s.first == v; });
      if (found == result.symbols.end())
        found = result.symbols.insert(found, {value, 0});
      ok &= combineNumbers(scale, coefficient, 1, found->second, found->second);
    }
  };
  add(a, x);
  add(b, y);
  llvm::erase_if(result.symbols, [](auto &s) { return s.second == 0; });
  if (!ok)
    return std::nullopt;
  return result;
}

Linearizer::Linearizer(ArrayRef<IterationDim> dims) {
  for (auto [i, dim] : llvm::enumerate(dims))
    dimOf[dim.index] = i;
}

std::optional<LinearForm> Linearizer::get(Value value) {
  auto found = forms.find(value);
  if (found != forms.end())
    return found->second;
  std::optional<LinearForm> form;
  if (value.getType().isIntOrIndex())
    form = compute(value);
  // What never varies is a symbol, however it is computed.
  if (!form && value.getType().isIntOrIndex() && !varies(value)) {
    form.emplace();
    form->symbols.push_back({value, 1});
  }
  forms[value] = form;
  return form;
}

std::optional<LinearForm> Linearizer::compute(Value value) {
  LinearForm form;
  auto dim = dimOf.find(value);
  if (dim != dimOf.end()) {
    form.coefficients.resize(dim->second + 1);
    form.coefficients[dim->second] = 1;
    return form;
  }
  if (std::optional<int64_t> number = getConstantIntValue(value)) {
    form.constant = *number;
    return form;
  }
  if (auto argument = dyn_cast<BlockArgument>(value))
    return ofInduction(argument);
  Operation *op = value.getDefiningOp();
  if (isa<arith::IndexCastOp, arith::IndexCastUIOp, arith::ExtSIOp>(op))
    return get(op->getOperand(0));
  if (!isa<arith::AddIOp, arith::SubIOp, arith::MulIOp, arith::ShLIOp>(op))
    return std::nullopt;
  std::optional<LinearForm> lhs = get(op->getOperand(0)),
                            rhs = get(op->getOperand(1));
  if (!lhs || !rhs)
    return std::nullopt;
  if (isa<arith::AddIOp>(op))
    return combine(1, *lhs, 1, *rhs);
  if (isa<arith::SubIOp>(op))
    return combine(1, *lhs, -1, *rhs);
  auto isNumber = [](const LinearForm &f) {
    return f.isInvariant() && f.symbols.empty();
  };
  if (isa<arith::MulIOp>(op) && isNumber(*rhs))
    return combine(rhs->constant, *lhs, 0, form);
  if (isa<arith::MulIOp>(op) && isNumber(*lhs))
    return combine(lhs->constant, *rhs, 0, form);
  if (isa<arith::ShLIOp>(op) && isNumber(*rhs) && rhs->constant >= 0 &&
      rhs->constant < 62)
    return combine(int64_t(1) << rhs->constant, *lhs, 0, form);
  return std::nullopt;
}

/// The constant that a loop-carried value moves by, if it does.
static std::optional<int64_t> getIncrement(BlockArgument argument) {
  auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
  if (!loop || argument == loop.getInductionVar() ||
      !argument.getType().isIntOrIndex())
    return std::nullopt;
  auto add = loop.getTiedLoopYieldedValue(argument)
                 ->get()
                 .getDefiningOp<arith::AddIOp>();
  if (!add)
    return std::nullopt;
  if (add.getLhs() == argument)
    return getConstantIntValue(add.getRhs());
  if (add.getRhs() == argument)
    return getConstantIntValue(add.getLhs());
  return std::nullopt;
}

bool Linearizer::isInduction(BlockArgument argument) {
  return getIncrement(argument) && get(argument);
}

std::optional<LinearForm> Linearizer::ofInduction(BlockArgument argument) {
  std::optional<int64_t> increment = getIncrement(argument);
  if (!increment)
    return std::nullopt;
  auto loop = cast<scf::ForOp>(argument.getOwner()->getParentOp());
  std::optional<LinearForm> init = get(loop.getTiedLoopInit(argument)->get());
  std::optional<LinearForm> index = get(loop.getInductionVar());
  std::optional<int64_t> step = getConstantIntValue(loop.getStep());
  std::optional<int64_t> lower = getConstantIntValue(loop.getLowerBound());
  if (!init || !index || !step || *step <= 0 || lower != 0 ||
      *increment % *step != 0)
    return std::nullopt;
  return combine(1, *init, *increment / *step, *index);
}

bool Linearizer::varies(Value value) {
  auto found = varying.find(value);
  if (found != varying.end())
    return found->second;
  bool result = computeVaries(value);
  varying[value] = result;
  return result;
}

bool Linearizer::computeVaries(Value value) {
  if (dimOf.contains(value))
    return true;
  if (auto argument = dyn_cast<BlockArgument>(value))
    return !isa<KernelOp>(argument.getOwner()->getParentOp());
  Operation *op = value.getDefiningOp();
  if (isa<ProgramIdOp>(op) || op->getNumRegions() != 0)
    return true;
  if (!isMemoryEffectFree(op) && !isa<KernelOp>(op->getParentOp()))
    return true;
  return llvm::any_of(op->getOperands(), [&](Value v) { return varies(v); });
}
