//===- TileDims.cpp - Which dimensions of tiles belong together -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "TileDims.h"
#include "kiln/Dialect/Tile/Tile.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace kiln::tile;

bool TileRef::isShapeless(Operation *op) {
  if (auto constant = dyn_cast_or_null<arith::ConstantOp>(op))
    return isa<SplatElementsAttr>(constant.getValue());
  return isa_and_nonnull<SplatOp, IotaOp>(op);
}

TileRef::TileRef(OpOperand &use) : TileRef(use.get()) {
  if (isShapeless(use.get().getDefiningOp()))
    key = &use;
}

TileDims::TileDims(KernelOp kernel) {
  kernel.getBody().walk<WalkOrder::PreOrder>([&](Operation *op) {
    visit(op);
    // The region of a reduction works on scalars.
    return isa<ReduceOp>(op) ? WalkResult::skip() : WalkResult::advance();
  });
}

unsigned TileDims::find(unsigned cls) {
  while (parent[cls] != cls)
    cls = parent[cls] = parent[parent[cls]];
  return cls;
}

unsigned TileDims::classOf(TileRef tile, int64_t d) {
  auto [it, inserted] = first.try_emplace(tile.getKey(), parent.size());
  if (inserted)
    for (int64_t i = 0; i < tile.getRank(); ++i) {
      parent.push_back(parent.size());
      reasons.emplace_back();
    }
  return find(it->second + d);
}

void TileDims::pin(unsigned cls, const Twine &reason) {
  std::string &known = reasons[find(cls)];
  if (known.empty())
    known = reason.str();
}

void TileDims::pinAll(TileRef tile, const Twine &reason) {
  if (tile)
    for (int64_t d = 0; d < tile.getRank(); ++d)
      pin(classOf(tile, d), reason);
}

void TileDims::unite(TileRef a, int64_t da, TileRef b, int64_t db) {
  classOf(a, da);
  unsigned y = classOf(b, db), x = classOf(a, da);
  if (x == y)
    return;
  parent[y] = x;
  if (reasons[x].empty())
    reasons[x] = reasons[y];
}

void TileDims::uniteAll(TileRef a, TileRef b) {
  if (a && b)
    for (int64_t d = 0; d < a.getRank(); ++d)
      unite(a, d, b, d);
}

void TileDims::visitReshape(Operation *op) {
  // Only dimensions of size 1 may come and go: the others keep their meaning.
  TileRef source(op->getOpOperand(0)), result(op->getResult(0));
  SmallVector<std::pair<int64_t, int64_t>> pairs;
  int64_t i = 0, j = 0, n = source.getRank(), m = result.getRank();
  StringRef unit = "a reshape adds or removes the dimension";
  while (i < n || j < m) {
    if (i < n && j < m && source.getDimSize(i) == result.getDimSize(j)) {
      pairs.push_back({i++, j++});
    } else if (i < n && source.getDimSize(i) == 1) {
      pin(classOf(source, i++), unit);
    } else if (j < m && result.getDimSize(j) == 1) {
      pin(classOf(result, j++), unit);
    } else {
      pinAll(source, "a reshape merges or splits dimensions");
      pinAll(result, "a reshape merges or splits dimensions");
      return;
    }
  }
  for (auto [d, e] : pairs)
    unite(source, d, result, e);
}

void TileDims::visitDot(Operation *op) {
  TileRef lhs(op->getOpOperand(0)), rhs(op->getOpOperand(1));
  TileRef result(op->getResult(0));
  int64_t m = lhs.getRank() - 2, k = m + 1;
  uniteAll(result, op->getOpOperand(2));
  unite(result, m, lhs, m);
  unite(result, k, rhs, k);
  unite(lhs, k, rhs, m);
  if (m == 1) {
    unite(result, 0, lhs, 0);
    unite(result, 0, rhs, 0);
  }
}

void TileDims::visitReduce(Operation *op) {
  auto reduce = cast<ReduceOp>(op);
  TileRef source(op->getOpOperand(0));
  int64_t axis = reduce.getAxis();
  for (OpOperand &other : op->getOpOperands())
    uniteAll(source, other);
  for (Value value : reduce.getResults()) {
    TileRef result(value);
    for (int64_t d = 0; d < result.getRank(); ++d)
      unite(source, d < axis ? d : d + 1, result, d);
  }
  if (reduce.getOrdered())
    pin(classOf(source, axis), "an ordered reduction runs along it");
}

