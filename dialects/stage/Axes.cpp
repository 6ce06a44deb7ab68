//===- Axes.cpp - Which dimensions of a box tiles have --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Dialect/Stage/Axes.h"
#include "kiln/Dialect/Stage/CopyOps.h"
#include "kiln/Dialect/Stage/StorageOps.h"
#include "kiln/Dialect/Tile/MemoryOps.h"
#include "kiln/Dialect/Tile/ReduceOps.h"
#include "kiln/Dialect/Tile/ScanOps.h"
#include "kiln/Dialect/Tile/ShapeOps.h"
#include "kiln/Interfaces/MatrixProduct.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace kiln::stage;

static RankedTensorType tileOf(Value value) {
  return dyn_cast<RankedTensorType>(value.getType());
}

SmallVector<Value> Axes::sinks(Operation *op) {
  SmallVector<Value> tiles;
  // A prefetch follows the read, wherever the region computes what was read.
  if (isa<PrefetchAheadOp>(op))
    return tiles;
  if (isa<tile::ReduceOp, YieldOp>(op) ||
      (op->getNumOperands() && !isMemoryEffectFree(op) &&
       hasEffect<MemoryEffects::Write>(op)))
    for (Value operand : op->getOperands())
      if (RankedTensorType tile = tileOf(operand); tile && tile.getRank() > 0)
        tiles.push_back(operand);
  // The indices of a scatter are of dimensions of its value.
  if (auto scatter = dyn_cast<tile::StoreScatterOp>(op))
    tiles = {scatter.getValue()};
  return tiles;
}

int Axes::nodeOf(Value tile, int64_t dim) {
  auto [it, isNew] = first.try_emplace(tile, nodes.size());
  if (isNew)
    for (int64_t d = 0, e = tileOf(tile).getRank(); d < e; ++d)
      nodes.push_back({static_cast<int>(nodes.size())});
  return it->second + static_cast<int>(dim);
}

int Axes::find(int node) const {
  while (nodes[node].parent != node)
    node = nodes[node].parent = nodes[nodes[node].parent].parent;
  return node;
}

void Axes::unite(Value a, int64_t dimA, Value b, int64_t dimB) {
  int x = nodeOf(a, dimA), y = nodeOf(b, dimB);
  x = find(x);
  y = find(y);
  if (x == y)
    return;
  nodes[y].parent = x;
  nodes[x].conflict |= nodes[y].conflict;
  if (nodes[x].axis == kNone)
    nodes[x].axis = nodes[y].axis;
  else if (nodes[y].axis != kNone && nodes[y].axis != nodes[x].axis)
    nodes[x].conflict = true;
}

void Axes::anchor(Value tile, int64_t dim, int64_t axis) {
  int node = nodeOf(tile, dim);
  Node &root = nodes[find(node)];
  if (root.axis == kNone)
    root.axis = axis;
  else if (root.axis != axis)
    root.conflict = true;
}

/// Dimensions of one size, one by one.
void Axes::relateSame(Value a, Value b) {
  RankedTensorType x = tileOf(a), y = tileOf(b);
  if (!x || !y || x.getRank() != y.getRank())
    return;
  for (int64_t d = 0; d < x.getRank(); ++d)
    if (x.getDimSize(d) == y.getDimSize(d))
      unite(a, d, b, d);
}

/// Reshapes that only add or remove dimensions of size 1 keep the others.
static bool keepsSizes(RankedTensorType a, RankedTensorType b,
                       SmallVector<std::pair<int64_t, int64_t>> &pairs) {
  int64_t i = 0, j = 0;
  while (i < a.getRank() || j < b.getRank()) {
    if (i < a.getRank() && a.getDimSize(i) == 1) {
      ++i;
      continue;
    }
    if (j < b.getRank() && b.getDimSize(j) == 1) {
      ++j;
      continue;
    }
    if (i == a.getRank() || j == b.getRank() ||
        a.getDimSize(i) != b.getDimSize(j))
      return false;
    pairs.push_back({i++, j++});
  }
  return true;
}

