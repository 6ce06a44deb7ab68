// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Special functions.
#include "kiln/Dialect/Prim/SpecialOps.h"
#include "kiln/Dialect/Prim/Shape.h"

#include "Folds.h"

#include <cmath>

using namespace mlir;
using namespace kiln::prim;

#define GET_OP_CLASSES
#include "kiln/Dialect/Prim/SpecialOps.cpp.inc"

void PrimDialect::registerSpecialOps() {
  addOperations<
#define GET_OP_LIST
#include "kiln/Dialect/Prim/SpecialOps.cpp.inc"
      >();
}

/// Constants where a function has an exact value; others are left to the
/// program.
static OpFoldResult foldValues(Operation *op, Attribute operand,
                               ArrayRef<std::pair<double, double>> values) {
  return fold::elements(cast<ShapedType>(op->getResult(0).getType()), operand,
                        [&](ArrayRef<APFloat> x) -> std::optional<APFloat> {
                          for (auto [at, value] : values)
                            if (x[0].compare(fold::numberLike(x[0], at)) ==
                                    APFloat::cmpEqual &&
                                (at != 0 || !x[0].isNegative()))
                              return fold::numberLike(x[0], value);
                          return std::nullopt;
                        });
}

#define FOLD_VALUES(OpTy, ...)                                                 \
  OpFoldResult OpTy::fold(FoldAdaptor adaptor) {                               \
    return foldValues(*this, adaptor.getOperand(), {__VA_ARGS__});             \
  }
FOLD_VALUES(ErfcxOp, {0, 1})
FOLD_VALUES(ErfinvOp, {0, 0}, {1, INFINITY}, {-1, -INFINITY})
FOLD_VALUES(NdtriOp, {0, -INFINITY}, {1, INFINITY})
FOLD_VALUES(DigammaOp, {0, -INFINITY})
FOLD_VALUES(BesselI0Op, {0, 1})
FOLD_VALUES(BesselI0eOp, {0, 1})
FOLD_VALUES(BesselI1Op, {0, 0})
FOLD_VALUES(BesselI1eOp, {0, 0})
FOLD_VALUES(BesselJ0Op, {0, 1})
FOLD_VALUES(BesselJ1Op, {0, 0})
FOLD_VALUES(BesselY0Op, {0, -INFINITY})
FOLD_VALUES(BesselY1Op, {0, -INFINITY})
FOLD_VALUES(SphericalBesselJ0Op, {0, 1})
#undef FOLD_VALUES
