//===- ThreadBuilder.h - Code of one thread ---------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shared memory and exchanges between lanes: the first layer of what writes a
// kernel's function. Arithmetic (ThreadMath.h) and coordinates of elements
// (ThreadCoordinates.h) are below it.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_GPU_THREADBUILDER_H
#define KILN_GPU_THREADBUILDER_H

#include "kiln/Gpu/ThreadCoordinates.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace kiln::simt {

/// What the registers of a tile hold, in the order of its layout.
using Regs = llvm::SmallVector<mlir::Value>;

/// Writes the code of one thread: shared memory and exchanges between lanes, on
/// top of arithmetic and coordinates.
class ThreadBuilder : public ThreadCoordinates {
public:
  using ThreadCoordinates::ThreadCoordinates;

  /// Whether barriers say which memories they order.
  bool namesMemories = false;

  // Shared memory.
  /// Returns the address of byte `offset` of the block's shared memory.
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
  /// Stores the thread's registers of a tile to shared memory from byte
  /// `offset` on, row-major, with sizes rounded up to powers of two. A barrier
  /// has to follow before another thread reads them.
  void writeTile(int64_t offset, llvm::ArrayRef<Value> regs, LayoutAttr layout,
                 llvm::ArrayRef<int64_t> shape);
  /// Returns the position of an element in such a tile, in elements, as i32.
  Value position(llvm::ArrayRef<Value> coordinates,
                 llvm::ArrayRef<int64_t> shape);
  /// Loads the element at such a position of a tile at byte `offset`.
  Value readElement(int64_t offset, Value position, Type type);
  /// A barrier for accesses to some memories; to all of them where barriers do
  /// not say which they order.
  void barrier(Memories memories = Memories::Shared);

  /// Returns the value of the lane whose number is this lane's XOR `mask`,
  /// below the lanes of a warp. All lanes of the warp execute it.
  Value shuffleXor(Value value, int64_t mask);
  /// Returns the value of the lane number `source` (i32). All lanes of the warp
  /// execute it; undefined if there is no such lane.
  Value shuffleFrom(Value value, Value source);

  /// `index` as i64, pointers of tile as pointers to global memory.
  static Type scalarType(Type type);

private:
  Value shuffle(Value value, Value argument, mlir::gpu::ShuffleMode mode);

  Value sharedBase;
};

} // namespace kiln::simt

#endif // KILN_GPU_THREADBUILDER_H
