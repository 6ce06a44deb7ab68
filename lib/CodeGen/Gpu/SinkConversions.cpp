//===- SinkConversions.cpp - Large tiles where they are needed ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An operand of a matmul may take many more registers than the tile that it
// comes from: warps have it alike, or its elements were extended. Computed
// where that tile is loaded, it would be in registers until the matmul begins.
//
//===----------------------------------------------------------------------===//

#include "Work.h"
#include "kiln/Dialect/Kiln/Description.h"
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

/// Bytes that a thread has of a tile in registers.
static int64_t bytesOf(Value value) {
  LayoutAttr layout = getLayout(value);
  if (!layout)
    return 0;
  return layout.getNumRegisters() *
         ThreadBuilder::storedBytes(
             ThreadBuilder::scalarType(getElementTypeOrSelf(value.getType())));
}

/// Whether a tile that takes many registers is made of one that takes fewer of
/// them, element by element or by an exchange. Small tiles stay: what threads
/// exchange early they need not wait for later.
static bool grows(Operation *op, int64_t least) {
  if (op->getNumOperands() != 1 || op->getNumResults() != 1 ||
      op->getNumRegions() || !isPure(op))
    return false;
  int64_t before = bytesOf(op->getOperand(0));
  int64_t after = bytesOf(op->getResult(0));
  return before && before < after && after >= least &&
         (isa<ConvertLayoutOp>(op) ||
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
    // Other kernels have no sums in registers beside such tiles; there the
    // assembler orders extensions better than this.
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
