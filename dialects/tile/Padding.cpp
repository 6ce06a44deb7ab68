//===- Padding.cpp - Assembly of what accesses read outside ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Dialect/Tile/Padding.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::tile;

ParseResult tile::parsePadding(OpAsmParser &parser,
             std::optional<OpAsmParser::UnresolvedOperand> &pad, Type &type,
             PaddingAttr &padding) {
  MLIRContext *context = parser.getContext();
  padding = PaddingAttr::get(context, Padding::zero);
  if (succeeded(parser.parseOptionalKeyword("pad"))) {
    padding = PaddingAttr::get(context, Padding::value);
    return failure(parser.parseOperand(pad.emplace()) ||
                   parser.parseColonType(type));
  }
  if (failed(parser.parseOptionalKeyword("padding")))
    return success();
  SMLoc loc = parser.getCurrentLocation();
  StringRef keyword;
  if (parser.parseKeyword(&keyword))
    return failure();
  std::optional<Padding> kind = symbolizePadding(keyword);
  if (!kind || *kind == Padding::value)
    return parser.emitError(loc)
           << "expected padding 'zero', 'nan' or 'any', found '" << keyword
           << "'";
  padding = PaddingAttr::get(context, *kind);
  return success();
}

void tile::printPadding(OpAsmPrinter &p, Operation *, Value pad, Type type,
                         PaddingAttr padding) {
  if (pad)
    p << " pad " << pad << " : " << type;
  else if (padding && padding.getValue() != Padding::zero)
    p << " padding " << stringifyPadding(padding.getValue());
}