void TileDims::visitControlFlow(Operation *op) {
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    if (loop.getNumResults() == 0)
      return;
    auto yield = cast<scf::YieldOp>(loop.getBody()->getTerminator());
    for (unsigned i = 0; i < loop.getNumResults(); ++i) {
      TileRef result(loop.getResult(i));
      uniteAll(result, loop.getInitsMutable()[i]);
      uniteAll(result, loop.getRegionIterArg(i));
      uniteAll(result, yield->getOpOperand(i));
    }
  } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
    for (Region *region : {&branch.getThenRegion(), &branch.getElseRegion()})
      if (!region->empty())
        for (unsigned i = 0; i < branch.getNumResults(); ++i)
          uniteAll(branch.getResult(i),
                   region->front().getTerminator()->getOpOperand(i));
  } else if (auto loop = dyn_cast<scf::WhileOp>(op)) {
    auto pinValues = [&](auto &&values) {
      for (Value value : values)
        pinAll(value, "an scf.while carries it");
    };
    auto pinOperands = [&](Operation *user) {
      for (OpOperand &operand : user->getOpOperands())
        pinAll(operand, "an scf.while carries it");
    };
    pinValues(loop.getResults());
    pinValues(loop.getBeforeArguments());
    pinValues(loop.getAfterArguments());
    pinOperands(loop);
    pinOperands(loop.getYieldOp());
    pinOperands(loop.getConditionOp());
  }
}

void TileDims::visitElementwise(Operation *op) {
  for (Value value : op->getResults()) {
    TileRef result(value);
    if (!result)
      continue;
    for (OpOperand &use : op->getOpOperands()) {
      TileRef operand(use);
      if (operand && operand.getRank() == result.getRank())
        uniteAll(result, operand);
    }
    if (isa<arith::ConstantOp>(op) && !TileRef::isShapeless(op))
      pinAll(result, "a constant that is not a splat has it");
  }
}

void TileDims::visitShape(Operation *op) {
  if (auto expand = dyn_cast<ExpandDimsOp>(op)) {
    TileRef source(op->getOpOperand(0)), result(expand.getResult());
    int64_t axis = expand.getAxis();
    pin(classOf(result, axis), "expand_dims makes the dimension");
    for (int64_t d = 0; d < source.getRank(); ++d)
      unite(source, d, result, d < axis ? d : d + 1);
  } else if (auto broadcast = dyn_cast<BroadcastOp>(op)) {
    TileRef source(op->getOpOperand(0)), result(broadcast.getResult());
    for (int64_t d = 0; d < source.getRank(); ++d)
      if (source.getDimSize(d) == result.getDimSize(d))
        unite(source, d, result, d);
      else
        pin(classOf(source, d), "a broadcast repeats it");
  } else if (auto transpose = dyn_cast<TransposeOp>(op)) {
    for (auto [d, p] : llvm::enumerate(transpose.getPermutation()))
      unite(transpose.getResult(), d, op->getOpOperand(0), p);
  } else if (auto cat = dyn_cast<CatOp>(op)) {
    TileRef result(cat.getResult());
    int64_t axis = cat.getAxis();
    pin(classOf(result, axis), "a cat joins it");
    for (OpOperand &operand : op->getOpOperands()) {
      TileRef source(operand);
      for (int64_t d = 0; d < source.getRank(); ++d)
        if (d != axis)
          unite(result, d, source, d);
        else
          pin(classOf(source, d), "a cat joins it");
    }
  } else if (auto extract = dyn_cast<ExtractOp>(op)) {
    TileRef source(op->getOpOperand(0)), result(extract.getResult());
    for (int64_t d = 0; d < source.getRank(); ++d) {
      if (source.getDimSize(d) == result.getDimSize(d)) {
        unite(source, d, result, d);
        continue;
      }
      pin(classOf(source, d), "an extract divides it");
      pin(classOf(result, d), "an extract divides it");
    }
  }
}

void TileDims::visit(Operation *op) {
  if (isa<scf::ForOp, scf::IfOp, scf::WhileOp>(op))
    return visitControlFlow(op);
  if (isa_and_nonnull<arith::ArithDialect, math::MathDialect>(
          op->getDialect()) ||
      isa<CallExternOp>(op))
    return visitElementwise(op);
  if (isa<DotOp>(op))
    return visitDot(op);
  if (isa<ReduceOp>(op))
    return visitReduce(op);
  if (isa<ReshapeOp>(op))
    return visitReshape(op);
  if (isa<ExpandDimsOp, BroadcastOp, TransposeOp, CatOp, ExtractOp>(op))
    return visitShape(op);
  if (auto gather = dyn_cast<LoadGatherOp>(op)) {
    TileRef indices(gather.getIndicesMutable()), result(gather.getResult());
    for (int64_t d = 0; d < indices.getRank(); ++d)
      unite(indices, d, result, gather.getDim() + d);
    return;
  }
  if (isa<LoadOp, StoreOp, SplatOp, IotaOp, scf::YieldOp, scf::ConditionOp>(op))
    return;
  std::string user = op->getName().getStringRef().str();
  for (OpOperand &operand : op->getOpOperands())
    pinAll(operand, "'" + user + "' uses it");
  for (Value result : op->getResults())
    pinAll(result, "'" + user + "' makes it");
}
