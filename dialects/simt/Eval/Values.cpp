// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Values of lanes: constants, selections, vectors, addresses.
#include "Machine.h"
#include "kiln/Eval/Elements.h"
#include "kiln/Eval/Marks.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include <cstring>

using namespace mlir;

namespace kiln::eval {

DType laneType(Type type) {
  if (isa<LLVM::LLVMPointerType>(type))
    return DType::i64;
  if (auto vector = dyn_cast<VectorType>(type))
    return laneType(vector.getElementType());
  return type.isIntOrIndexOrFloat() ? dtypeOf(type) : DType::none;
}

int64_t laneCount(Type type) {
  auto vector = dyn_cast<VectorType>(type);
  return vector ? vector.getNumElements() : 1;
}

Value laneValue(const Warp &warp, Type type) {
  SmallVector<int64_t, 2> shape = {warp.block.code->lanes};
  if (isa<VectorType>(type))
    shape.push_back(laneCount(type));
  return Value::tensor(laneType(type), shape);
}

int64_t intAt(const Value &value, unsigned lane) {
  int64_t result;
  loadInts(value.dtype(), value.data(), lane, 1, &result, Extend::sign);
  return value.dtype() == DType::i1 ? result & 1 : result;
}

std::optional<int64_t> storedBytes(Type type) {
  if (isa<LLVM::LLVMPointerType, IndexType>(type))
    return 8;
  if (type.isIntOrFloat())
    return llvm::divideCeil(type.getIntOrFloatBitWidth(), 8);
  std::optional<int64_t> each;
  if (auto vector = dyn_cast<VectorType>(type)) {
    if ((each = storedBytes(vector.getElementType())))
      return *each * vector.getNumElements();
  } else if (auto array = dyn_cast<LLVM::LLVMArrayType>(type)) {
    if ((each = storedBytes(array.getElementType())))
      return *each * int64_t(array.getNumElements());
  }
  return std::nullopt;
}

namespace {

LogicalResult unsupportedType(Operation *op, Type type) {
  return op->emitOpError("unsupported: evaluation of type ") << type;
}

/// A constant, or what stands for one, made once for all warps.
template <typename OpTy, typename Fn>
void addConstant(EvaluationInterface &table, Fn make) {
  table.add<OpTy>([make](OpTy op, Frame &frame) -> LogicalResult {
    Warp *warp = warpOf(op, frame);
    if (!warp)
      return failure();
    Type type = op->getResult(0).getType();
    if (laneType(type) == DType::none)
      return unsupportedType(op, type);
    Value &known = warp->block.code->constants[op];
    if (known.isNone())
      known = make(op, *warp);
    if (known.isNone())
      return op->emitOpError("unsupported: evaluation of this constant");
    return frame.set(op->getResult(0), known);
  });
}

Value zeroOf(Operation *op, Warp &warp) {
  Value value = laneValue(warp, op->getResult(0).getType());
  std::memset(value.mutableData(), 0, value.bytes());
  return value;
}

Value poisonOf(Operation *op, Warp &warp) {
  Value value = zeroOf(op, warp);
  std::memset(value.makePoison(), kPoison, value.size());
  return value;
}

Value constantOf(Operation *op, Attribute attr, Warp &warp) {
  Value value = constantValue(attr);
  if (value.isNone() || value.dtype() != laneType(op->getResult(0).getType()))
    return Value();
  return warp.splat(value);
}

/// One operand or the other one, by lane or by element.
LogicalResult select(Operation *op, Frame &frame) {
  Warp *warp = warpOf(op, frame);
  if (!warp)
    return failure();
  const Value &condition = frame.get(op->getOperand(0));
  const Value &yes = frame.get(op->getOperand(1));
  const Value &no = frame.get(op->getOperand(2));
  Value out = Value::tensor(yes.dtype(), yes.shape());
  int64_t bytes = runtime::dtypeBytes(out.dtype()),
          each = out.size() / condition.size();
  bool hasMarks = condition.poison() || yes.poison() || no.poison();
  uint8_t *marks = hasMarks ? out.makePoison() : nullptr;
  for (int64_t i = 0; i < out.size(); ++i) {
    const Value &from = condition.as<uint8_t>()[i / each] ? yes : no;
    std::memcpy(out.as<char>() + i * bytes, from.as<char>() + i * bytes, bytes);
    if (!hasMarks)
      continue;
    marks[i] = from.poison() ? from.poison()[i] : 0;
    if (condition.poison())
      marks[i] = joinMarks(condition.poison()[i / each], marks[i]);
  }
  return frame.set(op->getResult(0), std::move(out));
}

/// The same bits as elements of another type.
LogicalResult bitcast(Operation *op, Frame &frame) {
  Warp *warp = warpOf(op, frame);
  if (!warp)
    return failure();
  const Value &in = frame.get(op->getOperand(0));
  Type type = op->getResult(0).getType();
  if (laneType(type) == DType::none)
    return unsupportedType(op, type);
  Value out = laneValue(*warp, type);
  if (out.bytes() != in.bytes())
    return op->emitOpError("unsupported: evaluation between ")
           << op->getOperand(0).getType() << " and " << type;
  std::memcpy(out.mutableData(), in.data(), in.bytes());
  if (const uint8_t *from = in.poison()) {
    uint8_t *to = out.makePoison();
    int64_t wide = runtime::dtypeBytes(in.dtype()),
            narrow = runtime::dtypeBytes(out.dtype());
    for (int64_t byte = 0; byte < in.bytes(); ++byte)
      to[byte / narrow] = joinMarks(to[byte / narrow], from[byte / wide]);
  }
  return frame.set(op->getResult(0), std::move(out));
}

LogicalResult globalAddress(LLVM::AddressOfOp op, Frame &frame) {
  Warp *warp = warpOf(op, frame);
  if (!warp)
    return failure();
  int64_t address = 0;
  if (op.getGlobalName() != simt::kSharedSymbol) {
    auto found = warp->block.code->globals.find(op.getGlobalName());
    if (found == warp->block.code->globals.end())
      return op.emitOpError("unsupported: evaluation of the address of '")
             << op.getGlobalName() << "'";
    address = reinterpret_cast<intptr_t>(found->second->data());
  }
  return frame.set(op.getResult(),
                   warp->splat(Value::ofInt(DType::i64, address)));
}

LogicalResult elementPointer(LLVM::GEPOp op, Frame &frame) {
  Warp *warp = warpOf(op, frame);
  if (!warp)
    return failure();
  int64_t lanes = warp->block.code->lanes;
  Value out = Value::tensor(DType::i64, {lanes});
  const Value &base = frame.get(op.getBase());
  std::memcpy(out.mutableData(), base.data(), base.bytes());
  uint8_t *marks = nullptr;
  auto mark = [&](const Value &from) {
    if (!from.poison())
      return;
    marks = out.makePoison();
    for (int64_t lane = 0; lane < lanes; ++lane)
      marks[lane] = joinMarks(marks[lane], from.poison()[lane]);
  };
  mark(base);
  Type type = op.getElemType();
  auto indices = op.getIndices();
  for (auto [n, index] : llvm::enumerate(indices)) {
    if (n) {
      auto array = dyn_cast<LLVM::LLVMArrayType>(type);
      if (!array)
        return unsupportedType(op, type);
      type = array.getElementType();
    }
    std::optional<int64_t> bytes = storedBytes(type);
    if (!bytes)
      return unsupportedType(op, type);
    int64_t *to = out.as<int64_t>();
    if (auto fixed = dyn_cast<IntegerAttr>(index)) {
      for (int64_t lane = 0; lane < lanes; ++lane)
        to[lane] += fixed.getInt() * *bytes;
      continue;
    }
    const Value &by = frame.get(cast<mlir::Value>(index));
    int64_t numbers[kMostLanes];
    loadInts(by.dtype(), by.data(), 0, lanes, numbers, Extend::sign);
    for (int64_t lane = 0; lane < lanes; ++lane)
      to[lane] = int64_t(uint64_t(to[lane]) +
                         uint64_t(numbers[lane]) * uint64_t(*bytes));
    mark(by);
  }
  return frame.set(op.getResult(), std::move(out));
}

/// Copies elements of vectors: which one of `from` (or of the scalar, -1) each
/// element of the result is, by lane.
LogicalResult insertElement(LLVM::InsertElementOp op, Frame &frame) {
  Warp *warp = warpOf(op, frame);
  if (!warp)
    return failure();
  const Value &position = frame.get(op.getPosition());
  if (failed(warp->checkHasValue(op, position, "the position")))
    return failure();
  const Value &from = frame.get(op.getVector());
  const Value &value = frame.get(op.getValue());
  Value out = Value::tensor(from.dtype(), from.shape());
  std::memcpy(out.mutableData(), from.data(), from.bytes());
  uint8_t *marks = nullptr;
  if (from.poison() || value.poison()) {
    marks = out.makePoison();
    if (from.poison())
      std::memcpy(marks, from.poison(), from.size());
  }
  int64_t count = from.dim(1), bytes = runtime::dtypeBytes(from.dtype());
  for (int64_t lane = 0; lane < from.dim(0); ++lane) {
    int64_t at = intAt(position, lane);
    if (at < 0 || at >= count)
      continue;
    std::memcpy(out.as<char>() + (lane * count + at) * bytes,
                value.as<char>() + lane * bytes, bytes);
    if (marks)
      marks[lane * count + at] = value.poison() ? value.poison()[lane] : 0;
  }
  return frame.set(op.getResult(), std::move(out));
}

LogicalResult extractElement(LLVM::ExtractElementOp op, Frame &frame) {
  Warp *warp = warpOf(op, frame);
  if (!warp)
    return failure();
  const Value &position = frame.get(op.getPosition());
  if (failed(warp->checkHasValue(op, position, "the position")))
    return failure();
  const Value &from = frame.get(op.getVector());
  Value out = Value::tensor(from.dtype(), {from.dim(0)});
  int64_t count = from.dim(1), bytes = runtime::dtypeBytes(from.dtype());
  uint8_t *marks = from.poison() ? out.makePoison() : nullptr;
  for (int64_t lane = 0; lane < from.dim(0); ++lane) {
    int64_t at = intAt(position, lane);
    bool isInside = at >= 0 && at < count;
    std::memcpy(out.as<char>() + lane * bytes,
                from.as<char>() + (lane * count + (isInside ? at : 0)) * bytes,
                bytes);
    if (marks)
      marks[lane] = from.poison()[lane * count + (isInside ? at : 0)];
    if (!isInside && warp->active >> lane & 1)
      out.makePoison()[lane] = kPoison;
  }
  return frame.set(op.getResult(), std::move(out));
}

LogicalResult extractValue(LLVM::ExtractValueOp op, Frame &frame) {
  Warp *warp = warpOf(op, frame);
  if (!warp)
    return failure();
  auto parts = warp->aggregates.find(op.getContainer());
  if (parts == warp->aggregates.end() || op.getPosition().size() != 1 ||
      size_t(op.getPosition()[0]) >= parts->second.size())
    return op.emitOpError("unsupported: evaluation of a part of ")
           << op.getContainer().getType();
  return frame.set(op.getResult(), parts->second[op.getPosition()[0]]);
}

/// Integers and pointers of another width.
LogicalResult resizeInteger(Operation *op, Frame &frame, Extend extend) {
  Warp *warp = warpOf(op, frame);
  if (!warp)
    return failure();
  Type type = op->getResult(0).getType();
  if (laneType(type) == DType::none)
    return unsupportedType(op, type);
  const Value &in = frame.get(op->getOperand(0));
  Value out = laneValue(*warp, type);
  mapInts(in, out, extend, [](int64_t x) { return x; });
  if (in.poison())
    out.sharePoison(in);
  return frame.set(op->getResult(0), std::move(out));
}

template <typename OpTy>
void addResize(EvaluationInterface &table, Extend extend) {
  table.add<OpTy>([extend](OpTy op, Frame &frame) {
    return resizeInteger(op, frame, extend);
  });
}

} // namespace

void addThreadValues(EvaluationInterface &table) {
  addConstant<arith::ConstantOp>(table, [](arith::ConstantOp op, Warp &warp) {
    return constantOf(op, op.getValue(), warp);
  });
  addConstant<ub::PoisonOp>(table, poisonOf);
  table.add<arith::SelectOp>(select);
}

void addLlvmValues(EvaluationInterface &table) {
  using namespace LLVM;
  addConstant<ConstantOp>(table, [](ConstantOp op, Warp &warp) {
    return constantOf(op, op.getValue(), warp);
  });
  addConstant<PoisonOp>(table, poisonOf);
  addConstant<UndefOp>(table, poisonOf);
  addConstant<ZeroOp>(table, zeroOf);
  table.add<AddressOfOp>(globalAddress);
  table.add<GEPOp>(elementPointer);
  table.add<SelectOp>(select);
  table.add<BitcastOp>(bitcast);
  table.add<InsertElementOp>(insertElement);
  table.add<ExtractElementOp>(extractElement);
  table.add<ExtractValueOp>(extractValue);
  addResize<PtrToIntOp>(table, Extend::zero);
  addResize<IntToPtrOp>(table, Extend::zero);
  addResize<ZExtOp>(table, Extend::zero);
  addResize<SExtOp>(table, Extend::sign);
  addResize<TruncOp>(table, Extend::truth);
}

} // namespace kiln::eval
