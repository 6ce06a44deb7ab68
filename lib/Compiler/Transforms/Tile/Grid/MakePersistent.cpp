//===- MakePersistent.cpp - Instances that loop over points of the grid ---===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Dialect/Kiln/Description.h"
#include "kiln/Dialect/Kiln/Report.h"
#include "kiln/Dialect/Kiln/Suggest.h"
#include "kiln/Dialect/Tile/ExternOps.h"
#include "kiln/Dialect/Tile/GridOps.h"
#include "kiln/Dialect/Tile/KernelOps.h"
#include "kiln/Dialect/Tile/TileInterfaces.h"
#include "kiln/Transforms/Tile/GridPasses.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Transforms/LoopInvariantCodeMotionUtils.h"

namespace kiln::tile {
#define GEN_PASS_DEF_TILEMAKEPERSISTENT
#include "kiln/Transforms/Tile/GridPasses.h.inc"
} // namespace kiln::tile

using namespace mlir;
using namespace kiln;
using namespace kiln::tile;

bool tile::printsOrAsserts(KernelOp kernel) {
  return kernel
      .walk([](Operation *op) {
        return isa<LaunchOutputOpInterface>(op) ? WalkResult::interrupt()
                                                : WalkResult::advance();
      })
      .wasInterrupted();
}

std::string tile::whyNotPersistent(KernelOp kernel) {
  if (kernel.getProgress() == Progress::concurrent)
    return "its instances may wait for each other";
  if (!getCluster(kernel).empty())
    return "its instances run in clusters";
  bool usesPlace = false;
  Operation *output = nullptr;
  kernel.walk([&](Operation *op) {
    if (isa<LaunchOutputOpInterface>(op))
      output = op;
    if (isa<ProgramIdOp, InstanceIdOp>(op))
      usesPlace |= !op->use_empty();
  });
  if (output && !usesPlace)
    return "'" + output->getName().getStringRef().str() +
           "' names a place in the grid that nothing else uses";
  return "";
}

/// Numbers and views that all points share are computed once. Tiles stay: they
/// would take registers for the whole loop.
static void hoistScalars(scf::ForOp loop) {
  moveLoopInvariantCode(
      &loop.getRegion(),
      [&](Value value, Region *) { return loop.isDefinedOutsideOfLoop(value); },
      [&](Operation *op, Region *) {
        return isMemoryEffectFree(op) && isSpeculatable(op) &&
               llvm::none_of(op->getResultTypes(), llvm::IsaPred<TensorType>);
      },
      [&](Operation *op, Region *) { loop.moveOutOfLoop(op); });
}

/// The point that an instance takes in a round: every second round goes through
/// its points backwards. Where points become smaller and smaller, instances
/// then have as much to do as each other.
static Value takeInTurns(OpBuilder &b, Location loc, Value number, Value id,
                         Value count, Value points) {
  Value one = arith::ConstantIndexOp::create(b, loc, 1),
        two = arith::ConstantIndexOp::create(b, loc, 2),
        begin = arith::SubIOp::create(b, loc, number, id),
        round = arith::DivUIOp::create(b, loc, begin, count),
        isOdd = arith::CmpIOp::create(
            b, loc, arith::CmpIPredicate::eq,
            arith::RemUIOp::create(b, loc, round, two), one),
        end = arith::MinUIOp::create(
            b, loc, arith::AddIOp::create(b, loc, begin, count), points),
        back = arith::SubIOp::create(
            b, loc, arith::SubIOp::create(b, loc, end, one), id);
  return arith::SelectOp::create(b, loc, isOdd, back, number);
}

scf::ForOp tile::makePersistent(KernelOp kernel,
                                function_ref<bool(Operation *)> isOfLaunch,
                                bool isUneven) {
  Block *body = &kernel.getBody().front();
  Block::iterator begin = body->begin();
  for (Operation &op : llvm::make_early_inc_range(*body))
    if (isOfLaunch && isOfLaunch(&op))
      op.moveBefore(body, begin);
  SmallVector<ProgramIdOp> ids;
  SmallVector<InstanceIdOp> numbers;
  kernel.walk([&](Operation *op) {
    if (auto id = dyn_cast<ProgramIdOp>(op))
      ids.push_back(id);
    if (auto number = dyn_cast<InstanceIdOp>(op))
      numbers.push_back(number);
  });
  Operation *first = &*begin;
  OpBuilder b(first);
  Location loc = kernel.getLoc();
  SmallVector<Type> types(3, b.getIndexType());
  ValueRange grid = NumProgramsOp::create(b, loc, types).getCounts();
  Value points = arith::MulIOp::create(
      b, loc, arith::MulIOp::create(b, loc, grid[0], grid[1]), grid[2]);
  Value id = InstanceIdOp::create(b, loc, b.getIndexType());
  Value count = NumInstancesOp::create(b, loc, b.getIndexType());
  auto loop = scf::ForOp::create(b, loc, id, points, count);
  Block *inside = loop.getBody();
  inside->getOperations().splice(inside->begin(), body->getOperations(),
                                 first->getIterator(),
                                 body->getTerminator()->getIterator());
  b.setInsertionPointToStart(inside);
  Value taken = loop.getInductionVar();
  if (isUneven)
    taken = takeInTurns(b, loc, taken, id, count, points);
  // There was an instance for each point: its number is that of the point.
  for (InstanceIdOp number : numbers) {
    number.getId().replaceAllUsesWith(taken);
    number.erase();
  }
  if (!ids.empty()) {
    auto point = createCoordinates(b, loc, taken, grid, {});
    for (ProgramIdOp op : ids) {
      op->replaceAllUsesWith(
          point->getResults().take_front(op.getNumResults()));
      op.erase();
    }
  }
  hoistScalars(loop);
  return loop;
}

