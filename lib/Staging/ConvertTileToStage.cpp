//===- ConvertTileToStage.cpp - Regions and storage of tile kernels -------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Dialect/Stage/Stage.h"
#include "kiln/Dialect/Tile/Tile.h"
#include "kiln/Staging/Passes.h"
#include "kiln/Staging/Storage.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace kiln::staging {
#define GEN_PASS_DEF_CONVERTTILETOSTAGE
#include "kiln/Staging/Passes.h.inc"
} // namespace kiln::staging

using namespace kiln;

namespace {

RankedTensorType tileOf(Value value) {
  return dyn_cast<RankedTensorType>(value.getType());
}

bool hasTiles(Operation *op) {
  auto isTile = [](Value value) { return static_cast<bool>(tileOf(value)); };
  return llvm::any_of(op->getOperands(), isTile) ||
         llvm::any_of(op->getResults(), isTile);
}

/// Relates elements in no affine way, or folds them: computed once, in a region
/// of its own.
bool standsAlone(Operation *op) {
  return isa<tile::ReduceOp, tile::ScanOp, tile::SortOp, tile::HistogramOp,
             tile::GatherOp>(op);
}

bool writesMemory(Operation *op) {
  return !isMemoryEffectFree(op) && hasEffect<MemoryEffects::Write>(op);
}

/// One kernel.
class Converter {
public:
  explicit Converter(tile::KernelOp kernel) : kernel(kernel) {}

  LogicalResult run() {
    if (failed(check()))
      return failure();
    int64_t now = 0;
    kernel.getBody().walk<WalkOrder::PreOrder>([&](Operation *op) {
      places[op] = now++;
      if (isEffective(op) && writesMemory(op))
        writes.push_back(op);
    });
    kernel.getBody().walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (isEffective(op) && hasTiles(op))
        work.push_back(op);
    });
    findKept();
    for (Operation *op : work)
      if (isSink(op) || kept.contains(op))
        makeRegion(op);
    for (Operation *op : llvm::reverse(work))
      op->erase();
    return success();
  }

