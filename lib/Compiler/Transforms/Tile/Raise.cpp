//===- Raise.cpp - Reports the iteration space of kernels -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Analysis/IterationSpace.h"
#include "kiln/Dialect/Tile/KernelOps.h"
#include "kiln/Transforms/Tile/Passes.h"
#include "mlir/IR/Diagnostics.h"

using namespace mlir;

namespace kiln::tile {
#define GEN_PASS_DEF_TILERAISE
#include "kiln/Transforms/Tile/Passes.h.inc"
} // namespace kiln::tile

using namespace kiln::tile;

namespace {

/// Reports the iteration space of every kernel, or why it has none.
struct TileRaisePass : kiln::tile::impl::TileRaiseBase<TileRaisePass> {
  void runOnOperation() override {
    getOperation()->walk([](KernelOp kernel) {
      IterationSpace space = IterationSpace::analyze(kernel);
      InFlightDiagnostic remark = kernel.emitRemark("tile.kernel @")
                                  << kernel.getSymName();
      if (!space.isStructured())
        remark << " is not structured: " << space.getReason();
      else
        remark << " has the iteration space "
               << space.toAttribute(kernel.getContext());
    });
    markAllAnalysesPreserved();
  }
};

} // namespace
