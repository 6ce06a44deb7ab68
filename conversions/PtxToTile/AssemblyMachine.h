//===- AssemblyMachine.h - Inline assembly on symbolic registers -*- C++
//-*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs the text of a virtual instruction set on symbolic registers: each holds
// a tile with one element for each time that the text would have run (or a
// scalar), and each instruction is an operation, or a few.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_TRANSFORMS_TILE_ASSEMBLYMACHINE_H
#define KILN_LIB_TRANSFORMS_TILE_ASSEMBLYMACHINE_H

#include "AssemblyText.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/StringMap.h"

namespace kiln::tile {

class AssemblyMachine {
public:
  using Statement = AssemblyStatement;
  using Value = mlir::Value;
  using Type = mlir::Type;

  /// Registers have the shape of `like`, a tile, or are scalars. What
  /// `isRepeated` runs until something is so.
  AssemblyMachine(mlir::OpBuilder &builder, mlir::Location loc, Type like,
                  bool isRepeated)
      : b(builder), loc(loc),
        tile(mlir::dyn_cast<mlir::RankedTensorType>(like)),
        isRepeated(isRepeated), scopes(1) {}

  /// A register of the outermost scope, with a value or without.
  void define(llvm::StringRef name, unsigned bits, Value value);
  Value lookup(llvm::StringRef name) { return scopes.front()[name].value; }

  /// False where the text holds something unknown; `problem` says what.
  bool run(llvm::StringRef text);
  std::string problem;

  // --- Values --------------------------------------------------------------
  Type like(Type element) { return tile ? Type(tile.clone(element)) : element; }
  /// The bits of a value as another type of the same width; null for others.
  Value as(Value value, Type element);
  /// The low bits of an integer, or its zero (or sign) extension.
  Value resize(Value value, unsigned bits, bool isSigned = false);
  Value integer(unsigned bits, int64_t value);
  Value number(Type element, double value);
  Value make(llvm::StringRef name, mlir::ValueRange operands, Type element);
  Value select(Value condition, Value x, Value y);
  Value compare(mlir::arith::CmpFPredicate predicate, Value x, Value y);
  Value compare(mlir::arith::CmpIPredicate predicate, Value x, Value y);

private:
  struct Register {
    unsigned bits = 0;
    Value value;
  };

  bool fail(const llvm::Twine &why);
  bool step(const Statement &i);
  bool declare(const Statement &i);
  Register *find(llvm::StringRef name);
  /// Stores to a register, where the guard holds.
  bool write(const Statement &i, llvm::StringRef name, Value value,
             bool isSigned);
  Value guardOf(const Statement &i);
  /// A register or a literal as this type; null, with a problem, otherwise.
  Value read(llvm::StringRef name, Type element);
  /// All operands of a statement but the first, which is its result; none if
  /// one of them cannot be read.
  llvm::SmallVector<Value> readSources(const Statement &i, Type element);
  /// The same, of whatever integer type the register has.
  Value readBits(llvm::StringRef name, unsigned bits);
  Value readLiteral(llvm::StringRef name, Type element);
  /// AssemblySpecials.cpp: null for what is no such register, with a problem
  /// where it cannot be read here.
  Value readSpecial(llvm::StringRef name, unsigned bits);
  Type typeOf(llvm::StringRef name);

  // --- Instructions: null where they are not known --------------------------
  Value compute(const Statement &i);
  bool moveVector(const Statement &i);
  bool test(const Statement &i);
  Value testOf(const Statement &i, llvm::StringRef how, Type element, Value x,
               Value y);
  /// AssemblyFloats.cpp
  Value floats(const Statement &i, Type element, mlir::ValueRange args);
  Value packedFloats(const Statement &i, Type element);
  Value flush(Value value);
  Value lessThan(Value x, double limit);
  /// AssemblyIntegers.cpp
  Value integers(const Statement &i, Type element, bool isSigned,
                 mlir::ValueRange args);
  Value bitwise(const Statement &i, Type element, mlir::ValueRange args);
  Value shift(const Statement &i, Type element, bool isSigned);
  Value product(const Statement &i, Type element, bool isSigned);
  Value shortProduct(const Statement &i, Value x, Value y, bool isSigned);
  Value lookUp(const Statement &i);
  Value permute(const Statement &i);
  Value funnelShift(const Statement &i);
  Value shiftBy(llvm::StringRef op, Value value, Value amount);
  /// AssemblyFields.cpp
  Value lowBits(Value number, int64_t mask);
  Value extractField(const Statement &i, Type element, bool isSigned);
  Value insertField(const Statement &i, Type element);
  Value maskField(const Statement &i);
  Value extendField(const Statement &i, bool isSigned);
  Value findBit(const Statement &i, Type element, bool isSigned);
  /// AssemblySums.cpp
  Value carried(const Statement &i, Type element);
  Value sumDistance(const Statement &i, Type element, bool isSigned);
  Value selectBySign(const Statement &i);
  Value dotParts(const Statement &i);
  Value packedIntegers(const Statement &i);
  /// AssemblyConversions.cpp
  Value convert(const Statement &i);
  Value convertFloat(const Statement &i, Value value, Type to);
  Value convertPair(const Statement &i);
  Value toInteger(Value value, Type to, bool isSigned);
  Value toTf32(Value value);
  /// AssemblyFloat4.cpp
  Value convertFloat4Pair(const Statement &i);
  Value toFloat4(Value value);
  Value fromFloat4(Value code);

  mlir::OpBuilder &b;
  mlir::Location loc;
  mlir::RankedTensorType tile;
  bool isRepeated;
  /// Of the last sum with `cc`; null before the first.
  Value carry;
  llvm::SmallVector<llvm::StringMap<Register>> scopes;
};

/// 'f', 's', 'u', 'b' or 'p'.
char kindOfAssemblyType(llvm::StringRef type);

} // namespace kiln::tile

#endif // KILN_LIB_TRANSFORMS_TILE_ASSEMBLYMACHINE_H
