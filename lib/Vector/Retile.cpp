//===- Retile.cpp - Blocks of products that suit registers and caches -----===//

#include "kiln/Dialect/Tile/Retile.h"
#include "kiln/Analysis/IterationSpace.h"
#include "kiln/Dialect/Tile/Tile.h"
#include "kiln/Target/TargetRegistry.h"
#include "kiln/Vector/Passes.h"
#include "mlir/Pass/Pass.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::vec;

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

/// Retiles one kernel; the reason where it keeps its blocks.
static std::string retileProduct(tile::KernelOp kernel,
                                 const target::TileSizes &tiles) {
  SmallVector<tile::DotOp> dots;
  kernel.walk([&](tile::DotOp dot) { dots.push_back(dot); });
  if (dots.size() != 1)
    return "has " + std::to_string(dots.size()) + " products";
  if (kernel->hasAttr("kiln.spread"))
    return "its blocks give every core a part";
  tile::DotOp dot = dots.front();
  tile::IterationSpace space = tile::IterationSpace::analyze(kernel);
  if (!space.isStructured())
    return space.getReason().str();
  auto result = cast<RankedTensorType>(dot.getType());
  auto lhs = cast<RankedTensorType>(dot.getLhs().getType());
  int64_t rank = result.getRank();
  int m = space.dimOf(dot.getResult(), rank - 2);
  int n = space.dimOf(dot.getResult(), rank - 1);
  int k = space.dimOf(dot.getLhs(), rank - 1);
  if (m < 0 || n < 0 || k < 0 || m == n || m == k || n == k)
    return "its dimensions are not those of one product";
  ArrayRef<tile::IterationDim> dims = space.getDims();
  if (!dims[k].isLoop())
    return "the summed dimension is no loop";
  target::ContractTile wanted = tiles.contractFor(lhs.getElementType());
  int64_t wm = wantedBlock(dims[m], wanted.m),
          wn = wantedBlock(dims[n], wanted.n),
          wk = wantedBlock(dims[k], wanted.k);
  // Sizes that are near the preferred ones were chosen with care.
  double area = double(dims[m].block) * dims[n].block / (double(wm) * wn);
  double depth = double(dims[k].block) / wk;
  if (area > 0.5 && area < 2 && depth > 0.4 && depth < 2.5)
    return "its blocks are fine";
  SmallVector<int64_t> sizes(dims.size(), 0);
  sizes[m] = wm;
  sizes[n] = wn;
  sizes[k] = wk;
  std::string why;
  if (failed(tile::retile(kernel, sizes, why)))
    return why;
  return "";
}

void vec::retileProducts(ModuleOp module, const target::TileSizes &tiles) {
  target::Report &report = target::Report::of(module.getContext());
  auto spec = module->getAttrOfType<StringAttr>(target::kSpecAttr);
  for (auto kernel : llvm::to_vector(module.getOps<tile::KernelOp>())) {
    bool hasProduct = false;
    kernel.walk([&](tile::DotOp) { hasProduct = true; });
    if (!hasProduct)
      continue;
    std::string reason = retileProduct(kernel, tiles);
    target::ReportRow row = report.describe(kernel);
    row.stage = "retile";
    row.target = spec ? spec.getValue().split(',').first.str() : "";
    if (reason.empty())
      row.chosen = "vector.retile";
    else
      row.declines.push_back({"vector.retile", reason});
    report.add(std::move(row));
  }
}

namespace {
/// The same as a pass, for kiln-opt.
struct RetileProductsPass
    : PassWrapper<RetileProductsPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(RetileProductsPass)

  StringRef getArgument() const override { return "vector-retile"; }
  StringRef getDescription() const override {
    return "Gives products the block sizes of the module's target";
  }
  void runOnOperation() override {
    retileProducts(getOperation(), target::getTileSizes(getOperation()));
  }
};
} // namespace

std::unique_ptr<Pass> vec::createRetileProductsPass() {
  return std::make_unique<RetileProductsPass>();
}
