//===- DecideStorage.cpp - What is kept and what is computed again --------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "FamilyLowerings.h"
#include "kiln/Dialect/Kiln/Asked.h"
#include "kiln/Dialect/Tile/ExchangeOps.h"
#include "kiln/Dialect/Tile/KernelOps.h"
#include "kiln/Dialect/Tile/ShapeOps.h"
#include "kiln/Interfaces/Cost.h"
#include "kiln/Interfaces/MatrixProduct.h"
#include "kiln/Staging/Passes.h"
#include "kiln/Staging/Storage.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace kiln::staging {
#define GEN_PASS_DEF_TILEDECIDESTORAGE
#include "kiln/Staging/Passes.h.inc"
} // namespace kiln::staging

using namespace mlir;
using namespace kiln;
using namespace kiln::staging;

namespace {
/// Whether a use reads elements of a tile again and again: for more elements of
/// its own result than the tile has.
bool repeats(OpOperand &use) {
  Operation *user = use.getOwner();
  if (!handsOnElements(user))
    return false;
  return cast<ShapedType>(user->getResult(0).getType()).getNumElements() >
         cast<ShapedType>(use.get().getType()).getNumElements();
}

/// Decides for one kernel.
class Decision {
public:
  Decision(tile::KernelOp kernel, bool disjoint, double keepCost,
           double treeLimit, bool keepReads,
           std::function<bool(Operation *)> forced)
      : kernel(kernel), storage(kernel, disjoint, std::move(forced)),
        keepCost(keepCost), treeLimit(treeLimit), keepReads(keepReads) {}

  void run() {
    // Uses before definitions: a decision depends on those of the users.
    SmallVector<Operation *> ops;
    kernel.walk<WalkOrder::PreOrder>([&](Operation *op) { ops.push_back(op); });
    for (Operation *op : ops)
      if (shallReshape(op) || shallExchange(op))
        set(op, stage::Home::recompute);
    llvm::for_each(llvm::reverse(ops),
                   [&](Operation *op) { noteExchanged(op); });
    for (Operation *op : ops)
      if (isStep(op))
        set(op, stage::Home::keep);
    storage.forgetCosts();
    for (Operation *op : llvm::reverse(ops)) {
      if (!storage.isInlineOp(op))
        continue;
      bool isKept = shallKeep(op);
      set(op, isKept ? stage::Home::keep : stage::Home::recompute);
      // Costs change with what is kept alone. Computed again for every
      // operation they take a time that grows with the square of a chain.
      if (isKept)
        storage.forgetCosts();
    }
    for (Operation *op : ops)
      if (hasHome(op, stage::Home::keep))
        if (Operation *reduce = storage.fusionOf(op->getResult(0))) {
          storage.fuse(op->getResult(0), reduce);
          set(op, stage::Home::fuse);
        }
    for (Operation *op : ops)
      if (op->getNumResults() == 1 &&
          (hasHome(op, stage::Home::keep) || isa<MatrixProductOpInterface>(op)))
        if (Value carried = storage.overwritable(op->getResult(0))) {
          storage.overwrite(op->getResult(0), carried);
          set(op, stage::Home::in_place);
        }
  }

private:
  static bool hasHome(Operation *op, stage::Home home) {
    auto attr = op->getAttrOfType<stage::HomeAttr>(stage::kDecidedAttr);
    return attr && attr.getValue() == home;
  }
  void set(Operation *op, stage::Home home) {
    op->setAttr(stage::kDecidedAttr,
                stage::HomeAttr::get(op->getContext(), home));
    if (home == stage::Home::keep)
      storage.keep(op->getResult(0));
  }

  /// Products read the elements of what they pack once, and so do stores those
  /// of a product: they find them in another shape.
  bool shallReshape(Operation *op) {
    auto reshape = dyn_cast<tile::ReshapeOp>(op);
    if (!reshape || keepReads || op->hasAttr(stage::kDecidedAttr))
      return false;
    Operation *source = reshape.getSource().getDefiningOp();
    if (isa_and_nonnull<MatrixProductOpInterface>(source))
      return true;
    auto isFactor = [](OpOperand &use) {
      auto product = dyn_cast<MatrixProductOpInterface>(use.getOwner());
      return product && product.getAccOperand() != &use;
    };
    auto access = dyn_cast_or_null<ViewAccessOpInterface>(source);
    return access && access.isRead() && indirectAxis(access.getAxes()) < 0 &&
           llvm::all_of(op->getUses(), isFactor);
  }

