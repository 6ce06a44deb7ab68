//===- LibraryCalls.cpp - Functions of AMD's device library ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "LibraryCalls.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace kiln;

/// Gives results that are zero the sign of another number. The library returns
/// +0 where C's functions keep a sign: `nextafter` of the smallest negative
/// number, `j1` of -infinity.
static Value signZeros(Value result, Value sign, Location loc, OpBuilder &b) {
  Type type = result.getType();
  Value zero = arith::ConstantOp::create(b, loc, b.getFloatAttr(type, 0.0));
  Value isZero =
      arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ, result, zero);
  Value signedZero = LLVM::CopySignOp::create(b, loc, type, zero, sign);
  return arith::SelectOp::create(b, loc, isZero, signedZero, result);
}

Value amd::callLibrary(ModuleOp module, StringRef name, ValueRange x, Type type,
                       Location loc, OpBuilder &b) {
  bool isSingle = x[0].getType().isF32();
  // Of large negative numbers in f32, an intermediate result overflows, and the
  // function returns 0 where numbers around 1e-34 are right.
  if (name == "tgamma" && isSingle) {
    Type wide = b.getF64Type();
    Value y = callLibrary(module, name,
                          Value(arith::ExtFOp::create(b, loc, wide, x[0])),
                          wide, loc, b);
    return arith::TruncFOp::create(b, loc, type, y);
  }
  // The library's names end with the type.
  std::string symbol = ("__ocml_" + name + (isSingle ? "_f32" : "_f64")).str();
  auto function = module.lookupSymbol<LLVM::LLVMFuncOp>(symbol);
  if (!function) {
    OpBuilder top(module.getBodyRegion());
    function = LLVM::LLVMFuncOp::create(
        top, loc, symbol,
        LLVM::LLVMFunctionType::get(type, llvm::to_vector(x.getTypes())));
  }
  Value result = LLVM::CallOp::create(b, loc, function, x).getResult();
  if (name == "ilogb") {
    // C leaves the number of a NaN to libraries: this is the one of x86's.
    Value isNan =
        arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UNO, x[0], x[0]);
    Value least = arith::ConstantOp::create(
        b, loc,
        b.getIntegerAttr(
            type, APInt::getSignedMinValue(type.getIntOrFloatBitWidth())));
    return arith::SelectOp::create(b, loc, isNan, least, result);
  }
  if (name == "j1")
    return signZeros(result, x[0], loc, b);
  if (name == "nextafter") {
    // From zero the result is zero only if the second operand is, which then is
    // the result.
    Value zero = arith::ConstantOp::create(b, loc, b.getFloatAttr(type, 0.0));
    Value fromZero =
        arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ, x[0], zero);
    Value sign = arith::SelectOp::create(b, loc, fromZero, x[1], x[0]);
    return signZeros(result, sign, loc, b);
  }
  return result;
}
