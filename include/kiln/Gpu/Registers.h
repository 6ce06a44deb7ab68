//===- Registers.h - Lowerings of tiles in registers ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Once tiles have layouts, a tile is a list of scalars in each thread: one for
// each register of its layout. A lowering of this level emits the code of one
// thread for one operation: it reads the registers of operands, exchanges
// elements with other threads, and defines the registers of results. The
// family's own lowerings are of this kind; those of a plug-in with priority 50
// or more go before them.
//
//   simt::addLowering(registry, {"mine.scan", "gpu", "tile.scan", 200,
//     [](Operation *op, simt::RegisterLoweringContext &ctx) -> LogicalResult {
//       simt::RegisterCode &code = ctx.code();
//       simt::Regs regs = code.registers(op->getOperand(0));
//       ...
//       code.define(op->getResult(0), regs);
//       return success();
//     },
//     [](Operation *op, simt::RegisterLoweringContext &ctx,
//        simt::ScratchNeeds &needs) -> LogicalResult {
//       if (!isMine(op))
//         return ctx.decline(op, "it is written for rows");
//       needs.push_back({1024});
//       return success();
//     }});
//
//===----------------------------------------------------------------------===//

#ifndef KILN_GPU_REGISTERS_H
#define KILN_GPU_REGISTERS_H

#include "kiln/Gpu/Lowering.h"
#include "kiln/Gpu/ThreadBuilder.h"
#include "llvm/Support/MathExtras.h"

namespace kiln::target {
class TargetRegistry;
} // namespace kiln::target

namespace kiln::simt {

/// The threads of a block.
struct BlockThreads {
  int64_t lanes, warps;
  target::TargetAttr description; ///< null: none
  unsigned laneBits() const { return llvm::Log2_64(lanes); }
  unsigned warpBits() const { return llvm::Log2_64(warps); }
  int64_t threads() const { return lanes * warps; }
};

/// A piece of shared memory that a lowering writes, then reads, with a barrier
/// of the block in between.
struct ScratchNeed {
  int64_t bytes = 0;
  /// If positive, each warp has a part of this many bytes for itself, and the
  /// barrier is one of the warp.
  int64_t warpBytes = 0;
};
/// Pieces in the order of their use: the lowering writes a piece after it has
/// read the piece before.
using ScratchNeeds = llvm::SmallVector<ScratchNeed, 1>;

/// The base pointer, sizes and strides of a view.
struct ViewParts {
  mlir::Value base;                              ///< pointer to global memory
  llvm::SmallVector<mlir::Value> sizes, strides; ///< i64
};

/// The code of one thread, which lowerings of tiles in registers extend. The
/// builder is positioned where the code of the operation goes.
class RegisterCode : public ThreadBuilder {
public:
  using ThreadBuilder::ThreadBuilder;
  virtual ~RegisterCode();

  /// Returns the thread's value of a scalar of the kernel; it is equal in all
  /// threads.
  mlir::Value scalar(mlir::Value value);
  /// Returns the registers of a tile, in the order of its layout.
  const Regs &registers(mlir::Value tile);
  /// Defines a result of the operation: the registers of a tile, or a scalar.
  void define(mlir::Value value, Regs regs);
  void define(mlir::Value value, mlir::Value scalar);
  /// Returns the address, sizes and strides of a view.
  virtual ViewParts viewOf(mlir::Value view) = 0;

  /// Returns the offset in shared memory, in bytes, of the next piece that the
  /// lowering asked for. With `warpBytes` each warp has its own part of this
  /// many bytes. The lowering must have read the piece before. If both pieces
  /// overlap, a barrier is inserted (of each warp, if both have the same parts
  /// for each warp), so all threads have to reach the call.
  int64_t scratch(int64_t bytes, int64_t warpBytes = 0);
  /// Emits a barrier of the threads of a warp.
  void warpBarrier();
  /// Emits the code of `make` under a condition (null: always).
  void guarded(mlir::Value condition, llvm::function_ref<void()> make);

  /// Emits an elementwise operation for these scalars; returns its results.
  virtual mlir::FailureOr<llvm::SmallVector<mlir::Value>>
  elementwise(mlir::Operation *op, mlir::ValueRange operands) = 0;
  /// Emits the body of a region of scalars; returns the values that it yields.
  virtual mlir::FailureOr<llvm::SmallVector<mlir::Value>>
  inlineRegion(mlir::Region &region, mlir::ValueRange arguments) = 0;

  /// Returns the register of `layout` that holds the element at these offsets
  /// from the thread's own coordinates; -1 if there is none.
  static int64_t registerAt(LayoutAttr layout, llvm::ArrayRef<int64_t> offset);

protected:
  /// Returns true if a value of the kernel has registers or a scalar already.
  bool isDefined(mlir::Value value) const {
    return tiles.contains(value) || scalars.contains(value);
  }
  void beginScratch(llvm::ArrayRef<int64_t> places) {
    scratchPlaces = places;
    scratchUsed = 0;
  }
  /// Returns true if the lowering took scratch memory that has no place.
  bool lacksScratch() const { return scratchUsed && scratchPlaces.empty(); }
  /// Returns true if scratch memory has a place but the lowering took none.
  bool leavesScratch() const { return !scratchUsed && !scratchPlaces.empty(); }

  llvm::DenseMap<mlir::Value, Regs> tiles;
  llvm::DenseMap<mlir::Value, mlir::Value> scalars;

private:
  /// Places of the scratch memory of the operation that is lowered.
  llvm::ArrayRef<int64_t> scratchPlaces;
  size_t scratchUsed = 0;       ///< number of pieces taken so far
  int64_t scratchWarpBytes = 0; ///< of the latest piece
};

/// The context of lowerings of tiles in registers.
class RegisterLoweringContext : public GpuLoweringContext {
public:
  RegisterLoweringContext(mlir::RewriterBase &rewriter,
                          const target::TargetOptions &options,
                          const BlockThreads &block,
                          RegisterCode *thread = nullptr,
                          ScratchNeeds *needs = nullptr)
      : GpuLoweringContext(Level::Registers, rewriter, options,
                           block.description),
        block(block), needs(needs), thread(thread) {}

  const BlockThreads &block;
  /// The needs of a lowering, which it states before there is any code; null
  /// when it emits code.
  ScratchNeeds *const needs;
  /// Returns the code that the lowering extends. There is none while the
  /// lowering states its needs.
  RegisterCode &code() const { return *thread; }

private:
  RegisterCode *thread;
};

/// A lowering of an operation whose tiles are in registers.
struct RegisterLowering {
  std::string name;   ///< "mine.scan"
  std::string target; ///< a target, or "gpu" for all of the family
  std::string op;     ///< "tile.scan", or a kind of Interfaces/Names.h
  int priority = 0;
  /// Emits the code of one thread and defines every result.
  std::function<mlir::LogicalResult(mlir::Operation *,
                                    RegisterLoweringContext &)>
      lower;
  /// States the scratch memory that the lowering needs, or declines the
  /// operation through the context. It runs when barriers are placed. Null: the
  /// lowering needs none, and `lower` may decline.
  std::function<mlir::LogicalResult(mlir::Operation *,
                                    RegisterLoweringContext &, ScratchNeeds &)>
      needs = {};
};

/// Registers a lowering. Earlier levels leave its operations unchanged.
void addLowering(target::TargetRegistry &registry, RegisterLowering lowering);

} // namespace kiln::simt

#endif // KILN_GPU_REGISTERS_H
