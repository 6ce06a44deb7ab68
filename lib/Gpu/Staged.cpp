//===- Staged.cpp - Storage of the block, rings and fragments -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rings count their slots in scalars that loops carry. Copies of a slot form a
// group of the thread; which groups may still be under way when a slot is
// consumed follows from the order of the text.
//
//===----------------------------------------------------------------------===//

#include "Staged.h"
#include "Access.h"
#include "LayoutChoice.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::simt;

//===----------------------------------------------------------------------===//
// Addresses
//===----------------------------------------------------------------------===//

unsigned StoragePlace::inner() const {
  auto space = dyn_cast_or_null<stage::SpaceAttr>(type.getMemorySpace());
  auto dim =
      space ? dyn_cast_or_null<IntegerAttr>(space.getPermute()) : IntegerAttr();
  return dim && dim.getInt() == 0 ? 0 : 1;
}

int64_t StoragePlace::rowBytes() const {
  return type.getDimSize(inner()) *
         ThreadBuilder::storedBytes(type.getElementType());
}

Value StoragePlace::address(ThreadBuilder &w, ArrayRef<Value> at) const {
  int64_t row = rowBytes(),
          each = ThreadBuilder::storedBytes(type.getElementType());
  int64_t chunks = row / 16;
  Value outer = at[1 - inner()];
  Value within = w.mul(at[inner()], w.c32(each));
  // Eight rows in a run of 128 bytes or more: each its own chunk.
  int64_t shared = std::max<int64_t>(1, 128 / row);
  int64_t mask = std::min<int64_t>(chunks, 8) - 1;
  if (mask > 0) {
    Value bits = outer;
    if (shared > 1)
      bits = w.b.createOrFold<arith::ShRUIOp>(w.loc, bits,
                                              w.c32(llvm::Log2_64(shared)));
    bits = w.and_(bits, w.c32(mask));
    within =
        w.xor_(within, w.b.createOrFold<arith::ShLIOp>(w.loc, bits, w.c32(4)));
  }
  Value sum = w.add(w.mul(outer, w.c32(row)), within);
  if (start)
    sum = w.add(sum, start);
  return LLVM::GEPOp::create(
      w.b, w.loc, LLVM::LLVMPointerType::get(w.b.getContext(), kShared),
      w.b.getI8Type(), w.shared(offset), ArrayRef<LLVM::GEPArg>{sum});
}

//===----------------------------------------------------------------------===//
// Fragments
//===----------------------------------------------------------------------===//

namespace {
using Basis = LayoutAttr::Basis;

/// The dimension that a basis runs along, if it is a unit of one.
int unitDim(ArrayRef<int64_t> basis, int64_t size) {
  int dim = -1;
  for (auto [d, n] : llvm::enumerate(basis)) {
    if (n && (n != size || dim >= 0))
      return -1;
    if (n)
      dim = d;
  }
  return dim;
}

/// Reads matrices of 8 rows of 16 bytes: a word of lane l is word l mod 4 of
/// row l / 4.
class MatrixReader {
public:
  MatrixReader(KernelWalk &w, const StoragePlace &place, LayoutAttr layout,
               Type element)
      : w(w), place(place), layout(layout), element(element) {}

  std::optional<Regs> run();

private:
  KernelWalk &w;
  const StoragePlace &place;
  LayoutAttr layout;
  Type element;
};
} // namespace

