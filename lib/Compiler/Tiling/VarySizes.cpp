//===- VarySizes.cpp - Variants of kernels for sizes that divide ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Tiling/Passes.h"
#include "kiln/Tiling/Tiling.h"
#include "kiln/Transforms/Program/AlignEntries.h"
#include "kiln/Transforms/Program/AlignSizes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace kiln::tiling {
#define GEN_PASS_DEF_TILEVARYSIZES
#include "kiln/Tiling/Passes.h.inc"
} // namespace kiln::tiling

using namespace mlir;
using namespace kiln;

namespace {
struct TileVarySizes : tiling::impl::TileVarySizesBase<TileVarySizes> {
  void runOnOperation() override {
    tiling::Choosers choosers(getOperation());
    bool failed = false;
    auto bytesOf = [&](Operation *kernel) -> int64_t {
      tiling::Chooser *chooser = choosers.of(kernel);
      failed |= !chooser;
      return chooser ? chooser->model().accessBytes() : 1;
    };
    program::alignSizes(getOperation(), bytesOf);
    program::alignEntries(getOperation(), bytesOf);
    if (failed)
      signalPassFailure();
  }
};
} // namespace
