// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Builders, readers and analyses, against what the operations compute.
#include "Check.h"
#include "kiln/Index/Analysis.h"
#include "kiln/Index/Reader.h"
#include "kiln/Index/ScalarBuilder.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

using namespace kiln::index;
using namespace mlir;

namespace {

/// A function of three indices with a builder at its start.
struct Function {
  Function() : b(&context), loc(b.getUnknownLoc()) {
    context
        .loadDialect<arith::ArithDialect, func::FuncDialect, scf::SCFDialect>();
    module = ModuleOp::create(loc);
    b.setInsertionPointToEnd(module->getBody());
    Type index = b.getIndexType();
    auto func = func::FuncOp::create(
        b, loc, "f", b.getFunctionType({index, index, index}, {}));
    b.setInsertionPointToStart(func.addEntryBlock());
    for (Value argument : func.getArguments())
      arguments.push_back(argument);
  }
  MLIRContext context;
  OpBuilder b;
  Location loc;
  OwningOpRef<ModuleOp> module;
  SmallVector<Value> arguments;
};

/// What a value is for these arguments; nothing where it would not fit.
Integer evaluate(Value value, ArrayRef<int64_t> arguments) {
  if (Integer number = getNumber(value))
    return number;
  if (auto argument = dyn_cast<BlockArgument>(value))
    return arguments[argument.getArgNumber()];
  Operation *op = value.getDefiningOp();
  Integer a = evaluate(op->getOperand(0), arguments);
  Integer b =
      op->getNumOperands() > 1 ? evaluate(op->getOperand(1), arguments) : a;
  if (!a || !b)
    return std::nullopt;
  if (isa<arith::AddIOp>(op))
    return add(*a, *b);
  if (isa<arith::SubIOp>(op))
    return sub(*a, *b);
  if (isa<arith::MulIOp>(op))
    return mul(*a, *b);
  if (isa<arith::FloorDivSIOp, arith::DivUIOp>(op))
    return floorDiv(*a, *b);
  if (isa<arith::CeilDivSIOp>(op))
    return ceilDiv(*a, *b);
  if (isa<arith::RemUIOp>(op))
    return floorMod(*a, *b);
  if (isa<arith::MinSIOp>(op))
    return std::min(*a, *b);
  if (isa<arith::MaxSIOp>(op))
    return std::max(*a, *b);
  return a;
}

/// A random computation by `math`, mostly of small positive numbers.
OpFoldResult compute(ScalarBuilder &math, ArrayRef<Value> arguments,
                     int depth) {
  if (depth == 0)
    return pick(0, 2) ? OpFoldResult(arguments[pick(0, 2)])
                      : math.constant(pick(0, 6));
  OpFoldResult a = compute(math, arguments, depth - 1),
               b = compute(math, arguments, depth - 1);
  switch (pick(0, 6)) {
  case 0:
    return math.add(a, b);
  case 1:
    return math.sub(a, b);
  case 2:
    return math.mul(a, b);
  case 3:
    return math.min(a, b);
  case 4:
    return math.max(a, b);
  case 5:
    return math.floorDiv(a, math.constant(pick(1, 5)));
  default:
    return math.ceilDiv(a, math.constant(pick(1, 5)));
  }
}

} // namespace

void checkBuilder() {
  Function f;
  ScalarBuilder math(f.b, f.loc);
  auto number = [&](int64_t n) { return math.constant(n); };
  using Op = OpFoldResult (ScalarBuilder::*)(OpFoldResult, OpFoldResult);
  struct Case {
    Op op;
    Integer (*exact)(int64_t, int64_t);
    int64_t least;
  } cases[] = {{&ScalarBuilder::add, add, -6},
               {&ScalarBuilder::sub, sub, -6},
               {&ScalarBuilder::mul, mul, -6},
               {&ScalarBuilder::floorDiv, floorDiv, -6},
               {&ScalarBuilder::ceilDiv, ceilDiv, -6},
               {&ScalarBuilder::min, min, -6},
               {&ScalarBuilder::max, max, -6},
               {&ScalarBuilder::divPositive, floorDiv, 0},
               {&ScalarBuilder::remPositive, floorMod, 0}};
  for (const Case &c : cases)
    for (int64_t x = c.least; x <= 6; ++x)
      for (int64_t y = c.least; y <= 6; ++y)
        CHECK(getNumber((math.*c.op)(number(x), number(y))) == c.exact(x, y));
  // What would not fit stays an operation, as do divisions by zero.
  CHECK(!getNumber(math.mul(number(kMost), number(2))));
  CHECK(!getNumber(math.add(number(kMost), number(1))));
  CHECK(!getNumber(math.sub(number(kLeast), number(1))));
  CHECK(!getNumber(math.floorDiv(number(kLeast), number(-1))));
  CHECK(!getNumber(math.remPositive(number(-1), number(4))));
  ScalarBuilder narrow(f.b, f.loc, f.b.getIntegerType(8));
  CHECK(getNumber(narrow.add(narrow.constant(100), narrow.constant(27))) ==
        127);
  CHECK(!getNumber(narrow.add(narrow.constant(100), narrow.constant(28))));
  Value x = f.arguments[0];
  CHECK(math.add(x, number(0)) == OpFoldResult(x) &&
        getNumber(math.sub(x, x)) == 0);
  CHECK(math.mul(number(1), x) == OpFoldResult(x) &&
        getNumber(math.mul(x, number(0))) == 0);
  CHECK(getNumber(math.product({number(3), number(4)})) == 12);
}

