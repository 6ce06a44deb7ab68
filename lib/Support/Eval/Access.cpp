// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The checks that each access to memory passes.
#include "kiln/Eval/Memory.h"
#include <cstring>

using namespace mlir;

namespace kiln::eval {

/// Adds the times of `from` to those that are known.
static void join(std::vector<uint32_t> &known,
                 const std::vector<uint32_t> &from) {
  known.resize(std::max(known.size(), from.size()));
  for (size_t n = 0; n < from.size(); ++n)
    known[n] = std::max(known[n], from[n]);
}

void Fences::pass(bool acquire, bool release, std::vector<uint32_t> &clock) {
  if (acquire)
    join(clock, found);
  if (release)
    released = clock;
}

namespace {

/// Whose access an error is about, where instances are told apart.
std::string byInstance(const Instance *instance) {
  return instance ? " by instance " + std::to_string(instance->number) : "";
}

/// One access being checked.
class Check {
public:
  Check(Operation *op, Instance *instance, const Box &box, Access access,
        Order order, const char *stored)
      : op(op), instance(instance), box(box), access(access), order(order),
        stored(stored), buffer(*box.view->buffer),
        bytes(runtime::dtypeBytes(box.view->dtype)) {
    char *address = boxAddress(box, strides);
    start = address - buffer.data();
  }

  LogicalResult run() {
    if (failed(checkBounds()))
      return failure();
    if (buffer.touched && instance) {
      // Entries are as small as the narrowest or least aligned access.
      int64_t granule = buffer.touched->granule;
      int64_t wanted = std::min(granule, bytes);
      while (start % wanted)
        wanted /= 2;
      if (wanted != granule)
        buffer.touched->refine(wanted);
      if (buffer.touched->timed)
        ++instance->clock[instance->number];
    }
    bool watch = buffer.touched && instance;
    bool needsWrites = access != Access::write && buffer.written();
    bool marks = access != Access::read && buffer.written();
    if (!watch && !needsWrites && !marks)
      return success();
    return rows([&](int64_t at, int64_t n, int64_t stride) -> LogicalResult {
      if (needsWrites && failed(checkWritten(at, n, stride)))
        return failure();
      if (watch && failed(checkRace(at, n, stride)))
        return failure();
      if (marks)
        mark(at, n, stride);
      return success();
    });
  }

private:
  /// Calls `fn` with byte position, count and stride in bytes of each row.
  template <typename Fn> LogicalResult rows(Fn fn) {
    size_t rank = box.sizes.size();
    if (rank == 0)
      return fn(start, 1, bytes);
    SmallVector<int64_t, 4> index(rank, 0);
    int64_t at = start;
    while (true) {
      if (failed(fn(at, box.sizes[rank - 1], strides[rank - 1] * bytes)))
        return failure();
      int64_t d = static_cast<int64_t>(rank) - 2;
      for (; d >= 0; --d) {
        at += strides[d] * bytes;
        if (++index[d] < box.sizes[d])
          break;
        at -= strides[d] * bytes * box.sizes[d];
        index[d] = 0;
      }
      if (d < 0)
        return success();
    }
  }

  /// The extremes of a box are elements of it, so they decide.
  LogicalResult checkBounds() {
    __int128 least = box.view->byteOffset, most;
    for (size_t d = 0; d < box.sizes.size(); ++d)
      least += __int128(box.first[d]) * box.view->strides[d] * bytes;
    most = least;
    for (size_t d = 0; d < box.sizes.size(); ++d) {
      __int128 reach = __int128(box.sizes[d] - 1) * strides[d] * bytes;
      (reach < 0 ? least : most) += reach;
    }
    if (least >= 0 && most + bytes <= buffer.bytes)
      return success();
    auto at = static_cast<int64_t>(least < 0 ? least : most);
    return op->emitError("out-of-bounds access")
           << who() << ": byte " << at << " of a buffer of " << buffer.bytes
           << " bytes" << named() << ", reached from element " << firstElement()
           << " of the view";
  }

  LogicalResult checkWritten(int64_t at, int64_t n, int64_t stride) {
    const uint8_t *written = buffer.written();
    if (stride == bytes) {
      if (const void *hole = std::memchr(written + at, 0, n * bytes))
        return unwritten(static_cast<const uint8_t *>(hole) - written);
      return success();
    }
    for (int64_t i = 0; i < n; ++i)
      for (int64_t k = 0; k < bytes; ++k)
        if (!written[at + i * stride + k])
          return unwritten(at + i * stride);
    return success();
  }

  LogicalResult unwritten(int64_t at) {
    return op->emitError("read of unwritten memory")
           << who() << ": byte " << at << " of a buffer of " << buffer.bytes
           << " bytes" << named();
  }

  /// " (out)" of an argument with a name.
  std::string named() const {
    return buffer.name.empty() ? "" : " (" + buffer.name + ")";
  }

  void mark(int64_t at, int64_t n, int64_t stride) {
    if (stride == bytes)
      return buffer.markWritten(at, at + n * bytes);
    for (int64_t i = 0; i < n; ++i)
      buffer.markWritten(at + i * stride, at + i * stride + bytes);
  }

  LogicalResult checkRace(int64_t at, int64_t n, int64_t stride) {
    Touched &touched = *buffer.touched;
    int64_t perElement = bytes / touched.granule;
    for (int64_t i = 0; i < n; ++i) {
      int64_t entry = (at + i * stride) / touched.granule;
      for (int64_t k = 0; k < perElement; ++k) {
        if (failed(touch(touched, entry + k)))
          return failure();
        if (stored)
          stored += touched.granule;
      }
    }
    return success();
  }

