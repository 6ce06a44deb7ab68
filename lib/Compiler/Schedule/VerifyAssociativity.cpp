//===- VerifyAssociativity.cpp - Whether elements may be regrouped --------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The function is expanded on scalars once. Its operations then fold, one by
// one, what they get for each triple of samples.
//
//===----------------------------------------------------------------------===//

#include "VerifyAssociativity.h"
#include "ScanFunction.h"
#include "mlir/IR/Builders.h"
#include <cmath>
#include <random>

using namespace mlir;
using namespace kiln;
using namespace kiln::schedule;

static constexpr unsigned kTriples = 64;
/// Triples with an infinity or NaN tell nothing; so many others have to agree.
static constexpr unsigned kFewestCompared = 16;

using Elements = SmallVector<Attribute>;

namespace {
/// The function on scalars that are known.
class ScalarFunction {
public:
  ScalarFunction(const ScanRecursion &scan, ArrayRef<Type> types);

  bool isValid() const { return !results.empty(); }
  Type typeOf(unsigned component) const { return carried[component]; }
  unsigned size() const { return carried.size(); }
  /// Empty where an operation does not fold.
  Elements evaluate(ArrayRef<Attribute> x, ArrayRef<Attribute> y);

  double largest = 0; ///< finite number since the caller set it to 0

private:
  Attribute fold(Operation &op);

  SmallVector<Type> carried;
  Block block;
  SmallVector<Value> results;
  DenseMap<Value, Attribute> known;
};

/// Makes elements, always the same ones.
class Samples {
public:
  explicit Samples(const ScanRecursion &scan) {
    for (const ScanRecursion::Node &node : scan.nodes)
      if (node.value)
        constants.push_back(node.value);
  }

  Elements next(const ScalarFunction &function, ArrayRef<Type> elements,
                unsigned triple);

private:
  int64_t pick(int64_t count) { return int64_t(random() % uint64_t(count)); }
  Attribute constantOf(Type type);
  Attribute integer(Type type, bool isBit, unsigned triple);
  Attribute real(FloatType type, unsigned triple);

  std::mt19937_64 random{1};
  SmallVector<TypedAttr> constants;
};
} // namespace

ScalarFunction::ScalarFunction(const ScanRecursion &scan,
                               ArrayRef<Type> types) {
  ScanFunction function(encodeFunction(scan), types);
  if (!function.isValid)
    return;
  MLIRContext *context = types.front().getContext();
  Location loc = UnknownLoc::get(context);
  for (unsigned i = 0; i < types.size(); ++i)
    carried.push_back(function.carriedType(i));
  SmallVector<Value> sides[2];
  for (auto &side : sides)
    for (Type type : carried)
      side.push_back(block.addArgument(type, loc));
  OpBuilder b(context);
  b.setInsertionPointToEnd(&block);
  results = function.combine(b, loc, sides[0], sides[1]);
}

/// The value of the only result; null if it is not known.
Attribute ScalarFunction::fold(Operation &op) {
  if (op.getNumResults() != 1 || op.getNumRegions() != 0)
    return {};
  // Operations that fold in place are asked again.
  constexpr int kTries = 4;
  for (int i = 0; i < kTries; ++i) {
    SmallVector<Attribute> operands;
    for (Value operand : op.getOperands())
      operands.push_back(known.lookup(operand));
    SmallVector<OpFoldResult> folded;
    if (failed(op.fold(operands, folded)))
      return {};
    if (folded.empty() || folded.front() == OpFoldResult(op.getResult(0)))
      continue;
    auto value = dyn_cast<Value>(folded.front());
    return value ? known.lookup(value) : cast<Attribute>(folded.front());
  }
  return {};
}

Elements ScalarFunction::evaluate(ArrayRef<Attribute> x,
                                  ArrayRef<Attribute> y) {
  known.clear();
  for (unsigned i = 0; i < size(); ++i) {
    known[block.getArgument(i)] = x[i];
    known[block.getArgument(i + size())] = y[i];
  }
  for (Operation &op : block) {
    Attribute value = fold(op);
    if (!value)
      return {};
    known[op.getResult(0)] = value;
    auto number = dyn_cast<FloatAttr>(value);
    if (number && number.getValue().isFinite())
      largest = std::max(largest, std::abs(number.getValueAsDouble()));
  }
  Elements values;
  for (Value result : results) {
    Attribute value = known.lookup(result);
    if (!isa_and_nonnull<IntegerAttr, FloatAttr>(value))
      return {};
    values.push_back(value);
  }
  return values;
}

