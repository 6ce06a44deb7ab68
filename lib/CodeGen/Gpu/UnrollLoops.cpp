//===- UnrollLoops.cpp - Short loops of loads, iteration by iteration -----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An iteration waits for what it loads. Where all iterations of a loop are
// known and few, their loads are better requested together, and their
// coordinates are constants.
//
//===----------------------------------------------------------------------===//

#include "LoopMemory.h"
#include "Machine.h"
#include "StorageAreas.h"
#include "kiln/Dialect/Tile/Kernel.h"
#include "kiln/Dialect/Tile/KernelOps.h"
#include "kiln/Dialect/Tile/TileDialect.h"
#include "kiln/Gpu/Passes.h"
#include "kiln/Gpu/ThreadBuilder.h"
#include "kiln/Interfaces/MatrixProduct.h"
#include "mlir/Dialect/SCF/Utils/Utils.h"

namespace kiln::simt {
#define GEN_PASS_DEF_SIMTUNROLLLOOPS
#include "kiln/Gpu/Passes.h.inc"
} // namespace kiln::simt

using namespace mlir;
using namespace kiln;
using namespace kiln::simt;

/// Iterations of a loop whose bounds are constants; nothing for other loops.
static std::optional<int64_t> tripCountOf(scf::ForOp loop) {
  std::optional<llvm::APInt> count = loop.getStaticTripCount();
  constexpr unsigned kBits = 63;
  if (!count || count->getActiveBits() > kBits)
    return std::nullopt;
  return count->getZExtValue();
}

/// Results of a thread, which about as many instructions make.
static int64_t workOf(Operation *op) {
  int64_t count = 0;
  for (Value result : op->getResults()) {
    LayoutAttr layout = getLayout(result);
    count += layout ? layout.getNumRegisters() : 1;
  }
  return count;
}

/// Bytes that a thread requests together: more where a core has no room for a
/// third block, which would compute while one waits.
static int64_t mostBytes(tile::KernelOp kernel) {
  constexpr int64_t kMostBytes = 64;
  target::TargetAttr description = target::getDescription(kernel);
  if (!description || !description.getTopology())
    return kMostBytes;
  // A core holds a block at least; what says nothing has one thread.
  int64_t threads = warpsOf(kernel) * lanesOf(description),
          ofCore = description.getTopology().getThreads();
  return ofCore >= threads && 2 * threads >= ofCore ? 2 * kMostBytes
                                                    : kMostBytes;
}

/// Whether a loop is short, and its iterations load little and do little.
static bool isWorthUnrolling(scf::ForOp loop, int64_t most) {
  constexpr int64_t kMostIterations = 16, kMostWork = 800;
  std::optional<int64_t> count = tripCountOf(loop);
  if (!count || *count < 1 || *count > kMostIterations)
    return false;
  // The author of the loop may say how its iterations run.
  if (auto hints = loop->getAttrOfType<tile::LoopHintsAttr>(tile::kHintsAttr);
      hints && (hints.getUnroll() > 0 || hints.getStages() > 1))
    return false;
  int64_t work = 0, bytes = 0;
  bool fits = true;
  loop.getBody()->walk([&](Operation *op) {
    work += workOf(op);
    fits &= !isa<scf::ForOp, scf::WhileOp, MatrixProductOpInterface>(op);
    if (!isTileLoad(op))
      return;
    fits &= !isVolatileLoad(op);
    bytes += bytesOfThread(op);
  });
  return fits && bytes > 0 && bytes * *count <= most &&
         work * *count <= kMostWork;
}

namespace {
struct SimtUnrollLoops : simt::impl::SimtUnrollLoopsBase<SimtUnrollLoops> {
  using Base::Base;

  void runOnOperation() override {
    // Inner loops come first: a loop around them may follow.
    SmallVector<scf::ForOp> loops;
    getOperation().walk([&](scf::ForOp loop) { loops.push_back(loop); });
    int64_t most =
        mostBytes(cast<tile::KernelOp>(getOperation().getOperation()));
    for (scf::ForOp loop : loops)
      if (isWorthUnrolling(loop, most) && failed(loopUnrollFull(loop)))
        return signalPassFailure();
  }
};
} // namespace
