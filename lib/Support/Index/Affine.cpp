//===- Affine.cpp - Expressions as upstream's affine maps -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Index/Expr.h"

using namespace mlir;
using namespace kiln::index;

AffineExpr kiln::index::toAffine(const Expr &expr, MLIRContext *context) {
  if (!expr.isKnown())
    return {};
  AffineExpr sum = getAffineConstantExpr(expr.getNumber(), context);
  for (const Expr::Term &term : expr.getTerms()) {
    AffineExpr product = getAffineConstantExpr(term.coefficient, context);
    // A coefficient comes last: upstream wants what is symbolic on the right.
    AffineExpr symbols;
    for (unsigned factor : term.factors) {
      AffineExpr symbol = getAffineSymbolExpr(factor, context);
      symbols = symbols ? symbols * symbol : symbol;
    }
    if (term.dim >= 0)
      product = getAffineDimExpr(term.dim, context) * product;
    if (symbols)
      product = product * symbols;
    sum = sum + product;
  }
  return sum;
}

std::optional<Expr> kiln::index::fromAffine(AffineExpr expr) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return Expr(constant.getValue());
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return Expr::dim(dim.getPosition());
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
    return Expr::symbol(symbol.getPosition());
  auto binary = cast<AffineBinaryOpExpr>(expr);
  if (expr.getKind() != AffineExprKind::Add &&
      expr.getKind() != AffineExprKind::Mul)
    return std::nullopt;
  std::optional<Expr> lhs = fromAffine(binary.getLHS()),
                      rhs = fromAffine(binary.getRHS());
  if (!lhs || !rhs)
    return std::nullopt;
  Expr result =
      expr.getKind() == AffineExprKind::Add ? *lhs + *rhs : *lhs * *rhs;
  return result.isKnown() ? std::optional(result) : std::nullopt;
}

AffineMap kiln::index::toAffineMap(ArrayRef<Expr> exprs, unsigned numDims,
                                   unsigned numSymbols, MLIRContext *context) {
  SmallVector<AffineExpr> results;
  for (const Expr &expr : exprs) {
    results.push_back(toAffine(expr, context));
    if (!results.back())
      return {};
  }
  return AffineMap::get(numDims, numSymbols, results, context);
}
