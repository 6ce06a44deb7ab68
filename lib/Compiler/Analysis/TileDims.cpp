//===- TileDims.cpp - Which dimensions of tiles belong together -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "TileDims.h"
#include "kiln/Interfaces/Cost.h"
#include "kiln/Interfaces/IndexMap.h"
#include "kiln/Interfaces/ViewAccess.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::tile;

TileRef::TileRef(OpOperand &use) : TileRef(use.get()) {
  if (isShapeless(use.get().getDefiningOp()))
    key = &use;
}

TileDims::TileDims(Kernel kernel) {
  kernel.getBody().walk<WalkOrder::PreOrder>([&](Operation *op) {
    visit(op);
    // Regions but those of control flow work on scalars.
    return op->getNumRegions() &&
                   !isa_and_nonnull<scf::SCFDialect>(op->getDialect())
               ? WalkResult::skip()
               : WalkResult::advance();
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
  unsigned x = classOf(a, da);
  uniteClasses(x, classOf(b, db));
}

void TileDims::uniteClasses(unsigned a, unsigned b) {
  unsigned x = find(a), y = find(b);
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

/// Dimensions go along together where a map takes one from the other; what a
/// map takes a coordinate from in any other way keeps its size.
void TileDims::visitReads(Operation *op) {
  auto mapped = dyn_cast<IndexMapOpInterface>(op);
  if (!mapped) { // elementwise
    for (Value result : op->getResults())
      for (OpOperand &use : op->getOpOperands())
        uniteAll(result, use);
    return;
  }
  std::string user = "'" + op->getName().getStringRef().str() + "'";
  auto accumulates = dyn_cast<AccumulationOpInterface>(op);
  bool isOrdered = accumulates && accumulates.getAccumulation().isOrdered;
  for (OpResult value : op->getResults()) {
    TileRef result(value);
    if (!result)
      continue;
    int64_t rank = result.getRank();
    // What stands for the coordinates that are summed.
    SmallVector<std::optional<unsigned>> summed(mapped.getNumSummedDims());
    SmallVector<bool> isRead(rank), isDivided(summed.size());
    auto pinAllIn = [&](AffineExpr expr) {
      expr.walk([&](AffineExpr part) {
        auto dim = dyn_cast<AffineDimExpr>(part);
        if (dim && dim.getPosition() >= rank)
          isDivided[dim.getPosition() - rank] = true;
        else if (dim)
          pin(classOf(result, dim.getPosition()),
              user + " takes another coordinate from it");
      });
    };
    for (OpOperand &use : op->getOpOperands()) {
      TileRef operand(use);
      if (!operand)
        continue;
      OperandRead read = getOperandRead(use, value.getResultNumber());
      if (!read) {
        pinAll(operand, user + " uses it");
        pinAll(result, user + " makes it");
        continue;
      }
      if (read.domain)
        for (AffineExpr expr : read.domain.getConstraints())
          pinAllIn(expr);
      for (auto [e, expr] : llvm::enumerate(read.map.getResults())) {
        auto dim = dyn_cast<AffineDimExpr>(expr);
        int64_t d = dim ? int64_t(dim.getPosition()) : -1;
        if (d >= rank) {
          std::optional<unsigned> &known = summed[d - rank];
          if (known)
            uniteClasses(*known, classOf(operand, e));
          else
            known = classOf(operand, e);
          if (isOrdered)
            pin(*known, "an ordered reduction runs along it");
        } else if (d >= 0 && operand.getDimSize(e) == result.getDimSize(d)) {
          isRead[d] = true;
          unite(result, d, operand, e);
        } else {
          pin(classOf(operand, e), user + " reads it at other coordinates");
          pinAllIn(expr);
        }
      }
    }
    for (auto [known, divided] : llvm::zip(summed, isDivided))
      if (known && divided)
        pin(*known, user + " takes another coordinate from it");
    // A dimension of one element that no operand has was made to have one.
    if (!isa<ViewAccessOpInterface>(op))
      for (int64_t d = 0; d < rank; ++d)
        if (!isRead[d] && result.getDimSize(d) == 1)
          pin(classOf(result, d), user + " makes the dimension");
  }
}

void TileDims::visit(Operation *op) {
  if (isa<scf::ForOp, scf::IfOp, scf::WhileOp>(op))
    return visitControlFlow(op);
  if (isShapeless(op) || isa<scf::YieldOp, scf::ConditionOp>(op))
    return;
  if (op->hasTrait<OpTrait::ConstantLike>()) {
    for (Value result : op->getResults())
      pinAll(result, "a constant that is not a splat has it");
    return;
  }
  // What is read and written through views is tied to what moves the views.
  if (isa<ViewAccessOpInterface>(op) && !isa<IndexMapOpInterface>(op))
    return;
  if (isa<IndexMapOpInterface>(op) || OpTrait::hasElementwiseMappableTraits(op))
    return visitReads(op);
  std::string user = op->getName().getStringRef().str();
  for (OpOperand &operand : op->getOpOperands())
    pinAll(operand, "'" + user + "' uses it");
  for (Value result : op->getResults())
    pinAll(result, "'" + user + "' makes it");
}
