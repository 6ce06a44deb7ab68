//===- ProductOps.cpp - products, equations, transforms and random numbers
//---===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Text.h"

using namespace mlir;
using namespace kiln::stablehlo;

/// [DEFAULT, HIGHEST]
static ParseResult parsePrecisions(OpAsmParser &parser, ArrayAttr &attr) {
  SmallVector<Attribute> list;
  auto element = [&]() -> ParseResult {
    SMLoc location = parser.getCurrentLocation();
    StringRef word;
    if (parser.parseKeyword(&word))
      return failure();
    auto precision = symbolizePrecision(word);
    if (!precision)
      return parser.emitError(location, "expected DEFAULT, HIGH or HIGHEST");
    list.push_back(PrecisionAttr::get(parser.getContext(), *precision));
    return success();
  };
  if (parser.parseKeyword("precision") || parser.parseEqual() ||
      parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, element))
    return failure();
  attr = parser.getBuilder().getArrayAttr(list);
  return success();
}

static ParseResult parsePrecisionConfig(OpAsmParser &parser, ArrayAttr &attr) {
  return succeeded(parser.parseOptionalComma()) ? parsePrecisions(parser, attr)
                                                : success();
}

static void printPrecisionConfig(OpAsmPrinter &printer, Operation *,
                                 ArrayAttr attr) {
  if (!attr || attr.empty())
    return;
  printer << ", precision = [";
  llvm::interleaveComma(attr, printer, [&](Attribute each) {
    printer << stringifyPrecision(cast<PrecisionAttr>(each).getValue());
  });
  printer << "]";
}

static ParseResult parsePrecisionAndAlgorithm(OpAsmParser &parser,
                                              ArrayAttr &precision,
                                              DotAlgorithmAttr &algorithm) {
  while (succeeded(parser.parseOptionalComma())) {
    if (!algorithm && succeeded(parser.parseOptionalKeyword("algorithm"))) {
      if (parser.parseEqual())
        return failure();
      algorithm = dyn_cast_or_null<DotAlgorithmAttr>(
          DotAlgorithmAttr::parse(parser, Type()));
      if (!algorithm)
        return failure();
    } else if (parsePrecisions(parser, precision)) {
      return failure();
    }
  }
  return success();
}

static void printPrecisionAndAlgorithm(OpAsmPrinter &printer, Operation *op,
                                       ArrayAttr precision,
                                       DotAlgorithmAttr algorithm) {
  printPrecisionConfig(printer, op, precision);
  if (algorithm) {
    printer << ", algorithm = ";
    algorithm.print(printer);
  }
}

/// [0] x [1]
static ParseResult parsePair(OpAsmParser &parser, SmallVector<int64_t> &lhs,
                             SmallVector<int64_t> &rhs) {
  if (parser.parseEqual())
    return failure();
  auto left = parseDims(parser);
  if (failed(left) || parser.parseKeyword("x"))
    return failure();
  auto right = parseDims(parser);
  if (failed(right))
    return failure();
  lhs = *left;
  rhs = *right;
  return success();
}

static ParseResult parseDotDimensions(OpAsmParser &parser,
                                      DotDimensionNumbersAttr &attr) {
  SmallVector<int64_t> batch[2], contract[2];
  if (succeeded(parser.parseOptionalKeyword("batching_dims")) &&
      (parsePair(parser, batch[0], batch[1]) || parser.parseComma()))
    return failure();
  if (parser.parseKeyword("contracting_dims") ||
      parsePair(parser, contract[0], contract[1]))
    return failure();
  attr = DotDimensionNumbersAttr::get(parser.getContext(), batch[0], batch[1],
                                      contract[0], contract[1]);
  return success();
}

static void printDotDimensions(OpAsmPrinter &printer, Operation *,
                               DotDimensionNumbersAttr attr) {
  auto pair = [&](ArrayRef<int64_t> lhs, ArrayRef<int64_t> rhs) {
    printDims(printer, lhs);
    printer << " x ";
    printDims(printer, rhs);
  };
  if (!attr.getLhsBatchingDimensions().empty() ||
      !attr.getRhsBatchingDimensions().empty()) {
    printer << "batching_dims = ";
    pair(attr.getLhsBatchingDimensions(), attr.getRhsBatchingDimensions());
    printer << ", ";
  }
  printer << "contracting_dims = ";
  pair(attr.getLhsContractingDimensions(), attr.getRhsContractingDimensions());
}

#define GET_OP_CLASSES
#include "kiln/Dialect/Stablehlo/StablehloProductOps.cpp.inc"

void StablehloDialect::registerProductOps() {
  addOperations<
#define GET_OP_LIST
#include "kiln/Dialect/Stablehlo/StablehloProductOps.cpp.inc"
      >();
}
