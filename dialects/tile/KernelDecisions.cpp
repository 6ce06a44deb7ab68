//===- KernelDecisions.cpp - What passes decide about a kernel ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The attributes of `tile.kernel` that passes set, and how files of version 0.1
// are read, which had them under other names and beside the definition.
//
//===----------------------------------------------------------------------===//

#include "KernelDecisions.h"
#include "kiln/Dialect/Tile/KernelOps.h"
#include "kiln/Interfaces/Version.h"
#include "mlir/IR/IntegerSet.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::tile;

namespace {
/// An attribute of an older version, and its name since.
struct Renamed {
  StringLiteral old, name;
};
} // namespace

static constexpr Renamed kRenamed[] = {
    {"kiln.device", "device"},
    {"kiln.tiling", "tiling"},
    {"simt.shared_bytes", "shared_bytes"},
    {"simt.warps", "warps"},
    {"tile.grid_scale", "grid_scale"},
    {"tile.launch", kHintsAttr},
    {"tile.most_instances", "most_instances"},
    {"tile.requires", "condition"},
    {"tile.variants", "variants"},
};

void tile::renameKernelAttributes(NamedAttrList &attributes) {
  for (const Renamed &one : kRenamed)
    if (Attribute value = attributes.erase(one.old))
      attributes.set(one.name, value);
}

LogicalResult tile::upgradeKernels(Operation *top) {
  top->walk([](KernelOp kernel) {
    for (const Renamed &one : kRenamed)
      if (Attribute value = kernel->removeDiscardableAttr(one.old))
        kernel->setAttr(one.name, value);
  });
  return success();
}

LogicalResult tile::verifyKernelDecisions(KernelOp kernel) {
  auto areCounts = [](ArrayRef<int64_t> numbers) {
    return llvm::all_of(numbers, [](int64_t n) { return n >= 1; });
  };
  // (C6) Launches.
  if (ArrayAttr variants = kernel.getVariantsAttr();
      variants && variants.empty())
    return kernel.emitOpError()
           << "expected 'variants' to name kernels, found " << variants;
  if (IntegerSetAttr condition = kernel.getConditionAttr();
      condition &&
      (condition.getValue().getNumDims() ||
       condition.getValue().getNumSymbols() != kernel.getNumArguments() + 3))
    return kernel.emitOpError()
           << "expected 'condition' to be an affine set with a symbol for each "
              "parameter and three for the grid, found "
           << condition;
  if (DenseI64ArrayAttr most = kernel.getMostInstancesAttr();
      most && (most.size() != 3 || !areCounts(most)))
    return kernel.emitOpError() << "expected 'most_instances' to be three "
                                   "numbers of at least 1, found "
                                << most;
  if (DenseI64ArrayAttr scale = kernel.getGridScaleAttr();
      scale && (scale.size() != 6 || !areCounts(scale)))
    return kernel.emitOpError() << "expected 'grid_scale' to be six numbers of "
                                   "at least 1, found "
                                << scale;
  // (C7) Threads and their memory.
  if (std::optional<uint64_t> warps = kernel.getWarps();
      warps && int64_t(*warps) < 1)
    return kernel.emitOpError()
           << "expected at least one warp, found " << int64_t(*warps);
  if (std::optional<uint64_t> bytes = kernel.getSharedBytes();
      bytes && int64_t(*bytes) < 0)
    return kernel.emitOpError()
           << "expected 'shared_bytes' not to be negative, found "
           << int64_t(*bytes);
  return success();
}

//===----------------------------------------------------------------------===//
// Bytecode with properties, which later versions than 4 have
//===----------------------------------------------------------------------===//

bool tile::isOlder(DialectBytecodeReader &reader, uint64_t minor) {
  return kiln::isOlder<TileDialect>(reader, minor);
}

LogicalResult KernelOp::readProperties(DialectBytecodeReader &reader,
                                       OperationState &state) {
  auto &prop = state.getOrAddProperties<Properties>();
  if (failed(reader.readOptionalAttribute(prop.arg_attrs)) ||
      failed(reader.readAttribute(prop.function_type)) ||
      failed(reader.readOptionalAttribute(prop.hints)) ||
      failed(reader.readOptionalAttribute(prop.numerics)) ||
      failed(reader.readOptionalAttribute(prop.progress)) ||
      failed(reader.readOptionalAttribute(prop.res_attrs)) ||
      failed(reader.readAttribute(prop.sym_name)) ||
      failed(reader.readOptionalAttribute(prop.sym_visibility)))
    return failure();
  if (isOfFirstVersion(reader))
    return success();
  return failure(failed(reader.readOptionalAttribute(prop.variants)) ||
                 failed(reader.readOptionalAttribute(prop.condition)) ||
                 failed(reader.readOptionalAttribute(prop.most_instances)) ||
                 failed(reader.readOptionalAttribute(prop.grid_scale)) ||
                 failed(reader.readOptionalAttribute(prop.tiling)) ||
                 failed(reader.readOptionalAttribute(prop.device)) ||
                 failed(reader.readOptionalAttribute(prop.warps)) ||
                 failed(reader.readOptionalAttribute(prop.shared_bytes)));
}

void KernelOp::writeProperties(DialectBytecodeWriter &writer) {
  Properties &prop = getProperties();
  writer.writeOptionalAttribute(prop.arg_attrs);
  writer.writeAttribute(prop.function_type);
  writer.writeOptionalAttribute(prop.hints);
  writer.writeOptionalAttribute(prop.numerics);
  writer.writeOptionalAttribute(prop.progress);
  writer.writeOptionalAttribute(prop.res_attrs);
  writer.writeAttribute(prop.sym_name);
  writer.writeOptionalAttribute(prop.sym_visibility);
  writer.writeOptionalAttribute(prop.variants);
  writer.writeOptionalAttribute(prop.condition);
  writer.writeOptionalAttribute(prop.most_instances);
  writer.writeOptionalAttribute(prop.grid_scale);
  writer.writeOptionalAttribute(prop.tiling);
  writer.writeOptionalAttribute(prop.device);
  writer.writeOptionalAttribute(prop.warps);
  writer.writeOptionalAttribute(prop.shared_bytes);
}
