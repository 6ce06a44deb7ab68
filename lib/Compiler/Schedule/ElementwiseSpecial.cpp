//===- ElementwiseSpecial.cpp - Expansions of special functions -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// In f64, rounded once more for narrower types.
//
//===----------------------------------------------------------------------===//

#include "ElementRules.h"
#include "kiln/Math/Special.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::schedule;
using functions::Term;

using SpecialRule = Term (*)(ArrayRef<Term> x, bool isNarrow);

/// A function of C of one operand.
static Term callC(StringRef name, ArrayRef<Term> x) {
  return Term::callC(name, x[0], x[0].getElement());
}

static const OpTable<SpecialRule> &specialRules() {
  using Terms = ArrayRef<Term>;
  static const OpTable<SpecialRule> rules =
      OpTable<SpecialRule>()
          .add<prim::ErfcxOp>(
              [](Terms x, bool) { return functions::erfcx(x[0]); })
          .add<prim::ErfinvOp>([](Terms x, bool isNarrow) {
            return functions::inverseErf(x[0], isNarrow);
          })
          .add<prim::NdtriOp>([](Terms x, bool isNarrow) {
            return functions::inverseNormal(x[0], isNarrow);
          })
          .add<prim::DigammaOp>(
              [](Terms x, bool) { return functions::digamma(x[0]); })
          .add<prim::LgammaOp>([](Terms x, bool) { return callC("lgamma", x); })
          .add<prim::BesselI0Op>(
              [](Terms x, bool) { return functions::besselI(x[0], 0, false); })
          .add<prim::BesselI0eOp>(
              [](Terms x, bool) { return functions::besselI(x[0], 0, true); })
          .add<prim::BesselI1Op>(
              [](Terms x, bool) { return functions::besselI(x[0], 1, false); })
          .add<prim::BesselI1eOp>(
              [](Terms x, bool) { return functions::besselI(x[0], 1, true); })
          .add<prim::BesselJ0Op>([](Terms x, bool) { return callC("j0", x); })
          .add<prim::BesselJ1Op>([](Terms x, bool) { return callC("j1", x); })
          .add<prim::BesselY0Op>([](Terms x, bool) { return callC("y0", x); })
          .add<prim::BesselY1Op>([](Terms x, bool) { return callC("y1", x); })
          .add<prim::SphericalBesselJ0Op>(
              [](Terms x, bool) { return functions::sphericalBesselJ0(x[0]); })
          .add<prim::ZetaOp>(
              [](Terms x, bool) { return functions::zeta(x[0], x[1]); })
          .add<prim::PolygammaOp>(
              [](Terms x, bool) { return functions::polygamma(x[0], x[1]); });
  return rules;
}

bool kiln::schedule::isSpecial(Operation *op) { return specialRules().has(op); }

Value kiln::schedule::emitSpecialTile(Operation *op, ValueRange operands,
                                      OpBuilder &builder) {
  SpecialRule rule = specialRules().find(op);
  if (!rule)
    return {};
  Type element = TileMath::element(operands[0]);
  SmallVector<Term> terms;
  for (Value operand : operands)
    terms.push_back(
        Term(builder, op->getLoc(), operand).extendTo(builder.getF64Type()));
  return rule(terms, !element.isF64()).extendTo(element).getValue();
}
