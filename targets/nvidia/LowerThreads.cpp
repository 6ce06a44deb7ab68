//===- LowerThreads.cpp - Numbers, shuffles and barriers ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "LowerScalars.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::nvidia;

constexpr int32_t kLanes = 32;

namespace {
/// Short names.
struct Builder {
  OpBuilder &b;
  Location loc;
  Type i32 = b.getI32Type();

  Value constant(Type type, int64_t value) const {
    return LLVM::ConstantOp::create(b, loc, type,
                                    b.getIntegerAttr(type, value));
  }
  template <typename Op> Value make(Type type, ValueRange operands) const {
    return Op::create(b, loc, TypeRange{type}, operands);
  }
  template <typename Op> Value special() const {
    return Op::create(b, loc, i32);
  }
  /// A thread's number in its block, with the range that the block's size
  /// leaves: LLVM then knows its upper bits.
  template <typename Op> Value thread(unsigned d) const {
    auto value = Op::create(b, loc, i32);
    auto function = value->template getParentOfType<LLVM::LLVMFuncOp>();
    auto sizes = function ? function->template getAttrOfType<DenseI32ArrayAttr>(
                                NVVM::NVVMDialect::getReqntidAttrName())
                          : DenseI32ArrayAttr();
    if (sizes && d < size_t(sizes.size()))
      value.setRangeAttr(LLVM::ConstantRangeAttr::get(
          b.getContext(), llvm::APInt(32, 0), llvm::APInt(32, sizes[d])));
    return value;
  }
  Value thread(gpu::Dimension dimension) const {
    switch (dimension) {
    case gpu::Dimension::x:
      return thread<NVVM::ThreadIdXOp>(0);
    case gpu::Dimension::y:
      return thread<NVVM::ThreadIdYOp>(1);
    case gpu::Dimension::z:
      return thread<NVVM::ThreadIdZOp>(2);
    }
    return Value();
  }
  /// An index of a number that is not negative.
  Value index(Value value) const {
    return make<LLVM::ZExtOp>(b.getI64Type(), value);
  }
  template <typename X, typename Y, typename Z>
  Value along(gpu::Dimension dimension) const {
    switch (dimension) {
    case gpu::Dimension::x:
      return special<X>();
    case gpu::Dimension::y:
      return special<Y>();
    case gpu::Dimension::z:
      return special<Z>();
    }
    return Value();
  }
};

template <typename From, typename X, typename Y, typename Z>
LogicalResult lowerNumber(Operation *op, OpBuilder &b) {
  Builder builder{b, op->getLoc()};
  Value number = builder.along<X, Y, Z>(cast<From>(op).getDimension());
  op->getResult(0).replaceAllUsesWith(builder.index(number));
  return success();
}

LogicalResult lowerThreadId(Operation *op, OpBuilder &b) {
  Builder builder{b, op->getLoc()};
  Value number = builder.thread(cast<gpu::ThreadIdOp>(op).getDimension());
  op->getResult(0).replaceAllUsesWith(builder.index(number));
  return success();
}

LogicalResult lowerGlobalId(Operation *op, OpBuilder &b) {
  Builder f{b, op->getLoc()};
  gpu::Dimension d = cast<gpu::GlobalIdOp>(op).getDimension();
  Value block =
      f.index(f.along<NVVM::BlockIdXOp, NVVM::BlockIdYOp, NVVM::BlockIdZOp>(d));
  Value size = f.index(
      f.along<NVVM::BlockDimXOp, NVVM::BlockDimYOp, NVVM::BlockDimZOp>(d));
  Value thread = f.index(f.thread(d));
  Type i64 = b.getI64Type();
  op->getResult(0).replaceAllUsesWith(f.make<LLVM::AddOp>(
      i64, {f.make<LLVM::MulOp>(i64, {block, size}), thread}));
  return success();
}

LogicalResult lowerLaneId(Operation *op, OpBuilder &b) {
  Builder f{b, op->getLoc()};
  op->getResult(0).replaceAllUsesWith(f.index(f.special<NVVM::LaneIdOp>()));
  return success();
}

/// Warps are counted along x: instances have one dimension of threads.
LogicalResult lowerSubgroupId(Operation *op, OpBuilder &b) {
  Builder f{b, op->getLoc()};
  Value warp = f.make<LLVM::LShrOp>(
      f.i32, {f.thread(gpu::Dimension::x), f.constant(f.i32, 5)});
  op->getResult(0).replaceAllUsesWith(f.index(warp));
  return success();
}

LogicalResult lowerNumSubgroups(Operation *op, OpBuilder &b) {
  Builder f{b, op->getLoc()};
  Value threads = f.make<LLVM::AddOp>(
      f.i32, {f.special<NVVM::BlockDimXOp>(), f.constant(f.i32, kLanes - 1)});
  Value warps = f.make<LLVM::LShrOp>(f.i32, {threads, f.constant(f.i32, 5)});
  op->getResult(0).replaceAllUsesWith(f.index(warps));
  return success();
}

LogicalResult lowerSubgroupSize(Operation *op, OpBuilder &b) {
  Builder f{b, op->getLoc()};
  op->getResult(0).replaceAllUsesWith(f.constant(b.getI64Type(), kLanes));
  return success();
}

LogicalResult lowerBarrier(Operation *op, OpBuilder &b) {
  NVVM::Barrier0Op::create(b, op->getLoc());
  return success();
}

/// One shuffle of 32 bits after the other.
class Shuffle : Builder {
public:
  Shuffle(gpu::ShuffleOp op, OpBuilder &b) : Builder{b, op.getLoc()}, op(op) {
    IntegerAttr width;
    bool isConstant = matchPattern(op.getWidth(), m_Constant(&width));
    bool isUp = op.getMode() == gpu::ShuffleMode::UP;
    if (isConstant) {
      uint32_t lanes = uint32_t(width.getInt());
      mask = constant(i32, lanes >= 32 ? -1 : int32_t((1u << lanes) - 1));
      clamp = constant(i32, isUp ? kLanes - lanes : lanes - 1);
      return;
    }
    Value rest = make<LLVM::SubOp>(i32, {constant(i32, kLanes), op.getWidth()});
    mask = make<LLVM::LShrOp>(i32, {constant(i32, -1), rest});
    clamp =
        isUp ? rest : make<LLVM::SubOp>(i32, {op.getWidth(), constant(i32, 1)});
  }

