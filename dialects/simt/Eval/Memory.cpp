// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Accesses of threads: bounds, races, what is in flight.
#include "Machine.h"
#include "kiln/Eval/Marks.h"
#include <cstring>

using namespace mlir;

namespace kiln::eval {

ThreadBlock::Span ThreadBlock::find(int64_t address) const {
  Span span;
  auto look = [&](const std::shared_ptr<Buffer> &buffer) {
    int64_t offset = address - reinterpret_cast<intptr_t>(buffer->data());
    if (span.buffer || offset < 0 ||
        offset >= std::max<int64_t>(buffer->bytes, 1))
      return;
    span.buffer = buffer;
    span.offset = offset;
    span.data = buffer->data() + offset;
  };
  llvm::for_each(instance->memory, look);
  for (auto &[name, buffer] : code->globals)
    look(buffer);
  llvm::for_each(outputs, look);
  return span;
}

const char *ThreadBlock::peek(unsigned space, int64_t address,
                              int64_t bytes) const {
  if (space == simt::kShared)
    return address >= 0 && address + bytes <= code->sharedBytes
               ? sharedData.data() + address
               : nullptr;
  Span span = find(address);
  return span.buffer && span.offset + bytes <= span.buffer->bytes ? span.data
                                                                  : nullptr;
}

LogicalResult ThreadBlock::checkShared(Operation *op, int64_t address,
                                       int64_t bytes, int64_t alignment) {
  if (address < 0 || address + bytes > code->sharedBytes)
    return op->emitError("out-of-bounds access to shared memory: bytes ")
           << address << " to " << address + bytes - 1 << " of "
           << code->sharedBytes;
  if (address % alignment)
    return op->emitError("misaligned access to shared memory: byte ")
           << address << ", expected a multiple of " << alignment;
  return success();
}

FailureOr<ThreadBlock::Span>
ThreadBlock::reach(Operation *op, Warp &warp, unsigned lane, unsigned space,
                   int64_t address, int64_t bytes, int64_t alignment, Use use,
                   const char *stored, Order order) {
  if (space == simt::kShared) {
    if (failed(checkShared(op, address, bytes, alignment)))
      return failure();
    Span span = {nullptr, address, sharedData.data() + address};
    if (failed(touch(op, warp, lane, shared, "shared memory", address, bytes,
                     use, stored, span.data)))
      return failure();
    return span;
  }
  if (address % alignment)
    return op->emitError("misaligned access by thread ")
           << warp.thread(lane)
           << ", expected an address that is a multiple of " << alignment;
  Span span = find(address);
  View view;
  view.buffer = span.buffer;
  view.dtype = DType::i8;
  view.byteOffset = span.buffer ? span.offset : address;
  view.sizes.assign(1, bytes);
  view.strides.assign(1, 1);
  // Whole elements, where they are aligned so.
  for (auto [dtype, width] :
       {std::pair(DType::i64, 8), std::pair(DType::i32, 4),
        std::pair(DType::i16, 2)})
    if (bytes % width == 0 && view.byteOffset % width == 0) {
      view.dtype = dtype;
      view.sizes[0] = bytes / width;
      break;
    }
  Box box = {&view, {0}, {view.sizes[0]}, {1}};
  Access kind = use == Use::write    ? Access::write
                : use == Use::atomic ? Access::combine
                                     : Access::read;
  if (failed(checkAccess(op, instance, box, kind, order, stored)))
    return failure();
  if (code->written.contains(span.buffer.get()) &&
      failed(touch(op, warp, lane, global[span.buffer.get()],
                   span.buffer->name.empty() ? StringRef("global memory")
                                             : StringRef(span.buffer->name),
                   span.offset, bytes, use, stored, span.data)))
    return failure();
  return span;
}

/// The lowest thread among accesses that is not the one at `now`.
static int64_t otherThread(const Touch &touch, const Moment &now,
                           int64_t lanes) {
  uint32_t others =
      (touch.warps | touch.warpsBefore) & ~(uint32_t(1) << now.warp);
  if (others)
    return __builtin_ctz(others) * lanes;
  LaneMask rest = touch.lanes & ~(LaneMask(1) << now.lane);
  return now.warp * lanes + (rest ? __builtin_ctzll(rest) : now.lane);
}

LogicalResult ThreadBlock::race(Operation *op, Warp &warp, unsigned lane,
                                StringRef memory, int64_t byte, StringRef does,
                                const Touch &other, StringRef did) {
  InFlightDiagnostic diag =
      op->emitError("race: thread ")
      << warp.thread(lane) << " " << does << " byte " << byte << " of "
      << memory << ", which thread "
      << otherThread(other, warp.moment(lane), code->lanes) << " " << did
      << " without a barrier in between";
  diag.attachNote(opOf(other.op)->getLoc()) << "it does so here";
  return diag;
}

LogicalResult ThreadBlock::touch(Operation *op, Warp &warp, unsigned lane,
                                 Shadow &shadow, StringRef memory,
                                 int64_t begin, int64_t bytes, Use use,
                                 const char *stored, const char *now) {
  Moment moment = warp.moment(lane);
  if (&shadow != &shared)
    moment.blockEpoch = moment.passed = globalEpoch;
  uint32_t number = numberOf(op);
  bool isWrite = use == Use::write || use == Use::atomic;
  StringRef does = use == Use::write    ? "writes"
                   : use == Use::atomic ? "updates"
                                        : "reads";
  for (int64_t at = begin; at < begin + bytes; ++at) {
    ByteState &byte = shadow.at(at);
    if (byte.copy) {
      InFlightDiagnostic diag = op->emitError("thread ")
                                << warp.thread(lane) << " " << does << " byte "
                                << at << " of " << memory
                                << ", which a copy in flight writes";
      diag.attachNote(copies.at(byte.copy - 1).op->getLoc())
          << "the copy, which is not waited for before";
      return diag;
    }
    if (isWrite && byte.products) {
      InFlightDiagnostic diag = op->emitError("thread ")
                                << warp.thread(lane) << " " << does << " byte "
                                << at << " of " << memory
                                << ", which a product in flight reads";
      for (auto &product : products)
        if (llvm::any_of(product->reads, [at](auto range) {
              return range.first <= at && at < range.second;
            })) {
          diag.attachNote(product->op->getLoc())
              << "the product, which is not waited for before";
          break;
        }
      return diag;
    }
    bool isCopy = use == Use::write && stored && byte.write.op == number &&
                  stored[at - begin] == now[at - begin];
    // Who waits for a bulk copy knows of it, and the thread that started it.
    bool isOrdered =
        byte.phase ? isWriteKnown(byte, warp) ||
                         (isWrite && byte.write.warps == 1u << warp.number)
                   : byte.write.isBefore(moment);
    bool areBothAtomic =
        byte.isAtomic && (use == Use::atomic || use == Use::volatileRead);
    if (!isOrdered && !areBothAtomic && !isCopy)
      return race(op, warp, lane, memory, at, does, byte.write,
                  byte.isAtomic ? "updates" : "writes");
    if (!isWrite) {
      byte.read.add(moment, number);
      byte.isReadPlainly |= use != Use::volatileRead;
      if (&shadow == &shared)
        noteRead(at, warp);
      continue;
    }
    // Volatile reads find the element before an update, or after it.
    if ((byte.isReadPlainly || use != Use::atomic) &&
        !byte.read.isBefore(moment) &&
        !(&shadow == &shared && areReadsKnown(at, warp)))
      return race(op, warp, lane, memory, at, does, byte.read, "reads");
    // Unordered writes of the same value are remembered together.
    if (isOrdered)
      byte.write = Touch();
    byte.write.add(moment, number);
    byte.read = Touch();
    byte.isReadPlainly = false;
    byte.isAtomic = use == Use::atomic;
    byte.phase = 0;
    byte.fences = warp.fences[lane];
  }
  return success();
}

} // namespace kiln::eval