/// The hint by which a kernel asks for a loop over points of the grid.
static constexpr StringLiteral kPersistentHint = "persistent";

/// The name of the target that a kernel is compiled for; empty if none is.
static StringRef targetOf(KernelOp kernel) {
  auto module = kernel->getParentOfType<ModuleOp>();
  auto spec = module ? module->getAttrOfType<StringAttr>(target::kSpecAttr)
                     : StringAttr();
  if (!spec)
    return "";
  return spec.getValue().take_until(
      [](char c) { return c == ',' || c == ':'; });
}

/// Whether the hints for the kernel's target are those that GPUs have.
static LogicalResult verifyOwnHints(KernelOp kernel) {
  DictionaryAttr hints = kernel.getHintsAttr();
  auto own =
      hints ? hints.getAs<DictionaryAttr>(targetOf(kernel)) : DictionaryAttr();
  for (NamedAttribute hint : own ? own.getValue() : ArrayRef<NamedAttribute>())
    if (hint.getName() != kPersistentHint)
      return kernel.emitOpError()
             << "expected hints of '" << targetOf(kernel) << "' to be '"
             << kPersistentHint << "', found '" << hint.getName().strref()
             << "'" << suggestNames(hint.getName(), kPersistentHint);
    else if (!isa<BoolAttr>(hint.getValue()))
      return kernel.emitOpError()
             << "expected hint '" << kPersistentHint
             << "' to be true or false, found " << hint.getValue();
  return success();
}

std::optional<bool> tile::asksPersistent(KernelOp kernel) {
  DictionaryAttr hints = kernel.getHintsAttr();
  auto own =
      hints ? hints.getAs<DictionaryAttr>(targetOf(kernel)) : DictionaryAttr();
  auto asks = own ? own.getAs<BoolAttr>(kPersistentHint) : BoolAttr();
  return asks ? std::optional(asks.getValue()) : std::nullopt;
}

void tile::keepSingle(KernelOp kernel) {
  StringRef name = targetOf(kernel);
  Builder b(kernel);
  NamedAttrList hints(kernel.getHintsAttr()), own;
  if (auto known = dyn_cast_or_null<DictionaryAttr>(hints.get(name)))
    own = NamedAttrList(known);
  own.set(kPersistentHint, b.getBoolAttr(false));
  hints.set(name, own.getDictionary(b.getContext()));
  kernel.setHintsAttr(hints.getDictionary(b.getContext()));
}

void tile::reportSingle(KernelOp kernel, StringRef pass, StringRef reason) {
  target::Report &report = target::Report::of(kernel.getContext());
  target::ReportRow row = report.describe(kernel);
  row.stage = "persistent";
  row.chosen = "as it is";
  row.declines.push_back({pass.str(), reason.str()});
  report.add(std::move(row));
}

namespace {
struct TileMakePersistent
    : kiln::tile::impl::TileMakePersistentBase<TileMakePersistent> {
  using TileMakePersistentBase::TileMakePersistentBase;

  void runOnOperation() override {
    KernelOp kernel = getOperation();
    if (failed(verifyOwnHints(kernel)))
      return signalPassFailure();
    if (kernel.isExternal() || isPersistent(kernel))
      return;
    std::optional<bool> hint = asksPersistent(kernel);
    if (!hint.value_or(all))
      return;
    std::string reason = whyNotPersistent(kernel);
    if (reason.empty()) {
      makePersistent(kernel);
      return;
    }
    if (hint)
      kernel.emitWarning("kernel '")
          << kernel.getSymName() << "' is not persistent: " << reason;
    reportSingle(kernel, getArgument(), reason);
  }
};
} // namespace
