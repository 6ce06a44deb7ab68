// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Code of one thread, for operations whose tiles are in registers.
#include "Rows.h"
#include "kiln/Gpu/Registers.h"
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

static LogicalResult lowerRotate(Operation *op, RegisterLoweringContext &ctx) {
  RegisterCode &code = ctx.code();
  auto rotate = cast<rows::RotateOp>(op);
  auto type = cast<RankedTensorType>(rotate.getSource().getType());
  simt::LayoutAttr layout = simt::getLayout(rotate.getResult());
  Type element = RegisterCode::scalarType(type.getElementType());
  int64_t start = shareTile(code, rotate.getSource()), last = type.getRank() - 1, size = type.getDimSize(last);
  Regs regs;
  for (int64_t reg = 0; reg < layout.getNumRegisters(); ++reg) {
    SmallVector<Value> at;
    for (int64_t d = 0; d <= last; ++d)
      at.push_back(code.coordinate(layout, reg, d));
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
    SmallVector<Value> at;
    for (int64_t d = 0; d < type.getRank(); ++d)
      at.push_back(code.coordinate(layout, reg, d));
    Value end = at[axis];
    auto read = [&](Value n) {
      at[axis] = n;
      return code.readElement(start, code.position(at, type.getShape()), element);
    };
    auto loop = scf::ForOp::create(code.b, code.loc, code.c32(1), code.add(end, code.c32(1)), code.c32(1),
                                   read(code.c32(0)));
    OpBuilder::InsertionGuard guard(code.b);
    code.b.setInsertionPointToStart(loop.getBody());
    auto made = code.inlineRegion(scan.getCombiner(), {loop.getRegionIterArgs()[0], read(loop.getInductionVar())});
    if (failed(made))
      return failure();
    scf::YieldOp::create(code.b, code.loc, *made);
    regs.push_back(loop.getResult(0));
  }
  code.define(scan.getResults()[0], std::move(regs));
  return success();
}

static LogicalResult needsOfScan(Operation *op, RegisterLoweringContext &ctx, ScratchNeeds &needs) {
  auto scan = cast<tile::ScanOp>(op);
  if (scan.getSources().size() != 1 || scan.getReverse())
    return ctx.decline(op, "it is written for one source, from the left");
  return needTile(scan.getSources()[0], needs);
}

void rows::addLowerings(target::TargetRegistry &registry) {
  simt::addLowering(registry, {"rows.rotate", "gpu", "rows.rotate", 100, lowerRotate,
                               [](Operation *op, RegisterLoweringContext &, ScratchNeeds &needs) {
                                 return needTile(op->getOperand(0), needs);
                               }});
  simt::addLowering(registry, {"rows.copy", "gpu", "rows.copy", 100, lowerCopy});
  simt::addLowering(registry, {"rows.scan", "nvidia", "tile.scan", 100, lowerScan, needsOfScan});
}
