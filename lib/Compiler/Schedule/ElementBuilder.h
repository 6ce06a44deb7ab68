//===- ElementBuilder.h - Single elements of values -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Computes single elements of tensors as scalars of a kernel, each when it is
// asked for. Movement of elements costs nothing: it changes which element is
// asked for. Kernels that hold small tensors in registers are made with it.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_SCHEDULE_ELEMENTBUILDER_H
#define KILN_LIB_SCHEDULE_ELEMENTBUILDER_H

#include "kiln/Schedule/Schedules.h"

namespace kiln::schedule {

/// A coordinate of an element: a number, or an `index` of the kernel.
using Coord = mlir::OpFoldResult;

/// Computes elements of the values around an operation in one kernel.
class ElementBuilder {
public:
  /// `outer` is the operation that becomes the kernel: what was computed before
  /// it is read from memory.
  ElementBuilder(KernelBuilder &kernel, mlir::Operation *outer)
      : kernel(kernel), b(kernel.b), loc(kernel.loc), outer(outer), scopes(1) {}
  virtual ~ElementBuilder() = default;

  /// The element of `tensor` at coordinates inside of it as a scalar, or null
  /// after `reason` was set.
  mlir::Value element(mlir::Value tensor, llvm::ArrayRef<Coord> at);
  /// All elements of a tensor, in row-major order.
  mlir::FailureOr<llvm::SmallVector<mlir::Value>> elements(mlir::Value tensor);
  /// Makes `values` the elements of `tensor` until the current scope ends.
  void bind(mlir::Value tensor, mlir::ValueRange values);
  /// Makes `tensor` the same as `value`.
  void alias(mlir::Value tensor, mlir::Value value) { aliases[tensor] = value; }
  /// Makes `tensor` what lies in `buffer`, which the kernel writes.
  void bindMemory(mlir::Value tensor, const Buffer &buffer) {
    memories[tensor] = buffer;
  }
  /// The value that this one stands for: fused groups are looked into.
  mlir::Value resolve(mlir::Value value) const;

  /// What is computed between these two is forgotten at the end: it is computed
  /// in a region, which others do not see.
  void pushScope() { scopes.emplace_back(); }
  void popScope() { scopes.pop_back(); }

  mlir::Value load(const Buffer &buffer, llvm::ArrayRef<Coord> at,
                   bool isWritten);
  void store(mlir::Value scalar, const Buffer &buffer,
             llvm::ArrayRef<Coord> at);

  // Arithmetic of coordinates, folded where both are numbers.
  Coord number(int64_t value) { return b.getIndexAttr(value); }
  mlir::Value value(Coord coord);
  Coord add(Coord x, Coord y);
  Coord mul(Coord x, int64_t y);
  Coord div(Coord x, int64_t y);
  Coord rem(Coord x, int64_t y);
  /// x within [0, size).
  Coord clamp(Coord x, int64_t size);
  /// Whether 0 <= x < size, as i1; null: always.
  mlir::Value isInside(Coord x, int64_t size);
  /// Whether x == y, as i1; null: always.
  mlir::Value isSame(Coord x, Coord y);
  /// Whether both hold, of which each may be null.
  mlir::Value both(mlir::Value x, mlir::Value y);
  /// A scalar integer as a coordinate.
  Coord coordOf(mlir::Value scalar);

  /// Where an element of the updates of a scatter belongs, which may lie
  /// outside of the operand.
  mlir::FailureOr<llvm::SmallVector<Coord>>
  placeOfUpdate(prim::ScatterOp op, llvm::ArrayRef<Coord> update);

  mlir::Value fail(const llvm::Twine &why) {
    if (reason.empty())
      reason = why.str();
    return {};
  }