static void checkCoordinates() {
  Function f;
  Symbols symbols;
  Reader reader(Reader::Coordinates,
                [&](Value leaf) { return symbols.of(leaf); });
  // Sums of few bits wrap around, unless they say that they do not.
  auto isSum = [&](unsigned bits, arith::IntegerOverflowFlags flags) {
    Type type = f.b.getIntegerType(bits);
    Value x = arith::IndexCastOp::create(f.b, f.loc, type, f.arguments[0]);
    Value one =
        arith::ConstantOp::create(f.b, f.loc, f.b.getIntegerAttr(type, 1));
    Value sum = arith::AddIOp::create(f.b, f.loc, x, one, flags);
    Value index =
        arith::IndexCastOp::create(f.b, f.loc, f.b.getIndexType(), sum);
    Expr expr = *reader.read(index);
    bool isLeaf = expr.same(symbols.of(sum));
    CHECK(isLeaf || expr.same(*reader.read(x) + Expr(1)));
    return !isLeaf;
  };
  CHECK(isSum(32, arith::IntegerOverflowFlags::none));
  CHECK(!isSum(16, arith::IntegerOverflowFlags::none));
  CHECK(!isSum(8, arith::IntegerOverflowFlags::none));
  CHECK(isSum(8, arith::IntegerOverflowFlags::nsw));
}

void checkAnalysis() {
  checkCoordinates();
  for (int round = 0; round < 400; ++round) {
    Function f;
    ScalarBuilder math(f.b, f.loc);
    // Arguments in known ranges: 12 * (0 to 3), 0 to 5, -2 to 4.
    SmallVector<Value> leaves;
    int64_t low[] = {0, 0, -2}, high[] = {3, 5, 4};
    for (int i = 0; i < 3; ++i) {
      OpFoldResult bounded =
          math.max(math.min(f.arguments[i], math.constant(high[i])),
                   math.constant(low[i]));
      leaves.push_back(math.materialize(
          i == 0 ? math.mul(bounded, math.constant(12)) : bounded));
    }
    Value result = math.materialize(compute(math, leaves, 3));
    Symbols symbols;
    Reader reader(Reader::Sizes, [&](Value leaf) { return symbols.of(leaf); });
    Expr expr = *reader.read(result);
    Math sizes(f.b, f.loc);
    Value again = sizes.value(sizes.of(result));
    Analysis analysis;
    Facts facts = analysis.of(result);
    for (int i = 0; i < 12; ++i) {
      int64_t arguments[] = {pick(0, 3), pick(0, 5), pick(-2, 4)};
      Integer exact = evaluate(result, arguments);
      CHECK(exact && facts.range.contains(*exact));
      CHECK(facts.divisor == 0 ? exact == 0 : *exact % facts.divisor == 0);
      CHECK(evaluate(again, arguments) == exact);
      CHECK(expr.evaluate([&](unsigned s) {
        return evaluate(symbols[s].value, arguments);
      }) == exact);
    }
  }
  Function f;
  ScalarBuilder math(f.b, f.loc);
  Value zero = math.materialize(math.constant(0)),
        step = math.materialize(math.constant(16));
  auto loop = scf::ForOp::create(f.b, f.loc, zero,
                                 math.materialize(math.constant(100)), step);
  Analysis analysis;
  Facts index = analysis.of(loop.getInductionVar());
  CHECK(index.range == Interval::between(0, 99) && index.isMultipleOf(16));
  // Canonical sizes are computed once, and numbers come out of both.
  Math sizes(f.b, f.loc);
  Expr a = sizes.of(f.arguments[0]), b = sizes.of(f.arguments[1]);
  Value product = sizes.value(sizes.mul(a, b));
  CHECK(sizes.value(sizes.mul(b, a)) == product &&
        sizes.of(product).same(a * b));
  CHECK(sizes.value(a) == f.arguments[0]);
}
