//===- ThreadBuilder.h - Code of one thread ---------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Small arithmetic, ids, coordinates of elements, shared memory and exchanges
// between lanes: the first layer of what writes a kernel's function.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_GPU_THREADBUILDER_H
#define KILN_GPU_THREADBUILDER_H

#include "kiln/Dialect/Simt/SimtDialect.h"
#include "kiln/Layout/Address.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Builders.h"

namespace kiln::simt {

/// What the registers of a tile hold, in the order of its layout.
using Regs = llvm::SmallVector<mlir::Value>;

/// Writes the code of one thread, with constants and coordinates that stand once
/// at the beginning of its function.
class ThreadBuilder {
public:
  using Value = mlir::Value;
  using Type = mlir::Type;
  using Basis = LayoutAttr::Basis;

  ThreadBuilder(mlir::OpBuilder &builder, mlir::Location loc, int64_t lanes,
                int64_t warps)
      : b(builder), loc(loc), lanes(lanes), warps(warps) {}

  mlir::OpBuilder &b;
  mlir::Location loc;
  const int64_t lanes, warps;
  mlir::Block *entry = nullptr; ///< of the function
  /// Whether numbers that the lanes of a warp have alike are marked.
  bool marksUniform = false;
  /// Whether barriers say which memories they order.
  bool namesMemories = false;

  int64_t threads() const { return lanes * warps; }
  unsigned laneBits() const;
  unsigned warpBits() const;

  // Constants stand at the beginning of the function, one of each.
  Value c32(int64_t value);
  Value c64(int64_t value);
  Value constant(Type type, int64_t value);
  Value zero(Type type);

  // i32, i64 and i1 arithmetic that folds.
  Value add(Value x, Value y);
  Value sub(Value x, Value y);
  Value mul(Value x, Value y);
  Value xor_(Value x, Value y);
  Value and_(Value x, Value y);
  Value or_(Value x, Value y);
  Value compare(mlir::arith::CmpIPredicate predicate, Value x, Value y);
  Value select(Value condition, Value x, Value y);
  /// A vector of scalars, or the only one; and one of its elements.
  Value pack(mlir::ValueRange scalars);
  Value unpack(Value vector, int64_t i);
  Value min(Value x, Value y);
  Value max(Value x, Value y);
  /// i32 as i64, not negative.
  Value widen(Value x);
  Value narrow(Value x);
  /// x and y, either of which may be null for true.
  Value both(Value x, Value y);

  /// The thread's number in the block, i32; lane and warp are its parts.
  Value threadId();

  /// The part of that which the warp gives: the same in all of its lanes.
  Value warpPart();
  /// A number that all threads have alike, as such.
  Value uniform(Value value);

  /// What the number of the thread moves, i32: the only input of the terms.
  Value threadPart(llvm::ArrayRef<layout::AddressTerm> terms);

  /// The part of an element's coordinate that the thread gives, i32. It is the
  /// same at every place of the function.
  Value threadCoordinate(LayoutAttr layout, unsigned dim);
  /// Whether registers and threads have bits of their own in a coordinate.
  bool isDisjoint(LayoutAttr layout, unsigned dim) const;
  /// The coordinate of what a register holds, i32.
  Value coordinate(LayoutAttr layout, int64_t reg, unsigned dim);
  /// The bits of a thread's number that are set in those that hold a copy of
  /// what another thread holds, too.
  static int64_t copyMask(LayoutAttr layout, unsigned laneBits,
                          unsigned warpBits);
  /// The first thread that holds a copy of what it holds: i1; null if all do.
  Value isFirstCopy(LayoutAttr layout);
  /// Whether a register holds an element of a tile of this shape: null for
  /// yes, else i1. Sizes that are powers of two have no others.
  Value isElement(LayoutAttr layout, int64_t reg,
                  llvm::ArrayRef<int64_t> shape);

  // Shared memory.
  /// The address of byte `offset`.
  Value shared(int64_t offset);
  Value elementPointer(Value base, Value index, Type element);
  /// Storage of a register: i1 as a byte, index as 64 bits.
  static Type storedType(Type type);
  static int64_t storedBytes(Type type);
  Value toStored(Value value);
  Value fromStored(Value value, Type type);
  /// The bytes of a tile in row-major order, sizes rounded up.
  static int64_t tileBytes(llvm::ArrayRef<int64_t> shape, Type element);
  /// Where tiles begin that lie one behind the other in this way, and the bytes
  /// of all; what is no tile takes none.
  static int64_t placeTiles(mlir::ValueRange values,
                            llvm::SmallVectorImpl<int64_t> &places);
  /// Writes a tile in row-major order, sizes rounded up.
  void writeTile(int64_t offset, llvm::ArrayRef<Value> regs, LayoutAttr layout,
                 llvm::ArrayRef<int64_t> shape);
  /// The i32 position of coordinates in such a tile.
  Value position(llvm::ArrayRef<Value> coordinates,
                 llvm::ArrayRef<int64_t> shape);
  Value readElement(int64_t offset, Value position, Type type);
  /// A barrier for accesses to some memories; to all of them where barriers do
  /// not say which they order.
  void barrier(Memories memories = Memories::Shared);

  /// What the lane whose number differs by the bits of `mask` has.
  Value shuffleXor(Value value, int64_t mask);
  /// What the lane `source` (i32) has.
  Value shuffleFrom(Value value, Value source);

  /// `index` as i64, pointers of tile as pointers to global memory.
  static Type scalarType(Type type);

private:
  Value shuffle(Value value, Value argument, mlir::gpu::ShuffleMode mode);

  llvm::DenseMap<std::pair<Type, int64_t>, Value> constants;
  llvm::DenseMap<std::pair<mlir::Attribute, unsigned>, Value> coordinates;
  llvm::DenseMap<mlir::Attribute, Value> firstCopies;
  Value thread, ofWarp, sharedBase;
};

} // namespace kiln::simt

#endif // KILN_GPU_THREADBUILDER_H
