//===- Facts.cpp - Alignment of addresses and divisors of views -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Dialect/Tile/Facts.h"
#include "ThreadWriter.h"
#include "kiln/Dialect/Tile/MemoryOps.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::simt;

/// Anything is a multiple of what divides 0.
constexpr int64_t kMost = int64_t(1) << 40;

static int64_t divisorOf(Value view, unsigned dim, int64_t known,
                         ArrayRef<int64_t> types, StringRef fact,
                         OperandRange dynamic, index::Analysis &facts) {
  if (!ShapedType::isDynamic(known))
    return known ? std::abs(known) : kMost;
  int64_t best = 1;
  if (auto list =
          dyn_cast_or_null<DenseI64ArrayAttr>(tile::parameterFact(view, fact)))
    if (dim < list.size())
      best = list[dim];
  if (!dynamic.empty()) {
    // The value of this `?`.
    unsigned at = 0;
    for (unsigned d = 0; d < dim; ++d)
      at += ShapedType::isDynamic(types[d]);
    if (at < dynamic.size())
      if (int64_t n = facts.of(dynamic[at]).divisor)
        best = std::max(best, n);
  }
  return best;
}

int64_t simt::sizeDivisor(Value view, unsigned dim, index::Analysis &facts) {
  auto type = cast<tile::ViewType>(view.getType());
  auto made = view.getDefiningOp<tile::MakeViewOp>();
  return divisorOf(view, dim, type.getShape()[dim], type.getShape(),
                   tile::kSizeDivFact,
                   made ? made.getSizes() : OperandRange({nullptr, 0}), facts);
}

index::Facts simt::sizeFacts(Value view, unsigned dim, index::Analysis &facts) {
  auto shape = cast<tile::ViewType>(view.getType()).getShape();
  if (!ShapedType::isDynamic(shape[dim]))
    return index::Facts::exactly(shape[dim]);
  auto made = view.getDefiningOp<tile::MakeViewOp>();
  if (!made)
    return {index::Interval::atLeast(0), 1};
  return facts.of(made.getSizes()[llvm::count_if(shape.take_front(dim),
                                                 ShapedType::isDynamic)]);
}

int64_t simt::strideDivisor(Value view, unsigned dim, index::Analysis &facts) {
  auto type = cast<tile::ViewType>(view.getType());
  auto made = view.getDefiningOp<tile::MakeViewOp>();
  if (type.isDense()) {
    if (int64_t known = type.getStaticStride(dim);
        !ShapedType::isDynamic(known))
      return known;
    // The product of the sizes behind it.
    int64_t product = 1;
    for (int64_t d = dim + 1; d < type.getRank(); ++d)
      product = std::min(
          kMost, product * std::min<int64_t>(sizeDivisor(view, d, facts),
                                             int64_t(1) << 16));
    return product;
  }
  return divisorOf(view, dim, type.getStaticStride(dim), type.getStrides(),
                   tile::kStrideDivFact,
                   made ? made.getStrides() : OperandRange({nullptr, 0}),
                   facts);
}
