// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pointers: a pointer is a view of rank 0, a tile of pointers holds addresses.
#include "Families.h"
#include "kiln/Dialect/Tile/AtomicOps.h"
#include "kiln/Dialect/Tile/PointerOps.h"
#include <cmath>
#include <cstring>

using namespace mlir;

namespace kiln::eval {

namespace {

/// The element type behind a pointer or a tile of pointers.
DType pointee(mlir::Value pointer) {
  mlir::Type type = getElementTypeOrSelf(pointer.getType());
  return dtypeOf(cast<tile::PtrType>(type).getElementType());
}

/// The view of rank 0 at an address; without a buffer if none lies there.
View viewAt(Frame &frame, DType dtype, int64_t address) {
  View view;
  view.dtype = dtype;
  view.byteOffset = address;
  if (!frame.instance)
    return view;
  for (const std::shared_ptr<Buffer> &buffer : frame.instance->memory) {
    int64_t offset = address - reinterpret_cast<intptr_t>(buffer->data());
    if (offset < 0 || offset >= std::max<int64_t>(buffer->bytes, 1))
      continue;
    view.buffer = buffer;
    view.byteOffset = offset;
    break;
  }
  return view;
}

int64_t laneCount(const Value &value) {
  return value.isView() ? 1 : value.size();
}

int64_t addressAt(const Value &pointers, int64_t lane) {
  return pointers.isView() ? addressOf(pointers.view())
                           : pointers.as<int64_t>()[lane];
}

/// The address a number of elements further. Addresses wrap around: lanes that
/// a mask disables may have any offset.
int64_t moved(int64_t address, int64_t elements, int64_t bytes) {
  return int64_t(uint64_t(address) + uint64_t(elements) * uint64_t(bytes));
}

LogicalResult offset(tile::PtrAddOp op, Frame &frame) {
  const Value &pointers = frame.get(op.getPtr());
  const Value &by = frame.get(op.getOffset());
  int64_t bytes = runtime::dtypeBytes(pointee(op.getPtr()));
  if (pointers.isView()) {
    View view = pointers.view();
    view.byteOffset = moved(view.byteOffset, by.asInt(), bytes);
    Value out = Value::ofView(std::move(view));
    if (by.hasPoison() || pointers.hasPoison())
      out.makePoison()[0] = 1;
    return frame.set(op.getResult(), std::move(out));
  }
  Value out = Value::tensor(DType::i64, pointers.shape());
  std::vector<int64_t> steps(by.size());
  loadInts(by.dtype(), by.data(), 0, by.size(), steps.data(), Extend::sign);
  for (int64_t i = 0; i < out.size(); ++i)
    out.as<int64_t>()[i] = moved(pointers.as<int64_t>()[i], steps[i], bytes);
  if (pointers.hasPoison() || by.hasPoison())
    for (int64_t i = 0; i < out.size(); ++i)
      out.makePoison()[i] = (pointers.poison() && pointers.poison()[i]) ||
                            (by.poison() && by.poison()[i]);
  return frame.set(op.getResult(), std::move(out));
}

LogicalResult intToPtr(tile::IntToPtrOp op, Frame &frame) {
  const Value &a = frame.get(op.getSource());
  if (a.isScalar()) {
    Value out =
        Value::ofView(viewAt(frame, pointee(op.getResult()), a.asInt()));
    out.sharePoison(a);
    return frame.set(op.getResult(), std::move(out));
  }
  Value out = Value::tensor(DType::i64, a.shape());
  mapInts(a, out, Extend::zero, [](int64_t x) { return x; });
  out.sharePoison(a);
  return frame.set(op.getResult(), std::move(out));
}

LogicalResult ptrToInt(tile::PtrToIntOp op, Frame &frame) {
  const Value &a = frame.get(op.getSource());
  DType dtype = dtypeOf(op.getResult().getType());
  if (a.isView()) {
    Value address = Value::ofInt(dtype, addressOf(a.view()));
    address.sharePoison(a);
    return frame.set(op.getResult(), std::move(address));
  }
  Value out = Value::tensor(dtype, a.shape());
  mapInts(a, out, Extend::zero, [](int64_t x) { return x; });
  out.sharePoison(a);
  return frame.set(op.getResult(), std::move(out));
}

LogicalResult ptrCast(tile::PtrCastOp op, Frame &frame) {
  const Value &a = frame.get(op.getSource());
  if (!a.isView())
    return frame.set(op.getResult(), Value(a));
  View view = a.view();
  view.dtype = pointee(op.getResult());
  Value out = Value::ofView(std::move(view));
  out.sharePoison(a);
  return frame.set(op.getResult(), std::move(out));
}

/// The enabled lanes of an access.
struct Lanes {
  const Value &pointers;
  Value mask;

