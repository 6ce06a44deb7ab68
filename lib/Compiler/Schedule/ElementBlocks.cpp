//===- ElementBlocks.cpp - Kernels over blocks of elements ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ElementBlocks.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::schedule;
using target::TilingRole;

SmallVector<std::pair<int, TilingRole>>
kiln::schedule::elementRoles(ArrayRef<int> dims) {
  SmallVector<std::pair<int, TilingRole>> roles;
  for (int dim : dims)
    roles.push_back(
        {dim, dim == dims.back() ? TilingRole::Column : TilingRole::Row});
  return roles;
}

Space kiln::schedule::elementSpace(KernelBuilder &kernel, ArrayRef<int> dims) {
  Space space;
  for (int dim : dims)
    if (kernel.dims[dim].block > 1)
      space.axes.push_back(dim);
  if (space.axes.empty()) {
    kernel.dims.emplace_back();
    space.axes.push_back(kernel.dims.size() - 1);
    kernel.place(space.axes[0], kernel.constant(0));
  }
  return space;
}

void kiln::schedule::placeInGrid(KernelBuilder &kernel, ArrayRef<int> dims) {
  for (int dim : llvm::reverse(dims))
    kernel.addGridDim(dim);
  kernel.placeGrid();
}
