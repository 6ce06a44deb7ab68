//===- TorchDialect.cpp - the torch dialect -------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Dialect/Torch/Torch.h"

#include "kiln/Interfaces/RegionSyntax.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace kiln::torch;

#include "kiln/Dialect/Torch/TorchOpsDialect.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "kiln/Dialect/Torch/TorchTypes.cpp.inc"

/// `custom<Regions>`: any number of regions with commas between them.
static ParseResult
parseRegions(OpAsmParser &parser,
             SmallVectorImpl<std::unique_ptr<Region>> &regions) {
  std::unique_ptr<Region> first;
  OptionalParseResult found = parser.parseOptionalRegion(first);
  if (!found.has_value())
    return success();
  if (failed(*found))
    return failure();
  regions.push_back(std::move(first));
  while (succeeded(parser.parseOptionalComma())) {
    regions.push_back(std::make_unique<Region>());
    if (parser.parseRegion(*regions.back()))
      return kiln::failBehind(llvm::map_to_vector(
          regions, [](auto &region) { return region.get(); }));
  }
  return success();
}

static void printRegions(OpAsmPrinter &printer, Operation *,
                         MutableArrayRef<Region> regions) {
  llvm::interleaveComma(regions, printer,
                        [&](Region &one) { printer.printRegion(one); });
}

#define GET_OP_CLASSES
#include "kiln/Dialect/Torch/TorchOps.cpp.inc"

void TorchDialect::initialize() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "kiln/Dialect/Torch/TorchTypes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "kiln/Dialect/Torch/TorchOps.cpp.inc"
      >();
}

/// The sizes in `[2,?]`.
static ParseResult parseShape(AsmParser &parser, SmallVector<int64_t> &shape) {
  return parser.parseCommaSeparatedList(
      AsmParser::Delimiter::Square, [&]() -> ParseResult {
        if (succeeded(parser.parseOptionalQuestion())) {
          shape.push_back(ShapedType::kDynamic);
          return success();
        }
        SMLoc at = parser.getCurrentLocation();
        if (parser.parseInteger(shape.emplace_back()))
          return failure();
        if (shape.back() < 0)
          return parser.emitError(at, "expected a size of at least 0");
        return success();
      });
}

Type VTensorType::parse(AsmParser &parser) {
  MLIRContext *context = parser.getContext();
  if (failed(parser.parseOptionalLess()))
    return get(context, {}, /*ranked=*/false, Type());
  SmallVector<int64_t> shape;
  bool ranked = failed(parser.parseOptionalStar());
  Type element;
  if ((ranked && parseShape(parser, shape)) || parser.parseComma())
    return {};
  if (failed(parser.parseOptionalKeyword("unk")) && parser.parseType(element))
    return {};
  if (parser.parseGreater())
    return {};
  return get(context, shape, ranked, element);
}

void VTensorType::print(AsmPrinter &printer) const {
  if (!getRanked() && !getElement())
    return;
  printer << '<';
  if (getRanked()) {
    printer << '[';
    llvm::interleave(
        getShape(), printer.getStream(),
        [&](int64_t size) {
          if (ShapedType::isDynamic(size))
            printer << '?';
          else
            printer << size;
        },
        ",");
    printer << ']';
  } else {
    printer << '*';
  }
  printer << ',';
  if (getElement())
    printer << getElement();
  else
    printer << "unk";
  printer << '>';
}

/// A type in `<>`, which may be one of this dialect without `!torch.`.
static Type parseNested(AsmParser &parser) {
  Type type;
  if (parser.parseLess())
    return {};
  OptionalParseResult whole = parser.parseOptionalType(type);
  if (whole.has_value()) {
    if (failed(*whole))
      return {};
  } else {
    SMLoc at = parser.getCurrentLocation();
    StringRef mnemonic;
    OptionalParseResult own = generatedTypeParser(parser, &mnemonic, type);
    if (!own.has_value())
      parser.emitError(at, "expected a type of torch, found '")
          << mnemonic << "'";
    if (!own.has_value() || failed(*own))
      return {};
  }
  return parser.parseGreater() ? Type() : type;
}

static void printNested(AsmPrinter &printer, Type type) {
  printer << '<';
  if (failed(generatedTypePrinter(type, printer)))
    printer << type;
  printer << '>';
}

Type ListType::parse(AsmParser &parser) {
  Type contained = parseNested(parser);
  return contained ? get(parser.getContext(), contained) : Type();
}

void ListType::print(AsmPrinter &printer) const {
  printNested(printer, getContained());
}

Type OptionalType::parse(AsmParser &parser) {
  Type contained = parseNested(parser);
  return contained ? get(parser.getContext(), contained) : Type();
}

void OptionalType::print(AsmPrinter &printer) const {
  printNested(printer, getContained());
}

LogicalResult LiteralOp::verify() {
  VTensorType type = getType();
  ShapedType value = getValue().getShapedType();
  if (type.getRanked() &&
      failed(verifyCompatibleShape(type.getShape(), value.getShape())))
    return emitOpError("expected a value of the shape of the result");
  if (type.getElement() && type.getElement() != value.getElementType())
    return emitOpError("expected elements of type ")
           << type.getElement() << ", found " << value.getElementType();
  return success();
}
