//===- RegisterBuilder.h - Scalars and vectors in registers -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_LIB_CPU_REGISTERBUILDER_H
#define KILN_LIB_CPU_REGISTERBUILDER_H

#include "kiln/Cpu/Lowering.h"
#include "kiln/Index/ScalarBuilder.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"

namespace kiln::cpu {

using llvm::ArrayRef;
using llvm::SmallVector;
using mlir::Type;
using mlir::Value;
using mlir::ValueRange;

/// True for values that are tiles.
inline bool isTile(Type type) {
  return mlir::isa<mlir::RankedTensorType>(type);
}

/// True for operations of arith and math, and calls, that combine element with
/// element.
inline bool isElementwise(mlir::Operation *op) {
  return mlir::OpTrait::hasElementwiseMappableTraits(op);
}

/// Emits arithmetic on scalars in one function, with constants that stand once
/// at its beginning.
class ScalarEmitter {
public:
  ScalarEmitter(mlir::RewriterBase &rewriter, mlir::Location loc)
      : b(rewriter), loc(loc) {}

  mlir::RewriterBase &b;
  mlir::Location loc;
  mlir::Block *entry = nullptr; ///< of the function

  Value c64(int64_t value);
  Value add(Value a, Value b);
  Value sub(Value a, Value b);
  Value mul(Value a, Value b);
  Value minimum(Value a, Value b);
  Value maximum(Value a, Value b);
  Value ceilDivPositive(Value a, int64_t divisor);
  Value roundDown(Value a, int64_t powerOfTwo);
  Value conjunction(Value a, Value b);
  Value select(Value condition, Value a, Value b);
  Value compare(mlir::arith::CmpIPredicate predicate, Value a, Value b);
  /// A constant scalar of `type` (integer, index or float).
  Value constantOf(Type type, mlir::Attribute value);
  Value zeroOf(Type type);
  /// Integers of any width, read as signed, as i64.
  Value toI64(Value value);
  /// A constant of type index, as the kernel's own.
  Value index(int64_t value);

private:
  /// Scalar arithmetic, with one constant of a value in each function.
  class Math : public index::ScalarBuilder {
  public:
    explicit Math(ScalarEmitter &emitter)
        : ScalarBuilder(emitter.b, emitter.loc, emitter.b.getI64Type()),
          emitter(emitter) {}

  private:
    Value makeConstant(int64_t value) override { return emitter.c64(value); }
    ScalarEmitter &emitter;
  };
  Math scalarMath{*this};
  Math &math() {
    scalarMath.loc = loc;
    return scalarMath;
  }
  llvm::DenseMap<int64_t, Value> constants;
};

/// Emits code on vectors of lanes, in registers and memory, on top of scalars.
class RegisterBuilder : public ScalarEmitter {
public:
  RegisterBuilder(mlir::RewriterBase &rewriter, mlir::Location loc,
                  const CpuConfig &config)
      : ScalarEmitter(rewriter, loc), config(config) {}

  const CpuConfig &config;
  bool contract = false; ///< the numerics allow multiply-adds

  /// The generated value of a scalar of the kernel; as i64 for `index`.
  Value scalar(Value value) { return mapping.lookup(value); }
  Value scalar64(Value value);
  Type vectorOf(Type element, int64_t lanes);
  Value broadcastLanes(Value value, int64_t lanes);
  /// (0, 1, 2, ...) of an integer type.
  Value laneIds(Type integer, int64_t lanes);
  /// True for lanes [0, count).
  Value laneMask(Value count, int64_t lanes);
  /// Stores the lanes of a vector that are in a mask of `laneMask`, or another.
  void storeMasked(Value value, Value address, Value mask, unsigned align);
  static Type storageType(Type element);
  static int64_t storageBytes(Type element);
  Value toStorage(Value value);
  Value fromStorage(Value value, Type element);
  Value gep(Value base, Value index, Type element);
  Value emitElementwise(mlir::Operation *op, ValueRange operands);
  /// Applies a block that combines two sets of elements.
  SmallVector<Value> combineWith(mlir::Block &block, ValueRange left,
                                 ValueRange right);
  /// Emits `emit` where `mask` (null: true) holds, `otherwise` where it does
  /// not; both give a value of `type`, or nothing if that is null.
  Value ifEnabled(Value mask, Type type, llvm::function_ref<Value()> emit,
                  llvm::function_ref<Value()> otherwise = nullptr);
  /// The address of an element, with an origin of the kernel.
  Value elementAt(Value base, ArrayRef<Value> strides, ValueRange origin,
                  Type element);

  /// Asks for the line of an address, in the nearest cache or a farther one.
  void prefetch(Value address, bool isNear);

  mlir::IRMapping mapping; ///< from scalars of the kernel
};

} // namespace kiln::cpu

#endif // KILN_LIB_CPU_REGISTERBUILDER_H
