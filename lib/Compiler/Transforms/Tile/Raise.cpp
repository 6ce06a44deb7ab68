//===- Raise.cpp - Attaches the iteration space to kernels ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Analysis/IterationSpace.h"
#include "kiln/Dialect/Tile/KernelOps.h"
#include "kiln/Transforms/Tile/Passes.h"
#include "mlir/IR/Builders.h"

using namespace mlir;

namespace kiln::tile {
#define GEN_PASS_DEF_TILERAISE
#include "kiln/Transforms/Tile/Passes.h.inc"
} // namespace kiln::tile

using namespace kiln::tile;

namespace {

/// Attaches the iteration space of every kernel, or why it has none.
struct TileRaisePass : kiln::tile::impl::TileRaiseBase<TileRaisePass> {
  void runOnOperation() override {
    getOperation()->walk([](KernelOp kernel) {
      IterationSpace space = IterationSpace::analyze(kernel);
      Builder builder(kernel.getContext());
      kernel->removeAttr(kIterationSpaceAttr);
      kernel->removeAttr(kNotStructuredAttr);
      if (!space.isStructured())
        kernel->setAttr(kNotStructuredAttr,
                        builder.getStringAttr(space.getReason()));
      else
        kernel->setAttr(kIterationSpaceAttr,
                        space.toAttribute(kernel.getContext()));
    });
    markAllAnalysesPreserved();
  }
};

} // namespace
