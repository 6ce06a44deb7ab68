//===- Reshape.cpp - Access maps through row-major reshapes ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Dimensions of the two shapes are first paired into groups of equal product.
// Within a group the source index is made linear and split again by the sizes
// of the target, which works when each term falls into one target dimension.
//
//===----------------------------------------------------------------------===//

#include "kiln/Schedule/AccessMap.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::schedule;

namespace {

/// A run of source dimensions and the run of target dimensions it becomes.
struct ReshapeGroup {
  SmallVector<unsigned> from, to;
};

} // namespace

/// Takes pairs of equal dimensions or groups of equal static product off one
/// end of both lists.
static void takeGroups(ArrayRef<Extent> from, ArrayRef<Extent> to,
                       SmallVectorImpl<unsigned> &f,
                       SmallVectorImpl<unsigned> &t, bool front,
                       SmallVectorImpl<ReshapeGroup> &groups) {
  auto peek = [&](SmallVectorImpl<unsigned> &list, size_t i) {
    return front ? list[i] : list[list.size() - 1 - i];
  };
  auto drop = [&](SmallVectorImpl<unsigned> &list, size_t n) {
    SmallVector<unsigned> taken;
    for (size_t i = 0; i < n; ++i)
      taken.push_back(peek(list, i));
    if (!front)
      std::reverse(taken.begin(), taken.end());
    if (front)
      list.erase(list.begin(), list.begin() + n);
    else
      list.truncate(list.size() - n);
    return taken;
  };
  while (!f.empty() && !t.empty()) {
    if (from[peek(f, 0)].same(to[peek(t, 0)])) {
      ReshapeGroup group;
      group.from = drop(f, 1);
      group.to = drop(t, 1);
      groups.push_back(std::move(group));
      continue;
    }
    // Grow the smaller side until the products meet.
    size_t nf = 0, nt = 0;
    int64_t pf = 1, pt = 1;
    bool met = false;
    while (true) {
      bool growFrom = nf == 0 || (nt != 0 && pf < pt);
      SmallVectorImpl<unsigned> &list = growFrom ? f : t;
      size_t &n = growFrom ? nf : nt;
      if (n == list.size())
        break;
      Extent size = (growFrom ? from : to)[peek(list, n)];
      if (!size.isStatic())
        break;
      index::Integer product = index::mul(growFrom ? pf : pt, size.get());
      if (!product)
        break;
      (growFrom ? pf : pt) = *product;
      ++n;
      if (nf && nt && pf == pt) {
        met = true;
        break;
      }
    }
    if (!met)
      return;
    ReshapeGroup group;
    group.from = drop(f, nf);
    group.to = drop(t, nt);
    groups.push_back(std::move(group));
  }
}

/// The highest value of an expression plus one, if all is static.
static index::Integer bound(const IndexExpr &expr, MapContext &ctx) {
  Extent result = expr.offset() + 1;
  for (int dim : expr.dims()) {
    Extent coef = expr.coefficient(dim);
    if (!coef.isStatic() || coef.get() < 0)
      return std::nullopt;
    result = result + coef * (ctx.sizes[dim] - 1);
  }
  return index::toInteger(result);
}