  LogicalResult run() {
    Type type = op.getValue().getType();
    int64_t bits = getElementTypeOrSelf(type).getIntOrFloatBitWidth();
    if (auto vector = dyn_cast<VectorType>(type))
      bits *= vector.getNumElements();
    Value result;
    if (type.isF32() || type.isInteger(32))
      result = word(op.getValue());
    else if (bits < 32 || bits % 32 == 0)
      result = words(type, bits);
    else
      return op.emitError("unsupported: a shuffle of ") << type;
    op.getShuffleResult().replaceAllUsesWith(result);
    if (!op.getValid().use_empty())
      op.getValid().replaceAllUsesWith(valid);
    return success();
  }

private:
  /// The value of the other lane, 32 bits.
  Value word(Value value) {
    NVVM::ShflKind kind = NVVM::ShflKind::idx;
    switch (op.getMode()) {
    case gpu::ShuffleMode::XOR:
      kind = NVVM::ShflKind::bfly;
      break;
    case gpu::ShuffleMode::UP:
      kind = NVVM::ShflKind::up;
      break;
    case gpu::ShuffleMode::DOWN:
      kind = NVVM::ShflKind::down;
      break;
    case gpu::ShuffleMode::IDX:
      kind = NVVM::ShflKind::idx;
      break;
    }
    if (op.getValid().use_empty())
      return NVVM::ShflOp::create(b, loc, value.getType(), mask, value,
                                  op.getOffset(), clamp, kind, UnitAttr());
    auto both = LLVM::LLVMStructType::getLiteral(
        b.getContext(), {value.getType(), b.getI1Type()});
    Value pair = NVVM::ShflOp::create(b, loc, both, mask, value, op.getOffset(),
                                      clamp, kind, b.getUnitAttr());
    valid = LLVM::ExtractValueOp::create(b, loc, pair, 1);
    return LLVM::ExtractValueOp::create(b, loc, pair, 0);
  }

