//===- Windows.cpp - the window in the text of convolutions ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Text.h"

#include "kiln/Index/List.h"

using namespace mlir;

namespace kiln::stablehlo {

static ParseResult parseNumbers(AsmParser &parser, DenseI64ArrayAttr &attr) {
  auto dims = parseDims(parser);
  if (failed(dims))
    return failure();
  attr = DenseI64ArrayAttr::get(parser.getContext(), *dims);
  return success();
}

/// [[0, 1], [2, 3]]
static ParseResult parsePadding(AsmParser &parser, DenseIntElementsAttr &attr) {
  SmallVector<int64_t> numbers;
  SMLoc location = parser.getCurrentLocation();
  auto row = [&]() -> ParseResult {
    auto dims = parseDims(parser);
    if (failed(dims))
      return failure();
    if (dims->size() != 2)
      return parser.emitError(location, "expected pairs of numbers");
    llvm::append_range(numbers, *dims);
    return success();
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, row))
    return failure();
  auto type = RankedTensorType::get({int64_t(numbers.size() / 2), 2},
                                    parser.getBuilder().getI64Type());
  attr = DenseIntElementsAttr::get(type, ArrayRef<int64_t>(numbers));
  return success();
}

/// Truth values, or 0 and 1.
static ParseResult parseReversal(AsmParser &parser, DenseBoolArrayAttr &attr) {
  SmallVector<bool> values;
  auto element = [&]() -> ParseResult {
    int64_t number;
    if (succeeded(parser.parseOptionalKeyword("true")))
      number = 1;
    else if (succeeded(parser.parseOptionalKeyword("false")))
      number = 0;
    else if (parser.parseInteger(number))
      return failure();
    values.push_back(number != 0);
    return success();
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, element))
    return failure();
  attr = DenseBoolArrayAttr::get(parser.getContext(), values);
  return success();
}

ParseResult parseWindowAttributes(OpAsmParser &parser,
                                  DenseI64ArrayAttr &strides,
                                  DenseIntElementsAttr &padding,
                                  DenseI64ArrayAttr &lhsDilation,
                                  DenseI64ArrayAttr &rhsDilation,
                                  DenseBoolArrayAttr &reversal) {
  StringRef name;
  while (succeeded(parser.parseOptionalKeyword(
      &name, {"stride", "pad", "lhs_dilate", "rhs_dilate", "reverse"}))) {
    if (parser.parseEqual())
      return failure();
    ParseResult result =
        name == "stride"       ? parseNumbers(parser, strides)
        : name == "pad"        ? parsePadding(parser, padding)
        : name == "lhs_dilate" ? parseNumbers(parser, lhsDilation)
        : name == "rhs_dilate" ? parseNumbers(parser, rhsDilation)
                               : parseReversal(parser, reversal);
    if (failed(result))
      return failure();
    if (failed(parser.parseOptionalComma()))
      break;
  }
  return success();
}

void printWindowAttributes(OpAsmPrinter &printer, Operation *,
                           DenseI64ArrayAttr strides,
                           DenseIntElementsAttr padding,
                           DenseI64ArrayAttr lhsDilation,
                           DenseI64ArrayAttr rhsDilation,
                           DenseBoolArrayAttr reversal) {
  StringRef separator = "";
  auto begin = [&](StringRef name) -> raw_ostream & {
    printer << separator << name << " = ";
    separator = ", ";
    return printer.getStream();
  };
  auto numbers = [&](StringRef name, DenseI64ArrayAttr attr) {
    if (attr) {
      begin(name);
      printDims(printer, attr.asArrayRef());
    }
  };
  numbers("stride", strides);
  if (padding && padding.getType().getRank() == 2) {
    begin("pad") << "[";
    // What the verifier refuses is printed, too, and may be long.
    auto values =
        index::readList(padding).value_or(llvm::SmallVector<int64_t>());
    for (size_t i = 0; i + 1 < values.size(); i += 2) {
      printer << (i ? ", " : "");
      printDims(printer, ArrayRef<int64_t>(values).slice(i, 2));
    }
    printer << "]";
  }
  numbers("lhs_dilate", lhsDilation);
  numbers("rhs_dilate", rhsDilation);
  if (reversal) {
    begin("reverse") << "[";
    llvm::interleaveComma(reversal.asArrayRef(), printer, [&](bool value) {
      printer << (value ? "true" : "false");
    });
    printer << "]";
  }
}

} // namespace kiln::stablehlo