  /// Whether what instance `other` did at `time` happened before.
  bool isBefore(int32_t other, uint32_t time) const {
    return other == instance->number ||
           (!instance->clock.empty() && instance->clock[other] >= time);
  }

  /// Adds to `known` what was released to an element.
  void acquire(Touched &touched, int64_t entry, std::vector<uint32_t> &known) {
    auto it = touched.released.find(entry);
    if (it != touched.released.end())
      join(known, it->second);
  }

  /// Several releases to one element add up.
  void release(Touched &touched, int64_t entry,
               const std::vector<uint32_t> &known) {
    join(touched.released[entry], known);
  }

  /// An atomic access acquires and releases by its own order, or for the
  /// fences around it.
  void synchronise(Touched &touched, int64_t entry) {
    if (order.acquire)
      acquire(touched, entry, instance->clock);
    else if (order.fences)
      acquire(touched, entry, order.fences->found);
    if (order.release)
      release(touched, entry, instance->clock);
    else if (order.fences && !order.fences->released.empty())
      release(touched, entry, order.fences->released);
  }

  LogicalResult touch(Touched &touched, int64_t entry) {
    int32_t me = instance->number + 1;
    int32_t writer = touched.writer[entry], reader = touched.reader[entry];
    uint32_t writerTime = touched.timed ? touched.writerTime[entry] : 0;
    uint32_t now = touched.timed ? instance->clock[instance->number] : 0;

    // Against writes.
    if (writer > 0 && !isBefore(writer - 1, writerTime) &&
        failed(race(entry, writer - 1, "written")))
      return failure();
    if (writer < 0 && access != Access::combine) {
      // Instances that may wait for each other read a combined element
      // atomically, and then know what the writers knew.
      if (touched.timed && access == Access::read)
        acquire(touched, entry, instance->clock);
      else if ((writer == Touched::many ||
                !isBefore(-writer - 1, writerTime)) &&
               failed(race(entry, writer == Touched::many ? -1 : -writer - 1,
                           "combined into")))
        return failure();
    }
    // Against reads. Where instances may wait for each other, reads of an
    // element that combining stores write are atomic.
    if (access == Access::write && reader != 0 && touched.timed) {
      if (reader != Touched::many) {
        if (!isBefore(reader - 1, touched.readerTime[entry]) &&
            failed(race(entry, reader - 1, "read")))
          return failure();
      } else {
        for (auto [other, time] : touched.readers[entry])
          if (!isBefore(other, time) && failed(race(entry, other, "read")))
            return failure();
      }
    } else if (access != Access::read && reader != 0 && !touched.timed &&
               reader != me &&
               failed(race(entry, reader == Touched::many ? -1 : reader - 1,
                           "read"))) {
      return failure();
    }

    switch (access) {
    case Access::read:
      if (touched.timed && reader != 0 && reader != me) {
        auto &all = touched.readers[entry];
        if (reader != Touched::many)
          all.push_back({reader - 1, touched.readerTime[entry]});
        all.push_back({instance->number, now});
      }
      touched.reader[entry] = reader == 0 || reader == me ? me : Touched::many;
      if (touched.timed)
        touched.readerTime[entry] = now;
      return success();
    case Access::write:
      touched.writer[entry] = me;
      break;
    case Access::combine:
      if (touched.timed)
        synchronise(touched, entry);
      if (writer <= 0)
        touched.writer[entry] =
            writer == 0 || writer == -me ? -me : Touched::many;
      else if (writer != me)
        touched.writer[entry] = -me;
      break;
    }
    if (touched.timed)
      touched.writerTime[entry] = now;
    return success();
  }

  /// Reports a race, unless nobody could tell who was first.
  LogicalResult race(int64_t entry, int32_t other, StringRef did) {
    static constexpr StringRef verbs[] = {"reads", "writes", "combines into"};
    int64_t granule = buffer.touched->granule;
    if (stored &&
        !std::memcmp(stored, buffer.data() + entry * granule, granule))
      return success();
    Races &races = *instance->races;
    if (!races.areErrors && !races.reported.insert(op->getLoc()).second)
      return success();
    InFlightDiagnostic diagnostic = races.areErrors
                                        ? op->emitError("race: instance ")
                                        : op->emitWarning("race: instance ");
    diagnostic << instance->number << " " << verbs[static_cast<int>(access)]
               << " byte " << entry * granule << " of a buffer of "
               << buffer.bytes << " bytes that ";
    if (other < 0)
      diagnostic << "several instances have " << did;
    else
      diagnostic << "instance " << other << " has " << did;
    diagnostic << " without an order between them";
    return failure(races.areErrors);
  }

  std::string who() const { return byInstance(instance); }
  std::string firstElement() const {
    std::string text = "[";
    for (auto [d, i] : llvm::enumerate(box.first))
      text += (d ? ", " : "") + std::to_string(i);
    return text + "]";
  }

  Operation *op;
  Instance *instance;
  const Box &box;
  Access access;
  Order order;
  const char *stored; ///< the elements not yet visited
  Buffer &buffer;
  int64_t bytes;
  int64_t start;
  SmallVector<int64_t, 4> strides;
};

} // namespace

LogicalResult checkAccess(Operation *op, Instance *instance, const Box &box,
                          Access access, Order order, const char *stored) {
  for (int64_t size : box.sizes)
    if (size <= 0)
      return success();
  if (!box.view->buffer)
    return op->emitError("out-of-bounds access")
           << byInstance(instance) << ": address " << box.view->byteOffset
           << " lies in no buffer of the launch";
  if (instance)
    for (auto &[id, state] : instance->states)
      if (failed(state->access(op, box, access)))
        return failure();
  return Check(op, instance, box, access, order,
               access == Access::write ? stored : nullptr)
      .run();
}

} // namespace kiln::eval