void Axes::relate(Operation *op) {
  if (auto transpose = dyn_cast<tile::TransposeOp>(op)) {
    for (auto [d, from] : llvm::enumerate(transpose.getPermutation()))
      unite(transpose.getResult(), d, transpose.getSource(), from);
  } else if (isa<tile::ReshapeOp, tile::ExpandDimsOp>(op)) {
    Value from = op->getOperand(0), to = op->getResult(0);
    SmallVector<std::pair<int64_t, int64_t>> pairs;
    if (keepsSizes(tileOf(from), tileOf(to), pairs))
      for (auto [i, j] : pairs)
        unite(from, i, to, j);
  } else if (auto reduce = dyn_cast<tile::ReduceOp>(op)) {
    int64_t axis = reduce.getAxis();
    for (auto [source, result] :
         llvm::zip(reduce.getSources(), reduce.getResults()))
      for (int64_t d = 0, e = tileOf(result).getRank(); d < e; ++d) {
        // A source that is the box is so whoever else reads it otherwise.
        int64_t from = d < axis ? d : d + 1;
        if (tileOf(source).getShape() == compute.getBox())
          anchor(result, d, from);
        else
          unite(source, from, result, d);
      }
  } else if (auto cat = dyn_cast<tile::CatOp>(op)) {
    for (Value source : cat.getSources())
      for (int64_t d = 0, e = tileOf(source).getRank(); d < e; ++d)
        if (d != static_cast<int64_t>(cat.getAxis()))
          unite(source, d, cat.getResult(), d);
  } else if (isa<tile::JoinOp, tile::SplitOp>(op)) {
    for (Value operand : op->getOperands())
      for (Value result : op->getResults())
        for (int64_t d = 0, e = std::min(tileOf(operand).getRank(),
                                         tileOf(result).getRank());
             d < e; ++d)
          unite(operand, d, result, d);
  } else if (auto product = dyn_cast<MatrixProductOpInterface>(op)) {
    // Its factors are read at more points than one.
    if (OpOperand *acc = product.getAccOperand())
      relateSame(acc->get(), op->getResult(0));
  } else {
    // Elementwise operations, broadcasts, and whatever keeps sizes.
    for (Value operand : op->getOperands())
      for (Value result : op->getResults())
        relateSame(operand, result);
  }
  // Several tiles of one sink are of the same elements.
  SmallVector<Value> tiles = sinks(op);
  for (size_t i = 1; i < tiles.size() && !isa<YieldOp>(op); ++i)
    relateSame(tiles[0], tiles[i]);
}

Axes::Axes(ComputeOp op) : compute(op) {
  ArrayRef<int64_t> box = op.getBox();
  Block &block = op.getBody().front();
  auto visit = [&](Value value) {
    if (RankedTensorType tile = tileOf(value); tile && tile.getRank() > 0)
      nodeOf(value, 0);
  };
  for (Operation &inner : block) {
    llvm::for_each(inner.getOperands(), visit);
    llvm::for_each(inner.getResults(), visit);
    relate(&inner);
    for (Value sink : sinks(&inner))
      if (tileOf(sink).getShape() == box)
        for (size_t d = 0; d < box.size(); ++d)
          anchor(sink, d, d);
  }
  for (auto [tile, node] : first) {
    auto &axes = result[tile];
    for (int64_t d = 0, e = tileOf(tile).getRank(); d < e; ++d) {
      const Node &root = nodes[find(node + static_cast<int>(d))];
      axes.push_back(root.conflict ? kNone : root.axis);
    }
  }
  // Sinks of the box's shape are the box, whoever else reads them otherwise.
  for (Operation &inner : block)
    for (Value sink : sinks(&inner))
      if (tileOf(sink).getShape() == box)
        for (size_t d = 0; d < box.size(); ++d)
          result[sink][d] = d;
}

ArrayRef<int64_t> Axes::of(Value tile) const {
  auto it = result.find(tile);
  return it == result.end() ? ArrayRef<int64_t>() : it->second;
}

LogicalResult Axes::verify() const {
  ComputeOp op = compute;
  ArrayRef<int64_t> box = op.getBox();
  // What reductions have been along, on the way to a value.
  llvm::DenseMap<Value, llvm::SmallBitVector> reduced;
  for (Operation &inner : op.getBody().front()) {
    llvm::SmallBitVector behind(box.size());
    for (Value operand : inner.getOperands())
      if (auto it = reduced.find(operand); it != reduced.end())
        behind |= it->second;
    for (Value sink : sinks(&inner)) {
      llvm::SmallBitVector seen(box.size()), mine(box.size());
      if (auto it = reduced.find(sink); it != reduced.end())
        mine = it->second;
      for (auto [d, axis] : llvm::enumerate(of(sink))) {
        int64_t size = tileOf(sink).getDimSize(d);
        // (C4) Its dimensions are dimensions of the box.
        if (axis == kNone && size == 1)
          continue;
        if (axis == kNone)
          return inner.emitOpError()
                 << "expected each dimension of the tile to be a dimension of "
                    "the box, found none for dimension "
                 << d << " of " << sink.getType();
        if (box[axis] != size || seen.test(axis))
          return inner.emitOpError()
                 << "expected dimension " << d << " of " << sink.getType()
                 << " to be one dimension of the box, found dimension " << axis
                 << " of size " << box[axis];
        seen.set(axis);
        // (C5) A reduction does not flow back.
        if (mine.test(axis))
          return inner.emitOpError()
                 << "expected no value that is reduced along dimension " << axis
                 << " of the box at points along it";
      }
    }
    if (auto reduce = dyn_cast<tile::ReduceOp>(inner)) {
      ArrayRef<int64_t> axes = of(reduce.getSources().front());
      if (axes[reduce.getAxis()] != kNone)
        behind.set(axes[reduce.getAxis()]);
    }
    if (behind.any())
      for (Value value : inner.getResults())
        reduced[value] = behind;
  }
  return success();
}
