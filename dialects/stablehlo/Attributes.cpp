//===- Attributes.cpp - attributes of the stablehlo dialect ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Text.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace kiln::stablehlo;

#include "kiln/Dialect/Stablehlo/StablehloAttrsEnums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "kiln/Dialect/Stablehlo/StablehloAttrs.cpp.inc"

FailureOr<SmallVector<int64_t>> kiln::stablehlo::parseDims(AsmParser &parser) {
  SmallVector<int64_t> dims;
  auto element = [&]() -> ParseResult {
    if (succeeded(parser.parseOptionalQuestion())) {
      dims.push_back(ShapedType::kDynamic);
      return success();
    }
    return parser.parseInteger(dims.emplace_back());
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, element))
    return failure();
  return dims;
}

void kiln::stablehlo::printDims(AsmPrinter &printer, ArrayRef<int64_t> dims) {
  printer << "[";
  llvm::interleaveComma(dims, printer, [&](int64_t dim) {
    if (ShapedType::isDynamic(dim))
      printer << "?";
    else
      printer << dim;
  });
  printer << "]";
}

/// One list of a convolution, such as [b, 0, 1, f]: the places of the two
/// letters, and of the numbers in their order.
static ParseResult parsePlaces(AsmParser &parser, char first, char second,
                               int64_t &firstPlace, int64_t &secondPlace,
                               SmallVector<int64_t> &spatial) {
  firstPlace = secondPlace = -1;
  SmallVector<std::pair<int64_t, int64_t>> numbers; // number, place
  int64_t place = 0;
  auto element = [&]() -> ParseResult {
    SMLoc location = parser.getCurrentLocation();
    StringRef letter;
    int64_t number;
    OptionalParseResult parsed = parser.parseOptionalInteger(number);
    if (parsed.has_value()) {
      if (failed(*parsed))
        return failure();
      numbers.push_back({number, place++});
      return success();
    }
    // A dimension that has no part in the convolution.
    if (succeeded(parser.parseOptionalQuestion())) {
      ++place;
      return success();
    }
    if (failed(parser.parseOptionalKeyword(&letter)) || letter.size() != 1 ||
        (letter[0] != first && letter[0] != second))
      return parser.emitError(location, "expected '")
             << first << "', '" << second << "' or a number";
    int64_t &target = letter[0] == first ? firstPlace : secondPlace;
    if (target >= 0)
      return parser.emitError(location, "'") << letter << "' stands twice";
    target = place++;
    return success();
  };
  SMLoc location = parser.getCurrentLocation();
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, element))
    return failure();
  if (firstPlace < 0 || secondPlace < 0)
    return parser.emitError(location, "expected '")
           << first << "' and '" << second << "'";
  llvm::sort(numbers);
  for (auto [i, entry] : llvm::enumerate(numbers)) {
    if (entry.first != int64_t(i))
      return parser.emitError(location,
                              "expected spatial dimensions from 0 on");
    spatial.push_back(entry.second);
  }
  return success();
}

static void printPlaces(AsmPrinter &printer, char first, char second,
                        int64_t firstPlace, int64_t secondPlace,
                        ArrayRef<int64_t> spatial) {
  int64_t rank = std::max(firstPlace, secondPlace) + 1;
  for (int64_t place : spatial)
    rank = std::max(rank, place + 1);
  SmallVector<std::string> text(std::max<int64_t>(rank, 0), "?");
  auto put = [&](int64_t place, std::string what) {
    if (place >= 0)
      text[place] = std::move(what);
  };
  put(firstPlace, std::string(1, first));
  put(secondPlace, std::string(1, second));
  for (auto [i, place] : llvm::enumerate(spatial))
    put(place, std::to_string(i));
  printer << "[" << llvm::join(text, ", ") << "]";
}

ParseResult
kiln::stablehlo::parseConvolutionDimensions(AsmParser &parser,
                                            ConvDimensionNumbersAttr &attr) {
  int64_t in[2], kernel[2], out[2];
  SmallVector<int64_t> inSpatial, kernelSpatial, outSpatial;
  // The x between the lists is read as a part of what follows it otherwise.
  if (parsePlaces(parser, 'b', 'f', in[0], in[1], inSpatial) ||
      parser.parseKeyword("x") ||
      parsePlaces(parser, 'i', 'o', kernel[0], kernel[1], kernelSpatial) ||
      parser.parseArrow() ||
      parsePlaces(parser, 'b', 'f', out[0], out[1], outSpatial))
    return failure();
  attr = ConvDimensionNumbersAttr::get(
      parser.getContext(), in[0], in[1], inSpatial, kernel[0], kernel[1],
      kernelSpatial, out[0], out[1], outSpatial);
  return success();
}

void kiln::stablehlo::printConvolutionDimensions(
    AsmPrinter &printer, ConvDimensionNumbersAttr attr) {
  printPlaces(printer, 'b', 'f', attr.getInputBatch(), attr.getInputFeature(),
              attr.getInputSpatial());
  printer << "x";
  printPlaces(printer, 'i', 'o', attr.getKernelInput(), attr.getKernelOutput(),
              attr.getKernelSpatial());
  printer << "->";
  printPlaces(printer, 'b', 'f', attr.getOutputBatch(), attr.getOutputFeature(),
              attr.getOutputSpatial());
}

