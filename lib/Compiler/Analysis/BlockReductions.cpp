//===- BlockReductions.cpp - Reductions along a block of a dimension ------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A reduction along a dimension that the grid or a loop cuts into blocks gives
// one result for each block. Another block size gives other results, unless
// they are only combined with those of the other blocks, by the operation that
// reduces.
//
//===----------------------------------------------------------------------===//

#include "IterationSpaceBuilder.h"
#include "kiln/Dialect/Tile/MemoryOps.h"
#include "kiln/Interfaces/IndexMap.h"
#include "kiln/Interfaces/MatrixProduct.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::tile;

/// The way to combine that a scalar operation is; `assign` for any other one.
static Combine scalarCombine(Operation *op) {
  return llvm::TypeSwitch<Operation *, Combine>(op)
      .Case<arith::AddFOp, arith::AddIOp>([](auto) { return Combine::add; })
      .Case<arith::MulFOp, arith::MulIOp>([](auto) { return Combine::mul; })
      .Case<arith::MaximumFOp, arith::MaxNumFOp, arith::MaxSIOp>(
          [](auto) { return Combine::max; })
      .Case<arith::MinimumFOp, arith::MinNumFOp, arith::MinSIOp>(
          [](auto) { return Combine::min; })
      .Case([](arith::MaxUIOp) { return Combine::umax; })
      .Case([](arith::MinUIOp) { return Combine::umin; })
      .Case([](arith::AndIOp) { return Combine::and_; })
      .Case([](arith::OrIOp) { return Combine::or_; })
      .Case([](arith::XOrIOp) { return Combine::xor_; })
      .Default(Combine::assign);
}

/// How a reduction combines the elements along the dimensions that it sums.
static Combine combineAlong(Operation *reduction) {
  if (isa<MatrixProductOpInterface>(reduction))
    return Combine::add;
  if (reduction->getNumRegions() != 1 ||
      !reduction->getRegion(0).hasOneBlock() ||
      reduction->getRegion(0).front().getOperations().size() != 2)
    return Combine::assign;
  return scalarCombine(&reduction->getRegion(0).front().front());
}

static bool onlyConverts(Operation *op) {
  return handsOnElements(op) ||
         isa<arith::ExtFOp, arith::TruncFOp, arith::ExtSIOp, arith::ExtUIOp,
             arith::TruncIOp>(op);
}

namespace {
/// Follows the result of a reduction along one block to what uses it.
class BlockResult {
public:
  BlockResult(Operation *reduction, IterationDim dim)
      : reduction(reduction), dim(std::move(dim)) {
    if (this->dim.isLoop())
      for (BlockArgument argument : this->dim.loop.getRegionIterArgs())
        addDependents(argument);
  }

  /// Whether it is only combined with the results of other blocks.
  bool isGathered() {
    // The accumulator of a product is what earlier blocks gave.
    if (dim.isLoop() && llvm::any_of(reduction->getOperands(), [&](Value v) {
          return carried.contains(v) && isAccumulator(v);
        }))
      return true;
    SmallVector<Value> open(reduction->getResults());
    DenseSet<Value> seen(open.begin(), open.end());
    while (!open.empty())
      for (OpOperand &use : open.pop_back_val().getUses()) {
        if (combinesBlocks(use))
          continue;
        SmallVector<Value> next;
        if (!follow(use, next))
          return false;
        for (Value value : next)
          if (seen.insert(value).second)
            open.push_back(value);
      }
    return true;
  }

private:
  void addDependents(Value value) {
    if (!carried.insert(value).second)
      return;
    for (Operation *user : value.getUsers()) {
      for (Value result : user->getResults())
        addDependents(result);
      if (auto loop = dyn_cast<scf::ForOp>(user); loop && loop != dim.loop)
        for (BlockArgument argument : loop.getRegionIterArgs())
          addDependents(argument);
    }
  }

  bool isAccumulator(Value value) {
    auto product = dyn_cast<MatrixProductOpInterface>(reduction);
    OpOperand *acc = product ? product.getAccOperand() : nullptr;
    return acc && acc->get() == value;
  }

  bool combinesBlocks(OpOperand &use) {
    Operation *user = use.getOwner();
    if (dim.isLoop()) // CarriedValues looks at how
      return !onlyConverts(user) &&
             llvm::any_of(user->getOpOperands(), [&](OpOperand &other) {
               return &other != &use && carried.contains(other.get());
             });
    auto store = dyn_cast<StoreOp>(user);
    return store && store.getCombine() != Combine::assign &&
           store.getCombine() == combineAlong(reduction);
  }

  /// The values that a use hands the result on to as it is.
  bool follow(OpOperand &use, SmallVectorImpl<Value> &next) {
    Operation *user = use.getOwner();
    if (onlyConverts(user)) {
      llvm::append_range(next, user->getResults());
      return true;
    }
    if (user == reduction)
      return isAccumulator(use.get());
    if (!isa<scf::YieldOp>(user))
      return false;
    Operation *parent = user->getParentOp();
    unsigned i = use.getOperandNumber();
    if (auto loop = dyn_cast<scf::ForOp>(parent)) {
      if (loop == dim.loop)
        return true; // what the loop carries, CarriedValues looks at
      next.push_back(loop.getRegionIterArg(i));
    }
    next.push_back(parent->getResult(i));
    return true;
  }

  Operation *reduction;
  IterationDim dim;
  DenseSet<Value> carried; ///< by the loop of the dimension, and what follows
};
} // namespace

void IterationSpaceBuilder::checkReductions() {
  kernel.getBody().walk([&](IndexMapOpInterface op) {
    int64_t numSummed = op.getNumSummedDims();
    if (!numSummed || op->getNumResults() == 0)
      return;
    auto result = dyn_cast<RankedTensorType>(op->getResult(0).getType());
    int64_t rank = result ? result.getRank() : 0;
    for (OpOperand &use : op->getOpOperands()) {
      OperandRead read = getOperandRead(use);
      if (!TileRef(use) || !read)
        continue;
      for (auto [e, expr] : llvm::enumerate(read.map.getResults())) {
        auto place = dyn_cast<AffineDimExpr>(expr);
        if (!place || int64_t(place.getPosition()) < rank)
          continue;
        auto dim = dimOfClass.find(tileDims.classOf(use, e));
        if (dim != dimOfClass.end() && space.dims[dim->second].pinned.empty() &&
            !BlockResult(op, space.dims[dim->second]).isGathered())
          pin(dim->second, "'" + op->getName().getStringRef() +
                               "' reduces each block of it");
      }
    }
  });
}
