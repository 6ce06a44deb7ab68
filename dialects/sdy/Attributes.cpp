//===- Attributes.cpp - attributes of the sdy dialect ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Dialect/Sdy/Sdy.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace kiln::sdy;

#define GET_ATTRDEF_CLASSES
#include "kiln/Dialect/Sdy/SdyOpsAttrs.cpp.inc"

void SdyDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "kiln/Dialect/Sdy/SdyOpsAttrs.cpp.inc"
      >();
}

Attribute SdyDialect::parseAttribute(DialectAsmParser &parser,
                                     Type type) const {
  StringRef mnemonic;
  SMLoc location = parser.getCurrentLocation();
  Attribute attr;
  OptionalParseResult parsed =
      generatedAttributeParser(parser, &mnemonic, type, attr);
  if (parsed.has_value())
    return attr;
  // One for each value: an array.
  if (mnemonic == "sharding_per_value") {
    SmallVector<Attribute> list;
    auto element = [&] {
      list.push_back(TensorShardingAttr::parse(parser, {}));
      return success(bool(list.back()));
    };
    if (parser.parseLess() ||
        parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, element) ||
        parser.parseGreater())
      return {};
    return parser.getBuilder().getArrayAttr(list);
  }
  parser.emitError(location, "unknown attribute `")
      << mnemonic << "` in dialect `sdy`";
  return {};
}

void SdyDialect::printAttribute(Attribute attr,
                                DialectAsmPrinter &printer) const {
  (void)generatedAttributePrinter(attr, printer);
}

int64_t MeshAttr::getNumDevices() const {
  int64_t count = 1;
  for (int64_t size : getSizes())
    count *= size;
  return count;
}

Attribute MeshAttr::parse(AsmParser &parser, Type) {
  SmallVector<StringAttr> axes;
  SmallVector<int64_t> sizes, ids;
  auto axis = [&]() -> ParseResult {
    SMLoc location = parser.getCurrentLocation();
    std::string name;
    if (parser.parseString(&name) || parser.parseEqual() ||
        parser.parseInteger(sizes.emplace_back()))
      return failure();
    axes.push_back(parser.getBuilder().getStringAttr(name));
    if (sizes.back() > 0 && sizes.back() <= INT32_MAX)
      return success();
    return parser.emitError(location, "expected an axis of at least 1");
  };
  auto id = [&] { return parser.parseInteger(ids.emplace_back()); };
  if (parser.parseLess() ||
      parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, axis))
    return {};
  if (succeeded(parser.parseOptionalComma()) &&
      (parser.parseKeyword("device_ids") || parser.parseEqual() ||
       parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, id)))
    return {};
  if (parser.parseGreater())
    return {};
  return get(parser.getContext(), axes, sizes, ids);
}

void MeshAttr::print(AsmPrinter &printer) const {
  printer << "<[";
  llvm::interleaveComma(
      llvm::zip_equal(getAxes(), getSizes()), printer, [&](auto axis) {
        printer << std::get<0>(axis) << "=" << std::get<1>(axis);
      });
  printer << "]";
  if (!getDeviceIds().empty()) {
    printer << ", device_ids=[";
    llvm::interleaveComma(getDeviceIds(), printer);
    printer << "]";
  }
  printer << ">";
}

Attribute AxisRefAttr::parse(AsmParser &parser, Type) {
  std::string name;
  int64_t preSize = 0, size = 0;
  if (parser.parseString(&name))
    return {};
  if (succeeded(parser.parseOptionalColon()) &&
      (parser.parseLParen() || parser.parseInteger(preSize) ||
       parser.parseRParen() || parser.parseInteger(size)))
    return {};
  return get(parser.getContext(), parser.getBuilder().getStringAttr(name),
             preSize, size);
}

void AxisRefAttr::print(AsmPrinter &printer) const {
  printer << getName();
  if (getSize())
    printer << ":(" << getPreSize() << ")" << getSize();
}

