//===- Description.cpp - Reading and printing descriptions ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Dialect/Kiln/Description.h"
#include "kiln/Text/Json.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace kiln::target;

ContractionTile TileSizes::contractionFor(Type type) const {
  // f32 that may be read as less is f32 to a machine that has nothing for it.
  if (isa_and_nonnull<FloatTF32Type>(type) &&
      llvm::none_of(contraction,
                    [&](const auto &entry) { return entry.first == type; }))
    type = Float32Type::get(type.getContext());
  for (const auto &[wanted, sizes] : contraction)
    if (!wanted || wanted == type)
      return sizes;
  return {};
}

TileSizes TileSizes::fromDescription(TargetAttr description) {
  TileSizes sizes;
  TilesAttr tiles = description ? description.getTiles() : TilesAttr();
  if (!tiles)
    return sizes;
  sizes.elementwiseRows = tiles.getElementwiseRows();
  sizes.elementwiseCols = tiles.getElementwiseCols();
  sizes.reductionElements = tiles.getReductionElements();
  sizes.reductionRows = tiles.getReductionRows();
  for (ContractionTileAttr entry : tiles.getContraction())
    sizes.contraction.push_back(
        {entry.getType(), {entry.getM(), entry.getN(), entry.getK()}});
  return sizes;
}

TargetAttr kiln::target::getDescription(Operation *op) {
  for (; op; op = op->getParentOp())
    if (auto description = op->getAttrOfType<TargetAttr>(kTargetAttr))
      return description;
  return {};
}

TileSizes kiln::target::getTileSizes(Operation *op) {
  return TileSizes::fromDescription(getDescription(op));
}

/// The text that an error is about, for descriptions that stand in a plug-in.
static std::string placeIn(StringRef text, Location loc) {
  auto at = dyn_cast<FileLineColLoc>(loc);
  if (!at || at.getLine() == 0 || at.getColumn() == 0)
    return "";
  for (unsigned line = 1; line < at.getLine(); ++line)
    text = text.split('\n').second;
  StringRef rest = text.split('\n').first.substr(at.getColumn() - 1, 32);
  return rest.empty() ? "" : (" at '" + rest + "'").str();
}

TargetAttr kiln::target::parseDescription(StringRef text, MLIRContext *context,
                                          StringRef origin) {
  context->getOrLoadDialect<KilnDialect>();
  Location loc = FileLineColLoc::get(context, origin, 1, 1);
  // The attribute parser wants nothing but the attribute: drop comments.
  std::string bare;
  for (StringRef rest = text; !rest.empty();) {
    auto [line, next] = rest.split('\n');
    bare += line.ltrim().starts_with("//") ? std::string() : line.str();
    bare += '\n';
    rest = next;
  }
  // What stands before the attribute, for places of errors.
  StringRef before = StringRef(bare).drop_back(StringRef(bare).ltrim().size());
  unsigned firstLine = unsigned(before.count('\n'));
  unsigned firstColumn =
      unsigned(before.size() - (before.rfind('\n') + 1)); // npos + 1 is 0
  bare = StringRef(bare).trim().str();
  if (nestingOf(bare) > kMaxNesting) {
    emitError(loc) << "not a description: expected up to " << kMaxNesting
                   << " levels of nesting, found more";
    return {};
  }
  std::string reason;
  Attribute attr;
  {
    ScopedDiagnosticHandler handler(context, [&](Diagnostic &diag) {
      if (!reason.empty())
        return success();
      reason = diag.str() + placeIn(bare, diag.getLocation());
      if (auto at = dyn_cast<FileLineColLoc>(diag.getLocation()))
        loc = FileLineColLoc::get(context, origin, firstLine + at.getLine(),
                                  (at.getLine() == 1 ? firstColumn : 0) +
                                      at.getColumn());
      return success();
    });
    attr = parseAttribute(bare, context);
  }
  if (!attr) {
    emitError(loc) << "not a description: "
                   << (reason.empty()
                           ? std::string("expected #kiln.target<...>")
                           : reason);
    return {};
  }
  auto description = dyn_cast<TargetAttr>(attr);
  if (!description)
    emitError(loc) << "expected a #kiln.target<...>, found " << attr;
  return description;
}

TargetAttr kiln::target::loadDescription(StringRef path, MLIRContext *context) {
  auto file = llvm::MemoryBuffer::getFile(path, /*IsText=*/true);
  if (!file) {
    emitError(FileLineColLoc::get(context, path, 1, 1))
        << "cannot be read: " << file.getError().message();
    return {};
  }
  if ((*file)->getBufferSize() > (1u << 20)) {
    emitError(FileLineColLoc::get(context, path, 1, 1))
        << "expected a description of at most 1 MiB, found "
        << (*file)->getBufferSize() << " bytes";
    return {};
  }
  return parseDescription((*file)->getBuffer(), context, path);
}

void kiln::target::printDescription(TargetAttr description,
                                    llvm::raw_ostream &os) {
  std::string text;
  llvm::raw_string_ostream(text) << description;
  // Break behind every top-level comma and inside lists of attributes.
  int depth = 0;
  bool quoted = false;
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (c == '"' && (i == 0 || text[i - 1] != '\\'))
      quoted = !quoted;
    if (!quoted && (c == '<' || c == '[' || c == '{' || c == '('))
      ++depth;
    if (!quoted && (c == '>' || c == ']' || c == '}' || c == ')'))
      --depth;
    os << c;
    StringRef rest = StringRef(text).drop_front(i + 1);
    bool breakHere = !quoted && ((c == ',' && depth == 1) ||
                                 ((c == ',' || c == '[') && depth == 2 &&
                                  rest.ltrim().starts_with("#kiln.")));
    if (breakHere) {
      os << "\n" << std::string(depth * 2, ' ');
      while (i + 1 < text.size() && text[i + 1] == ' ')
        ++i;
    }
  }
  os << "\n";
}
