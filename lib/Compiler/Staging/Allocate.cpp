//===- Allocate.cpp - Places of storage by its lifetime -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Allocate.h"
#include "kiln/Dialect/Kiln/Description.h"
#include "kiln/Dialect/Stage/Places.h"
#include "kiln/Dialect/Stage/Slots.h"
#include "kiln/Dialect/Stage/Stage.h"
#include "kiln/Dialect/Stage/StorageInterfaces.h"
#include "kiln/Dialect/Tile/KernelOps.h"
#include "kiln/Staging/Passes.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace kiln::staging {
#define GEN_PASS_DEF_STAGEALLOCATE
#include "kiln/Staging/Passes.h.inc"
} // namespace kiln::staging

using namespace kiln;

namespace {

/// Storage with the time that it lives, in places of the program.
struct Live {
  Operation *op;
  std::string space;
  int64_t bytes, align;
  int64_t begin = INT64_MAX, end = -1;
  std::optional<int64_t> offset = std::nullopt;
  int64_t number = 0; ///< in program order

  bool meets(const Live &other) const {
    return begin <= other.end && other.begin <= end;
  }
  int64_t last() const { return *offset + bytes; }
};

/// The time that storage lives.
class Lifetimes {
public:
  explicit Lifetimes(tile::KernelOp kernel) : kernel(kernel) {
    int64_t now = 0;
    number(kernel, now);
  }

  void measure(Live &live) {
    llvm::SetVector<Value> aliases;
    for (Value result : live.op->getResults())
      aliases.insert(result);
    for (size_t i = 0; i < aliases.size(); ++i) {
      Value alias = aliases[i];
      for (OpOperand &use : alias.getUses()) {
        Operation *user = use.getOwner();
        extend(live, user);
        follow(live, user, aliases);
      }
    }
  }

private:
  void number(Operation *op, int64_t &now) {
    int64_t begin = now++;
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (Operation &inner : block)
          number(&inner, now);
    places[op] = {begin, now++};
  }

  /// Loops that the storage outlives are used as a whole.
  void extend(Live &live, Operation *user) {
    Operation *whole = user;
    for (Operation *op = user; op != kernel; op = op->getParentOp()) {
      if ((isa<LoopLikeOpInterface>(op) && !op->isProperAncestor(live.op)) ||
          ((isa<stage::BoxRegionOpInterface>(op) || stage::ringFilledBy(op)) &&
           !op->isProperAncestor(live.op)))
        whole = op;
    }
    live.begin = std::min(live.begin, places[whole].first);
    live.end = std::max(live.end, places[whole].second);
  }

  /// What else stands for the storage, or for its use.
  void follow(Live &live, Operation *user, llvm::SetVector<Value> &aliases) {
    if (stage::ringFilledBy(user)) {
      ValueRange parts = cast<stage::SlotOpInterface>(user).getSlotParts();
      aliases.insert(parts.begin(), parts.end());
      return;
    }
    // A slot lives as long as its ring is used; where other tokens go from here
    // is not followed.
    bool isEnd = user->hasTrait<OpTrait::IsTerminator>();
    if (isEnd && isa<stage::RingOpInterface>(live.op) &&
        stage::ringFilledBy(user->getParentOp()) == live.op->getResult(0))
      return;
    if (isEnd || isa<LoopLikeOpInterface>(user)) {
      // Other iterations may see it.
      for (Operation *op = user; op != kernel; op = op->getParentOp())
        live.begin = std::min(live.begin, places[op].first);
      live.end = places[kernel].second;
      return;
    }
    for (Value result : user->getResults())
      if (isa<MemRefType, stage::TokenType, stage::FutureType>(
              result.getType()))
        aliases.insert(result);
  }

  tile::KernelOp kernel;
  DenseMap<Operation *, std::pair<int64_t, int64_t>> places;
};

/// Gives storage its places.
class Allocator {
public:
  Allocator(tile::KernelOp kernel, const llvm::StringMap<int64_t> &limits,
            int64_t align, bool report)
      : kernel(kernel), limits(limits), align(align), report(report) {}

  /// Ends with what does not fit.
  std::optional<staging::Overflow> run() {
    llvm::MapVector<StringRef, SmallVector<Live *>> spaces;
    std::vector<std::unique_ptr<Live>> all = collect();
    for (auto &live : all)
      spaces[live->space].push_back(live.get());
    for (auto &[space, lives] : spaces) {
      if (std::optional<staging::Overflow> overflow = place(lives))
        return overflow;
      if (report)
        say(space, lives);
    }
    return std::nullopt;
  }

private:
  std::vector<std::unique_ptr<Live>> collect() {
    Lifetimes lifetimes(kernel);
    std::vector<std::unique_ptr<Live>> all;
    kernel.walk([&](Operation *op) {
      MemRefType type;
      int64_t bytes = 0, alignment = 1;
      if (auto alloc = dyn_cast<stage::StorageOpInterface>(op)) {
        type = alloc.getStorage().getType();
        alignment = std::max<int64_t>(
            {align, static_cast<int64_t>(alloc.getAlign().value_or(1)),
             stage::elementBytes(type.getElementType())});
        bytes = *stage::storageBytes(type) + alloc.getSlack().value_or(0);
      } else if (auto ring = dyn_cast<stage::RingOpInterface>(op)) {
        // Parts lie at multiples of the ring's own alignment.
        int64_t between = ring.getAlign().value_or(1);
        alignment = std::max(align, between);
        for (MemRefType part : ring.getRing().getType().getParts()) {
          type = part;
          bytes += llvm::alignTo(*stage::storageBytes(part), between);
          alignment =
              std::max(alignment, stage::elementBytes(part.getElementType()));
        }
        bytes *= ring.getRing().getType().getDepth();
      } else {
        return;
      }
      auto space = dyn_cast_or_null<stage::SpaceAttr>(type.getMemorySpace());
      auto live = std::make_unique<Live>(
          Live{op, space ? space.getName().str() : "", bytes, alignment});
      if (auto offset = op->getAttrOfType<IntegerAttr>("offset"))
        live->offset = offset.getInt();
      live->number = static_cast<int64_t>(all.size());
      lifetimes.measure(*live);
      all.push_back(std::move(live));
    });
    return all;
  }

