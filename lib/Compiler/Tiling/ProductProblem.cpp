//===- ProductProblem.cpp - The product of a kernel as a problem ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ProductProblem.h"
#include "kiln/Dialect/Tile/KernelOps.h"
#include "kiln/Interfaces/ViewAccess.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::target;
using namespace kiln::tiling;

void ProductProblem::add(int dim, TilingRole role) {
  TilingDim described{role};
  const tile::IterationDim &from = space->getDims()[dim];
  if (from.extentView)
    if (auto view = dyn_cast<tile::ViewType>(from.extentView.getType()))
      described.size = view.getShape()[from.extentDim];
  problem.dims.push_back(described);
  dims.push_back(dim);
  blocks.push_back(from.block);
}

void ProductProblem::addTiles(MatrixProductOpInterface dot) {
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
    problem.work =
        std::max(rows * columns * depth, 8 * (rows * depth + depth * columns));
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

void ProductProblem::addTile(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type || !type.getElementType().isIntOrIndexOrFloat())
    return;
  TilingTile tile;
  tile.bits =
      type.getElementType().isIndex() ? 64 : type.getElementTypeBitWidth();
  for (int64_t d = 0; d < type.getRank(); ++d) {
    int dim = space->dimOf(value, d);
    auto *found = llvm::find(dims, dim);
    if (dim >= 0 && found != dims.end())
      tile.dims.push_back(found - dims.begin());
    else
      tile.bits *= type.getDimSize(d);
  }
  problem.tiles.push_back(std::move(tile));
}

std::optional<ProductProblem>
ProductProblem::of(tile::KernelOp kernel, const tile::IterationSpace &space,
                   std::string &reason) {
  SmallVector<MatrixProductOpInterface> dots;
  kernel.walk([&](MatrixProductOpInterface dot) { dots.push_back(dot); });
  if (dots.size() != 1)
    return std::nullopt;
  MatrixProductOpInterface dot = dots.front();
  std::optional<ProductShape> shape = getProductShape(dot);
  if (!shape)
    return std::nullopt;
  auto refuse = [&](StringRef why) {
    reason = why.str();
    return std::nullopt;
  };
  if (!space.isStructured())
    return refuse(space.getReason());
  Value result = dot->getResult(0), left = dot.getLhsOperand().get();
  int m = space.dimOf(result, shape->resultRow);
  int n = space.dimOf(result, shape->resultColumn);
  int k = space.dimOf(left, shape->lhsSummed);
  // One block covers what is no dimension of the iteration.
  if (m < 0 || n < 0 || k < 0)
    return std::nullopt;
  if (m == n || m == k || n == k)
    return refuse("two dimensions of the product go along together");
  if (!space.getDims()[k].isLoop())
    return refuse("the summed dimension is no loop");
  ProductProblem product(kernel, space);
  product.add(m, TilingRole::Row);
  product.add(n, TilingRole::Column);
  product.add(k, TilingRole::Depth);
  product.addTiles(dot);
  return product;
}

SmallVector<int64_t> ProductProblem::sizesFor(ArrayRef<int64_t> wanted) const {
  SmallVector<int64_t> sizes(space->getDims().size(), 0);
  for (auto [dim, block] : llvm::zip(dims, wanted))
    sizes[dim] = block;
  return sizes;
}
