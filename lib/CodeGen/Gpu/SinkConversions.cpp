//===- SinkConversions.cpp - Large tiles where they are needed ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lowers register pressure at matmuls. The operand of a matmul may take many
// more registers than the tile that it is computed from: each warp holds a copy
// of it, or its elements were extended. The pass moves the layout conversion or
// the extension from the load down to the matmul, so that the registers are in
// use only there.
//
//===----------------------------------------------------------------------===//

#include "Work.h"
#include "kiln/Dialect/Kiln/Description.h"
#include "kiln/Dialect/Simt/LayoutConversion.h"
#include "kiln/Dialect/Simt/SimtDialect.h"
#include "kiln/Dialect/Tile/KernelOps.h"
#include "kiln/Gpu/Passes.h"
#include "kiln/Gpu/ThreadBuilder.h"
#include "kiln/Interfaces/MatrixProduct.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace kiln::simt {
#define GEN_PASS_DEF_SIMTSINKCONVERSIONS
#include "kiln/Gpu/Passes.h.inc"
} // namespace kiln::simt

using namespace mlir;
using namespace kiln;
using namespace kiln::simt;

/// The bytes of registers that one thread needs for its part of a tile.
static int64_t bytesOf(Value value) {
  LayoutAttr layout = getLayout(value);
  if (!layout)
    return 0;
  return layout.getNumRegisters() *
         ThreadBuilder::storedBytes(
             ThreadBuilder::scalarType(getElementTypeOrSelf(value.getType())));
}

/// Whether `op` makes a tile of at least `least` bytes of registers from a tile
/// of fewer bytes, elementwise or by a layout conversion. Conversions of
/// smaller tiles stay early, where threads need not wait for the exchange.
static bool grows(Operation *op, int64_t least) {
  if (op->getNumOperands() != 1 || op->getNumResults() != 1 ||
      op->getNumRegions() || !isPure(op))
    return false;
  int64_t before = bytesOf(op->getOperand(0));
  int64_t after = bytesOf(op->getResult(0));
  return before && before < after && after >= least &&
         (isa<LayoutConversionOpInterface>(op) ||
          OpTrait::hasElementwiseMappableTraits(op));
}

/// The first operation of a block that uses a value itself or in its regions;
/// null if one of another block does.
static Operation *findFirstUser(Value value, Block *block) {
  Operation *first = nullptr;
  for (Operation *user : value.getUsers()) {
    Operation *here = block->findAncestorOpInBlock(*user);
    if (!here)
      return nullptr;
    if (!first || here->isBeforeInBlock(first))
      first = here;
  }
  return first;
}

namespace {
struct SinkConversions : simt::impl::SimtSinkConversionsBase<SinkConversions> {
  void runOnOperation() override {
    // Only kernels with matmuls hold accumulators in registers beside such
    // tiles. In others the assembler schedules extensions better.
    auto isProduct = [](MatrixProductOpInterface) {
      return WalkResult::interrupt();
    };
    if (!getOperation().walk(isProduct).wasInterrupted())
      return;
    constexpr int64_t kShare = 4, kRegisterBytes = 4;
    int64_t least = kRegisterBytes / kShare *
                    registersOf(target::getDescription(getOperation()));
    getOperation().walk([&](Block *block) {
      for (Operation &op : llvm::make_early_inc_range(llvm::reverse(*block)))
        if (grows(&op, least))
          if (Operation *user = findFirstUser(op.getResult(0), block))
            op.moveBefore(user);
    });
  }
};
} // namespace