  Value cast(Type type, Value value) {
    return value.getType() == type ? value : make<LLVM::BitcastOp>(type, value);
  }

  Value words(Type type, int64_t bits) {
    Value value = op.getValue();
    if (bits < 32) {
      Type number = b.getIntegerType(unsigned(bits));
      Value wide = make<LLVM::ZExtOp>(i32, cast(number, value));
      return cast(type, make<LLVM::TruncOp>(number, word(wide)));
    }
    if (bits == 32)
      return cast(type, word(cast(i32, value)));
    auto parts = VectorType::get({bits / 32}, i32);
    Value from = cast(parts, value);
    Value to = LLVM::PoisonOp::create(b, loc, parts);
    for (int64_t i = 0; i < bits / 32; ++i) {
      Value at = constant(i32, i);
      Value part = LLVM::ExtractElementOp::create(b, loc, from, at);
      to = LLVM::InsertElementOp::create(b, loc, to, word(part), at);
    }
    return cast(type, to);
  }

  gpu::ShuffleOp op;
  Value mask, clamp, valid;
};

LogicalResult lowerShuffle(Operation *op, OpBuilder &b) {
  return Shuffle(cast<gpu::ShuffleOp>(op), b).run();
}
} // namespace

void nvidia::addGpuLowerings(ScalarTable &table) {
  using namespace gpu;
  table[TypeID::get<ThreadIdOp>()] = lowerThreadId;
  table[TypeID::get<BlockIdOp>()] =
      lowerNumber<BlockIdOp, NVVM::BlockIdXOp, NVVM::BlockIdYOp,
                  NVVM::BlockIdZOp>;
  table[TypeID::get<BlockDimOp>()] =
      lowerNumber<BlockDimOp, NVVM::BlockDimXOp, NVVM::BlockDimYOp,
                  NVVM::BlockDimZOp>;
  table[TypeID::get<GridDimOp>()] =
      lowerNumber<GridDimOp, NVVM::GridDimXOp, NVVM::GridDimYOp,
                  NVVM::GridDimZOp>;
  table[TypeID::get<ClusterIdOp>()] =
      lowerNumber<ClusterIdOp, NVVM::ClusterIdXOp, NVVM::ClusterIdYOp,
                  NVVM::ClusterIdZOp>;
  table[TypeID::get<ClusterDimOp>()] =
      lowerNumber<ClusterDimOp, NVVM::ClusterDimXOp, NVVM::ClusterDimYOp,
                  NVVM::ClusterDimZOp>;
  table[TypeID::get<ClusterBlockIdOp>()] =
      lowerNumber<ClusterBlockIdOp, NVVM::BlockInClusterIdXOp,
                  NVVM::BlockInClusterIdYOp, NVVM::BlockInClusterIdZOp>;
  table[TypeID::get<ClusterDimBlocksOp>()] =
      lowerNumber<ClusterDimBlocksOp, NVVM::ClusterDimBlocksXOp,
                  NVVM::ClusterDimBlocksYOp, NVVM::ClusterDimBlocksZOp>;
  table[TypeID::get<GlobalIdOp>()] = lowerGlobalId;
  table[TypeID::get<LaneIdOp>()] = lowerLaneId;
  table[TypeID::get<SubgroupIdOp>()] = lowerSubgroupId;
  table[TypeID::get<NumSubgroupsOp>()] = lowerNumSubgroups;
  table[TypeID::get<SubgroupSizeOp>()] = lowerSubgroupSize;
  table[TypeID::get<BarrierOp>()] = lowerBarrier;
  table[TypeID::get<ShuffleOp>()] = lowerShuffle;
}
