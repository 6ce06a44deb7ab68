//===- SemanticsCompare.cpp - Evaluating entries, and comparing -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "SemanticsCompare.h"
#include "kiln/Dialect/Simt/SimtDialect.h"
#include "kiln/Dialect/Tile/KernelOps.h"
#include "kiln/Dialect/Tile/MemoryOps.h"
#include "kiln/Eval/Elements.h"
#include "kiln/Eval/Kernel.h"
#include "kiln/Eval/Perturb.h"
#include "kiln/Index/Integer.h"
#include "kiln/Interfaces/Cost.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/IntegerSet.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/raw_ostream.h"
#include <cmath>
#include <cstdio>

using namespace mlir;
using namespace kiln;
using namespace kiln::driver;
using Evaluated = eval::Value;

/// Element operations that are evaluated in a second, at least.
static constexpr double kOperationsPerSecond = 5e7;

/// The entry and the kernels that it launches.
static SmallVector<Operation *> partsOf(FunctionOpInterface entry) {
  llvm::SetVector<Operation *> parts;
  parts.insert(entry);
  Operation *module = entry->getParentOp();
  for (size_t i = 0; i < parts.size(); ++i)
    if (auto uses = SymbolTable::getSymbolUses(parts[i]))
      for (SymbolTable::SymbolUse use : *uses)
        if (Operation *symbol = SymbolTable::lookupSymbolIn(
                module, use.getSymbolRef().getRootReference()))
          parts.insert(symbol);
  return parts.takeVector();
}

/// What an operation says about how exactly it has to be computed.
static void classify(Operation *op, Outcome &outcome) {
  StringRef name = op->getName().getStringRef();
  bool sums = name.contains("reduce") || name.contains("dot") ||
              name.contains("scan") || name.contains("product");
  auto kernel = dyn_cast<tile::KernelOp>(op);
  // Elements of one place are combined in any order, and rounded each time.
  bool meets = name == "tile.store_scatter" &&
               tile::combineOf(op) != tile::Combine::assign;
  sums |= meets;
  // Modes let arithmetic be regrouped, and prim promises bounds alone.
  if (sums || (kernel && kernel.getNumerics()) || name.starts_with("prim."))
    outcome.isExact = false;
  if (name.contains("reduce") || name.contains("scan") || meets)
    for (Type type : op->getOperandTypes())
      if (auto element = dyn_cast<FloatType>(getElementTypeOrSelf(type)))
        outcome.isNarrow |= element.getWidth() < 32;
}

bool kiln::driver::isTooLong(FunctionOpInterface entry, double seconds) {
  if (seconds <= 0)
    return false;
  auto sizeOf = [](int64_t size) {
    return ShapedType::isDynamic(size) ? 64. : double(size);
  };
  double operations = 0;
  entry->walk([&](Operation *op) {
    double terms = 1;
    for (ArrayRef<int64_t> sizes : getAccumulation(op).sums)
      for (int64_t size : sizes)
        terms *= sizeOf(size);
    for (Type type : op->getResultTypes())
      if (auto shaped = dyn_cast<RankedTensorType>(type)) {
        double count = 1;
        for (int64_t size : shaped.getShape())
          count *= sizeOf(size);
        operations += count * terms;
      }
  });
  return operations > seconds * kOperationsPerSecond;
}

/// The value of an expression of `condition`; nothing where that does not
/// fit.
static index::Integer valueOf(AffineExpr expr, ArrayRef<int64_t> symbols) {
  if (auto number = dyn_cast<AffineConstantExpr>(expr))
    return number.getValue();
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
    return symbols[symbol.getPosition()];
  auto both = cast<AffineBinaryOpExpr>(expr);
  index::Integer lhs = valueOf(both.getLHS(), symbols);
  index::Integer rhs = valueOf(both.getRHS(), symbols);
  if (!lhs || !rhs)
    return std::nullopt;
  switch (expr.getKind()) {
  case AffineExprKind::Add:
    return index::add(*lhs, *rhs);
  case AffineExprKind::Mul:
    return index::mul(*lhs, *rhs);
  case AffineExprKind::FloorDiv:
    return index::floorDiv(*lhs, *rhs);
  case AffineExprKind::CeilDiv:
    return index::ceilDiv(*lhs, *rhs);
  default:
    return index::floorMod(*lhs, *rhs);
  }
}

/// Whether a launch with these arguments meets what a kernel requires.
static bool meets(tile::KernelOp kernel, const Arguments &arguments) {
  auto set = kernel.getConditionAttr();
  if (!set)
    return true;
  SmallVector<int64_t> symbols;
  for (const Given &given : arguments.list)
    symbols.push_back(given.kind == Given::Scalar &&
                              !runtime::isFloat(given.value.dtype())
                          ? given.value.asInt()
                          : 0);
  llvm::append_range(symbols, arguments.grid);
  return set.getValue().getNumSymbols() == symbols.size() &&
         llvm::all_of(set.getValue().getConstraints(), [&](AffineExpr expr) {
           return valueOf(expr, symbols).value_or(-1) >= 0;
         });
}

