//===- ChooseBlocks.cpp - Blocks of kernels that came with their own ------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Retiles matmul kernels that arrive with block sizes (from Triton, say) to the
// sizes that the cost model prefers, and sets the sizes of a schedule script.
//
//===----------------------------------------------------------------------===//

#include "ProductProblem.h"
#include "kiln/Dialect/Tile/KernelOps.h"
#include "kiln/Target/ModuleOptions.h"
#include "kiln/Target/TargetRegistry.h"
#include "kiln/Tiling/Passes.h"
#include "kiln/Tiling/SetBlocks.h"
#include "kiln/Tiling/Tiling.h"
#include "kiln/Transforms/Tile/Retile.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace kiln::tiling {
#define GEN_PASS_DEF_TILECHOOSEBLOCKS
#include "kiln/Tiling/Passes.h.inc"
} // namespace kiln::tiling

using namespace mlir;
using namespace kiln;
using namespace kiln::target;
using tiling::ProductProblem;

namespace {
/// The outcome of retiling a kernel with matmuls.
struct Retiled {
  enum { Kept, Changed, Refused } what;
  std::string reason; ///< if Refused
};
} // namespace

/// Retiles one kernel. Returns Kept if the kernel has no blocks to choose or
/// its blocks are near the preferred ones, and Refused if other blocks might be
/// better but the kernel cannot be rewritten to them.
static Retiled retileProduct(tile::KernelOp kernel, tiling::Chooser &chooser) {
  if (kernel.getTilingAttr())
    return {Retiled::Kept, ""};
  tile::IterationSpace space = tile::IterationSpace::analyze(kernel);
  std::string reason;
  std::optional<ProductProblem> found =
      ProductProblem::of(kernel, space, reason);
  if (!found)
    return {reason.empty() ? Retiled::Kept : Retiled::Refused, reason};
  ProductProblem &product = *found;
  Tiling wanted = chooser.choose(product.problem);
  // Keep sizes near the preferred ones: the author probably tuned them.
  ArrayRef<int64_t> is = product.blocks, shall = wanted.blocks;
  double area = double(is[0]) * is[1] / (double(shall[0]) * shall[1]);
  double depth = double(is[2]) / shall[2];
  if (area > 0.5 && area < 2 && depth > 0.4 && depth < 2.5 &&
      chooser.model().allows(product.problem, is)) {
    Tiling kept;
    kept.blocks.assign(is.begin(), is.end());
    tiling::noteTiling(kernel, product.problem, kept);
    return {Retiled::Kept, ""};
  }
  std::string why;
  if (failed(tile::retile(kernel, product.sizesFor(shall), why)))
    return {Retiled::Refused, why};
  tiling::noteTiling(kernel, product.problem, wanted);
  return {Retiled::Changed, ""};
}

LogicalResult tiling::setBlocks(tile::KernelOp kernel, ArrayRef<int64_t> blocks,
                                std::string &why) {
  tile::IterationSpace space = tile::IterationSpace::analyze(kernel);
  std::optional<ProductProblem> product =
      ProductProblem::of(kernel, space, why);
  if (!product) {
    if (why.empty())
      why = "the kernel is not one matmul in blocks";
    return failure();
  }
  Tiling wanted;
  for (auto [given, has] : llvm::zip(blocks, product->blocks))
    wanted.blocks.push_back(given ? given : has);
  if (std::unique_ptr<Chooser> chooser =
          chooserOf(kernel->getParentOfType<ModuleOp>());
      chooser && !chooser->model().allows(product->problem, wanted.blocks)) {
    why = "the target's memory and matrix instructions do not allow them for " +
          product->problem.str();
    return failure();
  }
  if (failed(tile::retile(kernel, product->sizesFor(wanted.blocks), why)))
    return failure();
  noteTiling(kernel, product->problem, wanted);
  return success();
}

/// The function that launches a kernel, if there is one.
static std::string launchedBy(tile::KernelOp kernel, ModuleOp module) {
  if (auto uses = SymbolTable::getSymbolUses(kernel, module))
    for (SymbolTable::SymbolUse use : *uses)
      if (auto function = use.getUser()->getParentOfType<FunctionOpInterface>())
        return function.getName().str();
  return "";
}

LogicalResult tiling::retileProducts(ModuleOp module) {
  Choosers choosers(module);
  Report &report = Report::of(module.getContext());
  for (auto kernel : llvm::to_vector(module.getOps<tile::KernelOp>())) {
    bool hasProduct = false;
    kernel.walk([&](MatrixProductOpInterface) { hasProduct = true; });
    if (!hasProduct)
      continue;
    Chooser *chooser = choosers.of(kernel);
    if (!chooser)
      return failure();
    if (!chooser->model().changesKernels())
      continue;
    Retiled retiled = retileProduct(kernel, *chooser);
    if (retiled.what == Retiled::Kept)
      continue;
    ReportRow row = report.describe(kernel);
    row.stage = "retile";
    row.function = launchedBy(kernel, module);
    if (auto options = target::findModuleOptions(kernel))
      row.target = options->name;
    row.chosen = "tile-choose-blocks";
    if (retiled.what == Retiled::Refused) {
      row.chosen = "as it is";
      row.declines.push_back({"tile-choose-blocks", std::move(retiled.reason)});
    }
    report.add(std::move(row));
  }
  return success();
}

namespace {
struct TileChooseBlocks : tiling::impl::TileChooseBlocksBase<TileChooseBlocks> {
  void runOnOperation() override {
    if (failed(tiling::retileProducts(getOperation())))
      signalPassFailure();
  }
};
} // namespace
