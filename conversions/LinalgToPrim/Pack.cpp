// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tiled layouts: `linalg.pack` and `linalg.unpack`.
#include "Linalg.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;

namespace kiln::tensor_to_prim {
namespace {

/// How the dimensions of the plain and of the tiled tensor belong together.
struct Tiling {
  SmallVector<int64_t> tiles; // by dimension of the plain tensor, 0 for none
  SmallVector<int64_t> order; // of the tiled tensor: (d0, t0, d1, ...) split
};

template <typename Op> std::optional<Tiling> tilingOf(Op op, Translator &e) {
  ArrayRef<int64_t> inner = op.getInnerDimsPos(), outer = op.getOuterDimsPerm();
  int64_t rank = cast<ShapedType>(std::is_same_v<Op, linalg::PackOp>
                                      ? op.getSource().getType()
                                      : op.getDest().getType())
                     .getRank();
  Tiling tiling;
  tiling.tiles.assign(rank, 0);
  for (auto [dim, tile] : llvm::zip_equal(inner, op.getMixedTiles())) {
    auto value = dyn_cast<Value>(tile);
    Sizes known = value ? e.getSizes(value) : Sizes{tile};
    auto number =
        known.size() == 1 ? getConstantIntValue(known.front()) : std::nullopt;
    if (!number || *number < 1)
      return std::nullopt;
    tiling.tiles[dim] = *number;
  }
  // Where each dimension of the plain tensor, split, has its first part.
  SmallVector<int64_t> first;
  for (int64_t dim = 0, next = 0; dim < rank; ++dim) {
    first.push_back(next);
    next += tiling.tiles[dim] ? 2 : 1;
  }
  for (int64_t dim = 0; dim < rank; ++dim)
    tiling.order.push_back(first[outer.empty() ? dim : outer[dim]]);
  for (int64_t dim : inner)
    tiling.order.push_back(first[dim] + 1);
  return tiling;
}

/// Elements [0, size) along a dimension; those that `x` does not have are
/// `padding`.
Value resize(Value x, int64_t dim, OpFoldResult size, Value padding,
             Translator &e) {
  Sizes sizes = e.sizesOf(x);
  auto have = getConstantIntValue(sizes[dim]), want = getConstantIntValue(size);
  if (have && want && *have >= *want)
    return e.sliceDim(x, dim, 0, *want);
  OpFoldResult extent = sizes[dim];
  sizes[dim] = size;
  Type i64 = e.b.getI64Type();
  Value at = prim::IotaOp::create(e.b, e.typeFor({size}, i64),
                                  e.dynamicSizes({size}), 0);
  Value limit = e.broadcastInDim(e.sizeTensor(extent), {}, {size});
  Value last = e.sub(limit, e.integer(1, limit));
  Value moved =
      prim::GatherOp::create(e.b, e.typeFor(sizes, e.elementOf(x)), x,
                             e.binary<prim::MinimumOp>(at, last), dim, 0);
  if (!padding)
    return moved;
  Value inside =
      e.broadcastInDim(e.compare<prim::LtOp>(at, limit), {dim}, sizes);
  return e.where(inside, moved, e.broadcastInDim(padding, {}, sizes));
}

LogicalResult pack(linalg::PackOp op, Translator &e) {
  Value x = e.get(op.getSource()), dest = e.get(op.getDest());
  auto tiling = tilingOf(op, e);
  if (!tiling)
    return e.unsupported(op, "has a tile whose size is not a constant");
  if (!x || !dest || e.body)
    return failure();
  Value padding = op.getPaddingValue() ? e.get(op.getPaddingValue()) : Value();
  Sizes tiled = e.sizesOf(dest), split;
  ArrayRef<int64_t> outer = op.getOuterDimsPerm();
  for (auto [dim, tile] : llvm::enumerate(tiling->tiles)) {
    int64_t at = outer.empty() ? dim : llvm::find(outer, dim) - outer.begin();
    if (!tile) {
      split.push_back(e.sizesOf(x)[dim]);
      continue;
    }
    OpFoldResult count = tiled[at], whole = e.sizesOf(x)[dim];
    // What the operand says of the number of tiles is more than `?`.
    if (auto size = getConstantIntValue(whole))
      count = e.size((*size + tile - 1) / tile);
    auto total = e.sizeMath().mul(count, e.size(tile));
    auto number = getConstantIntValue(total), size = getConstantIntValue(whole);
    auto splat = padding ? e.splatOf(padding) : std::nullopt;
    if (number && size && *number > *size && splat) {
      RankedTensorType type = e.typeOf(x);
      SmallVector<int64_t> low(type.getRank(), 0), high = low,
                                                   shape(type.getShape());
      high[dim] = *number - *size;
      shape[dim] = *number;
      x = prim::PadOp::create(e.b, type.clone(shape), x, low, high, *splat);
    } else {
      x = resize(x, dim, total, padding, e);
    }
    split.push_back(count);
    split.push_back(e.size(tile));
  }
  x = e.transpose(e.reshape(x, split), tiling->order);
  return e.setOrWrite(op, 0, op.getDest(), x);
}

LogicalResult unpack(linalg::UnPackOp op, Translator &e) {
  Value x = e.get(op.getSource()), dest = e.get(op.getDest());
  auto tiling = tilingOf(op, e);
  if (!tiling)
    return e.unsupported(op, "has a tile whose size is not a constant");
  if (!x || !dest || e.body)
    return failure();
  SmallVector<int64_t> inverse(tiling->order.size());
  for (auto [i, dim] : llvm::enumerate(tiling->order))
    inverse[dim] = i;
  x = e.transpose(x, inverse);
  Sizes split = e.sizesOf(x), merged;
  size_t next = 0;
  for (int64_t tile : tiling->tiles) {
    merged.push_back(tile ? e.sizeMath().mul(split[next], split[next + 1])
                          : split[next]);
    next += tile ? 2 : 1;
  }
  x = e.reshape(x, merged);
  for (auto [dim, size] : llvm::enumerate(e.sizesOf(dest)))
    if (tiling->tiles[dim])
      x = resize(x, dim, size, {}, e);
  return e.setOrWrite(op, 0, op.getDest(), x);
}

} // namespace

void addPackRules(Rules &rules) {
  rules.add<linalg::PackOp>(pack);
  rules.add<linalg::UnPackOp>(unpack);
}

} // namespace kiln::tensor_to_prim