  /// The lowest place that nothing alive at the same time has.
  std::optional<staging::Overflow> place(SmallVectorImpl<Live *> &lives) {
    SmallVector<Live *> order(lives.begin(), lives.end()), placed;
    llvm::sort(order, [](Live *a, Live *b) {
      if (a->offset.has_value() != b->offset.has_value())
        return a->offset.has_value();
      if (a->bytes != b->bytes)
        return a->bytes > b->bytes;
      return a->number < b->number;
    });
    for (Live *live : order) {
      if (!live->offset) {
        SmallVector<Live *> others;
        for (Live *other : placed)
          if (other->meets(*live))
            others.push_back(other);
        llvm::sort(others,
                   [](Live *a, Live *b) { return *a->offset < *b->offset; });
        int64_t at = 0;
        for (Live *other : others)
          if (*other->offset < at + live->bytes && other->last() > at)
            at = llvm::alignTo(other->last(), live->align);
        live->offset = at;
      }
      placed.push_back(live);
      auto limit = limits.find(live->space);
      if (limit != limits.end() && live->last() > limit->second) {
        staging::Overflow overflow{
            live->op, live->space, live->last(), limit->second, {}};
        for (Live *other : placed)
          if (other != live && other->meets(*live))
            overflow.others.push_back(
                {other->op, other->bytes, *other->offset});
        return overflow;
      }
      live->op->setAttr(
          "offset",
          Builder(kernel.getContext()).getI64IntegerAttr(*live->offset));
    }
    return std::nullopt;
  }

  void say(StringRef space, ArrayRef<Live *> lives) {
    int64_t total = 0, used = 0;
    for (Live *live : lives) {
      total += live->bytes;
      used = std::max(used, live->last());
    }
    kernel.emitRemark() << "space '" << space << "': " << used << " bytes for "
                        << lives.size() << " storages of " << total << " bytes";
  }

  tile::KernelOp kernel;
  const llvm::StringMap<int64_t> &limits;
  int64_t align;
  bool report;
};

struct StageAllocatePass : staging::impl::StageAllocateBase<StageAllocatePass> {
  using StageAllocateBase::StageAllocateBase;

  void runOnOperation() override {
    FailureOr<llvm::StringMap<int64_t>> bytesOf =
        staging::parseLimits(getOperation(), limits);
    if (failed(bytesOf) ||
        failed(staging::checkAtLeastOne(getOperation(), align,
                                        "an alignment of storage")))
      return signalPassFailure();
    std::optional<staging::Overflow> overflow =
        Allocator(getOperation(), *bytesOf, align, report).run();
    if (!overflow)
      return;
    InFlightDiagnostic diagnostic = overflow->op->emitError("unsupported: ")
                                    << overflow->text();
    for (const staging::Overflow::Other &other : overflow->others)
      diagnostic.attachNote(other.op->getLoc())
          << "lives at the same time, " << other.bytes << " bytes at "
          << other.offset;
    signalPassFailure();
  }
};

} // namespace

std::string staging::Overflow::text() const {
  return ("needs bytes up to " + Twine(bytes) + " of space '" + space +
          "', which has " + Twine(limit))
      .str();
}

/// A scratchpad has no more bytes than the description says.
static LogicalResult checkLimit(Operation *op, StringRef space, int64_t bytes) {
  target::TargetAttr description = target::getDescription(op);
  for (target::MemoryAttr memory :
       description ? description.getMemories() : ArrayRef<target::MemoryAttr>())
    if (memory.getName() == space && memory.getSize() &&
        memory.getKind() == target::MemoryKind::Explicit &&
        bytes > memory.getSize())
      return op->emitError()
             << "expected target '" << description.getName()
             << "' to ask for at most the " << memory.getSize()
             << " bytes of its memory '" << space << "', found " << bytes;
  return success();
}

LogicalResult staging::checkAtLeastOne(Operation *op, int64_t number,
                                       StringRef what) {
  if (number > 0)
    return success();
  target::TargetAttr description = target::getDescription(op);
  std::string owner = "the target";
  if (description)
    owner = "target '" + description.getName().str() + "'";
  return op->emitError() << "expected " << owner << " to ask for " << what
                         << " of at least 1, found " << number;
}

FailureOr<llvm::StringMap<int64_t>>
staging::parseLimits(Operation *op, ArrayRef<std::string> limits) {
  llvm::StringMap<int64_t> bytesOf;
  for (const std::string &text : limits) {
    auto [space, number] = StringRef(text).split('=');
    if (number.getAsInteger(10, bytesOf[space]) || bytesOf[space] < 0)
      return op->emitError("expected limits as SPACE=BYTES, found '")
             << text << "'";
    if (failed(checkLimit(op, space, bytesOf[space])))
      return failure();
  }
  return bytesOf;
}

std::optional<staging::Overflow>
staging::allocate(tile::KernelOp kernel, const llvm::StringMap<int64_t> &limits,
                  int64_t align) {
  return Allocator(kernel, limits, align, /*report=*/false).run();
}
