//===- ChooseBlocks.cpp - Blocks of kernels that came with their own ------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Analysis/IterationSpace.h"
#include "kiln/Dialect/Tile/KernelOps.h"
#include "kiln/Interfaces/MatrixProduct.h"
#include "kiln/Interfaces/ViewAccess.h"
#include "kiln/Target/TargetRegistry.h"
#include "kiln/Tiling/Passes.h"
#include "kiln/Tiling/Tiling.h"
#include "kiln/Transforms/Tile/Retile.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace kiln::tiling {
#define GEN_PASS_DEF_TILECHOOSEBLOCKS
#include "kiln/Tiling/Passes.h.inc"
} // namespace kiln::tiling

using namespace mlir;
using namespace kiln;
using namespace kiln::target;

namespace {
/// What became of the blocks of a kernel with products.
struct Retiled {
  enum { Kept, Changed, Refused } what;
  std::string reason; ///< why it was refused
};

/// The product of a kernel as a problem, with the dimension of its iteration
/// space for each of the problem's.
class ProductProblem {
public:
  ProductProblem(tile::KernelOp kernel, const tile::IterationSpace &space)
      : kernel(kernel), space(space) {}

  void add(int dim, TilingRole role) {
    TilingDim described{role};
    const tile::IterationDim &from = space.getDims()[dim];
    if (from.extentView)
      if (auto view = dyn_cast<tile::ViewType>(from.extentView.getType()))
        described.size = view.getShape()[from.extentDim];
    problem.dims.push_back(described);
    dims.push_back(dim);
    blocks.push_back(from.block);
  }

  /// What instances hold: what they read and write, and the product.
  void addTiles(MatrixProductOpInterface dot) {
    problem.kind = TilingProblem::Kind::Contraction;
    problem.lhs = getElementTypeOrSelf(dot.getLhsOperand().get());
    problem.rhs = getElementTypeOrSelf(dot.getRhsOperand().get());
    if (dot.getProductPrecision() == ProductPrecision::TF32)
      problem.lhs = problem.rhs = FloatTF32Type::get(dot.getContext());
    problem.acc = dot.getProductType().getElementType();
    if (llvm::none_of(problem.dims, [](const TilingDim &dim) {
          return ShapedType::isDynamic(dim.size);
        })) {
      auto sizeOf = [&](int i) { return double(problem.dims[i].size); };
      double rows = sizeOf(0), columns = sizeOf(1), depth = sizeOf(2);
      // What has few rows waits for memory.
      problem.work = std::max(rows * columns * depth,
                              8 * (rows * depth + depth * columns));
    }
    addTile(dot->getResult(0));
    kernel.walk([&](ViewAccessOpInterface access) {
      if (OpOperand *written = access.getWrittenOperand()) {
        // The product itself has its place.
        if (!isa_and_nonnull<scf::ForOp, MatrixProductOpInterface>(
                written->get().getDefiningOp()))
          addTile(written->get());
      } else if (access.isRead() && access->getNumResults())
        addTile(access->getResult(0));
    });
  }

  TilingProblem problem;
  SmallVector<int, 3> dims;
  SmallVector<int64_t, 3> blocks; ///< that the kernel has

private:
  void addTile(Value value) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    if (!type || !type.getElementType().isIntOrIndexOrFloat())
      return;
    TilingTile tile;
    tile.bits =
        type.getElementType().isIndex() ? 64 : type.getElementTypeBitWidth();
    for (int64_t d = 0; d < type.getRank(); ++d) {
      int dim = space.dimOf(value, d);
      auto *found = llvm::find(dims, dim);
      if (dim >= 0 && found != dims.end())
        tile.dims.push_back(found - dims.begin());
      else
        tile.bits *= type.getDimSize(d);
    }
    problem.tiles.push_back(std::move(tile));
  }

  tile::KernelOp kernel;
  const tile::IterationSpace &space;
};
} // namespace

/// Retiles one kernel. Blocks are kept where there is nothing to choose or what
/// was chosen is good; they are refused where other ones might be better.
static Retiled retileProduct(tile::KernelOp kernel, tiling::Chooser &chooser) {
  SmallVector<MatrixProductOpInterface> dots;
  kernel.walk([&](MatrixProductOpInterface dot) { dots.push_back(dot); });
  if (dots.size() != 1 || kernel->hasAttr(tiling::kTilingAttr))
    return {Retiled::Kept, ""};
  MatrixProductOpInterface dot = dots.front();
  std::optional<ProductShape> shape = getProductShape(dot);
  if (!shape)
    return {Retiled::Kept, ""};
  tile::IterationSpace space = tile::IterationSpace::analyze(kernel);
  if (!space.isStructured())
    return {Retiled::Refused, space.getReason().str()};
  Value result = dot->getResult(0), left = dot.getLhsOperand().get();
  int m = space.dimOf(result, shape->resultRow);
  int n = space.dimOf(result, shape->resultColumn);
  int k = space.dimOf(left, shape->lhsSummed);
  // One block covers what is no dimension of the iteration.
  if (m < 0 || n < 0 || k < 0)
    return {Retiled::Kept, ""};
  if (m == n || m == k || n == k)
    return {Retiled::Refused,
            "two dimensions of the product go along together"};
  if (!space.getDims()[k].isLoop())
    return {Retiled::Refused, "the summed dimension is no loop"};
  ProductProblem product(kernel, space);
  product.add(m, TilingRole::Row);
  product.add(n, TilingRole::Column);
  product.add(k, TilingRole::Depth);
  product.addTiles(dot);
  Tiling wanted = chooser.choose(product.problem);
  // Sizes that are near the preferred ones were chosen with care.
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
  SmallVector<int64_t> sizes(space.getDims().size(), 0);
  for (auto [dim, block] : llvm::zip(product.dims, shall))
    sizes[dim] = block;
  std::string why;
  if (failed(tile::retile(kernel, sizes, why)))
    return {Retiled::Refused, why};
  tiling::noteTiling(kernel, product.problem, wanted);
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

void tiling::retileProducts(ModuleOp module, Chooser &chooser) {
  if (!chooser.model().changesKernels())
    return;
  Report &report = Report::of(module.getContext());
  auto spec = module->getAttrOfType<StringAttr>(kSpecAttr);
  for (auto kernel : llvm::to_vector(module.getOps<tile::KernelOp>())) {
    bool hasProduct = false;
    kernel.walk([&](MatrixProductOpInterface) { hasProduct = true; });
    if (!hasProduct)
      continue;
    Retiled retiled = retileProduct(kernel, chooser);
    if (retiled.what == Retiled::Kept)
      continue;
    ReportRow row = report.describe(kernel);
    row.stage = "retile";
    row.function = launchedBy(kernel, module);
    if (spec)
      row.target = spec.getValue().take_until(
          [](char c) { return c == ',' || c == ':'; });
    row.chosen = "tile-choose-blocks";
    if (retiled.what == Retiled::Refused) {
      row.chosen = "as it is";
      row.declines.push_back({"tile-choose-blocks", std::move(retiled.reason)});
    }
    report.add(std::move(row));
  }
}

namespace {
struct TileChooseBlocks : tiling::impl::TileChooseBlocksBase<TileChooseBlocks> {
  void runOnOperation() override {
    std::unique_ptr<tiling::Chooser> chooser =
        tiling::chooserOf(getOperation());
    if (!chooser)
      return signalPassFailure();
    tiling::retileProducts(getOperation(), *chooser);
  }
};
} // namespace