/// `"x", "y":(1)2`.
static ParseResult parseAxis(AsmParser &parser,
                             SmallVectorImpl<AxisRefAttr> &axes) {
  axes.push_back(
      llvm::cast_if_present<AxisRefAttr>(AxisRefAttr::parse(parser, {})));
  return success(bool(axes.back()));
}

static void printAxes(AsmPrinter &printer, ArrayRef<AxisRefAttr> axes) {
  llvm::interleaveComma(axes, printer,
                        [&](AxisRefAttr axis) { axis.print(printer); });
}

Attribute DimensionShardingAttr::parse(AsmParser &parser, Type) {
  SmallVector<AxisRefAttr> axes;
  bool isClosed = true;
  int64_t priority = -1;
  if (parser.parseLBrace())
    return {};
  if (failed(parser.parseOptionalRBrace())) {
    do {
      if (succeeded(parser.parseOptionalQuestion())) {
        isClosed = false;
        break;
      }
      if (parseAxis(parser, axes))
        return {};
    } while (succeeded(parser.parseOptionalComma()));
    if (parser.parseRBrace())
      return {};
  }
  SMLoc location = parser.getCurrentLocation();
  StringRef word;
  if (succeeded(parser.parseOptionalKeyword(&word)) &&
      (!word.consume_front("p") || word.getAsInteger(10, priority))) {
    parser.emitError(location, "expected a priority such as p1");
    return {};
  }
  return get(parser.getContext(), axes, isClosed, priority);
}

void DimensionShardingAttr::print(AsmPrinter &printer) const {
  printer << "{";
  printAxes(printer, getAxes());
  if (!getIsClosed())
    printer << (getAxes().empty() ? "?" : ", ?");
  printer << "}";
  if (getPriority() >= 0)
    printer << "p" << getPriority();
}

Attribute TensorShardingAttr::parse(AsmParser &parser, Type) {
  Attribute mesh;
  SmallVector<DimensionShardingAttr> dims;
  SmallVector<AxisRefAttr> replicated, unreduced;
  auto dim = [&] {
    dims.push_back(llvm::cast_if_present<DimensionShardingAttr>(
        DimensionShardingAttr::parse(parser, {})));
    return success(bool(dims.back()));
  };
  if (parser.parseLess())
    return {};
  StringAttr name;
  if (succeeded(parser.parseOptionalSymbolName(name)))
    mesh = FlatSymbolRefAttr::get(name);
  else if (parser.parseKeyword("mesh") || !(mesh = MeshAttr::parse(parser, {})))
    return {};
  if (parser.parseComma() ||
      parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, dim))
    return {};
  while (succeeded(parser.parseOptionalComma())) {
    StringRef word;
    SMLoc location = parser.getCurrentLocation();
    if (parser.parseKeyword(&word))
      return {};
    if (word != "replicated" && word != "unreduced") {
      parser.emitError(location, "expected 'replicated' or 'unreduced'");
      return {};
    }
    auto &axes = word == "replicated" ? replicated : unreduced;
    auto axis = [&] { return parseAxis(parser, axes); };
    if (parser.parseEqual() ||
        parser.parseCommaSeparatedList(AsmParser::Delimiter::Braces, axis))
      return {};
  }
  if (parser.parseGreater())
    return {};
  return get(parser.getContext(), mesh, dims, replicated, unreduced);
}

void TensorShardingAttr::print(AsmPrinter &printer) const {
  printer << "<";
  if (auto mesh = dyn_cast<MeshAttr>(getMesh())) {
    printer << "mesh";
    mesh.print(printer);
  } else {
    printer << getMesh();
  }
  printer << ", [";
  llvm::interleaveComma(getDims(), printer,
                        [&](DimensionShardingAttr dim) { dim.print(printer); });
  printer << "]";
  for (auto [word, axes] : {std::pair("replicated", getReplicated()),
                            std::pair("unreduced", getUnreduced())}) {
    if (axes.empty())
      continue;
    printer << ", " << word << "={";
    printAxes(printer, axes);
    printer << "}";
  }
  printer << ">";
}
