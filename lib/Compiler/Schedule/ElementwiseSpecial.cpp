//===- ElementwiseSpecial.cpp - Expansions of special functions -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// In f64, rounded once more for narrower types.
//
//===----------------------------------------------------------------------===//

#include "TileMath.h"
#include "kiln/Math/Special.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::schedule;
using functions::Term;

/// A function of C of one operand.
static Term callC(StringRef name, Term x) {
  return Term::callC(name, x, x.getElement());
}

static std::optional<Term> expand(Operation *op, ArrayRef<Term> x,
                                  bool isNarrow) {
  using Result = std::optional<Term>;
  Term a = x[0];
  return TypeSwitch<Operation *, Result>(op)
      .Case([&](prim::ErfcxOp) { return functions::erfcx(a); })
      .Case([&](prim::ErfinvOp) { return functions::inverseErf(a, isNarrow); })
      .Case(
          [&](prim::NdtriOp) { return functions::inverseNormal(a, isNarrow); })
      .Case([&](prim::DigammaOp) { return functions::digamma(a); })
      .Case([&](prim::LgammaOp) { return callC("lgamma", a); })
      .Case([&](prim::BesselI0Op) { return functions::besselI(a, 0, false); })
      .Case([&](prim::BesselI0eOp) { return functions::besselI(a, 0, true); })
      .Case([&](prim::BesselI1Op) { return functions::besselI(a, 1, false); })
      .Case([&](prim::BesselI1eOp) { return functions::besselI(a, 1, true); })
      .Case([&](prim::BesselJ0Op) { return callC("j0", a); })
      .Case([&](prim::BesselJ1Op) { return callC("j1", a); })
      .Case([&](prim::BesselY0Op) { return callC("y0", a); })
      .Case([&](prim::BesselY1Op) { return callC("y1", a); })
      .Case([&](prim::SphericalBesselJ0Op) {
        return functions::sphericalBesselJ0(a);
      })
      .Case([&](prim::ZetaOp) { return functions::zeta(a, x[1]); })
      .Case([&](prim::PolygammaOp) { return functions::polygamma(a, x[1]); })
      .Default([](Operation *) { return Result(); });
}

bool kiln::schedule::isSpecial(Operation *op) {
  return isa<prim::ErfcxOp, prim::ErfinvOp, prim::NdtriOp, prim::DigammaOp,
             prim::LgammaOp, prim::BesselI0Op, prim::BesselI0eOp,
             prim::BesselI1Op, prim::BesselI1eOp, prim::BesselJ0Op,
             prim::BesselJ1Op, prim::BesselY0Op, prim::BesselY1Op,
             prim::SphericalBesselJ0Op, prim::ZetaOp, prim::PolygammaOp>(op);
}

Value kiln::schedule::emitSpecialTile(Operation *op, ValueRange operands,
                                      OpBuilder &builder) {
  if (!isSpecial(op))
    return {};
  Type element = TileMath::element(operands[0]);
  SmallVector<Term> terms;
  for (Value operand : operands)
    terms.push_back(
        Term(builder, op->getLoc(), operand).extendTo(builder.getF64Type()));
  std::optional<Term> result = expand(op, terms, !element.isF64());
  return result ? result->extendTo(element).getValue() : Value();
}
