//===- ElementwiseOps.cpp - operations on each element ---===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Text.h"

using namespace mlir;
using namespace kiln::stablehlo;

/// e5m10
static ParseResult parseExponentMantissa(OpAsmParser &parser,
                                         IntegerAttr &exponent,
                                         IntegerAttr &mantissa) {
  SMLoc location = parser.getCurrentLocation();
  StringRef format;
  if (parser.parseKeyword(&format))
    return failure();
  unsigned bits[2];
  if (!format.consume_front("e") || format.consumeInteger(10, bits[0]) ||
      !format.consume_front("m") || format.getAsInteger(10, bits[1]))
    return parser.emitError(location, "expected a format such as e5m10");
  Builder &builder = parser.getBuilder();
  exponent = builder.getI32IntegerAttr(bits[0]);
  mantissa = builder.getI32IntegerAttr(bits[1]);
  return success();
}

static void printExponentMantissa(OpAsmPrinter &printer, Operation *,
                                  IntegerAttr exponent, IntegerAttr mantissa) {
  printer << "e" << exponent.getInt() << "m" << mantissa.getInt();
}

#define GET_OP_CLASSES
#include "kiln/Dialect/Stablehlo/StablehloElementwiseOps.cpp.inc"

void StablehloDialect::registerElementwiseOps() {
  addOperations<
#define GET_OP_LIST
#include "kiln/Dialect/Stablehlo/StablehloElementwiseOps.cpp.inc"
      >();
}
