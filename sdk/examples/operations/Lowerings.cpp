// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Code of one thread, for operations whose tiles are in registers.
#include "Rows.h"
#include "kiln/Gpu/Copies.h"
#include "kiln/Gpu/Registers.h"
#include "kiln/Target/TargetRegistry.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace kiln;
using simt::Regs, simt::RegisterCode, simt::RegisterLoweringContext, simt::ScratchNeeds;

/// What a tile takes of shared memory, for elements by their coordinates.
static LogicalResult needTile(Value tile, ScratchNeeds &needs) {
  auto type = cast<RankedTensorType>(tile.getType());
  needs.push_back({RegisterCode::tileBytes(type.getShape(), type.getElementType())});
  return success();
}

/// Writes a tile to shared memory, for all threads to read; where it begins.
static int64_t shareTile(RegisterCode &code, Value tile) {
  auto type = cast<RankedTensorType>(tile.getType());
  int64_t start = code.scratch(RegisterCode::tileBytes(type.getShape(), type.getElementType()));
  code.writeTile(start, code.registers(tile), simt::getLayout(tile), type.getShape());
  code.barrier();
  return start;
}

/// The coordinates of the element that a register holds.
static SmallVector<Value> coordinatesOf(RegisterCode &code, simt::LayoutAttr layout, int64_t reg) {
  SmallVector<Value> at;
  for (int64_t d = 0; d < layout.getRank(); ++d)
    at.push_back(code.coordinate(layout, reg, d));
  return at;
}

static LogicalResult lowerRotate(Operation *op, RegisterLoweringContext &ctx) {
  RegisterCode &code = ctx.code();
  auto rotate = cast<rows::RotateOp>(op);
  auto type = cast<RankedTensorType>(rotate.getSource().getType());
  simt::LayoutAttr layout = simt::getLayout(rotate.getResult());
  Type element = RegisterCode::scalarType(type.getElementType());
  int64_t start = shareTile(code, rotate.getSource()), last = type.getRank() - 1, size = type.getDimSize(last);
  Regs regs;
  for (int64_t reg = 0; reg < layout.getNumRegisters(); ++reg) {
    SmallVector<Value> at = coordinatesOf(code, layout, reg);
    // Element j comes from j - by; what lies outside of the tile is read in bounds.
    Value from = code.add(at[last], code.c32(size - int64_t(rotate.getBy()) % size));
    at[last] = code.b.createOrFold<arith::RemUIOp>(code.loc, from, code.c32(size));
    regs.push_back(code.readElement(start, code.position(at, type.getShape()), element));
  }
  code.define(rotate.getResult(), std::move(regs));
  return success();
}

/// Threads take turns: element t, t + threads, and so on.
static LogicalResult lowerCopy(Operation *op, RegisterLoweringContext &ctx) {
  RegisterCode &code = ctx.code();
  auto copy = cast<rows::CopyOp>(op);
  simt::ViewParts from = code.viewOf(copy.getFrom()), to = code.viewOf(copy.getTo());
  Type element = RegisterCode::storedType(
      RegisterCode::scalarType(cast<tile::ViewType>(copy.getFrom().getType()).getElementType()));
  Value count = code.min(code.c64(int64_t(copy.getCount())), code.min(from.sizes[0], to.sizes[0]));
  auto loop = scf::ForOp::create(code.b, code.loc, code.widen(code.threadId()), count, code.c64(code.threads()));
  OpBuilder::InsertionGuard guard(code.b);
  code.b.setInsertionPointToStart(loop.getBody());
  Value n = loop.getInductionVar();
  Value value = LLVM::LoadOp::create(code.b, code.loc, element,
                                     code.elementPointer(from.base, code.mul(n, from.strides[0]), element));
  LLVM::StoreOp::create(code.b, code.loc, value,
                        code.elementPointer(to.base, code.mul(n, to.strides[0]), element));
  return success();
}