private:
  /// Not inside of a combiner.
  static bool isEffective(Operation *op) {
    return !op->getParentOfType<tile::ReduceOp>() &&
           !op->getParentOfType<tile::ScanOp>() &&
           !isa<RegionBranchOpInterface, tile::YieldOp>(op);
  }

  LogicalResult check() {
    WalkResult result = kernel.getBody().walk([&](Operation *op) {
      auto refuse = [&](const Twine &what) {
        op->emitError("unsupported: ") << what << " at the stage level";
        return WalkResult::interrupt();
      };
      if (isa<MatrixProductOpInterface>(op))
        return refuse("a product of tiles that nobody has split");
      if (isa<stage::StageDialect>(op->getDialect()))
        return refuse("a kernel that is there in part");
      for (Value value : op->getResults())
        if (RankedTensorType tile = tileOf(value);
            tile && (tile.getEncoding() ||
                     isa<scf::ForOp, scf::IfOp, scf::WhileOp>(op)))
          return refuse("a tile that control flow carries or that has an "
                        "encoding");
      for (Region &region : op->getRegions())
        for (BlockArgument argument : region.getArguments())
          if (tileOf(argument))
            return refuse("a tile that control flow carries");
      if (isa<tensor::ExtractOp>(op) &&
          tileOf(op->getOperand(0)).getRank() != 0)
        return refuse("an element of a tile as a scalar");
      // Pointers have no storage.
      if (standsAlone(op) || isKeptByName(op))
        for (Value value : op->getResults())
          if (tileOf(value) &&
              isa<tile::PtrType>(tileOf(value).getElementType()))
            return refuse("pointers that are kept");
      return WalkResult::advance();
    });
    return failure(result.wasInterrupted());
  }

  static bool isKeptByName(Operation *op) {
    auto home = op->getAttrOfType<stage::HomeAttr>(staging::kHomeAttr);
    return home && home.getValue() != stage::Home::recompute;
  }

  static bool isSink(Operation *op) {
    return writesMemory(op) || standsAlone(op) || isa<tensor::ExtractOp>(op);
  }

  /// The parameter whose memory an access reaches, if it is one.
  static BlockArgument parameterOf(Operation *access) {
    Value view;
    if (auto load = dyn_cast<tile::LoadOp>(access))
      view = load.getView();
    else if (auto gather = dyn_cast<tile::LoadGatherOp>(access))
      view = gather.getView();
    else if (auto store = dyn_cast<tile::StoreOp>(access))
      view = store.getView();
    else if (auto scatter = dyn_cast<tile::StoreScatterOp>(access))
      view = scatter.getView();
    auto parameter = dyn_cast_or_null<BlockArgument>(view);
    if (parameter && isa<tile::KernelOp>(parameter.getOwner()->getParentOp()))
      return parameter;
    return {};
  }

  /// By the facts about parameters.
  bool mayAlias(Operation *load, Operation *write) {
    BlockArgument from = parameterOf(load), to = parameterOf(write);
    auto has = [&](BlockArgument parameter, StringRef fact) {
      return parameter && kernel.getArgAttr(parameter.getArgNumber(), fact);
    };
    if (has(from, tile::kReadonlyAttr))
      return false;
    return from == to ||
           !(has(from, tile::kNoaliasAttr) || has(to, tile::kNoaliasAttr));
  }

  /// Whether what `load` reads may be written before `user` would read it
  /// again.
  bool isCrossed(Operation *load, Operation *user) {
    // In a loop that the load is not in, all of the loop comes before.
    Operation *last = user;
    for (Operation *op = user; op != kernel; op = op->getParentOp())
      if (isa<LoopLikeOpInterface>(op) && !op->isProperAncestor(load))
        last = op;
    for (Operation *write : writes) {
      bool isBefore = places[write] < places[user] ||
                      (last != user && last->isAncestor(write));
      if (places[write] > places[load] && isBefore && mayAlias(load, write))
        return true;
    }
    return false;
  }

  /// A load and a store of one region meet only at equal points: the same place
  /// of the same view, with nothing but elementwise operations between them.
  bool mayMeet(Operation *load, Operation *sink) {
    if (!writesMemory(sink) || !mayAlias(load, sink))
      return false;
    auto from = dyn_cast<tile::LoadOp>(load);
    auto to = dyn_cast<tile::StoreOp>(sink);
    if (!from || !to || from.getView() != to.getView() ||
        from.getCoords() != to.getCoords() ||
        from.getElementOffsets() != to.getElementOffsets() ||
        from.getStep() != to.getStep() ||
        from.getTileType().getShape() != to.getTileType().getShape())
      return true;
    SmallVector<Operation *> open = {load};
    llvm::SmallPtrSet<Operation *, 16> seen;
    while (!open.empty()) {
      Operation *op = open.pop_back_val();
      for (Operation *user : op->getUsers()) {
        if (user == sink || kept.contains(user) || isSink(user) ||
            !seen.insert(user).second)
          continue;
        if (!user->hasTrait<OpTrait::Elementwise>())
          return true;
        open.push_back(user);
      }
    }
    return false;
  }

  /// The accesses that an operation's operands are computed from, through what
  /// is not kept.
  void findLoads(Operation *op, SmallVectorImpl<Operation *> &loads,
                 llvm::SmallPtrSetImpl<Operation *> &seen) {
    for (Value operand : op->getOperands()) {
      Operation *def = operand.getDefiningOp();
      if (!def || !tileOf(operand) || kept.contains(def) ||
          !seen.insert(def).second)
        continue;
      if (!isMemoryEffectFree(def))
        loads.push_back(def);
      findLoads(def, loads, seen);
    }
  }

  void findKept() {
    for (Operation *op : work) {
      bool isAtomic = writesMemory(op) && op->getNumResults();
      if (standsAlone(op) || isKeptByName(op) || isAtomic)
        kept.insert(op);
    }
    for (Operation *op : work) {
      if (!isSink(op) && !kept.contains(op))
        continue;
      SmallVector<Operation *> loads;
      llvm::SmallPtrSet<Operation *, 16> seen;
      findLoads(op, loads, seen);
      for (Operation *load : loads)
        if (isCrossed(load, op) || mayMeet(load, op))
          kept.insert(load);
    }
  }

  /// The box of an operation's region: of what it computes, folds or stores.
  static ArrayRef<int64_t> boxOf(Operation *op) {
    if (isa<tile::ReduceOp>(op) || writesMemory(op) ||
        isa<tensor::ExtractOp>(op)) {
      ArrayRef<int64_t> box;
      for (Value operand : op->getOperands())
        if (RankedTensorType tile = tileOf(operand);
            tile && tile.getRank() >= static_cast<int64_t>(box.size())) {
          box = tile.getShape();
          if (isa<tile::StoreOp, tile::StoreScatterOp>(op))
            break;
        }
      return box;
    }
    return tileOf(op->getResult(0)).getShape();
  }

  void makeRegion(Operation *op) {
    OpBuilder builder(op);
    Location loc = op->getLoc();
    SmallVector<int64_t> box(boxOf(op));
    if (box.empty())
      box = {1};
    SmallVector<Type> types;
    SmallVector<Value> storages;
    for (Value result : op->getResults()) {
      RankedTensorType tile = tileOf(result);
      if (!tile || tile.getRank() == 0)
        types.push_back(tile ? tile.getElementType() : result.getType());
      else
        storages.push_back(stage::AllocOp::create(
            builder, loc,
            MemRefType::get(tile.getShape(), tile.getElementType()),
            IntegerAttr(), IntegerAttr(), IntegerAttr()));
    }
    auto region = stage::ComputeOp::create(
        builder, loc, types, box, ValueRange(), ValueRange(), ValueRange());
    OpBuilder inside =
        OpBuilder::atBlockBegin(&region.getBody().emplaceBlock());
    IRMapping mapping;
    for (Value operand : op->getOperands())
      fetch(operand, inside, mapping);
    Operation *clone = cloneInto(op, inside, mapping);
    SmallVector<Value> yielded;
    size_t next = 0;
    for (auto [result, value] :
         llvm::zip(op->getResults(), clone->getResults())) {
      RankedTensorType tile = tileOf(result);
      if (!tile || tile.getRank() == 0) {
        scalars[result] = region.getResult(yielded.size());
        if (!tile)
          result.replaceAllUsesWith(region.getResult(yielded.size()));
        yielded.push_back(value);
        continue;
      }
      stage::WriteOp::create(inside, loc, value, storages[next], ValueRange());
      stored[result] = storages[next++];
    }
    stage::YieldOp::create(inside, loc, yielded);
  }

  Operation *cloneInto(Operation *op, OpBuilder &inside, IRMapping &mapping) {
    Operation *clone = inside.clone(*op, mapping);
    clone->removeAttr(staging::kHomeAttr);
    if (!isMemoryEffectFree(op) && !writesMemory(op)) {
      auto [it, isFirst] = numbers.try_emplace(op, numbers.size());
      clone->setAttr(isFirst ? stage::kFirstAttr : stage::kAgainAttr,
                     inside.getI64IntegerAttr(it->second));
    }
    return clone;
  }

  /// The value inside of a region: read, made from a scalar, or computed again.
  void fetch(Value value, OpBuilder &inside, IRMapping &mapping) {
    RankedTensorType tile = tileOf(value);
    if (!tile || mapping.contains(value))
      return;
    Operation *def = value.getDefiningOp();
    if (auto it = stored.find(value); it != stored.end()) {
      mapping.map(value, stage::ReadOp::create(inside, value.getLoc(), tile,
                                               it->second, ValueRange())
                             .getResult());
      return;
    }
    if (auto it = scalars.find(value); it != scalars.end()) {
      mapping.map(
          value, tile::SplatOp::create(inside, value.getLoc(), tile, it->second)
                     .getResult());
      return;
    }
    for (Value operand : def->getOperands())
      fetch(operand, inside, mapping);
    cloneInto(def, inside, mapping);
  }

  tile::KernelOp kernel;
  DenseMap<Operation *, int64_t> places;
  SmallVector<Operation *> writes, work;
  llvm::SmallPtrSet<Operation *, 16> kept;
  llvm::MapVector<Operation *, int64_t> numbers;
  DenseMap<Value, Value> stored, scalars;
};

struct ConvertTileToStagePass
    : staging::impl::ConvertTileToStageBase<ConvertTileToStagePass> {
  void runOnOperation() override {
    if (failed(Converter(getOperation()).run()))
      signalPassFailure();
  }
};

} // namespace