  KernelBuilder &kernel;
  mlir::OpBuilder &b;
  mlir::Location loc;
  std::string reason;

protected:
  /// The memory that `bindMemory` said of a tensor, or null.
  const Buffer *memoryOf(mlir::Value tensor) const {
    auto found = memories.find(tensor);
    return found == memories.end() ? nullptr : &found->second;
  }
  /// Computes the results of an operation with regions and binds them, or
  /// fails.
  virtual mlir::LogicalResult emitRegions(mlir::Operation *op) = 0;
  /// Counts an operation of the kernel; fails where there are too many.
  mlir::LogicalResult count();

private:
  struct Scope {
    llvm::DenseMap<mlir::Value, llvm::SmallVector<mlir::Value>> bound;
    llvm::DenseMap<std::pair<mlir::Value, int64_t>, mlir::Value> cached;
  };

  mlir::Value compute(mlir::Value tensor, llvm::ArrayRef<Coord> at);
  mlir::Value chosen(mlir::ValueRange all, mlir::Type tensor,
                     llvm::ArrayRef<Coord> at);
  mlir::Value constant(prim::ConstantOp op, llvm::ArrayRef<Coord> at);
  mlir::Value iota(prim::IotaOp op, llvm::ArrayRef<Coord> at);
  mlir::Value elementwise(mlir::Operation *op, llvm::ArrayRef<Coord> at);
  mlir::Value select(mlir::Value condition, mlir::Value yes, mlir::Value no);
  // Movement (ElementMovement.cpp).
  mlir::Value transposed(prim::TransposeOp op, llvm::ArrayRef<Coord> at);
  mlir::Value repeated(prim::BroadcastInDimOp op, llvm::ArrayRef<Coord> at);
  mlir::Value sliced(prim::SliceOp op, llvm::ArrayRef<Coord> at);
  mlir::Value reversed(prim::RevOp op, llvm::ArrayRef<Coord> at);
  mlir::Value reshaped(prim::ReshapeOp op, llvm::ArrayRef<Coord> at);
  mlir::Value joined(prim::CatOp op, llvm::ArrayRef<Coord> at);
  mlir::Value padded(prim::PadOp op, llvm::ArrayRef<Coord> at);
  mlir::Value gathered(prim::GatherOp op, llvm::ArrayRef<Coord> at);
  mlir::Value scattered(prim::ScatterOp op, llvm::ArrayRef<Coord> at);
  // Sums (ElementSums.cpp).
  mlir::Value reduced(mlir::Operation *op, llvm::ArrayRef<Coord> at);
  mlir::Value product(prim::DotGeneralOp op, llvm::ArrayRef<Coord> at);
  mlir::Value wide(mlir::Value scalar, mlir::Type type);
  mlir::Value narrow(mlir::Value scalar, mlir::Type type);

  mlir::Operation *outer;
  llvm::DenseMap<mlir::Value, mlir::Value> aliases;
  llvm::DenseMap<mlir::Value, Buffer> memories;
  std::vector<Scope> scopes;
  unsigned numOps = 0;
};

/// The shape of a tensor.
inline llvm::ArrayRef<int64_t> shapeOf(mlir::Value tensor) {
  return mlir::cast<mlir::RankedTensorType>(tensor.getType()).getShape();
}
/// Its elements; `kDynamic`, which is less than any number of them, where only
/// a launch knows.
inline int64_t numElements(mlir::Value tensor) {
  auto type = mlir::cast<mlir::RankedTensorType>(tensor.getType());
  return type.hasStaticShape() ? type.getNumElements()
                               : mlir::ShapedType::kDynamic;
}
/// The coordinates of an element in row-major order.
llvm::SmallVector<Coord> coordsOf(int64_t number, llvm::ArrayRef<int64_t> shape,
                                  mlir::Builder &b);
/// Calls `visit` with all coordinates of a shape until it fails.
mlir::LogicalResult forEachElement(
    llvm::ArrayRef<int64_t> shape, mlir::Builder &b,
    llvm::function_ref<mlir::LogicalResult(llvm::ArrayRef<Coord>)> visit);

} // namespace kiln::schedule

#endif // KILN_LIB_SCHEDULE_ELEMENTBUILDER_H