/// Folds elements 0 to `end` - 1 along a dimension, in the order of their index.
static FailureOr<Value> fold(RegisterCode &code, Region &combiner, Value end, function_ref<Value(Value)> read) {
  auto loop =
      scf::ForOp::create(code.b, code.loc, code.c32(1), end, code.c32(1), read(code.c32(0)));
  OpBuilder::InsertionGuard guard(code.b);
  code.b.setInsertionPointToStart(loop.getBody());
  auto made = code.inlineRegion(combiner, {loop.getRegionIterArgs()[0], read(loop.getInductionVar())});
  if (failed(made))
    return failure();
  scf::YieldOp::create(code.b, code.loc, *made);
  return loop.getResult(0);
}

/// The thread that holds a prefix's last element folds it from the left.
static LogicalResult lowerScan(Operation *op, RegisterLoweringContext &ctx) {
  RegisterCode &code = ctx.code();
  auto scan = cast<tile::ScanOp>(op);
  Value source = scan.getSources()[0];
  auto type = cast<RankedTensorType>(source.getType());
  simt::LayoutAttr layout = simt::getLayout(source);
  Type element = RegisterCode::scalarType(type.getElementType());
  int64_t start = shareTile(code, source), axis = scan.getAxis();
  Regs regs;
  for (int64_t reg = 0; reg < layout.getNumRegisters(); ++reg) {
    SmallVector<Value> at = coordinatesOf(code, layout, reg);
    FailureOr<Value> prefix = fold(code, scan.getCombiner(), code.add(at[axis], code.c32(1)), [&](Value n) {
      at[axis] = n;
      return code.readElement(start, code.position(at, type.getShape()), element);
    });
    if (failed(prefix))
      return failure();
    regs.push_back(*prefix);
  }
  code.define(scan.getResults()[0], std::move(regs));
  return success();
}

/// Each thread folds the elements of its results.
static LogicalResult lowerReduce(Operation *op, RegisterLoweringContext &ctx) {
  RegisterCode &code = ctx.code();
  auto reduce = cast<tile::ReduceOp>(op);
  Value source = reduce.getSources()[0];
  auto type = cast<RankedTensorType>(source.getType());
  simt::LayoutAttr layout = simt::getLayout(reduce.getResults()[0]);
  Type element = RegisterCode::scalarType(type.getElementType());
  int64_t start = shareTile(code, source), axis = reduce.getAxis();
  Regs regs;
  for (int64_t reg = 0; reg < layout.getNumRegisters(); ++reg) {
    SmallVector<Value> at = coordinatesOf(code, layout, reg);
    at.insert(at.begin() + axis, Value());
    FailureOr<Value> all = fold(code, reduce.getCombiner(), code.c32(type.getDimSize(axis)), [&](Value n) {
      at[axis] = n;
      return code.readElement(start, code.position(at, type.getShape()), element);
    });
    if (failed(all))
      return failure();
    regs.push_back(*all);
  }
  code.define(reduce.getResults()[0], std::move(regs));
  return success();
}

static LogicalResult needsOfReduce(Operation *op, RegisterLoweringContext &ctx, ScratchNeeds &needs) {
  auto reduce = cast<tile::ReduceOp>(op);
  if (reduce.getSources().size() != 1)
    return ctx.decline(op, "it is written for one source");
  return needTile(reduce.getSources()[0], needs);
}

/// Each thread reads what its indices name.
static LogicalResult lowerGather(Operation *op, RegisterLoweringContext &ctx) {
  RegisterCode &code = ctx.code();
  auto gather = cast<tile::GatherOp>(op);
  auto type = cast<RankedTensorType>(gather.getSource().getType());
  simt::LayoutAttr layout = simt::getLayout(gather.getResult());
  Regs indices = code.registers(gather.getIndices()), regs;
  int64_t start = shareTile(code, gather.getSource());
  for (auto [reg, index] : llvm::enumerate(indices)) {
    SmallVector<Value> at = coordinatesOf(code, layout, reg);
    at[gather.getAxis()] = index;
    regs.push_back(code.readElement(start, code.position(at, type.getShape()),
                                    RegisterCode::scalarType(type.getElementType())));
  }
  code.define(gather.getResult(), std::move(regs));
  return success();
}

