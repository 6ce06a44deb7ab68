//===- RowDivisors.cpp - What wide accesses of rows need ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "RowDivisors.h"
#include "kiln/Dialect/Tile/TileDialect.h"
#include "kiln/Interfaces/ViewAccess.h"

using namespace mlir;
using namespace kiln;

/// Whether a kernel moves several neighbours along a dimension of a view.
static bool movesAlong(Value view, unsigned dim) {
  return llvm::any_of(view.getUsers(), [&](Operation *user) {
    auto access = dyn_cast<ViewAccessOpInterface>(user);
    if (!access || access.getAccessedView() != view)
      return false;
    ViewAxis axis = access.getAxes()[dim];
    return !axis.isIndirect() && axis.block > 1 && axis.step == 1;
  });
}

std::optional<program::RowDivisors> program::rowDivisorsOf(BlockArgument view,
                                                           int64_t bytes) {
  auto type = dyn_cast<tile::ViewType>(view.getType());
  if (!type || type.getRank() == 0 || !type.getElementType().isIntOrFloat() ||
      type.getElementType().getIntOrFloatBitWidth() % 8)
    return std::nullopt;
  int64_t count = bytes * 8 / type.getElementType().getIntOrFloatBitWidth();
  int64_t rank = type.getRank(), row = -1;
  for (int64_t dim = 0; dim < rank; ++dim)
    if (type.getStaticStride(dim) == 1 &&
        (row < 0 || type.getShape()[dim] != 1))
      row = dim;
  if (count <= 1 || row < 0 || !movesAlong(view, row))
    return std::nullopt;
  RowDivisors result{view.getArgNumber(), SmallVector<int64_t>(rank, 1),
                     SmallVector<int64_t>(rank, 1)};
  auto need = [&](int64_t known, int64_t &divisor) {
    if (!ShapedType::isDynamic(known))
      return known % count == 0;
    divisor = count;
    result.isOpen = true;
    return true;
  };
  result.isSingle = rank == 1;
  if (!need(type.getShape()[row], result.sizes[row]))
    return std::nullopt;
  if (!type.isDense())
    for (int64_t dim = 0; dim < rank; ++dim)
      if (dim != row && type.getShape()[dim] != 1 &&
          !need(type.getStaticStride(dim), result.strides[dim]))
        return std::nullopt;
  return result;
}