std::optional<Regs> MatrixReader::run() {
  int64_t bits = ThreadBuilder::storedBytes(element) * 8;
  if (w.lanes != 32 || layout.getRank() != 2 || bits > 32 || !w.description ||
      !w.description.getExtra() || !w.description.getExtra().get("load_matrix"))
    return std::nullopt;
  int64_t perWord = 32 / bits;
  auto lanes = layout.getLaneBases(5);
  auto registers = layout.getRegisterBases();
  // Along k: elements of a word, then four lanes; eight lanes along the rows.
  int k = unitDim(lanes[0], perWord), rows = unitDim(lanes[2], 1);
  if (k < 0 || rows < 0 || k == rows || unitDim(lanes[1], 2 * perWord) != k ||
      unitDim(lanes[3], 2) != rows || unitDim(lanes[4], 4) != rows)
    return std::nullopt;
  unsigned wordBits = llvm::Log2_64(perWord);
  if (registers.size() < wordBits)
    return std::nullopt;
  for (unsigned bit = 0; bit < wordBits; ++bit)
    if (unitDim(registers[bit], int64_t(1) << bit) != k)
      return std::nullopt;
  bool transposed = int(place.inner()) != k;
  if (transposed && bits != 16)
    return std::nullopt;
  // Which of the other registers are matrices of one instruction.
  ArrayRef<Basis> others = ArrayRef<Basis>(registers).drop_front(wordBits);
  unsigned matrixBits = std::min<size_t>(2, others.size());
  int along = transposed ? k : rows;
  SmallVector<Basis> addressLanes;
  for (int64_t n = 1; n < 8; n *= 2) {
    Basis basis(2, 0);
    basis[along] = n;
    addressLanes.push_back(basis);
  }
  for (unsigned bit = 0; bit < 2; ++bit)
    addressLanes.push_back(bit < matrixBits ? others[bit] : Basis(2, 0));
  // Rows begin at chunks.
  int inner = place.inner();
  int64_t chunk = 16 / ThreadBuilder::storedBytes(element);
  for (const Basis &basis : others)
    if (basis[inner] % chunk)
      return std::nullopt;
  for (const Basis &basis : layout.getWarpBases(w.warpBits()))
    if (basis[inner] % chunk)
      return std::nullopt;
  LayoutAttr addresses =
      LayoutAttr::get(layout.getContext(), 2, others.drop_front(matrixBits),
                      addressLanes, layout.getWarpBases(w.warpBits()));
  unsigned matrices = 1u << matrixBits;
  Regs result(layout.getNumRegisters());
  Type i32 = w.b.getI32Type();
  for (int64_t group = 0; group < addresses.getNumRegisters(); ++group) {
    Value at[] = {w.coordinate(addresses, group, 0),
                  w.coordinate(addresses, group, 1)};
    auto load =
        LoadMatrixOp::create(w.b, w.loc, SmallVector<Type>(matrices, i32),
                             place.address(w, at), transposed);
    for (unsigned m = 0; m < matrices; ++m) {
      Value word = load.getResult(m);
      int64_t first = ((group << matrixBits) | m) << wordBits;
      if (perWord == 1) {
        result[first] =
            element == i32
                ? word
                : w.b.createOrFold<LLVM::BitcastOp>(w.loc, element, word);
        continue;
      }
      Value list = LLVM::BitcastOp::create(
          w.b, w.loc, VectorType::get({perWord}, element), word);
      for (int64_t i = 0; i < perWord; ++i)
        result[first + i] =
            LLVM::ExtractElementOp::create(w.b, w.loc, list, w.c32(i));
    }
  }
  return result;
}