/// Splits a linear index into one index per size.
static LogicalResult split(const IndexExpr &linear, ArrayRef<Extent> sizes,
                           MapContext &ctx,
                           SmallVectorImpl<IndexExpr> &result) {
  index::Math &math = ctx.math;
  SmallVector<Extent> strides(sizes.size(), 1);
  for (int j = static_cast<int>(sizes.size()) - 2; j >= 0; --j)
    strides[j] = math.mul(strides[j + 1], sizes[j + 1]);
  result.assign(sizes.size(), IndexExpr());
  if (!linear.isKnown())
    return failure();
  // Inner dimensions first.
  SmallVector<int, 2> dims = linear.dims();
  for (int dim : llvm::reverse(dims)) {
    Extent factor = linear.coefficient(dim);
    // The outermost slot whose stride divides the factor.
    unsigned j = 0;
    Extent coef = 0;
    for (; j < sizes.size(); ++j) {
      if (sizes[j].is(1) && j + 1 < sizes.size())
        continue;
      std::optional<Extent> quotient = factor.exactDiv(strides[j]);
      if (!quotient)
        continue;
      coef = *quotient;
      break;
    }
    if (j == sizes.size())
      return failure();
    // With static sizes the term must stay within its slot.
    Extent size = ctx.sizes[dim];
    if (j > 0 && coef.isStatic() && sizes[j].isStatic() &&
        !(coef.is(1) && size.same(sizes[j]))) {
      if (coef.get() < 0)
        return failure();
      Extent reach = coef * (size - 1) - sizes[j];
      if (!reach.isStatic() || reach.get() >= 0) {
        if (coef.get() != 0 && sizes[j].get() % coef.get() == 0) {
          int64_t inner = sizes[j].get() / coef.get();
          if (inner > 1 && (!size.isStatic() || size.get() % inner == 0))
            ctx.refinement = Refinement{dim, inner};
        }
        return failure();
      }
    } else if (j > 0 && !(coef.is(1) && size.same(sizes[j]))) {
      return failure();
    }
    result[j] = result[j] + IndexExpr::dim(dim) * coef;
  }
  if (sizes.size() <= 1) {
    if (sizes.size() == 1)
      result[0] = result[0] + linear.offset();
    return success();
  }
  Extent start = linear.offset();
  if (start.is(0) && llvm::all_of(result, [](const IndexExpr &e) {
        return e.dims().size() <= 1;
      }))
    return success();
  // A constant, or several terms in one slot: the sums must stay within too.
  if (!start.isStatic() || start.get() < 0)
    return failure();
  int64_t rest = start.get();
  for (unsigned j = 0; j < sizes.size(); ++j) {
    if (rest) {
      if (!strides[j].isStatic() || strides[j].get() == 0)
        return failure();
      result[j] = result[j] + rest / strides[j].get();
      rest %= strides[j].get();
    }
    if (j == 0)
      continue;
    if (result[j].dims().size() <= 1 && result[j].offset().is(0))
      continue;
    index::Integer limit = bound(result[j], ctx);
    if (!limit || !sizes[j].isStatic() || *limit > sizes[j].get())
      return failure();
  }
  return success();
}

LogicalResult kiln::schedule::reshapeMap(ArrayRef<IndexExpr> from,
                                         ArrayRef<Extent> fromSizes,
                                         ArrayRef<Extent> to, MapContext &ctx,
                                         SmallVectorImpl<IndexExpr> &result) {
  index::Math &math = ctx.math;
  result.assign(to.size(), IndexExpr());
  // Dimensions of size 1 are always at index 0.
  SmallVector<unsigned> f, t;
  for (auto [d, size] : llvm::enumerate(fromSizes))
    if (!size.is(1))
      f.push_back(d);
  for (auto [d, size] : llvm::enumerate(to))
    if (!size.is(1))
      t.push_back(d);
  SmallVector<ReshapeGroup> groups;
  takeGroups(fromSizes, to, f, t, /*front=*/true, groups);
  takeGroups(fromSizes, to, f, t, /*front=*/false, groups);
  if (!f.empty() || !t.empty()) {
    ReshapeGroup rest;
    rest.from = f;
    rest.to = t;
    groups.push_back(std::move(rest));
  }
  for (ReshapeGroup &group : groups) {
    // One dynamic size against one: the same by the reshape's contract.
    if (group.from.size() == 1 && group.to.size() == 1) {
      result[group.to[0]] = from[group.from[0]];
      continue;
    }
    IndexExpr linear;
    Extent stride = 1;
    for (unsigned d : llvm::reverse(group.from)) {
      linear = linear + from[d] * stride;
      stride = math.mul(stride, fromSizes[d]);
    }
    SmallVector<Extent> sizes;
    for (unsigned d : group.to)
      sizes.push_back(to[d]);
    SmallVector<IndexExpr> parts;
    if (failed(split(linear, sizes, ctx, parts)))
      return failure();
    for (auto [d, part] : llvm::zip(group.to, parts))
      result[d] = part;
  }
  return success();
}
