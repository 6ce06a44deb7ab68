// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loads, stores and atomic operations of lanes.
#include "Machine.h"
#include "kiln/Eval/Elements.h"
#include "kiln/Eval/Marks.h"
#include "mlir/IR/TypeUtilities.h"
#include <cmath>
#include <cstring>

using namespace mlir;

namespace kiln::eval {

namespace {

using Use = ThreadBlock::Use;

unsigned spaceOf(mlir::Value pointer) {
  return cast<LLVM::LLVMPointerType>(pointer.getType()).getAddressSpace();
}

struct Form {
  int64_t bytes, alignment;
};

/// The bytes of a type and its natural alignment; reports where they are not
/// known.
FailureOr<Form> formOf(Operation *op, Type type, int64_t alignment) {
  std::optional<int64_t> bytes = storedBytes(type);
  if (!bytes || laneType(type) == DType::none || type.isInteger(4)) {
    op->emitOpError("unsupported: evaluation of an access of type ") << type;
    return failure();
  }
  if (!alignment)
    alignment = int64_t(llvm::PowerOf2Ceil(*bytes));
  return Form{*bytes, alignment};
}

/// Poison where a thread reads what nothing has written.
void readMarks(Operation *op, Warp &warp, unsigned lane, int64_t address,
               int64_t each, int64_t count, Value &out) {
  const uint8_t *marks = warp.block.sharedMarks.data() + address;
  for (int64_t i = 0; i < count; ++i) {
    uint8_t all = 0;
    for (int64_t k = 0; k < each; ++k)
      all = joinMarks(all, marks[i * each + k]);
    if (!all)
      continue;
    if (all == kPoison &&
        warp.block.shared.at(address + i * each).write.isNone())
      all = poisonBy(op, "reads byte " + std::to_string(address + i * each) +
                             " of shared memory, which no thread has written");
    out.makePoison()[lane * count + i] = all;
  }
}

/// An access to memory by every lane of a warp.
struct LaneAccess {
  Operation *op;
  mlir::Value address, mask;
  Type type;
  int64_t alignment = 0;
  bool isVolatile = false;
};

LogicalResult load(const LaneAccess &access, Frame &frame, mlir::Value other) {
  Operation *op = access.op;
  Warp *warp = warpOf(op, frame);
  if (!warp || failed(warp->block.stir(*warp)))
    return failure();
  auto form = formOf(op, access.type, access.alignment);
  if (failed(form))
    return failure();
  int64_t bytes = form->bytes, alignment = form->alignment;
  Value out = laneValue(*warp, access.type);
  std::memset(out.mutableData(), 0, out.bytes());
  if (other) {
    const Value &otherwise = frame.get(other);
    std::memcpy(out.mutableData(), otherwise.data(), out.bytes());
    if (otherwise.poison())
      std::memcpy(out.makePoison(), otherwise.poison(), out.size());
  } else if (access.mask) {
    std::memset(out.makePoison(), kPoison, out.size());
  }
  unsigned space = spaceOf(access.address);
  int64_t count = laneCount(access.type);
  LogicalResult result = masked(op, *warp, access.mask, [&]() -> LogicalResult {
    const Value &address = frame.get(access.address);
    if (failed(warp->checkHasValue(op, address, "the address")))
      return failure();
    return warp->eachLane([&](unsigned lane) {
      int64_t at = address.as<int64_t>()[lane];
      auto span =
          warp->block.reach(op, *warp, lane, space, at, bytes, alignment,
                            access.isVolatile ? Use::volatileRead : Use::read);
      if (failed(span))
        return LogicalResult(failure());
      std::memcpy(out.as<char>() + lane * bytes, span->data, bytes);
      if (out.poison())
        std::memset(out.makePoison() + lane * count, 0, count);
      if (space == simt::kShared)
        readMarks(op, *warp, lane, at, bytes / count, count, out);
      return success();
    });
  });
  if (failed(result))
    return failure();
  return frame.set(op->getResult(0), std::move(out));
}

/// What a lane stores. A NaN in the place of a NaN is the same value: which one
/// it is depends on the order of operands, and is left open.
SmallVector<char, 16> storedBytesOf(const Value &value, unsigned lane,
                                    const char *before) {
  int64_t parts = value.rank() > 1 ? value.dim(1) : 1,
          each = runtime::dtypeBytes(value.dtype());
  const char *from = value.as<char>() + lane * parts * each;
  SmallVector<char, 16> bytes(from, from + parts * each);
  if (!before || !runtime::isFloat(value.dtype()))
    return bytes;
  for (int64_t i = 0; i < parts; ++i) {
    double x, old;
    loadDoubles(value.dtype(), from, i, 1, &x);
    loadDoubles(value.dtype(), before, i, 1, &old);
    if (std::isnan(x) && std::isnan(old))
      std::memcpy(bytes.data() + i * each, before + i * each, size_t(each));
  }
  return bytes;
}

LogicalResult store(const LaneAccess &access, Frame &frame,
                    mlir::Value stored) {
  Operation *op = access.op;
  Warp *warp = warpOf(op, frame);
  if (!warp || failed(warp->block.stir(*warp)))
    return failure();
  auto form = formOf(op, access.type, access.alignment);
  if (failed(form))
    return failure();
  int64_t bytes = form->bytes, alignment = form->alignment;
  const Value &value = frame.get(stored);
  unsigned space = spaceOf(access.address);
  int64_t count = laneCount(access.type);
  return masked(op, *warp, access.mask, [&]() -> LogicalResult {
    const Value &address = frame.get(access.address);
    if (failed(warp->checkHasValue(op, address, "the address")) ||
        (space != simt::kShared &&
         failed(warp->checkHasValue(op, value, "what is stored"))))
      return failure();
    return warp->eachLane([&](unsigned lane) {
      int64_t at = address.as<int64_t>()[lane];
      const char *before = warp->block.peek(space, at, bytes);
      SmallVector<char, 16> from = storedBytesOf(value, lane, before);
      auto span = warp->block.reach(op, *warp, lane, space, at, bytes,
                                    alignment, Use::write, from.data());
      if (failed(span))
        return LogicalResult(failure());
      std::memcpy(span->data, from.data(), bytes);
      if (space == simt::kShared)
        for (int64_t i = 0; i < bytes; ++i)
          warp->block.sharedMarks[at + i] =
              value.poison()
                  ? value.poison()[lane * count + i / (bytes / count)]
                  : 0;
      return success();
    });
  });
}

//===----------------------------------------------------------------------===//
// Atomic operations
//===----------------------------------------------------------------------===//

Order orderOf(LLVM::AtomicOrdering ordering) {
  using O = LLVM::AtomicOrdering;
  return {ordering == O::acquire || ordering == O::acq_rel ||
              ordering == O::seq_cst,
          ordering == O::release || ordering == O::acq_rel ||
              ordering == O::seq_cst};
}

std::optional<double> updated(LLVM::AtomicBinOp kind, double x, double y) {
  using Bin = LLVM::AtomicBinOp;
  switch (kind) {
  case Bin::fadd:
    return x + y;
  case Bin::fsub:
    return x - y;
  case Bin::fmax:
    return std::fmax(x, y);
  case Bin::fmin:
    return std::fmin(x, y);
  case Bin::fmaximum:
  case Bin::fminimum: {
    if (std::isnan(x) || std::isnan(y))
      return x + y;
    bool isLarger = x > y || (x == y && !std::signbit(x));
    return isLarger == (kind == Bin::fmaximum) ? x : y;
  }
  default:
    return std::nullopt;
  }
}

std::optional<int64_t> updated(LLVM::AtomicBinOp kind, int64_t x, int64_t y) {
  using Bin = LLVM::AtomicBinOp;
  auto u = uint64_t(x), v = uint64_t(y);
  switch (kind) {
  case Bin::add:
    return int64_t(u + v);
  case Bin::sub:
    return int64_t(u - v);
  case Bin::_and:
    return x & y;
  case Bin::_or:
    return x | y;
  case Bin::_xor:
    return x ^ y;
  case Bin::max:
    return std::max(x, y);
  case Bin::min:
    return std::min(x, y);
  case Bin::umax:
    return int64_t(std::max(u, v));
  case Bin::umin:
    return int64_t(std::min(u, v));
  case Bin::uinc_wrap:
    return u >= v ? 0 : x + 1;
  case Bin::udec_wrap:
    return u == 0 || u > v ? y : x - 1;
  default:
    return std::nullopt;
  }
}

/// Updates one place in memory. False: the kind has no evaluation.
bool update(LLVM::AtomicBinOp kind, DType dtype, char *place,
            const Value &value, unsigned lane) {
  int64_t bytes = runtime::dtypeBytes(dtype);
  if (kind == LLVM::AtomicBinOp::xchg) {
    std::memcpy(place, value.as<char>() + lane * bytes, bytes);
    return true;
  }
  if (runtime::isFloat(dtype)) {
    double x, y;
    loadDoubles(dtype, place, 0, 1, &x);
    loadDoubles(dtype, value.data(), lane, 1, &y);
    std::optional<double> sum = updated(kind, x, y);
    if (sum)
      storeDoubles(dtype, place, 0, 1, &*sum);
    return sum.has_value();
  }
  using Bin = LLVM::AtomicBinOp;
  bool isUnsigned = kind == Bin::umax || kind == Bin::umin ||
                    kind == Bin::uinc_wrap || kind == Bin::udec_wrap;
  int64_t x, y;
  loadInts(dtype, place, 0, 1, &x, isUnsigned ? Extend::zero : Extend::sign);
  loadInts(dtype, value.data(), lane, 1, &y,
           isUnsigned ? Extend::zero : Extend::sign);
  std::optional<int64_t> sum = updated(kind, x, y);
  if (sum)
    storeInts(dtype, place, 0, 1, &*sum);
  return sum.has_value();
}

/// Calls `fn(lane, place)` with the place of each lane, for an atomic
/// operation.
template <typename Fn>
LogicalResult atomically(Operation *op, Warp &warp, mlir::Value pointer,
                         Type type, LLVM::AtomicOrdering ordering, Fn fn) {
  auto form = formOf(op, type, 0);
  if (failed(form))
    return failure();
  int64_t bytes = form->bytes, alignment = form->alignment;
  Value address = warp.frame.get(pointer);
  if (failed(warp.checkHasValue(op, address, "the address")))
    return failure();
  for (mlir::Value operand : op->getOperands())
    if (failed(warp.checkHasValue(op, warp.frame.get(operand), "an operand")))
      return failure();
  unsigned space = spaceOf(pointer);
  Order order = orderOf(ordering);
  order.fences = &warp.orders;
  return warp.eachLane([&](unsigned lane) -> LogicalResult {
    int64_t at = address.as<int64_t>()[lane];
    auto span = warp.block.reach(op, warp, lane, space, at, bytes, alignment,
                                 Use::atomic, nullptr, order);
    if (failed(span))
      return failure();
    if (space == simt::kShared) {
      for (int64_t i = 0; i < bytes; ++i)
        if (warp.block.sharedMarks[at + i])
          return op->emitOpError("updates byte ")
                 << at + i << " of shared memory, which has no value";
    }
    return fn(lane, span->data);
  });
}

LogicalResult atomicUpdate(Operation *op, Frame &frame, mlir::Value pointer,
                           mlir::Value operand, LLVM::AtomicBinOp kind,
                           LLVM::AtomicOrdering ordering) {
  Warp *warp = warpOf(op, frame);
  if (!warp || failed(warp->block.stir(*warp)))
    return failure();
  Value value = frame.get(operand);
  Value old = Value::tensor(value.dtype(), value.shape());
  std::memset(old.mutableData(), 0, old.bytes());
  int64_t bytes = runtime::dtypeBytes(value.dtype());
  auto vector = dyn_cast<VectorType>(operand.getType());
  int64_t count = vector ? vector.getNumElements() : 1;
  if (failed(atomically(
          op, *warp, pointer, operand.getType(), ordering,
          [&](unsigned lane, char *place) -> LogicalResult {
            for (int64_t at = lane * count; at < (lane + 1) * count; ++at) {
              std::memcpy(old.as<char>() + at * bytes, place, bytes);
              if (!update(kind, value.dtype(), place, value, at))
                return op->emitOpError("unsupported: evaluation of ")
                       << LLVM::stringifyAtomicBinOp(kind);
              place += bytes;
            }
            return success();
          })))
    return failure();
  return frame.set(op->getResult(0), std::move(old));
}

/// What places held before, and where that was the expected value, which they
/// do not hold any more.
struct Exchanged {
  Value old, isEqual;
};

FailureOr<Exchanged> compareExchange(Operation *op, Frame &frame,
                                     mlir::Value pointer, mlir::Value compared,
                                     mlir::Value replacement,
                                     LLVM::AtomicOrdering ordering) {
  Warp *warp = warpOf(op, frame);
  if (!warp || failed(warp->block.stir(*warp)))
    return failure();
  Value expected = frame.get(compared), value = frame.get(replacement);
  Exchanged made{Value::tensor(value.dtype(), value.shape()),
                 Value::tensor(DType::i1, value.shape())};
  Value &old = made.old, &isEqual = made.isEqual;
  std::memset(old.mutableData(), 0, old.bytes());
  std::memset(isEqual.mutableData(), 0, isEqual.bytes());
  int64_t bytes = runtime::dtypeBytes(value.dtype());
  if (failed(atomically(
          op, *warp, pointer, replacement.getType(), ordering,
          [&](unsigned lane, char *place) -> LogicalResult {
            std::memcpy(old.as<char>() + lane * bytes, place, bytes);
            bool is =
                !std::memcmp(place, expected.as<char>() + lane * bytes, bytes);
            isEqual.as<uint8_t>()[lane] = is;
            if (is)
              std::memcpy(place, value.as<char>() + lane * bytes, bytes);
            return success();
          })))
    return failure();
  return made;
}

LogicalResult llvmCompareExchange(LLVM::AtomicCmpXchgOp op, Frame &frame) {
  auto made = compareExchange(op, frame, op.getPtr(), op.getCmp(), op.getVal(),
                              op.getSuccessOrdering());
  if (failed(made))
    return failure();
  warpOf(op, frame)->aggregates[op.getRes()] = {made->old,
                                                std::move(made->isEqual)};
  // A value, for those that ask whether there is one.
  return frame.set(op.getRes(), std::move(made->old));
}

} // namespace

void addLlvmMemory(EvaluationInterface &table) {
  table.add<LLVM::LoadOp>([](LLVM::LoadOp op, Frame &frame) {
    return load({op,
                 op.getAddr(),
                 {},
                 op.getType(),
                 int64_t(op.getAlignment().value_or(0)),
                 op.getVolatile_()},
                frame, {});
  });
  table.add<LLVM::StoreOp>([](LLVM::StoreOp op, Frame &frame) {
    return store({op,
                  op.getAddr(),
                  {},
                  op.getValue().getType(),
                  int64_t(op.getAlignment().value_or(0)),
                  op.getVolatile_()},
                 frame, op.getValue());
  });
  table.add<LLVM::AtomicRMWOp>([](LLVM::AtomicRMWOp op, Frame &frame) {
    return atomicUpdate(op, frame, op.getPtr(), op.getVal(), op.getBinOp(),
                        op.getOrdering());
  });
  table.add<LLVM::AtomicCmpXchgOp>(llvmCompareExchange);
}

void addSimtMemory(EvaluationInterface &table) {
  table.add<simt::LoadOp>([](simt::LoadOp op, Frame &frame) {
    return load({op, op.getAddress(), op.getMask(), op.getResult().getType(),
                 int64_t(op.getAlignment()), op.getIsVolatile()},
                frame, op.getOther());
  });
  table.add<simt::StoreOp>([](simt::StoreOp op, Frame &frame) {
    return store({op, op.getAddress(), op.getMask(), op.getValue().getType(),
                  int64_t(op.getAlignment()), op.getIsVolatile()},
                 frame, op.getValue());
  });
  table.add<simt::AtomicRMWOp>([](simt::AtomicRMWOp op, Frame &frame) {
    return atomicUpdate(op, frame, op.getAddress(), op.getValue(), op.getKind(),
                        op.getOrder());
  });
  table.add<simt::AtomicCASOp>([](simt::AtomicCASOp op,
                                  Frame &frame) -> LogicalResult {
    auto made = compareExchange(op, frame, op.getAddress(), op.getExpected(),
                                op.getValue(), op.getOrder());
    if (failed(made))
      return failure();
    return frame.set(op.getResult(), std::move(made->old));
  });
  table.add<simt::FenceOp>([](simt::FenceOp op, Frame &frame) -> LogicalResult {
    Warp *warp = warpOf(op, frame);
    if (!warp)
      return failure();
    Order order = orderOf(op.getOrder());
    warp->orders.pass(order.acquire, order.release,
                      warp->block.instance->clock);
    return success();
  });
  table.add<simt::OutputOp>([](simt::OutputOp op, Frame &frame) {
    Warp *warp = warpOf(op, frame);
    if (!warp)
      return LogicalResult(failure());
    Value place = laneValue(*warp, op.getPlace().getType());
    std::memset(place.mutableData(), 0, place.bytes());
    (void)warp->eachLane([&](unsigned lane) {
      auto record = std::make_shared<Buffer>(op.getBytes());
      place.as<int64_t>()[lane] = reinterpret_cast<intptr_t>(record->data());
      warp->block.outputs.push_back(std::move(record));
      return success();
    });
    return frame.set(op.getPlace(), std::move(place));
  });
  table.add<simt::StopOp>([](simt::StopOp op, Frame &frame) {
    Warp *warp = warpOf(op, frame);
    if (!warp)
      return LogicalResult(failure());
    warp->live &= ~warp->active;
    warp->active = 0;
    warp->block.stoppedAt = op;
    return LogicalResult(success());
  });
}

} // namespace kiln::eval