Regs simt::readStorage(KernelWalk &w, const StoragePlace &place,
                       LayoutAttr layout, Type type) {
  Type element = ThreadBuilder::scalarType(type);
  if (auto fragments = MatrixReader(w, place, layout, element).run())
    return *fragments;
  Regs result;
  Type stored = ThreadBuilder::storedType(element);
  for (int64_t reg = 0; reg < layout.getNumRegisters(); ++reg) {
    Value at[] = {w.coordinate(layout, reg, 0), w.coordinate(layout, reg, 1)};
    result.push_back(w.fromStored(
        LLVM::LoadOp::create(w.b, w.loc, stored, place.address(w, at)),
        element));
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Copies and rings
//===----------------------------------------------------------------------===//

void KernelWalk::emitCopy(stage::CopyOp op) {
  const StoragePlace &place = storages.find(op.getTarget())->second;
  auto type =
      RankedTensorType::get(place.type.getShape(), place.type.getElementType());
  SmallVector<ViewAxis> axes;
  int64_t viewRank = op.getFrom().size(), rank = type.getRank();
  for (int64_t d = 0; d < viewRank; ++d) {
    ViewAxis axis;
    axis.offset = op.getFrom()[d];
    axis.countsBlocks = !op.getFromOffsets();
    axis.tileDim = d - (viewRank - rank);
    axis.block = axis.tileDim >= 0 ? type.getDimSize(axis.tileDim) : 1;
    axes.push_back(axis);
  }
  Contiguity along = contiguityOf(op.getSource(), axes, facts);
  LayoutAttr layout =
      blockedLayout(b.getContext(), type.getShape(), along.dim, along.count,
                    lanes, warps, /*isWhole=*/true);
  Access(*this, op.getSource(), axes, withLayout(type, layout))
      .copyAsync([&](int64_t reg) {
        Value at[] = {coordinate(layout, reg, 0), coordinate(layout, reg, 1)};
        return place.address(*this, at);
      });
}

void KernelWalk::commitCopies(Ring *ring) {
  CommitCopiesOp::create(b, loc);
  groups.push_back(ring);
}

void KernelWalk::waitFor(Ring *ring) {
  if (ring->ready) {
    --ring->ready;
    return;
  }
  auto *first = llvm::find(groups, ring);
  int64_t but = 0;
  if (first == groups.end()) {
    groups.clear(); // not to be told from the text: all of them
  } else {
    but = groups.end() - first - 1;
    for (Ring *done : llvm::make_range(groups.begin(), first))
      if (done)
        ++done->ready;
    groups.erase(groups.begin(), first + 1);
  }
  WaitCopiesOp::create(b, loc, but);
  synchronize();
  for (auto &other : rings)
    other.second->isRead = false;
}

/// The ring that is filled here, if one is.
static Value filledRing(Operation *op) {
  if (auto produce = dyn_cast<stage::ProduceOp>(op))
    return produce.getRing();
  Value ring;
  if (auto choice = dyn_cast<scf::IfOp>(op))
    choice.walk([&](stage::ProduceOp produce) { ring = produce.getRing(); });
  return ring;
}

/// What is to be done before a ring is filled: the slot that is filled was read
/// an iteration ago. Where a slot is consumed behind it, one barrier does both.
void KernelWalk::beforeFilling(Operation *op) {
  Value value = filledRing(op);
  if (!value)
    return;
  Ring *ring = rings.find(value)->second.get();
  for (Operation *next = op->getNextNode(); next; next = next->getNextNode())
    if (auto consume = dyn_cast<stage::ConsumeOp>(next);
        consume && consume.getRing() == value && !ring->isAwaited &&
        llvm::is_contained(groups, ring)) {
      waitFor(ring);
      ring->isAwaited = true;
    }
  if (ring->isRead) {
    synchronize();
    ring->isRead = false;
  }
}

Value KernelWalk::nextSlot(Value slot, int64_t depth) {
  Value next = add(slot, c32(1));
  return select(compare(arith::CmpIPredicate::eq, next, c32(depth)), c32(0),
                next);
}

void KernelWalk::bindSlot(Ring *ring, Value slot, ValueRange parts) {
  Value start = mul(slot, c32(ring->slotBytes));
  int64_t at = ring->offset;
  for (Value part : parts) {
    auto type = cast<MemRefType>(part.getType());
    storages[part] = {type, start, at};
    at += llvm::alignTo(type.getNumElements() *
                            storedBytes(type.getElementType()),
                        ring->align);
  }
}

LogicalResult KernelWalk::emitStage(Operation *op) {
  return TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](stage::RingOp op) -> LogicalResult {
        auto ring = std::make_unique<Ring>();
        ring->align = op.getAlign().value_or(16);
        ring->offset = op.getOffset().value_or(0);
        ring->depth = op.getRing().getType().getDepth();
        for (MemRefType part : op.getRing().getType().getParts())
          ring->slotBytes += llvm::alignTo(
              part.getNumElements() * storedBytes(part.getElementType()),
              ring->align);
        ring->fill = ring->use = c32(0);
        stagedBytes =
            std::max(stagedBytes, ring->offset + ring->depth * ring->slotBytes);
        rings[op.getRing()] = std::move(ring);
        return success();
      })
      .Case([&](stage::AllocOp op) -> LogicalResult {
        auto type = cast<MemRefType>(op.getStorage().getType());
        int64_t offset = op.getOffset().value_or(0);
        storages[op.getStorage()] = {type, Value(), offset};
        stagedBytes = std::max(stagedBytes,
                               offset + type.getNumElements() *
                                            storedBytes(type.getElementType()));
        return success();
      })
      .Case([&](stage::ProduceOp op) -> LogicalResult {
        Ring *ring = rings.find(op.getRing())->second.get();
        bindSlot(ring, ring->fill, op.getBody().getArguments());
        for (Operation &inner : op.getBody().front().without_terminator()) {
          if (auto copy = dyn_cast<stage::CopyOp>(inner))
            emitCopy(copy);
          else if (failed(emitOp(&inner)))
            return failure();
        }
        ring->fill = nextSlot(ring->fill, ring->depth);
        // Under a condition the group ends behind it, for as many groups
        // whatever holds.
        if (!isa<scf::IfOp>(op->getParentOp()))
          commitCopies(ring);
        return success();
      })
      .Case([&](stage::ConsumeOp op) -> LogicalResult {
        Ring *ring = rings.find(op.getRing())->second.get();
        if (!ring->isAwaited)
          waitFor(ring);
        ring->isAwaited = false;
        ring->isRead = true;
        bindSlot(ring, ring->use, op.getParts());
        ring->use = nextSlot(ring->use, ring->depth);
        return success();
      })
      .Case([&](stage::ReleaseOp) { return success(); })
      .Case([&](stage::CopyOp op) -> LogicalResult {
        if (op.getAsync() || !isa<tile::ViewType>(op.getSource().getType()))
          return decline(op, "this copy");
        synchronize();
        emitCopy(op);
        commitCopies(nullptr);
        groups.clear();
        WaitCopiesOp::create(b, loc, 0);
        synchronize();
        return success();
      })
      .Case([&](stage::ReadOp op) -> LogicalResult {
        LayoutAttr layout = getLayout(op.getResult());
        auto place = storages.find(op.getStorage());
        if (!layout || place == storages.end() || !op.getOrigin().empty() ||
            place->second.type.getRank() != 2)
          return decline(op, "this read of storage");
        define(op.getResult(),
               readStorage(*this, place->second, layout,
                           getElementTypeOrSelf(op.getResult().getType())));
        return success();
      })
      .Default([&](Operation *op) -> LogicalResult {
        return decline(op, op->getName().getStringRef());
      });
}

