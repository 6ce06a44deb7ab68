// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The states of elements, and what is under way.
#include "State.h"
#include "kiln/Eval/Elements.h"
#include <cstring>

using namespace mlir;

namespace kiln::eval {

StageState *stateOf(Operation *op, Frame &frame) {
  if (!frame.instance) {
    op->emitOpError("expected to run in a kernel");
    return nullptr;
  }
  StageState &state = frame.instance->state<StageState>();
  state.seed = frame.evaluator.seed;
  return &state;
}

LogicalResult StageState::stir(Frame &frame) {
  if (seed == 0)
    return success();
  if (!isSeeded) {
    generator.seed(seed * 1000003 + frame.instance->number);
    isSeeded = true;
  }
  SmallVector<int64_t> ids;
  for (auto &[id, pending] : operations)
    if (!pending.isDone)
      ids.push_back(id);
  // Some of it, in any order.
  while (!ids.empty() && random(3) == 0) {
    size_t k = random(ids.size());
    if (failed(complete(operations.at(ids[k]))))
      return failure();
    ids.erase(ids.begin() + k);
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Storage
//===----------------------------------------------------------------------===//

/// Storage that no value names any more goes.
void StageState::forget() {
  for (auto it = storages.begin(); it != storages.end();) {
    Storage &storage = *it->second;
    if (storage.buffer.use_count() > 1 || isBusy(storage)) {
      ++it;
      continue;
    }
    byBuffer.erase(storage.buffer.get());
    it = storages.erase(it);
  }
}

View StageState::allocate(Operation *op, MemRefType type,
                          std::optional<int64_t> offset) {
  forget();
  auto made = std::make_unique<Storage>();
  Storage &storage = *made;
  View view = eval::allocate(dtypeOf(type), type.getShape());
  view.buffer->markWritten(0, view.buffer->bytes);
  storage.id = static_cast<int32_t>(owners.size());
  storage.op = op;
  storage.type = type;
  storage.width = runtime::dtypeBytes(view.dtype);
  storage.buffer = view.buffer;
  storage.written.resize(type.getNumElements());
  storage.readers.resize(type.getNumElements());
  storage.writers.resize(type.getNumElements());
  owners.push_back(op);
  auto space = dyn_cast_or_null<stage::SpaceAttr>(type.getMemorySpace());
  if (offset) {
    storage.arena = &arenas[space ? space.getName().str() : std::string()];
    storage.offset = *offset;
    storage.isPermuted = space && space.getPermute();
    storage.bytes = stage::storageBytes(type).value_or(0);
    size_t end = *offset + storage.bytes;
    if (storage.arena->owner.size() < end) {
      storage.arena->owner.resize(end, -1);
      storage.arena->busy.resize(end, 0);
    }
    auto places = stage::Places::of(type);
    int64_t width = stage::elementBytes(type.getElementType());
    SmallVector<int64_t, 4> at(type.getRank(), 0);
    for (int64_t n = 0, e = type.getNumElements(); n < e; ++n) {
      storage.places.push_back(places->at(at) * width);
      for (int64_t d = type.getRank() - 1; d >= 0; --d) {
        if (++at[d] < type.getDimSize(d))
          break;
        at[d] = 0;
      }
    }
  }
  byBuffer[view.buffer.get()] = &storage;
  storages[storage.id] = std::move(made);
  return view;
}

Storage &StageState::storageOf(const View &view) {
  return *byBuffer.at(view.buffer.get());
}

FailureOr<Patch> StageState::patch(Operation *op, Frame &frame,
                                   mlir::Value value, ValueRange origin,
                                   ArrayRef<int64_t> sizes,
                                   ArrayRef<int64_t> begin) {
  const View &view = frame.get(value).view();
  if (!byBuffer.count(view.buffer.get())) {
    op->emitOpError("expected storage of stage.alloc or of a slot");
    return failure();
  }
  Patch patch;
  patch.storage = &storageOf(view);
  patch.first = view.byteOffset / patch.storage->width;
  patch.sizes.assign(sizes.begin(), sizes.end());
  patch.strides.assign(view.strides.begin(), view.strides.end());
  for (size_t d = 0; d < sizes.size(); ++d) {
    int64_t at = begin.empty() ? 0 : begin[d];
    if (!origin.empty()) {
      const Value &coordinate = frame.get(origin[d]);
      if (coordinate.hasPoison()) {
        op->emitOpError("coordinate ") << d << " is poison";
        return failure();
      }
      at += coordinate.asInt();
    }
    if (at < 0 || at > view.sizes[d] - sizes[d]) {
      op->emitOpError("out-of-bounds access to storage: elements ")
          << at << " to " << at + sizes[d] - 1 << " of dimension " << d
          << ", which has " << view.sizes[d];
      return failure();
    }
    patch.first += at * view.strides[d];
  }
  return patch;
}

bool StageState::isBusy(const Storage &storage) const {
  auto some = [](uint16_t n) { return n != 0; };
  return llvm::any_of(storage.readers, some) ||
         llvm::any_of(storage.writers, some);
}

void StageState::markUnwritten(Storage &storage) {
  std::fill(storage.written.begin(), storage.written.end(), 0);
}

/// "element [1, 2]" of storage.
static std::string elementName(const Storage &storage, int64_t element) {
  std::string text;
  for (int64_t d = storage.type.getRank() - 1; d >= 0; --d) {
    text = std::to_string(element % storage.type.getDimSize(d)) +
           (text.empty() ? "" : ", ") + text;
    element /= storage.type.getDimSize(d);
  }
  return "element [" + text + "]";
}

LogicalResult StageState::checkRead(Operation *op, const Patch &patch) {
  Storage &storage = *patch.storage;
  return patch.each([&](int64_t e) -> LogicalResult {
    auto report = [&](StringRef what) {
      InFlightDiagnostic diagnostic = op->emitError("read of ")
                                      << what
                                      << " storage: " << elementName(storage, e)
                                      << " of " << storage.type;
      diagnostic.attachNote(storage.op->getLoc()) << "the storage";
      return diagnostic;
    };
    if (storage.writers[e]) {
      InFlightDiagnostic diagnostic = report("pending");
      for (auto &[id, pending] : operations)
        if (llvm::any_of(pending.writes, [&](const Patch &write) {
              return write.storage == &storage;
            }))
          diagnostic.attachNote(pending.op->getLoc())
              << "is not waited for before";
      return diagnostic;
    }
    if (!storage.written[e])
      return report("unwritten");
    if (storage.arena)
      for (int64_t k = 0; k < storage.width; ++k) {
        int32_t owner =
            storage.arena->owner[storage.offset + storage.places[e] + k];
        if (owner == storage.id)
          continue;
        InFlightDiagnostic diagnostic = report("overwritten");
        diagnostic.attachNote(owners[owner]->getLoc())
            << "overwritten by this storage at the same place";
        return diagnostic;
      }
    return success();
  });
}

LogicalResult StageState::checkWrite(Operation *op, const Patch &patch) {
  Storage &storage = *patch.storage;
  return patch.each([&](int64_t e) -> LogicalResult {
    if (storage.readers[e] || storage.writers[e]) {
      InFlightDiagnostic diagnostic =
          op->emitError("write to storage that is still ")
          << (storage.readers[e] ? "read" : "written") << ": "
          << elementName(storage, e) << " of " << storage.type;
      for (auto &[id, pending] : operations)
        for (const Patch &other :
             storage.readers[e] ? pending.reads : pending.writes)
          if (other.storage == &storage)
            diagnostic.attachNote(pending.op->getLoc())
                << "is not waited for before";
      return diagnostic;
    }
    return claim(op, storage, e);
  });
}

/// Takes the bytes of an element from whoever had them.
LogicalResult StageState::claim(Operation *op, Storage &storage,
                                int64_t element) {
  if (!storage.arena)
    return success();
  int64_t begin = storage.offset, end = begin + storage.bytes;
  if (!storage.isPermuted) {
    begin += storage.places[element];
    end = begin + storage.width;
  } else if (storage.arena->owner[begin] == storage.id) {
    return success();
  }
  for (int64_t at = begin; at < end; ++at) {
    int32_t &owner = storage.arena->owner[at];
    if (owner != storage.id && storage.arena->busy[at]) {
      InFlightDiagnostic diagnostic =
          op->emitError("write to bytes that an operation in flight reads or "
                        "writes: byte ")
          << at << " of the space";
      if (owner >= 0)
        diagnostic.attachNote(owners[owner]->getLoc())
            << "through this storage at the same place";
      return diagnostic;
    }
    owner = storage.id;
  }
  return success();
}

void StageState::setBusy(const Patch &patch, int change) {
  Storage &storage = *patch.storage;
  if (!storage.arena)
    return;
  (void)patch.each([&](int64_t e) {
    for (int64_t k = 0; k < storage.width; ++k)
      storage.arena->busy[storage.offset + storage.places[e] + k] += change;
    return success();
  });
}

Value StageState::read(const Patch &patch) {
  Storage &storage = *patch.storage;
  Value out = Value::tensor(dtypeOf(storage.type), patch.sizes);
  copyStrided(patch.sizes, storage.width, out.mutableData(),
              rowMajorStrides(patch.sizes),
              storage.buffer->data() + patch.first * storage.width,
              patch.strides);
  if (!storage.poison.empty()) {
    int64_t n = 0;
    (void)patch.each([&](int64_t e) {
      if (storage.poison[e])
        out.makePoison()[n] = 1;
      ++n;
      return success();
    });
  }
  return out;
}

void StageState::write(const Patch &patch, const Value &value) {
  Storage &storage = *patch.storage;
  copyStrided(patch.sizes, storage.width,
              storage.buffer->data() + patch.first * storage.width,
              patch.strides, value.data(), rowMajorStrides(patch.sizes));
  if (value.hasPoison() && storage.poison.empty())
    storage.poison.resize(storage.size());
  int64_t n = 0;
  (void)patch.each([&](int64_t e) {
    storage.written[e] = 1;
    if (!storage.poison.empty())
      storage.poison[e] = value.hasPoison() && value.poison()[n];
    ++n;
    return success();
  });
}

//===----------------------------------------------------------------------===//
// What is under way
//===----------------------------------------------------------------------===//

FailureOr<int64_t> StageState::issue(Pending pending) {
  for (const Patch &patch : pending.reads)
    if (failed(checkRead(pending.op, patch)))
      return failure();
  // What the operation reads itself, it must not write.
  for (const Patch &patch : pending.reads)
    (void)patch.each([&](int64_t e) {
      ++patch.storage->readers[e];
      return success();
    });
  for (const Patch &patch : pending.writes)
    if (failed(checkWrite(pending.op, patch)))
      return failure();
  for (const Patch &patch : pending.writes)
    (void)patch.each([&](int64_t e) {
      ++patch.storage->writers[e];
      return success();
    });
  for (const Patch &patch : pending.reads)
    setBusy(patch, 1);
  for (const Patch &patch : pending.writes)
    setBusy(patch, 1);
  int64_t id = nextOperation++;
  operations[id] = std::move(pending);
  return id;
}

LogicalResult StageState::complete(Pending &pending) {
  if (pending.isDone)
    return success();
  pending.isDone = true;
  return pending.effect();
}

LogicalResult StageState::settle(Pending &pending) {
  if (failed(complete(pending)))
    return failure();
  for (const Patch &patch : pending.reads) {
    setBusy(patch, -1);
    (void)patch.each([&](int64_t e) {
      --patch.storage->readers[e];
      return success();
    });
  }
  for (const Patch &patch : pending.writes) {
    setBusy(patch, -1);
    (void)patch.each([&](int64_t e) {
      --patch.storage->writers[e];
      patch.storage->written[e] = 1;
      return success();
    });
  }
  pending.reads.clear();
  pending.writes.clear();
  pending.globals.clear();
  return success();
}

LogicalResult StageState::settleMatmuls(int64_t but) {
  for (auto &[id, pending] : operations)
    if (pending.matmul >= 0 && matmuls - pending.matmul > but &&
        failed(settle(pending)))
      return failure();
  return success();
}

LogicalResult StageState::await(int64_t id, Value *result) {
  auto it = operations.find(id);
  if (it == operations.end())
    return success();
  if (failed(settle(it->second)))
    return failure();
  if (result && it->second.result)
    *result = *it->second.result;
  operations.erase(it);
  return success();
}

SmallVector<int64_t> StageState::writersOf(const Storage &storage) const {
  SmallVector<int64_t> ids;
  for (auto &[id, pending] : operations)
    if (llvm::any_of(pending.writes, [&](const Patch &patch) {
          return patch.storage == &storage;
        }))
      ids.push_back(id);
  return ids;
}

LogicalResult StageState::finish() {
  for (Ring &ring : rings)
    if (!ring.committed.empty()) {
      InFlightDiagnostic diagnostic =
          ring.committed.front().producer->emitError(
              "fills a slot that is not consumed before the instance ends");
      diagnostic.attachNote(ring.op.getLoc())
          << ring.committed.size() << " slots of this ring are full";
      return diagnostic;
    }
  for (auto &[id, pending] : operations)
    return pending.op->emitError("is not waited for before the instance ends");
  return success();
}

const stage::Axes &StageState::axesOf(stage::ComputeOp op) {
  auto &known = axes[op];
  if (!known)
    known = std::make_unique<stage::Axes>(op);
  return *known;
}

} // namespace kiln::eval
