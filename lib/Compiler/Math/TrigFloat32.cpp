//===- TrigFloat32.cpp - Arguments of trigonometric functions -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Large arguments are multiplied by 2 / pi to as many bits as count: those of
// 2 / pi whose products are multiples of four turns' quarters are left out
// (Payne and Hanek, Radian Reduction for Trigonometric Functions, 1983).
//
//===----------------------------------------------------------------------===//

#include "kiln/Math/TrigFloat32.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::functions;

/// 2 / pi behind a word of zeros, 32 bits each.
static const uint32_t kTwoOverPi[] = {0x00000000, 0xA2F9836E, 0x4E441529,
                                      0xFC2757D1, 0xF534DDC0, 0xDB629599,
                                      0x3C439041, 0xFE5163AB};

static LLVM::GlobalOp tableOf(ModuleOp module, StringRef prefix,
                              unsigned space) {
  std::string name = (prefix + "_two_over_pi").str();
  if (auto known = module.lookupSymbol<LLVM::GlobalOp>(name))
    return known;
  OpBuilder b(module.getBodyRegion());
  SmallVector<int32_t> words(std::begin(kTwoOverPi), std::end(kTwoOverPi));
  auto values = DenseElementsAttr::get(
      RankedTensorType::get({int64_t(words.size())}, b.getI32Type()),
      ArrayRef<int32_t>(words));
  return LLVM::GlobalOp::create(
      b, module.getLoc(),
      LLVM::LLVMArrayType::get(b.getI32Type(), words.size()),
      /*isConstant=*/true, LLVM::Linkage::Internal, name, values,
      /*alignment=*/4, space);
}

namespace {
/// The way for large arguments.
struct Large : Float32 {
  Large(OpBuilder &b, Location loc) : Float32(b, loc, b.getF32Type()) {}
  Type i64Type = b.getI64Type();

  Value wide(Value value) const {
    return arith::ExtUIOp::create(b, loc, i64Type, value);
  }
  Value times(Value x, Value y) const {
    return arith::MulIOp::create(b, loc, x, y);
  }
  Value andi(Value x, int64_t mask) const {
    return arith::AndIOp::create(b, loc, x, i32(mask));
  }
  Value shl64(Value x, int64_t by) const {
    return arith::ShLIOp::create(b, loc, x, i64(by));
  }
  Value shr64(Value x, int64_t by) const {
    return arith::ShRUIOp::create(b, loc, x, i64(by));
  }

  /// Of |x| from 2^14 to infinity.
  Turn reduce(Value x, LLVM::GlobalOp table) const {
    Value raw = andi(bits(x), 0x7fffffff);
    // |x| is mantissa * 2^e, e >= -9. The bits of 2 / pi from 2^(1 - e) on
    // count, which begin at bit e + 30 of the table.
    Value mantissa =
        arith::OrIOp::create(b, loc, andi(raw, 0x7fffff), i32(0x800000));
    Value at =
        subi(arith::ShRUIOp::create(b, loc, raw, i32(23)), i32(150 - 30));
    // Infinity and NaN are done with below.
    at = arith::MinSIOp::create(b, loc, at, i32(134));
    Value first = arith::ShRUIOp::create(b, loc, at, i32(5));
    auto pointer =
        LLVM::LLVMPointerType::get(b.getContext(), table.getAddrSpace());
    Value base = LLVM::AddressOfOp::create(b, loc, table);
    Value place = LLVM::GEPOp::create(b, loc, pointer, b.getI32Type(), base,
                                      ValueRange{first});
    SmallVector<Value> words;
    for (int32_t i = 0; i < 4; ++i)
      words.push_back(LLVM::LoadOp::create(
          b, loc, b.getI32Type(),
          LLVM::GEPOp::create(b, loc, pointer, b.getI32Type(), place,
                              ArrayRef<LLVM::GEPArg>{i}),
          /*alignment=*/4));
    // 96 bits from there, times the mantissa, modulo 2^96: four turns' quarters
    // are 2^96, and the lowest 32 bits are below what the result can hold.
    Value by = andi(at, 31), factor = wide(mantissa);
    SmallVector<Value> products;
    for (int i = 0; i < 3; ++i)
      products.push_back(
          times(wide(LLVM::FshlOp::create(b, loc, b.getI32Type(), words[i],
                                          words[i + 1], by)),
                factor));
    Value sum = arith::AddIOp::create(
        b, loc,
        arith::AddIOp::create(b, loc, shl64(products[0], 32), products[1]),
        shr64(products[2], 32));
    // The nearest quarter, and the signed rest of it.
    Value quarters = arith::TruncIOp::create(
        b, loc, b.getI32Type(),
        shr64(arith::AddIOp::create(b, loc, sum, i64(int64_t(1) << 61)), 62));
    Value turns =
        arith::SIToFPOp::create(b, loc, b.getF64Type(), shl64(sum, 2));
    // pi / 2 over 2^64.
    Value scale = arith::ConstantOp::create(
        b, loc, b.getF64FloatAttr(0x1.921fb54442d18p-64));
    Value angle = arith::MulFOp::create(b, loc, turns, scale);
    Value r = arith::TruncFOp::create(b, loc, b.getF32Type(), angle);
    Value rest = arith::TruncFOp::create(
        b, loc, b.getF32Type(),
        arith::SubFOp::create(
            b, loc, angle, arith::ExtFOp::create(b, loc, b.getF64Type(), r)));
    // The sign of x; NaN where x is not finite.
    Value isNegative = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt,
                                             bits(x), i32(0));
    auto turned = [&](Value value) {
      return select(isNegative, sub(f32(-0.0), value), value);
    };
    return {add(turned(r), sub(x, x)),
            select(isNegative, subi(i32(0), quarters), quarters), turned(rest)};
  }
};
} // namespace

