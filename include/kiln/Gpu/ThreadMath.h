//===- ThreadMath.h - Arithmetic of one thread --------------------*- C++
//-*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Constants and small arithmetic that folds: what all other code of a thread is
// written with.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_GPU_THREADMATH_H
#define KILN_GPU_THREADMATH_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"

namespace kiln::simt {

/// Writes arithmetic into the function of one thread, with constants that stand
/// once at its beginning.
class ThreadMath {
public:
  using Value = mlir::Value;
  using Type = mlir::Type;

  ThreadMath(mlir::OpBuilder &builder, mlir::Location loc, int64_t lanes,
             int64_t warps)
      : b(builder), loc(loc), lanes(lanes), warps(warps) {}

  mlir::OpBuilder &b;
  mlir::Location loc;
  const int64_t lanes, warps;
  mlir::Block *entry = nullptr; ///< of the function

  int64_t threads() const { return lanes * warps; }
  unsigned laneBits() const;
  unsigned warpBits() const;

  // Constants stand at the beginning of the function, one of each.
  Value c32(int64_t value);
  Value c64(int64_t value);
  Value constant(Type type, int64_t value);
  Value zero(Type type);

  // Arithmetic on i32, i64 and i1, both operands of one type. Results of
  // constants are constants; integers are signed in `min` and `max`.
  Value add(Value x, Value y);
  Value sub(Value x, Value y);
  Value mul(Value x, Value y);
  Value xor_(Value x, Value y);
  Value and_(Value x, Value y);
  Value or_(Value x, Value y);
  Value compare(mlir::arith::CmpIPredicate predicate, Value x, Value y);
  Value select(Value condition, Value x, Value y);
  /// Returns a vector of the scalars, or the scalar itself if it is the only
  /// one.
  Value pack(mlir::ValueRange scalars);
  /// Returns element `i` of a value that `pack` returned.
  Value unpack(Value vector, int64_t i);
  Value min(Value x, Value y);
  Value max(Value x, Value y);
  /// Returns an i32 that is not negative as i64; an i64 as it is.
  Value widen(Value x);
  /// Returns the low bits of an i64 as i32; an i32 as it is.
  Value narrow(Value x);
  /// Returns the conjunction of two i1. Null stands for true, also as result.
  Value both(Value x, Value y);

private:
  llvm::DenseMap<std::pair<Type, int64_t>, Value> constants;
};

} // namespace kiln::simt

#endif // KILN_GPU_THREADMATH_H