  bool isOn(int64_t lane) const {
    return mask.isNone() || mask.as<uint8_t>()[mask.isScalar() ? 0 : lane];
  }
  LogicalResult check(Operation *op) const {
    if (!mask.isNone() && mask.hasPoison())
      for (int64_t i = 0; i < mask.size(); ++i)
        if (mask.poison()[i])
          return op->emitOpError("the mask is poison in lane ") << i;
    if (pointers.hasPoison())
      for (int64_t i = 0; i < laneCount(pointers); ++i)
        if (isOn(i) && pointers.poison()[i])
          return op->emitOpError("the pointer is poison in lane ") << i;
    return success();
  }
};

/// Calls `fn(lane, n, box)` for runs of enabled lanes at adjacent addresses.
template <typename Fn>
LogicalResult forRuns(Operation *op, Frame &frame, const Lanes &lanes,
                      DType dtype, int64_t longest, Fn fn) {
  int64_t bytes = runtime::dtypeBytes(dtype), count = laneCount(lanes.pointers);
  for (int64_t i = 0; i < count;) {
    if (!lanes.isOn(i)) {
      ++i;
      continue;
    }
    int64_t address = addressAt(lanes.pointers, i), n = 1;
    while (n < longest && i + n < count && lanes.isOn(i + n) &&
           addressAt(lanes.pointers, i + n) == moved(address, n, bytes))
      ++n;
    View view = lanes.pointers.isView() ? lanes.pointers.view()
                                        : viewAt(frame, dtype, address);
    view.dtype = dtype;
    view.sizes.assign(1, n);
    view.strides.assign(1, 1);
    Box box = {&view, {0}, {n}, {1}};
    if (failed(fn(i, n, box)))
      return failure();
    i += n;
  }
  return success();
}

void mayYield(Frame &frame) {
  if (frame.instance && frame.instance->suspend)
    frame.instance->suspend();
}

Value optional(Frame &frame, mlir::Value value) {
  return value ? frame.get(value) : Value();
}

LogicalResult loadPtr(tile::LoadPtrOp op, Frame &frame) {
  mayYield(frame);
  const Value &pointers = frame.get(op.getPtr());
  Lanes lanes = {pointers, optional(frame, op.getMask())};
  if (failed(lanes.check(op)))
    return failure();
  DType dtype = pointee(op.getPtr());
  Value out = pointers.isView() ? Value::scalar(dtype)
                                : Value::tensor(dtype, pointers.shape());
  // Lanes that are off have the value of `other`, else anything.
  Value other = optional(frame, op.getOther());
  if (other.isNone()) {
    std::memset(out.mutableData(), 0, out.bytes());
    if (op.getMask())
      for (int64_t i = 0; i < out.size(); ++i)
        if (!lanes.isOn(i))
          out.makePoison()[i] = 1;
  } else if (other.isScalar()) {
    fill(out, other);
  } else {
    std::memcpy(out.mutableData(), other.data(), out.bytes());
    for (int64_t i = 0; other.hasPoison() && i < out.size(); ++i)
      if (!lanes.isOn(i) && other.poison()[i])
        out.makePoison()[i] = 1;
  }
  LogicalResult result =
      forRuns(op, frame, lanes, dtype, kChunk,
              [&](int64_t lane, int64_t n, const Box &box) -> LogicalResult {
                if (failed(checkAccess(op, frame.instance, box, Access::read)))
                  return failure();
                int64_t one = 1;
                readBox(box, out, lane, one);
                return success();
              });
  if (failed(result))
    return failure();
  return frame.set(op.getResult(), std::move(out));
}

LogicalResult checkStored(Operation *op, const Value &value,
                          const Lanes &lanes) {
  if (value.hasPoison())
    for (int64_t i = 0; i < value.size(); ++i)
      if (lanes.isOn(i) && value.poison()[i])
        return op->emitOpError("poison reaches memory: lane ") << i;
  return success();
}

LogicalResult storePtr(tile::StorePtrOp op, Frame &frame) {
  mayYield(frame);
  const Value &value = frame.get(op.getValue());
  Lanes lanes = {frame.get(op.getPtr()), optional(frame, op.getMask())};
  if (failed(lanes.check(op)) || failed(checkStored(op, value, lanes)))
    return failure();
  DType dtype = pointee(op.getPtr());
  int64_t bytes = runtime::dtypeBytes(dtype);
  return forRuns(op, frame, lanes, dtype, kChunk,
                 [&](int64_t lane, int64_t n, const Box &box) -> LogicalResult {
                   const char *stored = value.as<char>() + lane * bytes;
                   if (failed(checkAccess(op, frame.instance, box,
                                          Access::write, Order(), stored)))
                     return failure();
                   SmallVector<int64_t, 4> strides;
                   std::memcpy(boxAddress(box, strides), stored, n * bytes);
                   return success();
                 });
}

/// Runs `fn(address, lane)` on each enabled lane as one atomic access.
template <typename OpTy, typename Fn>
LogicalResult atomic(OpTy op, Frame &frame, const Lanes &lanes, DType dtype,
                     Fn fn) {
  mayYield(frame);
  if (failed(lanes.check(op)))
    return failure();
  Order order;
  order.acquire = op.getOrder() == tile::MemoryOrder::acquire ||
                  op.getOrder() == tile::MemoryOrder::acq_rel;
  order.release = op.getOrder() == tile::MemoryOrder::release ||
                  op.getOrder() == tile::MemoryOrder::acq_rel;
  return forRuns(op, frame, lanes, dtype, 1,
                 [&](int64_t lane, int64_t, const Box &box) -> LogicalResult {
                   if (failed(checkAccess(op, frame.instance, box,
                                          Access::combine, order)))
                     return failure();
                   SmallVector<int64_t, 4> strides;
                   fn(boxAddress(box, strides), lane);
                   return success();
                 });
}

double changed(tile::AtomicKind kind, double x, double y) {
  switch (kind) {
  case tile::AtomicKind::fadd:
  case tile::AtomicKind::add:
    return x + y;
  case tile::AtomicKind::max:
    return std::fmax(x, y);
  case tile::AtomicKind::min:
    return std::fmin(x, y);
  default:
    return y;
  }
}

int64_t changed(tile::AtomicKind kind, int64_t x, int64_t y) {
  auto u = static_cast<uint64_t>(x), v = static_cast<uint64_t>(y);
  switch (kind) {
  case tile::AtomicKind::add:
    return static_cast<int64_t>(u + v);
  case tile::AtomicKind::max:
    return std::max(x, y);
  case tile::AtomicKind::min:
    return std::min(x, y);
  case tile::AtomicKind::umax:
    return static_cast<int64_t>(std::max(u, v));
  case tile::AtomicKind::umin:
    return static_cast<int64_t>(std::min(u, v));
  case tile::AtomicKind::and_:
    return x & y;
  case tile::AtomicKind::or_:
    return x | y;
  case tile::AtomicKind::xor_:
    return x ^ y;
  default:
    return y;
  }
}

LogicalResult atomicRMW(tile::AtomicRMWOp op, Frame &frame) {
  const Value value = frame.get(op.getValue());
  const Value &pointers = frame.get(op.getPtr());
  Lanes lanes = {pointers, optional(frame, op.getMask())};
  if (failed(checkStored(op, value, lanes)))
    return failure();
  DType dtype = value.dtype();
  Value out = value.isScalar() ? Value::scalar(dtype)
                               : Value::tensor(dtype, value.shape());
  std::memset(out.mutableData(), 0, out.bytes());
  tile::AtomicKind kind = op.getKind();
  bool isUnsigned =
      kind == tile::AtomicKind::umax || kind == tile::AtomicKind::umin;
  Extend extend = isUnsigned ? Extend::zero : Extend::truth;
  int64_t bytes = runtime::dtypeBytes(dtype);
  LogicalResult result =
      atomic(op, frame, lanes, dtype, [&](char *address, int64_t lane) {
        std::memcpy(out.as<char>() + lane * bytes, address, bytes);
        if (kind == tile::AtomicKind::exchange) {
          std::memcpy(address, value.as<char>() + lane * bytes, bytes);
        } else if (runtime::isFloat(dtype)) {
          double x, y;
          loadDoubles(dtype, address, 0, 1, &x);
          loadDoubles(dtype, value.data(), lane, 1, &y);
          x = changed(kind, x, y);
          storeDoubles(dtype, address, 0, 1, &x);
        } else {
          int64_t x, y;
          loadInts(dtype, address, 0, 1, &x, extend);
          loadInts(dtype, value.data(), lane, 1, &y, extend);
          x = changed(kind, x, y);
          storeInts(dtype, address, 0, 1, &x);
        }
      });
  if (failed(result))
    return failure();
  for (int64_t i = 0; i < out.size(); ++i)
    if (!lanes.isOn(i))
      out.makePoison()[i] = 1;
  return frame.set(op.getResult(), std::move(out));
}

LogicalResult atomicCAS(tile::AtomicCASOp op, Frame &frame) {
  const Value compare = frame.get(op.getCompare());
  const Value value = frame.get(op.getValue());
  Lanes lanes = {frame.get(op.getPtr()), Value()};
  if (failed(checkStored(op, value, lanes)) ||
      failed(checkStored(op, compare, lanes)))
    return failure();
  DType dtype = value.dtype();
  Value out = value.isScalar() ? Value::scalar(dtype)
                               : Value::tensor(dtype, value.shape());
  int64_t bytes = runtime::dtypeBytes(dtype);
  LogicalResult result =
      atomic(op, frame, lanes, dtype, [&](char *address, int64_t lane) {
        std::memcpy(out.as<char>() + lane * bytes, address, bytes);
        if (!std::memcmp(address, compare.as<char>() + lane * bytes, bytes))
          std::memcpy(address, value.as<char>() + lane * bytes, bytes);
      });
  if (failed(result))
    return failure();
  return frame.set(op.getResult(), std::move(out));
}

} // namespace

void addTilePointer(EvaluationInterface &table) {
  table.add<tile::PtrAddOp>(offset);
  table.add<tile::IntToPtrOp>(intToPtr);
  table.add<tile::PtrToIntOp>(ptrToInt);
  table.add<tile::PtrCastOp>(ptrCast);
  table.add<tile::LoadPtrOp>(loadPtr);
  table.add<tile::StorePtrOp>(storePtr);
  table.add<tile::AtomicRMWOp>(atomicRMW);
  table.add<tile::AtomicCASOp>(atomicCAS);
}

} // namespace kiln::eval
