//===- Lowering.h - What lowerings of the cpu family work with --*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A lowering registered for the family `cpu` (or for a target that uses it)
// emits scf, arith, math, vector and llvm operations for one tile operation:
//
//   registry.addLowering({"mine.dot", "cpu", "tile.dot", 200,
//     [](Operation *op, target::LoweringContext &base) -> LogicalResult {
//       auto *ctx = base.as<cpu::CpuLoweringContext>();
//       auto dot = cast<tile::DotOp>(op);
//       cpu::TileBuffer lhs = ctx->materialize(dot.getLhs());
//       ...
//       cpu::TileBuffer result = ctx->createResult(dot.getResult());
//       ctx->forEach(shape, [&](ValueRange index) { ... });
//       return success();
//     }});
//
//===----------------------------------------------------------------------===//

#ifndef KILN_CPU_LOWERING_H
#define KILN_CPU_LOWERING_H

#include "kiln/Cpu/Config.h"
#include "kiln/Target/Lowering.h"
#include "kiln/Target/TargetRegistry.h"

namespace kiln::cpu {
class KernelEmitter;

/// A tile in memory: address, shape and strides in elements. Boolean elements
/// are bytes, `index` elements are 64-bit integers, registers hold the bits of
/// bf16 and f16 elements as i16.
struct TileBuffer {
  mlir::Value base; ///< !llvm.ptr
  mlir::Type elementType;
  llvm::SmallVector<int64_t> shape, strides;
  explicit operator bool() const { return base != nullptr; }
};

/// The context of lowerings in the cpu family. The rewriter stands where the
/// code of the operation goes; coordinates are i64.
class CpuLoweringContext : public target::LoweringContext {
public:
  static constexpr llvm::StringLiteral kFamily = "cpu";

  CpuLoweringContext(KernelEmitter &emitter, mlir::RewriterBase &rewriter,
                     const target::TargetOptions &options,
                     target::TargetAttr description);

  llvm::StringRef family() const override { return kFamily; }
  const CpuConfig &config() const;

  /// Returns the generated value for a scalar of the kernel.
  mlir::Value scalar(mlir::Value value);
  /// Returns the elements of a tile of the kernel in memory, computed there if
  /// they are not. The lowering must not write them.
  TileBuffer materialize(mlir::Value tile);
  /// Makes memory for a result of the operation and defines it. Where `init` is
  /// given, it starts out as a copy of that tile.
  TileBuffer createResult(mlir::Value result, mlir::Value init = nullptr);
  /// Scratch memory for the duration of this lowering, 64-byte aligned.
  mlir::Value allocate(int64_t bytes);

  mlir::Value constant(int64_t value);
  /// Emits a loop nest over the shape, the last dimension innermost. `body`
  /// gets one i64 for each dimension, and must not keep values between points.
  void forEach(llvm::ArrayRef<int64_t> shape,
               llvm::function_ref<void(mlir::ValueRange)> body);
  /// Returns the address (!llvm.ptr) of the element at the coordinates `index`,
  /// one i64 for each dimension; nothing checks that they are inside.
  mlir::Value address(const TileBuffer &buffer, mlir::ValueRange index);
  /// Reads or writes `lanes` consecutive elements of the last dimension, whose
  /// stride is 1 unless `lanes` is 1: a scalar, or a vector of that size, with
  /// elements as registers hold them (see TileBuffer). Nothing is masked.
  /// `store` takes the number of elements from the value.
  mlir::Value load(const TileBuffer &buffer, mlir::ValueRange index,
                   int64_t lanes = 1);
  void store(mlir::Value value, const TileBuffer &buffer,
             mlir::ValueRange index);
  /// f32 registers from the bits of bf16 or f16 elements, exactly; and back,
  /// rounded to nearest, ties to even.
  mlir::Value widen(mlir::Value bits, mlir::Type element);
  mlir::Value narrow(mlir::Value value, mlir::Type element);

  KernelEmitter &emitter;
};

/// Registers the family `cpu` and its lowerings.
void registerCpuFamily(target::TargetRegistry &registry);

} // namespace kiln::cpu

#endif // KILN_CPU_LOWERING_H