/// The kernel that a launch by the name of `kernel` runs: its first variant
/// whose conditions these arguments meet, or else itself. Null where they do
/// not meet its own.
static tile::KernelOp chooseVariant(tile::KernelOp kernel,
                                    const Arguments &arguments) {
  auto module = kernel->getParentOfType<ModuleOp>();
  if (auto names = kernel.getVariantsAttr())
    for (auto name : names.getAsRange<FlatSymbolRefAttr>()) {
      auto variant = module.lookupSymbol<tile::KernelOp>(name.getAttr());
      if (variant && variant.getConditionAttr() && meets(variant, arguments))
        return variant;
    }
  return meets(kernel, arguments) ? kernel : tile::KernelOp();
}

std::optional<Outcome> kiln::driver::evaluateEntry(
    FunctionOpInterface entry, const Arguments &arguments, double seconds,
    int sign, const decltype(eval::Watch::onLaunch) &onLaunch) {
  std::optional<SmallVector<Evaluated>> args = formArguments(arguments, entry);
  if (!args)
    return std::nullopt;
  if (auto kernel = dyn_cast<tile::KernelOp>(entry.getOperation()))
    if (!(entry = chooseVariant(kernel, arguments)))
      return std::nullopt;
  Outcome outcome;
  // Threads may contract and regroup what the kernel lets them.
  if (simt::ThreadBlockAttr block = simt::getThreadBlock(entry);
      block && block.getNumerics())
    outcome.isExact = false;
  for (Operation *part : partsOf(entry))
    part->walk([&](Operation *op) { classify(op, outcome); });
  ScopedDiagnosticHandler handler(
      entry->getContext(), [&](Diagnostic &diagnostic) {
        if (diagnostic.getSeverity() == DiagnosticSeverity::Error &&
            outcome.error.empty()) {
          llvm::raw_string_ostream os(outcome.error);
          os << diagnostic.getLocation() << ": " << diagnostic.str();
        }
        return success();
      });
  eval::watch() = eval::Watch();
  eval::watch().onLaunch = onLaunch;
  if (seconds > 0)
    eval::watch().deadline = std::chrono::steady_clock::now() +
                             std::chrono::microseconds(int64_t(seconds * 1e6));
  eval::perturbation() = {sign, 1};
  llvm::scope_exit leave([&] {
    eval::watch() = eval::Watch();
    eval::perturbation() = {};
  });
  eval::Evaluator evaluator(entry->getParentOp());
  auto fail = [&] {
    outcome.isSlow = eval::watch().isOver;
    if (outcome.error.empty())
      outcome.error = "failed without saying why";
  };
  if (isa<tile::KernelOp>(entry) || isThreadCode(entry)) {
    if (failed(eval::launchKernel(evaluator, entry, arguments.grid, *args,
                                  entry.getLoc())))
      fail();
    for (auto [k, value] : llvm::enumerate(*args)) {
      if (!value.isView())
        continue;
      outcome.values.push_back(
          contentsOf(*value.view().buffer, value.view().dtype));
      outcome.names.push_back("argument " + std::to_string(k));
    }
    return outcome;
  }
  SmallVector<Evaluated> results;
  if (failed(evaluator.call(entry, *args, results, entry.getLoc())))
    fail();
  for (auto [k, value] : llvm::enumerate(results)) {
    outcome.values.push_back(value.isView() ? eval::readView(value.view())
                                            : value);
    outcome.names.push_back("result " + std::to_string(k));
  }
  return outcome;
}

/// The elements of integers, index and i1.
static std::vector<int64_t> integersOf(const Evaluated &value) {
  std::vector<int64_t> integers;
  if (!runtime::isFloat(value.dtype())) {
    integers.resize(value.size());
    eval::loadInts(value.dtype(), value.data(), 0, value.size(),
                   integers.data());
  }
  return integers;
}

/// The elements as numbers.
static std::vector<double> numbersOf(const Evaluated &value) {
  std::vector<double> numbers(value.size());
  if (runtime::isFloat(value.dtype())) {
    eval::loadDoubles(value.dtype(), value.data(), 0, value.size(),
                      numbers.data());
    return numbers;
  }
  std::vector<int64_t> integers = integersOf(value);
  std::copy(integers.begin(), integers.end(), numbers.begin());
  return numbers;
}

static bool isEqual(double x, double y) {
  return x == y || (std::isnan(x) && std::isnan(y));
}