SmallVector<Value> KernelWalk::ringCounters(size_t count) {
  SmallVector<Value> counters;
  for (auto &ring : llvm::make_range(rings.begin(), rings.begin() + count))
    counters.append({ring.second->fill, ring.second->use});
  return counters;
}

void KernelWalk::setRingCounters(size_t count, ValueRange counters) {
  for (auto &ring : llvm::make_range(rings.begin(), rings.begin() + count)) {
    ring.second->fill = counters[0];
    ring.second->use = counters[1];
    counters = counters.drop_front(2);
  }
}

void KernelWalk::forgetRings(size_t count) {
  // What a region made ends with it.
  while (rings.size() > count) {
    Ring *last = rings.back().second.get();
    llvm::replace(groups, last, static_cast<Ring *>(nullptr));
    rings.pop_back();
  }
}

bool KernelWalk::touchesRings(Operation *op) {
  // Rings that are made in it are its own affair.
  return op
      ->walk([&](Operation *inner) {
        return isa<stage::ProduceOp, stage::ConsumeOp>(inner) &&
                       !op->isAncestor(inner->getOperand(0).getDefiningOp())
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Which copies are under way must be the same at the start of each iteration,
/// or all of them are waited for.
void KernelWalk::enterRingLoop(scf::ForOp loop) {
  SmallVector<Ring *> under = groups;
  llvm::MapVector<Ring *, int64_t> ready;
  for (auto &ring : rings)
    ready[ring.second.get()] = ring.second->ready;
  bool isKnown = true;
  for (Operation &op : *loop.getBody()) {
    if (auto consume = dyn_cast<stage::ConsumeOp>(op)) {
      Ring *ring = rings.find(consume.getRing())->second.get();
      if (ready[ring]) {
        --ready[ring];
        continue;
      }
      auto *first = llvm::find(under, ring);
      isKnown &= first != under.end();
      if (!isKnown)
        break;
      for (Ring *done : llvm::make_range(under.begin(), first))
        if (done)
          ++ready[done];
      under.erase(under.begin(), first + 1);
    } else if (Value value = filledRing(&op)) {
      under.push_back(rings.find(value)->second.get());
    } else if (isa<scf::ForOp, scf::WhileOp>(op) && touchesRings(&op)) {
      isKnown = false;
    } else if (isa<stage::CopyOp>(op)) {
      under.clear();
    }
  }
  for (auto &ring : rings) {
    isKnown &= ready[ring.second.get()] == ring.second->ready;
    ring.second->isRead = true;
  }
  if (isKnown && under == groups)
    return;
  WaitCopiesOp::create(b, loc, 0);
  synchronize();
  groups.clear();
  for (auto &ring : rings)
    ring.second->ready = 0;
}
