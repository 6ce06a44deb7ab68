//===- LayoutChoice.cpp - Layouts of accesses and products ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "LayoutChoice.h"
#include "KernelWalk.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::simt;

/// What is known of the first coordinate along an axis.
static index::Facts firstOf(const ViewAxis &axis, index::Analysis &facts) {
  index::Facts first;
  if (auto value = dyn_cast<Value>(axis.offset))
    first = facts.of(value);
  else
    first = index::Facts::exactly(
        cast<IntegerAttr>(cast<Attribute>(axis.offset)).getInt());
  return axis.countsBlocks
             ? index::mul(first, index::Facts::exactly(axis.block))
             : first;
}

Contiguity simt::contiguityOf(ViewAccessOpInterface access,
                              index::Analysis &facts) {
  Contiguity found;
  Value view = access.getAccessedView();
  auto viewType = cast<tile::ViewType>(view.getType());
  auto axes = access.getAxes();
  for (auto [i, axis] : llvm::enumerate(axes))
    if (!axis.isIndirect() && axis.tileDim >= 0 && axis.step == 1 &&
        viewType.getStaticStride(i) == 1) {
      found.axis = i;
      found.dim = axis.tileDim;
    }
  if (found.axis < 0)
    return found;
  // The address of each vector must be a multiple of its size.
  int64_t bytes = ThreadBuilder::storedBytes(viewType.getElementType());
  int64_t alignment = alignmentOf(view, facts);
  auto fits = [&](int64_t count) {
    if (count * bytes > 16 || alignment % (count * bytes))
      return false;
    for (auto [i, axis] : llvm::enumerate(axes)) {
      if (axis.isIndirect()) {
        if (strideDivisor(view, i, facts) % count)
          return false;
        continue;
      }
      index::Facts first = firstOf(axis, facts);
      if (int(i) == found.axis) {
        if (first.divisor % count)
          return false;
        continue;
      }
      if (axis.block == 1 && first.divisor % count == 0)
        continue;
      if (strideDivisor(view, i, facts) % count)
        return false;
    }
    return true;
  };
  while (fits(found.count * 2))
    found.count *= 2;
  return found;
}

LayoutAttr simt::blockedLayout(MLIRContext *context, ArrayRef<int64_t> shape,
                               int dim, int64_t count, int64_t lanes,
                               int64_t warps) {
  using Basis = LayoutAttr::Basis;
  int64_t rank = shape.size();
  SmallVector<unsigned> bits, taken(rank, 0);
  unsigned total = 0;
  for (int64_t size : shape) {
    bits.push_back(llvm::Log2_64_Ceil(size));
    total += bits.back();
  }
  if (dim < 0)
    dim = rank - 1;
  SmallVector<int64_t> order, others;
  for (int64_t d = rank; d-- > 0;)
    if (d != dim)
      others.push_back(d);
  if (rank)
    order.push_back(dim);
  order.append(others);
  others.push_back(dim);
  SmallVector<Basis> registers, ofLanes, ofWarps;
  auto take = [&](ArrayRef<int64_t> dims, SmallVectorImpl<Basis> &into,
                  unsigned most) {
    for (int64_t d : dims)
      while (into.size() < most && d < rank && taken[d] < bits[d]) {
        Basis basis(rank, 0);
        basis[d] = int64_t(1) << taken[d]++;
        into.push_back(basis);
      }
  };
  unsigned laneBits = llvm::Log2_64(lanes), warpBits = llvm::Log2_64(warps);
  if (rank) {
    unsigned spare =
        total > laneBits + warpBits ? total - laneBits - warpBits : 0;
    take({dim}, registers,
         std::min<unsigned>(llvm::Log2_64(std::max<int64_t>(count, 1)), spare));
    take(order, ofLanes, laneBits);
    take(others, ofWarps, warpBits);
    take(order, registers, 64);
  }
  return LayoutAttr::get(context, rank, registers, ofLanes, ofWarps);
}