LLVM::LLVMFuncOp TrigFloat32::functionIn(ModuleOp module, bool withRest) const {
  std::string name =
      (prefix + (withRest ? "_quarter_turn_rest" : "_quarter_turn")).str();
  if (auto known = module.lookupSymbol<LLVM::LLVMFuncOp>(name))
    return known;
  LLVM::GlobalOp table = tableOf(module, prefix, constantSpace);
  Location loc = module.getLoc();
  OpBuilder b(module.getBodyRegion());
  Type f32 = b.getF32Type(), i32 = b.getI32Type();
  SmallVector<Type> types = {f32, i32};
  if (withRest)
    types.push_back(f32);
  auto type = LLVM::LLVMStructType::getLiteral(b.getContext(), types);
  auto function = LLVM::LLVMFuncOp::create(
      b, loc, name, LLVM::LLVMFunctionType::get(type, {f32}),
      LLVM::Linkage::Internal);
  Block *entry = function.addEntryBlock(b);
  Block *near = b.createBlock(&function.getBody(), function.getBody().end());
  Block *far = b.createBlock(&function.getBody(), function.getBody().end());
  auto give = [&](const Float32::Turn &turn) {
    Value all = LLVM::PoisonOp::create(b, loc, type);
    all =
        LLVM::InsertValueOp::create(b, loc, all, turn.r, ArrayRef<int64_t>{0});
    all = LLVM::InsertValueOp::create(b, loc, all, turn.quarters,
                                      ArrayRef<int64_t>{1});
    if (withRest)
      all = LLVM::InsertValueOp::create(b, loc, all, turn.rest,
                                        ArrayRef<int64_t>{2});
    LLVM::ReturnOp::create(b, loc, all);
  };
  Value x = entry->getArgument(0);
  b.setInsertionPointToStart(entry);
  Large f(b, loc);
  Value isNear =
      f.compare(Float32::CmpF::OLE, f.abs(x), f.f32(Float32::kTrigLimit));
  cf::CondBranchOp::create(b, loc, isNear, near, far);
  b.setInsertionPointToStart(near);
  give(f.quarterTurn(x, withRest));
  b.setInsertionPointToStart(far);
  give(f.reduce(x, table));
  return function;
}

Float32::Turn TrigFloat32::turnOf(Value x, ModuleOp module,
                                  bool withRest) const {
  auto call =
      LLVM::CallOp::create(b, loc, functionIn(module, withRest), ValueRange{x});
  auto part = [&](int64_t i) -> Value {
    return LLVM::ExtractValueOp::create(b, loc, call.getResult(), i);
  };
  return {part(0), part(1), withRest ? part(2) : Value()};
}

Value TrigFloat32::sine(Value x, int64_t quarter, ModuleOp module) const {
  Turn turn = turnOf(x, module, /*withRest=*/false);
  if (quarter)
    return sineOfTurn(turn.r, addi(turn.quarters, i32(quarter)));
  Value isZero = compare(CmpF::OEQ, x, f32(0.0));
  return select(isZero, x, sineOfTurn(turn.r, turn.quarters));
}

Value TrigFloat32::tangent(Value x, ModuleOp module) const {
  Value isZero = compare(CmpF::OEQ, x, f32(0.0));
  Turn turn = turnOf(x, module, /*withRest=*/true);
  return select(isZero, x, tangentOfTurn(turn));
}