  /// Lanes and addresses change places at no cost.
  bool shallExchange(Operation *op) {
    return isa<tile::ExchangeOp>(op) && !keepReads &&
           !op->hasAttr(stage::kDecidedAttr);
  }

  /// Notes which tiles are read at other places than their own on the way to
  /// where they are needed.
  void noteExchanged(Operation *op) {
    for (Value result : op->getResults())
      if (llvm::any_of(result.getUsers(), [&](Operation *user) {
            return isa<tile::ExchangeOp>(user) ||
                   (user->getNumResults() == 1 &&
                    OpTrait::hasElementwiseMappableTraits(user) &&
                    exchanged.contains(user->getResult(0)));
          }))
        exchanged.insert(result);
  }

  /// What exchanges and others read would be computed for each, and so would
  /// all before it where exchanges follow each other: each keeps what takes
  /// some work since the one before.
  bool isStep(Operation *op) {
    return !hasHome(op, stage::Home::keep) &&
           !op->hasAttr(stage::kDecidedAttr) &&
           OpTrait::hasElementwiseMappableTraits(op) &&
           storage.isInlineOp(op) && !op->hasOneUse() &&
           exchanged.contains(op->getResult(0)) &&
           storage.cost(op->getResult(0)) >= keepCost;
  }

  bool shallKeep(Operation *op) {
    // What was asked for stays.
    if (hasHome(op, stage::Home::keep))
      return true;
    Value value = op->getResult(0);
    auto access = dyn_cast<ViewAccessOpInterface>(op);
    if (access && (keepReads || access.isVolatileAccess() ||
                   storage.crossesStore(access)))
      return true;
    bool isIndirect = access && indirectAxis(access.getAxes()) >= 0;
    // Operations further up are not decided yet, so costs are those of a fully
    // recomputed tree; that errs towards keeping.
    if (!OpTrait::hasElementwiseMappableTraits(op) && !isIndirect)
      return false;
    double work = storage.cost(value);
    if (work < keepCost || (getElementOperations(op) < 2 && work < treeLimit))
      return false;
    auto loops = [&](Operation *sink) {
      int depth = 0;
      for (Operation *p = sink->getParentOp(); p && p != op->getParentOp();
           p = p->getParentOp())
        depth += isa<scf::ForOp, scf::WhileOp>(p);
      return depth;
    };
    size_t evaluations = 0;
    for (Operation *sink : storage.sinks(value))
      evaluations += isa<tensor::ExtractOp>(sink) ? 0 : 1 + loops(sink);
    bool repeated = !isIndirect && llvm::any_of(value.getUses(), repeats);
    return evaluations > 1 || repeated;
  }

  tile::KernelOp kernel;
  Storage storage;
  double keepCost, treeLimit;
  bool keepReads;
  llvm::DenseSet<Value> exchanged;
};

struct TileDecideStorage
    : staging::impl::TileDecideStorageBase<TileDecideStorage> {
  using TileDecideStorageBase::TileDecideStorageBase;

  void runOnOperation() override {
    tile::KernelOp kernel = getOperation();
    if (failed(target::verifyAsked(kernel, "storage")))
      return signalPassFailure();
    auto forced = findFamilyLowerings(kernel);
    Decision(kernel, disjoint, keepCost, treeLimit, keepReads, forced).run();
    // A schedule script counts more; what it may not decide is an error where
    // the kernel is converted.
    kernel.walk([](Operation *op) {
      std::optional<target::Asked> asked = target::findAsked(op, "storage");
      auto name = asked ? dyn_cast<StringAttr>(asked->value) : StringAttr();
      if (std::optional<stage::Home> home =
              name ? stage::symbolizeHome(name.getValue()) : std::nullopt)
        op->setAttr(stage::kDecidedAttr,
                    stage::HomeAttr::get(op->getContext(), *home));
    });
  }
};
} // namespace