/// Whether an integer that moves so far may be any: it depends on bits of a NaN
/// that are unspecified.
static bool isOpen(runtime::DType dtype, double distance) {
  int bits = runtime::dtypeBits(dtype);
  return runtime::isInteger(dtype) && bits > 1 &&
         distance >= std::ldexp(1.0, bits - 2);
}

Bounds kiln::driver::boundsOf(const Outcome &exact,
                              const std::optional<Outcome> &plus,
                              const std::optional<Outcome> &minus) {
  // Errors of several operations may cancel where they do not for a neighbour,
  // which has about the same size.
  constexpr size_t kNear = 32;
  Bounds bounds;
  for (auto [k, value] : llvm::enumerate(exact.values)) {
    std::vector<double> x = numbersOf(value), moved(x.size(), 0);
    for (const auto *other : {&plus, &minus}) {
      if (!*other || !(*other)->error.empty() || k >= (*other)->values.size() ||
          (*other)->values[k].size() != value.size())
        continue;
      std::vector<double> y = numbersOf((*other)->values[k]);
      for (size_t i = 0; i < x.size(); ++i)
        if (!isEqual(x[i], y[i])) {
          double distance = std::fabs(x[i] - y[i]);
          if (std::isnan(distance) || isOpen(value.dtype(), distance))
            distance = HUGE_VAL;
          moved[i] = std::max(moved[i], distance);
        }
    }
    std::vector<double> bound(x.size(), 0);
    for (size_t begin = 0; begin < x.size(); begin += kNear) {
      size_t end = std::min(x.size(), begin + kNear);
      double most = 0;
      for (size_t i = begin; i < end; ++i)
        if (std::isfinite(moved[i]))
          most = std::max(most, moved[i]);
      for (size_t i = begin; i < end; ++i)
        bound[i] = 2 * moved[i] + most;
    }
    bounds.push_back(std::move(bound));
  }
  return bounds;
}

bool kiln::driver::isSame(const Outcome &before, const Outcome &after) {
  if (before.values.size() != after.values.size())
    return false;
  for (auto [x, y] : llvm::zip(before.values, after.values)) {
    if (x.dtype() != y.dtype() || x.shape() != y.shape())
      return false;
    std::vector<double> a = numbersOf(x), b = numbersOf(y);
    if (integersOf(x) != integersOf(y))
      return false;
    for (size_t i = 0; i < a.size(); ++i)
      if (!isEqual(a[i], b[i]))
        return false;
  }
  return true;
}

static std::string textOf(double number) {
  char text[40];
  std::snprintf(text, sizeof text, "%.9g", number);
  return text;
}

std::string kiln::driver::findDifference(const Outcome &before,
                                         const Outcome &after,
                                         const Bounds &bounds) {
  bool isExact = before.isExact && after.isExact && bounds.empty();
  for (auto [k, value] : llvm::enumerate(before.values)) {
    const Evaluated &other = after.values[k];
    std::string name = before.names[k];
    if (value.dtype() != other.dtype() || value.shape() != other.shape())
      return name + " has another type or shape";
    bool isFloat = runtime::isFloat(value.dtype());
    std::vector<double> x = numbersOf(value), y = numbersOf(other);
    std::vector<int64_t> a = integersOf(value), b = integersOf(other);
    double largest = 0;
    for (double number : x)
      if (std::isfinite(number))
        largest = std::max(largest, std::fabs(number));
    double ulp =
        isFloat ? std::ldexp(1.0, -eval::fractionBits(value.dtype())) : 0;
    double worst = 0, worstBound = 0;
    size_t place = 0;
    for (size_t i = 0; i < x.size(); ++i) {
      if (a.empty() ? isEqual(x[i], y[i]) : a[i] == b[i])
        continue;
      double bound = 0;
      if (isFloat && !isExact) {
        // Sums may differ by some roundings of their largest terms.
        bound = 2 * ulp * std::fabs(x[i]) +
                (before.isNarrow ? 16 * ulp : 0x1p-17) * largest;
        if (std::isnan(bound))
          bound = 0;
      }
      if (k < bounds.size() && i < bounds[k].size())
        bound += bounds[k][i];
      // Far apart, but one number where doubles are too coarse for them.
      double error = std::max(std::fabs(x[i] - y[i]), a.empty() ? 0. : 1.);
      if (std::isnan(error))
        error = HUGE_VAL;
      if (error <= bound)
        continue;
      double excess = bound > 0 ? error / bound : HUGE_VAL;
      if (worst > 0 && excess <= worst)
        continue;
      worst = excess;
      worstBound = bound;
      place = i;
    }
    if (worst > 0)
      return name + ", element " + std::to_string(place) + ": expected " +
             textOf(x[place]) + ", found " + textOf(y[place]) + ", bound " +
             textOf(worstBound);
  }
  return "";
}
