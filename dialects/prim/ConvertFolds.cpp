// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Folds of element type conversions.
#include "kiln/Dialect/Prim/ConvertOps.h"

#include "Folds.h"

using namespace mlir;
using namespace kiln::prim;

/// Whether every value of `from` is a value of `to`.
static bool isWidening(Type from, Type to) {
  if (auto narrow = dyn_cast<FloatType>(from)) {
    auto wide = dyn_cast<FloatType>(to);
    // Formats of 8 bits may lack infinity, NaN and -0.
    return wide && wide.getWidth() > 8 &&
           APFloat::isRepresentableBy(narrow.getFloatSemantics(),
                                      wide.getFloatSemantics());
  }
  // Signed to signed; i1 is 0 or 1 and fits every type.
  return from.isInteger(1) ||
         (isa<IntegerType>(to) &&
          from.getIntOrFloatBitWidth() <= to.getIntOrFloatBitWidth() &&
          !to.isInteger(1));
}

static bool hasFlags(ConvertElementTypeOp op) {
  return op.getRound() || op.getFromUnsigned() || op.getToUnsigned();
}

/// Whether a float can be converted to one of at most 8 bits without thought:
/// to a finite number of either sign.
static bool isPlain(APFloat number, const llvm::fltSemantics &to) {
  if (!number.isFinite() || !APFloat::semanticsHasSignedRepr(to))
    return false;
  bool inexact;
  number.convert(APFloat::IEEEquad(), APFloat::rmNearestTiesToEven, &inexact);
  APFloat largest = APFloat::getLargest(to);
  largest.convert(APFloat::IEEEquad(), APFloat::rmNearestTiesToEven, &inexact);
  number.clearSign();
  return number.compare(largest) != APFloat::cmpGreaterThan;
}

/// Converts one constant element as the definition of the operation says.
static Attribute convertElement(ConvertElementTypeOp op, Attribute value,
                                Type to) {
  bool toUnsigned = op.getToUnsigned();
  if (auto real = dyn_cast<FloatAttr>(value)) {
    APFloat number = real.getValue();
    bool inexact;
    if (auto type = dyn_cast<FloatType>(to)) {
      // What has no number in the type is left to the program.
      if (type.getWidth() <= 8 && !isPlain(number, type.getFloatSemantics()))
        return {};
      number.convert(type.getFloatSemantics(), APFloat::rmNearestTiesToEven,
                     &inexact);
      return FloatAttr::get(type, number);
    }
    if (to.isInteger(1))
      return IntegerAttr::get(to, !number.isZero());
    // Saturates, and gives 0 for NaN.
    APSInt integer(to.getIntOrFloatBitWidth(), toUnsigned);
    number.convertToInteger(integer,
                            op.getRound() ? APFloat::rmNearestTiesToEven
                                          : APFloat::rmTowardZero,
                            &inexact);
    return IntegerAttr::get(to, number.isNaN() ? APInt(integer.getBitWidth(), 0)
                                               : integer);
  }
  APInt integer = cast<IntegerAttr>(value).getValue();
  bool asUnsigned = op.getFromUnsigned() || integer.getBitWidth() == 1;
  if (auto type = dyn_cast<FloatType>(to)) {
    if (type.getWidth() <= 8) {
      APFloat exact(APFloat::IEEEquad());
      exact.convertFromAPInt(integer, !asUnsigned,
                             APFloat::rmNearestTiesToEven);
      if (!isPlain(exact, type.getFloatSemantics()))
        return {};
    }
    APFloat number(type.getFloatSemantics());
    number.convertFromAPInt(integer, !asUnsigned, APFloat::rmNearestTiesToEven);
    return FloatAttr::get(type, number);
  }
  unsigned width = to.getIntOrFloatBitWidth();
  if (width == 1)
    return IntegerAttr::get(to, !integer.isZero());
  return IntegerAttr::get(to, asUnsigned ? integer.zextOrTrunc(width)
                                         : integer.sextOrTrunc(width));
}

OpFoldResult BitcastOp::fold(FoldAdaptor adaptor) {
  if (getOperand().getType() == getType())
    return getOperand();
  if (auto inner = getOperand().getDefiningOp<BitcastOp>()) {
    getOperandMutable().assign(inner.getOperand());
    return getResult();
  }
  auto dense = dyn_cast_if_present<DenseElementsAttr>(adaptor.getOperand());
  if (!dense || !getType().hasStaticShape())
    return {};
  return dense.bitcast(getType().getElementType());
}

OpFoldResult BitcastConvertOp::fold(FoldAdaptor) {
  return getOperand().getType() == getType() ? getOperand() : Value();
}

OpFoldResult ConvertElementTypeOp::fold(FoldAdaptor adaptor) {
  Type from = getOperand().getType().getElementType();
  Type to = getType().getElementType();
  if (from == to)
    return getOperand();
  auto inner = getOperand().getDefiningOp<ConvertElementTypeOp>();
  if (inner && !hasFlags(*this) && !hasFlags(inner)) {
    Type first = inner.getOperand().getType().getElementType();
    bool exact = isWidening(first, from);
    // There and back again.
    if (exact && first == to)
      return inner.getOperand();
    // The detour over a wider type of the same sort changes nothing.
    bool sameSort = isa<FloatType>(first) == isa<FloatType>(from) &&
                    isa<FloatType>(first) == isa<FloatType>(to);
    if (exact && sameSort && !first.isInteger(1)) {
      getOperandMutable().assign(inner.getOperand());
      return getResult();
    }
  }
  return fold::elements(getType(), adaptor.getOperand(),
                        [&](ArrayRef<Attribute> values) {
                          return convertElement(*this, values[0], to);
                        });
}
