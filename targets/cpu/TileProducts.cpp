//===- TileProducts.cpp - Matrix instructions on tiles --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every register holds 16 rows of 64 bytes: as panels are filled up with zeros
// there is one configuration for all of them.
//
//===----------------------------------------------------------------------===//

#include "MatrixInstructions.h"
#include "kiln/Cpu/MatrixInstructions.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace kiln;

constexpr int64_t kTileRows = 16, kTileBytes = 64, kTileColumns = 16;
constexpr int64_t kTileRegisters = 8;

static void call(OpBuilder &b, Location loc, StringRef name,
                 ValueRange operands) {
  LLVM::CallIntrinsicOp::create(b, loc, b.getStringAttr(name), operands);
}

namespace {
/// Builds one micro-kernel.
struct TileBlockBuilder {
  OpBuilder &b;
  Location loc;
  cpu::MicroKernelOp op;
  std::string multiply;
  int64_t down = op.getRows() / kTileRows,
          across = op.getColumns() / kTileColumns;
  int64_t factorBytes = op.getLhsType().getIntOrFloatBitWidth() / 8;
  int64_t steps = kTileBytes / factorBytes; ///< of one instruction
  Type byte = b.getI8Type();

  Value c64(int64_t value) {
    return arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(value));
  }
  Value number(int64_t tile) {
    return arith::ConstantOp::create(b, loc, b.getI8IntegerAttr(tile));
  }
  Value times(Value value, int64_t factor) {
    return arith::MulIOp::create(b, loc, value, c64(factor));
  }
  Value at(Value base, Value bytes) {
    return LLVM::GEPOp::create(b, loc, base.getType(), byte, base,
                               ValueRange{bytes});
  }
  int64_t sum(int64_t i, int64_t j) { return i * across + j; }
  /// The left tiles share what the others leave.
  int64_t numLeft = std::min(down, kTileRegisters - down * across - across);
  int64_t left(int64_t i) { return down * across + i % numLeft; }
  int64_t right(int64_t j) { return down * across + numLeft + j; }

  /// What the accumulators hold at first.
  void start() {
    if (!op.getFresh())
      return moveSums("llvm.x86.tileloadd64");
    auto choice =
        scf::IfOp::create(b, loc, TypeRange{}, op.getFresh(), true, true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(choice.thenBlock());
    for (int64_t tile = 0; tile < down * across; ++tile)
      call(b, loc, "llvm.x86.tilezero", {number(tile)});
    scf::YieldOp::create(b, loc);
    b.setInsertionPointToStart(choice.elseBlock());
    moveSums("llvm.x86.tileloadd64");
    scf::YieldOp::create(b, loc);
  }

  /// Moves the accumulators between registers and memory.
  void moveSums(StringRef name) {
    Value stride = times(op.getAccStride(), 4);
    for (int64_t i = 0; i < down; ++i)
      for (int64_t j = 0; j < across; ++j) {
        Value row = times(stride, i * kTileRows);
        Value place = at(op.getAcc(), row);
        place = at(place, c64(j * kTileColumns * 4));
        call(b, loc, name, {number(sum(i, j)), place, stride});
      }
  }

  void build() {
    start();
    Value rightStride = times(op.getRhsStride(), factorBytes);
    // One instruction takes as many right groups as a tile has rows.
    Value leftStep = c64(op.getRows() * kTileBytes);
    Value rightStep = times(rightStride, kTileRows);
    Value count = arith::DivUIOp::create(b, loc, op.getDepth(), c64(steps));
    auto loop = scf::ForOp::create(b, loc, c64(0), count, c64(1),
                                   ValueRange{op.getLhs(), op.getRhs()});
    {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToEnd(loop.getBody());
      Value x = loop.getRegionIterArg(0), y = loop.getRegionIterArg(1);
      for (int64_t j = 0; j < across; ++j)
        call(b, loc, "llvm.x86.tileloadd64",
             {number(right(j)), at(y, c64(j * kTileBytes)), rightStride});
      for (int64_t i = 0; i < down; ++i) {
        call(b, loc, "llvm.x86.tileloadd64",
             {number(left(i)), at(x, c64(i * kTileRows * kTileBytes)),
              c64(kTileBytes)});
        for (int64_t j = 0; j < across; ++j)
          call(b, loc, multiply,
               {number(sum(i, j)), number(left(i)), number(right(j))});
      }
      scf::YieldOp::create(b, loc,
                           ValueRange{at(x, leftStep), at(y, rightStep)});
    }
    moveSums("llvm.x86.tilestored64");
  }
};
} // namespace

static LogicalResult lowerTiles(cpu::MicroKernelOp op, RewriterBase &b) {
  int64_t bytes = op.getLhsType().getIntOrFloatBitWidth() / 8;
  int64_t lhsGroup = op.getLhsGroup(), rhsGroup = op.getRhsGroup();
  int64_t down = op.getRows() / kTileRows,
          across = op.getColumns() / kTileColumns;
  if (op.getRows() % kTileRows || op.getColumns() % kTileColumns ||
      lhsGroup != kTileBytes / bytes || rhsGroup != 4 / bytes ||
      down * across + 1 + across > kTileRegisters || op.getMinus())
    return op.emitOpError()
           << "unsupported: matrix instruction '" << *op.getRow()
           << "' with a block of " << op.getRows() << " x " << op.getColumns()
           << " and groups of " << lhsGroup << " and " << rhsGroup;
  b.setInsertionPoint(op);
  TileBlockBuilder{b, op.getLoc(), op, ("llvm.x86." + *op.getRow()).str()}
      .build();
  b.eraseOp(op);
  return success();
}

/// Gives all registers their shape.
static void configure(OpBuilder &b, Location loc) {
  auto pointer = LLVM::LLVMPointerType::get(b.getContext());
  Type i8 = b.getI8Type(), i16 = b.getI16Type();
  Value one =
      arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(kTileBytes));
  Value memory = LLVM::AllocaOp::create(b, loc, pointer, i8, one, 64);
  auto zero = arith::ConstantOp::create(b, loc, b.getI8IntegerAttr(0));
  LLVM::MemsetOp::create(b, loc, memory, zero, one, /*isVolatile=*/false);
  auto put = [&](TypedAttr value, int32_t offset) {
    Value place = LLVM::GEPOp::create(b, loc, pointer, i8, memory,
                                      ArrayRef<LLVM::GEPArg>{offset});
    LLVM::StoreOp::create(b, loc, arith::ConstantOp::create(b, loc, value),
                          place, 1);
  };
  // Palette 1: bytes of a row from byte 16, rows from byte 48.
  put(b.getI8IntegerAttr(1), 0);
  for (int32_t tile = 0; tile < kTileRegisters; ++tile) {
    put(b.getIntegerAttr(i16, kTileBytes), 16 + 2 * tile);
    put(b.getI8IntegerAttr(kTileRows), 48 + tile);
  }
  call(b, loc, "llvm.x86.ldtilecfg", {memory});
}

void cpu_target::addTileInstructions() {
  for (StringRef name :
       {"tdpbf16ps", "tdpbssd", "tdpbsud", "tdpbusd", "tdpbuud"})
    cpu::addMatrixInstruction(
        {name.str(), lowerTiles, configure, [](OpBuilder &b, Location loc) {
           call(b, loc, "llvm.x86.tilerelease", {});
         }});
}
