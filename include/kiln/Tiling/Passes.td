// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Passes that choose block sizes.
#ifndef KILN_TILING_PASSES_TD
#define KILN_TILING_PASSES_TD

include "mlir/Pass/PassBase.td"

def TileChooseBlocks : Pass<"tile-choose-blocks", "::mlir::ModuleOp"> {
  let summary = "Gives kernels the block sizes of the module's target";
  let description = [{
    Asks the tiling model of the target that `kiln.spec` and `kiln.target` name for the block sizes of every
    structured kernel that holds one matrix product, and rewrites the kernel and its launches to them, as
    `tile-retile` does. Kernels that a schedule made have `kiln.tiling`, the problem that the model was asked, and
    keep their blocks; so do kernels that cannot be rewritten, with the reason in the report (`--explain`).
    Nothing happens where the model says that kernels shall keep what they came with.
  }];
}

#endif