/// One of the function's constants, or an integer beside it.
Attribute Samples::constantOf(Type type) {
  SmallVector<Attribute> fitting;
  for (TypedAttr constant : constants)
    if (constant.getType() == type)
      fitting.push_back(constant);
  if (fitting.empty())
    return {};
  Attribute chosen = fitting[pick(fitting.size())];
  if (auto number = dyn_cast<IntegerAttr>(chosen))
    return IntegerAttr::get(
        type,
        number.getValue() + APInt(number.getValue().getBitWidth(), pick(3) - 1,
                                  /*isSigned=*/true, /*implicitTrunc=*/true));
  return chosen;
}

Attribute Samples::integer(Type type, bool isBit, unsigned triple) {
  // Small numbers are equal, or zero, more often than others.
  int64_t value = isBit             ? pick(2)
                  : triple % 4 == 0 ? int64_t(random())
                  : triple % 4 == 1 ? pick(2000) - 1000
                                    : pick(7) - 3;
  return IntegerAttr::get(type, APInt(type.getIntOrFloatBitWidth(),
                                      uint64_t(value), /*isSigned=*/true,
                                      /*implicitTrunc=*/true));
}

Attribute Samples::real(FloatType type, unsigned triple) {
  // Numbers of few bits, whose sums and products of three are mostly exact.
  double scale = triple % 4 == 0 ? 0x1p-8 : triple % 4 == 1 ? 2 : 0.125;
  return FloatAttr::get(type, scale * double(pick(33) - 16));
}

Elements Samples::next(const ScalarFunction &function, ArrayRef<Type> elements,
                       unsigned triple) {
  Elements values;
  for (unsigned i = 0; i < function.size(); ++i) {
    Type type = function.typeOf(i);
    Attribute value = pick(8) == 0 ? constantOf(type) : Attribute();
    if (value && !elements[i].isInteger(1))
      values.push_back(value);
    else if (auto real = dyn_cast<FloatType>(type))
      values.push_back(this->real(real, triple));
    else
      values.push_back(integer(type, elements[i].isInteger(1), triple));
  }
  return values;
}

static bool isFinite(ArrayRef<Attribute> values) {
  return llvm::all_of(values, [](Attribute value) {
    auto real = dyn_cast<FloatAttr>(value);
    return !real || real.getValue().isFinite();
  });
}

/// Whether numbers are the same but for roundings, of values up to `largest`.
static bool isClose(Attribute a, Attribute b, double largest) {
  auto x = dyn_cast<FloatAttr>(a), y = dyn_cast<FloatAttr>(b);
  if (!x || !y)
    return a == b;
  auto bits = APFloat::semanticsPrecision(x.getValue().getSemantics());
  double tolerance = std::min(std::exp2(-0.5 * (double(bits) - 1)), 0x1p-4);
  return std::abs(x.getValueAsDouble() - y.getValueAsDouble()) <=
         tolerance * largest;
}

StringRef kiln::schedule::whyNotAssociative(const ScanRecursion &scan) {
  SmallVector<Type> types;
  for (Value tensor : scan.elements)
    types.push_back(getElementTypeOrSelf(tensor));
  if (!llvm::all_of(types, [](Type type) { return type.isIntOrFloat(); }))
    return "a scan has elements that are not real numbers";
  ScalarFunction function(scan, types);
  if (!function.isValid())
    return "the function of a scan has no expansion";
  Samples samples(scan);
  unsigned numCompared = 0;
  for (unsigned triple = 0; triple < kTriples; ++triple) {
    Elements a = samples.next(function, types, triple),
             b = samples.next(function, types, triple),
             c = samples.next(function, types, triple);
    function.largest = 0;
    Elements ab = function.evaluate(a, b), bc = function.evaluate(b, c);
    if (ab.empty() || bc.empty())
      return "the function of a scan cannot be evaluated at compile time";
    Elements left = function.evaluate(ab, c), right = function.evaluate(a, bc);
    if (left.empty() || right.empty())
      return "the function of a scan cannot be evaluated at compile time";
    if (!isFinite(ab) || !isFinite(bc) || !isFinite(left) || !isFinite(right))
      continue;
    ++numCompared;
    for (auto [x, y] : llvm::zip(left, right))
      if (!isClose(x, y, function.largest))
        return "the function of a scan is not associative";
  }
  return numCompared < kFewestCompared
             ? "the function of a scan gives infinities or NaN"
             : "";
}