static LogicalResult needsOfGather(Operation *op, RegisterLoweringContext &ctx, ScratchNeeds &needs) {
  auto gather = cast<tile::GatherOp>(op);
  if (!getElementTypeOrSelf(gather.getIndices().getType()).isInteger(32))
    return ctx.decline(op, "its indices are not i32");
  if (simt::getLayout(gather.getIndices()) != simt::getLayout(gather.getResult()))
    return ctx.decline(op, "its indices lie in other threads than its result");
  return needTile(gather.getSource(), needs);
}

static LogicalResult needsOfScan(Operation *op, RegisterLoweringContext &ctx, ScratchNeeds &needs) {
  auto scan = cast<tile::ScanOp>(op);
  if (scan.getSources().size() != 1 || scan.getReverse())
    return ctx.decline(op, "it is written for one source, from the left");
  return needTile(scan.getSources()[0], needs);
}

//===----------------------------------------------------------------------===//
// Copies in flight
//===----------------------------------------------------------------------===//

/// Starts a copy of a piece, which goes into the slot that its ring fills.
static LogicalResult startLine(Operation *, simt::CopyLoweringContext &ctx, const simt::CopyPiece &piece) {
  RegisterCode &code = ctx.code();
  rows::CopyLineOp::create(code.b, code.loc, piece.source, piece.target, piece.bytes, piece.mask, piece.valid);
  return success();
}

static LogicalResult takesStream(Operation *op, simt::CopyLoweringContext &ctx) {
  return getElementTypeOrSelf(op->getResult(0)).getIntOrFloatBitWidth() == 16
             ? success()
             : ctx.decline(op, "its elements do not have 16 bits");
}

/// The instruction, in the code of one thread. Groups and waits are the family's.
static LogicalResult lowerCopyLine(Operation *op, target::LoweringContext &ctx) {
  auto copy = cast<rows::CopyLineOp>(op);
  auto &b = ctx.rewriter;
  Location loc = op->getLoc();
  SmallVector<Value> operands = {LLVM::PtrToIntOp::create(b, loc, b.getI32Type(), copy.getTarget()), copy.getSource()};
  std::string constraints = "r,l", bytes = std::to_string(copy.getBytes()), size = bytes, text;
  if (Value valid = copy.getValid()) {
    Value all = LLVM::ConstantOp::create(b, loc, b.getI32IntegerAttr(copy.getBytes()));
    Value none = LLVM::ConstantOp::create(b, loc, b.getI32IntegerAttr(0));
    operands.push_back(valid.getType().isInteger(1) ? LLVM::SelectOp::create(b, loc, valid, all, none) : valid);
    constraints += ",r";
    size = "$2";
  }
  if (copy.getMask()) {
    text = "@$" + std::to_string(operands.size()) + " ";
    operands.push_back(copy.getMask());
    constraints += ",b";
  }
  text += "cp.async." + std::string(copy.getBytes() == 16 ? "cg" : "ca") + ".shared.global.L2::256B [$0], [$1], " +
          bytes + ", " + size + ";";
  LLVM::InlineAsmOp::create(b, loc, TypeRange(), operands, text, constraints + ",~{memory}", /*has_side_effects=*/true,
                            /*is_align_stack=*/false, LLVM::TailCallKind::None, LLVM::AsmDialectAttr(), ArrayAttr());
  b.eraseOp(op);
  return success();
}

void rows::addLowerings(target::TargetRegistry &registry) {
  simt::addLowering(registry, {"rows.rotate", "gpu", "rows.rotate", 100, lowerRotate,
                               [](Operation *op, RegisterLoweringContext &, ScratchNeeds &needs) {
                                 return needTile(op->getOperand(0), needs);
                               }});
  simt::addLowering(registry, {"rows.copy", "gpu", "rows.copy", 100, lowerCopy});
  simt::addLowering(registry, {"rows.scan", "nvidia", "tile.scan", 100, lowerScan, needsOfScan});
  simt::addLowering(registry, {"rows.reduce", "nvidia", "tile.reduce", 100, lowerReduce, needsOfReduce});
  simt::addLowering(registry, {"rows.gather", "nvidia", "tile.gather", 100, lowerGather, needsOfGather});
  simt::addCopyLowering(registry, {"rows.stream", "nvidia", "rows.stream", 100, startLine, takesStream});
  registry.addLowering({"rows.copy_line", "nvidia", "rows.copy_line", 100, lowerCopyLine});
}
