// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Symbolic registers, and instructions as operations on them.
#ifndef KILN_CONVERSIONS_TRITONTOTILE_ASSEMBLYMACHINE_H
#define KILN_CONVERSIONS_TRITONTOTILE_ASSEMBLYMACHINE_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/StringMap.h"

namespace kiln::triton_to_tile {

using llvm::APInt;
using llvm::SmallVector;
using llvm::StringRef;
using mlir::Type;
using mlir::Value;
using mlir::ValueRange;
namespace arith = mlir::arith;

/// An instruction: `mul.hi.u32 d, a, b` has the modifier `hi` and one type.
struct Instruction {
  StringRef name;
  SmallVector<StringRef> modifiers, types, args;
  bool has(StringRef modifier) const {
    return llvm::is_contained(modifiers, modifier);
  }
  /// 'f', 's', 'u', 'b' or 'p'.
  char kind(size_t i = 0) const {
    return types[i].front() == 'b' && types[i] == "bf16" ? 'f'
                                                         : types[i].front();
  }
};

/// The registers while the text runs.
class Machine {
public:
  Machine(mlir::OpBuilder &builder, mlir::Location loc, Type like)
      : b(builder), loc(loc),
        tile(mlir::dyn_cast<mlir::RankedTensorType>(like)) {}

  /// False where the text holds something unknown.
  bool run(StringRef text);

  llvm::StringMap<Value> registers;

  /// The bits of a value as another type of the same width; null for others.
  Value as(Value value, Type element);

private:
  Type typeOf(StringRef name);
  Type like(Type element) { return tile ? Type(tile.clone(element)) : element; }
  Value read(StringRef arg, Type element);
  Value constant(Type element, mlir::Attribute value);
  Value integer(Type element, const APInt &value) {
    return constant(element, b.getIntegerAttr(element, value));
  }
  Value number(Type element, double value) {
    return constant(element, b.getFloatAttr(element, value));
  }
  Value make(StringRef name, ValueRange operands, Type element);
  Value compare(arith::CmpFPredicate predicate, Value x, Value y) {
    return arith::CmpFOp::create(b, loc, predicate, x, y);
  }
  Value select(Value condition, Value x, Value y) {
    return arith::SelectOp::create(b, loc, condition, x, y);
  }
  Value flush(Value value);
  Value simple(const Instruction &i, Type element, ValueRange args);
  Value shift(const Instruction &i, Type element);
  Value product(const Instruction &i, Type element, ValueRange args);
  Value lookUp(const Instruction &i, ValueRange args);
  Value convert(const Instruction &i);
  Value toInteger(Value value, Type to, bool isSigned);
  Value toTf32(Value value);
  Value test(const Instruction &i, Type element);
  bool step(const Instruction &i);

  mlir::OpBuilder &b;
  mlir::Location loc;
  mlir::RankedTensorType tile;
};

} // namespace kiln::triton_to_tile

#endif // KILN_CONVERSIONS_TRITONTOTILE_ASSEMBLYMACHINE_H
