//===- WindowCopy.cpp - What an instance copies of a window's input -------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Combiners.h"
#include "WindowUnroller.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::schedule;

bool WindowUnroller::copiesInput(const Space &space,
                                 ArrayRef<int64_t> sizes) const {
  // An instance reads pieces of lines that lie apart. Larger inputs come from
  // farther caches, which are read faster line by line.
  constexpr int64_t kMostBytes = int64_t(1) << 20;
  const AccessMap &read = anchor.operandMaps[0];
  const IndexExpr &image = read.index[0];
  if (inLine < 0 || (image.hasDims() && image.asDim() < 0))
    return false;
  int64_t bytes = llvm::divideCeil(element.getIntOrFloatBitWidth(), 8) *
                  input.sizes[0].get() * input.sizes[spatial + 1].get();
  for (unsigned d = 0; d < spatial; ++d) {
    const IndexExpr &at = anchor.map.index[d + 1];
    int dim = at.asDim();
    if (dim < 0 || !at.offset().is(0) || !llvm::is_contained(space.axes, dim) ||
        kernel.dims[dim].block < kernel.dims[dim].size.get() ||
        llvm::MulOverflow(bytes, sizes[d], bytes) || bytes > kMostBytes)
      return false;
  }
  auto isImage = [&](const IndexRange &range) {
    return image.dependsOn(range.dim);
  };
  return llvm::none_of(read.ranges, isImage);
}

Space WindowUnroller::spaceOfCopy(const Space &space) const {
  Space copied = space;
  for (unsigned d = 0; d < spatial; ++d)
    llvm::replace(copied.axes, anchor.map.index[d + 1].asDim(), copyDims[d]);
  return copied;
}

void WindowUnroller::copyInput(const Space &space, ArrayRef<int64_t> sizes) {
  unsigned channels = spatial + 1;
  int64_t block = kernel.dims[inLine].block;
  SmallVector<Extent> whole = {input.sizes[0],
                               input.sizes[channels].get() / block};
  for (int64_t size : sizes)
    whole.push_back(size);
  whole.push_back(block);
  Buffer made = group.host.allocate(input.elementType(), whole), copy = made;
  AccessMap from, to;
  from.index.resize(channels + 1);
  from.index[0] = anchor.operandMaps[0].index[0];
  from.index[channels] =
      IndexExpr::dim(channel) * block + IndexExpr::dim(inLine);
  for (unsigned d = 0; d < spatial; ++d) {
    int dim = kernel.dims.size();
    copyDims.push_back(dim);
    kernel.dims.emplace_back();
    kernel.dims[dim].size = kernel.dims[dim].block = sizes[d];
    kernel.place(dim, kernel.constant(0));
    Extent low = list("pad_low")[d];
    from.index[d + 1] = IndexExpr::dim(dim) - low;
    from.ranges.push_back({dim, low, low + input.sizes[d + 1]});
    copy.sizes[d + 1] = made.sizes[d + 2];
    copy.strides[d + 1] = made.strides[d + 2];
  }
  copy.sizes[channels] = made.sizes[1];
  copy.strides[channels] = made.strides[1];
  to.index = from.index;
  for (unsigned d = 0; d < spatial; ++d)
    to.index[d + 1] = IndexExpr::dim(copyDims[d]);
  to.index[channels] = IndexExpr::dim(channel);
  to.index.push_back(IndexExpr::dim(inLine));
  TileBuilder emitter(kernel, group.plan, group.inGroup(), spaceOfCopy(space));
  emitter.store(emitter.load(input, from, outside()), copy, to);
  input = copy;
  // Windows read it at every stride-th place from here on.
  for (unsigned d = 0; d < spatial; ++d) {
    KernelDim &along = kernel.dims[copyDims[d]];
    along.block = kernel.dims[anchor.map.index[d + 1].asDim()].block;
    along.step = list("strides")[d];
  }
}

Value WindowUnroller::loadCopy(TileBuilder &copied,
                               ArrayRef<int64_t> position) {
  AccessMap read;
  read.index.push_back(anchor.operandMaps[0].index[0]);
  for (unsigned d = 0; d < spatial; ++d) {
    KernelDim &dim = kernel.dims[copyDims[d]];
    dim.offset = kernel.constant(position[d] * dilationOf(d));
    dim.coord = Value();
    read.index.push_back(IndexExpr::dim(copyDims[d]));
  }
  read.index.push_back(IndexExpr::dim(channel));
  read.index.push_back(IndexExpr::dim(inLine));
  return copied.load(input, read);
}
