//===- Retile.cpp - Blocks of products that suit registers and caches -----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Transforms/Tile/Retile.h"
#include "kiln/Analysis/IterationSpace.h"
#include "kiln/Cpu/Passes.h"
#include "kiln/Dialect/Tile/KernelOps.h"
#include "kiln/Interfaces/MatrixProduct.h"
#include "kiln/Target/TargetRegistry.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Pass/Pass.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::cpu;

/// What `block` should become: `preferred`, but no more than the extent where
/// that is known.
static int64_t wantedBlock(const tile::IterationDim &dim, int64_t preferred) {
  if (!dim.extentView)
    return preferred;
  auto view = dyn_cast<tile::ViewType>(dim.extentView.getType());
  if (!view || ShapedType::isDynamic(view.getShape()[dim.extentDim]))
    return preferred;
  return std::min(preferred, view.getShape()[dim.extentDim]);
}

namespace {
/// What became of the blocks of a kernel with products.
struct Retiled {
  enum { Kept, Changed, Refused } what;
  std::string reason; ///< why it was refused
};
} // namespace

/// Retiles one kernel. Blocks are kept where there is nothing to choose or what
/// was chosen is good; they are refused where other ones might be better.
static Retiled retileProduct(tile::KernelOp kernel,
                             const target::TileSizes &tiles) {
  SmallVector<MatrixProductOpInterface> dots;
  kernel.walk([&](MatrixProductOpInterface dot) { dots.push_back(dot); });
  // A schedule that made blocks smaller has given every core a part.
  if (dots.size() != 1 || kernel->hasAttr("kiln.spread"))
    return {Retiled::Kept, ""};
  MatrixProductOpInterface dot = dots.front();
  std::optional<ProductShape> shape = getProductShape(dot);
  if (!shape)
    return {Retiled::Kept, ""};
  tile::IterationSpace space = tile::IterationSpace::analyze(kernel);
  if (!space.isStructured())
    return {Retiled::Refused, space.getReason().str()};
  Value result = dot->getResult(0), left = dot.getLhsOperand().get();
  auto lhs = cast<RankedTensorType>(left.getType());
  int m = space.dimOf(result, shape->resultRow);
  int n = space.dimOf(result, shape->resultColumn);
  int k = space.dimOf(left, shape->lhsSummed);
  // One block covers what is no dimension of the iteration.
  if (m < 0 || n < 0 || k < 0)
    return {Retiled::Kept, ""};
  if (m == n || m == k || n == k)
    return {Retiled::Refused,
            "two dimensions of the product go along together"};
  ArrayRef<tile::IterationDim> dims = space.getDims();
  if (!dims[k].isLoop())
    return {Retiled::Refused, "the summed dimension is no loop"};
  target::ContractionTile wanted = tiles.contractionFor(lhs.getElementType());
  int64_t wm = wantedBlock(dims[m], wanted.m),
          wn = wantedBlock(dims[n], wanted.n),
          wk = wantedBlock(dims[k], wanted.k);
  // Sizes that are near the preferred ones were chosen with care.
  double area = double(dims[m].block) * dims[n].block / (double(wm) * wn);
  double depth = double(dims[k].block) / wk;
  if (area > 0.5 && area < 2 && depth > 0.4 && depth < 2.5)
    return {Retiled::Kept, ""};
  SmallVector<int64_t> sizes(dims.size(), 0);
  sizes[m] = wm;
  sizes[n] = wn;
  sizes[k] = wk;
  std::string why;
  if (failed(tile::retile(kernel, sizes, why)))
    return {Retiled::Refused, why};
  return {Retiled::Changed, ""};
}

/// The function that launches a kernel, if there is one.
static std::string launchedBy(tile::KernelOp kernel, ModuleOp module) {
  if (auto uses = SymbolTable::getSymbolUses(kernel, module))
    for (SymbolTable::SymbolUse use : *uses)
      if (auto function = use.getUser()->getParentOfType<FunctionOpInterface>())
        return function.getName().str();
  return "";
}

void cpu::retileProducts(ModuleOp module, const target::TileSizes &tiles) {
  target::Report &report = target::Report::of(module.getContext());
  auto spec = module->getAttrOfType<StringAttr>(target::kSpecAttr);
  for (auto kernel : llvm::to_vector(module.getOps<tile::KernelOp>())) {
    bool hasProduct = false;
    kernel.walk([&](MatrixProductOpInterface) { hasProduct = true; });
    if (!hasProduct)
      continue;
    Retiled retiled = retileProduct(kernel, tiles);
    if (retiled.what == Retiled::Kept)
      continue;
    target::ReportRow row = report.describe(kernel);
    row.stage = "retile";
    row.function = launchedBy(kernel, module);
    if (spec)
      row.target = spec.getValue().take_until(
          [](char c) { return c == ',' || c == ':'; });
    row.chosen = "cpu.retile";
    if (retiled.what == Retiled::Refused) {
      row.chosen = "as it is";
      row.declines.push_back({"cpu.retile", std::move(retiled.reason)});
    }
    report.add(std::move(row));
  }
}

namespace {
/// The same as a pass, for kiln-opt.
struct RetileProductsPass
    : PassWrapper<RetileProductsPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(RetileProductsPass)

  StringRef getArgument() const override { return "cpu-retile"; }
  StringRef getDescription() const override {
    return "Gives products the block sizes of the module's target";
  }
  void runOnOperation() override {
    retileProducts(getOperation(), target::getTileSizes(getOperation()));
  }
};
} // namespace

std::unique_ptr<Pass> cpu::createRetileProductsPass() {
  return std::make_unique<RetileProductsPass>();
}
