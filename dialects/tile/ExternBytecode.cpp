//===- ExternBytecode.cpp - Output and inline assembly in bytecode --------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Passes set `printed_types` of `tile.print` and `untranslated` of
// `tile.inline_asm`. Version 0.1 had them beside the definitions.
//
//===----------------------------------------------------------------------===//

#include "KernelDecisions.h"
#include "kiln/Dialect/Tile/ExternOps.h"
#include "mlir/Bytecode/BytecodeImplementation.h"

using namespace mlir;
using namespace kiln::tile;

/// Their names in version 0.1.
static constexpr StringLiteral kOldPrintedTypes = "tile.printed_types",
                               kOldUntranslated = "tile.untranslated";

LogicalResult kiln::tile::upgradeExternOps(Operation *top) {
  top->walk([](Operation *op) {
    if (auto print = dyn_cast<PrintOp>(op)) {
      if (Attribute types = op->removeDiscardableAttr(kOldPrintedTypes))
        print.setPrintedTypesAttr(dyn_cast<ArrayAttr>(types));
    } else if (auto code = dyn_cast<InlineAsmOp>(op)) {
      if (Attribute why = op->removeDiscardableAttr(kOldUntranslated))
        code.setUntranslatedAttr(dyn_cast<StringAttr>(why));
    }
  });
  return success();
}

LogicalResult PrintOp::readProperties(DialectBytecodeReader &reader,
                                      OperationState &state) {
  auto &prop = state.getOrAddProperties<Properties>();
  if (failed(reader.readOptionalAttribute(prop.hex)) ||
      failed(reader.readOptionalAttribute(prop.is_unsigned)) ||
      failed(reader.readAttribute(prop.prefix)))
    return failure();
  return isOfFirstVersion(reader)
             ? success()
             : reader.readOptionalAttribute(prop.printed_types);
}

void PrintOp::writeProperties(DialectBytecodeWriter &writer) {
  Properties &prop = getProperties();
  writer.writeOptionalAttribute(prop.hex);
  writer.writeOptionalAttribute(prop.is_unsigned);
  writer.writeAttribute(prop.prefix);
  writer.writeOptionalAttribute(prop.printed_types);
}

LogicalResult InlineAsmOp::readProperties(DialectBytecodeReader &reader,
                                          OperationState &state) {
  auto &prop = state.getOrAddProperties<Properties>();
  if (failed(reader.readAttribute(prop.constraints)) ||
      failed(reader.readAttribute(prop.isa)) ||
      failed(reader.readAttribute(prop.pack)) ||
      failed(reader.readOptionalAttribute(prop.pure)) ||
      failed(reader.readAttribute(prop.text)))
    return failure();
  return isOfFirstVersion(reader)
             ? success()
             : reader.readOptionalAttribute(prop.untranslated);
}

void InlineAsmOp::writeProperties(DialectBytecodeWriter &writer) {
  Properties &prop = getProperties();
  writer.writeAttribute(prop.constraints);
  writer.writeAttribute(prop.isa);
  writer.writeAttribute(prop.pack);
  writer.writeOptionalAttribute(prop.pure);
  writer.writeAttribute(prop.text);
  writer.writeOptionalAttribute(prop.untranslated);
}