/// The form with all numbers by name, for places that the lists cannot say.
static Attribute parseRawConv(AsmParser &parser) {
  int64_t numbers[6] = {0, 0, 0, 0, 0, 0};
  SmallVector<int64_t> lists[3];
  StringRef numberNames[] = {
      "input_batch_dimension",          "input_feature_dimension",
      "kernel_input_feature_dimension", "kernel_output_feature_dimension",
      "output_batch_dimension",         "output_feature_dimension"};
  StringRef listNames[] = {"input_spatial_dimensions",
                           "kernel_spatial_dimensions",
                           "output_spatial_dimensions"};
  auto field = [&]() -> ParseResult {
    SMLoc location = parser.getCurrentLocation();
    StringRef name;
    if (parser.parseKeyword(&name) || parser.parseEqual())
      return failure();
    for (int i = 0; i < 6; ++i)
      if (name == numberNames[i])
        return parser.parseInteger(numbers[i]);
    for (int i = 0; i < 3; ++i)
      if (name == listNames[i]) {
        auto dims = parseDims(parser);
        if (failed(dims))
          return failure();
        lists[i] = *dims;
        return success();
      }
    return parser.emitError(location, "unknown field '") << name << "'";
  };
  if (parser.parseCommaSeparatedList(field) || parser.parseGreater())
    return {};
  return ConvDimensionNumbersAttr::get(
      parser.getContext(), numbers[0], numbers[1], lists[0], numbers[2],
      numbers[3], lists[1], numbers[4], numbers[5], lists[2]);
}

Attribute ConvDimensionNumbersAttr::parse(AsmParser &parser, Type) {
  if (parser.parseLess())
    return {};
  if (succeeded(parser.parseOptionalKeyword("raw")))
    return parseRawConv(parser);
  ConvDimensionNumbersAttr attr;
  if (parseConvolutionDimensions(parser, attr) || parser.parseGreater())
    return {};
  return attr;
}

void ConvDimensionNumbersAttr::print(AsmPrinter &printer) const {
  printer << "<";
  printConvolutionDimensions(printer, *this);
  printer << ">";
}

Attribute ResultAccuracyAttr::parse(AsmParser &parser, Type) {
  double atol = 0, rtol = 0;
  int64_t ulps = 0;
  auto mode = ResultAccuracyModeAttr::get(parser.getContext(),
                                          ResultAccuracyMode::DEFAULT);
  auto field = [&]() -> ParseResult {
    SMLoc location = parser.getCurrentLocation();
    StringRef name;
    if (parser.parseKeyword(&name) || parser.parseEqual())
      return failure();
    if (name == "atol")
      return parser.parseFloat(atol);
    if (name == "rtol")
      return parser.parseFloat(rtol);
    if (name == "ulps")
      return parser.parseInteger(ulps);
    if (name == "mode")
      return parser.parseAttribute(mode);
    return parser.emitError(location, "unknown field '") << name << "'";
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::LessGreater, field))
    return {};
  Builder b(parser.getContext());
  return ResultAccuracyAttr::get(parser.getContext(), b.getF64FloatAttr(atol),
                                 b.getF64FloatAttr(rtol), ulps, mode);
}

void ResultAccuracyAttr::print(AsmPrinter &printer) const {
  printer << "<atol = ";
  printer.printFloat(getAtol().getValue());
  printer << ", rtol = ";
  printer.printFloat(getRtol().getValue());
  printer << ", ulps = " << getUlps() << ", mode = " << getMode() << ">";
}

/// The short form of bounds, which is a name of its own.
static Attribute parseBounds(AsmParser &parser) {
  SmallVector<int64_t> dims;
  auto element = [&]() -> ParseResult {
    if (succeeded(parser.parseOptionalQuestion())) {
      dims.push_back(ShapedType::kDynamic);
      return success();
    }
    return parser.parseInteger(dims.emplace_back());
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::LessGreater,
                                     element))
    return {};
  return TypeExtensionsAttr::get(parser.getContext(), dims);
}

Attribute StablehloDialect::parseAttribute(DialectAsmParser &parser,
                                           Type type) const {
  StringRef mnemonic;
  Attribute attr;
  SMLoc location = parser.getCurrentLocation();
  OptionalParseResult parsed =
      generatedAttributeParser(parser, &mnemonic, type, attr);
  if (parsed.has_value())
    return attr;
  if (mnemonic == "bounds")
    return parseBounds(parser);
  parser.emitError(location, "unknown attribute '") << mnemonic << "'";
  return {};
}

void StablehloDialect::printAttribute(Attribute attr,
                                      DialectAsmPrinter &printer) const {
  (void)generatedAttributePrinter(attr, printer);
}

void StablehloDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "kiln/Dialect/Stablehlo/StablehloAttrs.cpp.inc"
      >();
}
