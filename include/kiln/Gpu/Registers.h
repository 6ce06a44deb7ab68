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

/// One piece of shared memory that an operation writes, then reads. Between the
/// two all threads of the block wait for each other.
struct ScratchNeed {
  int64_t bytes = 0;
  /// If positive, each warp has a part of so many bytes for itself, and only
  /// the lanes of a warp wait for each other.
  int64_t warpBytes = 0;
};
/// In the order in which they are used. Each begins when the one before has
/// been read.
using ScratchNeeds = llvm::SmallVector<ScratchNeed, 1>;

/// What a view is made of.
struct ViewParts {
  mlir::Value base;                              ///< pointer to global memory
  llvm::SmallVector<mlir::Value> sizes, strides; ///< i64
};

/// The code of one thread, as lowerings of tiles in registers extend it. The
/// builder stands where the code of the operation goes.
class RegisterCode : public ThreadBuilder {
public:
  using ThreadBuilder::ThreadBuilder;
  virtual ~RegisterCode();

  /// What a scalar of the kernel is in every thread alike.
  mlir::Value scalar(mlir::Value value);
  /// The registers of a tile, in the order of its layout.
  const Regs &registers(mlir::Value tile);
  /// Defines a result: its registers, or the scalar that it is.
  void define(mlir::Value value, Regs regs);
  void define(mlir::Value value, mlir::Value scalar);
  /// Address, sizes and strides of a view.
  virtual ViewParts viewOf(mlir::Value view) = 0;

  /// Where the next piece of shared memory begins that the lowering said it
  /// needs, in bytes. With `warpBytes` each warp has its own part of so many
  /// bytes. What it read of the piece before is done with: where the two
  /// overlap, a barrier is inserted, of each warp if both are parted alike, so
  /// that all threads have to come to the call.
  int64_t scratch(int64_t bytes, int64_t warpBytes = 0);
  /// A barrier for the threads of a warp.
  void warpBarrier();
  /// `make` only where a condition holds (null: always).
  void guarded(mlir::Value condition, llvm::function_ref<void()> make);

  /// Results of an operation on elements for these operands.
  virtual mlir::FailureOr<llvm::SmallVector<mlir::Value>>
  elementwise(mlir::Operation *op, mlir::ValueRange operands) = 0;
  /// What a region of scalars yields.
  virtual mlir::FailureOr<llvm::SmallVector<mlir::Value>>
  inlineRegion(mlir::Region &region, mlir::ValueRange arguments) = 0;

  /// The register of `layout` that holds what is at these offsets from the
  /// thread's own coordinates; -1 if none does.
  static int64_t registerAt(LayoutAttr layout, llvm::ArrayRef<int64_t> offset);

protected:
  /// Whether a value of the kernel has registers, or is a scalar, already.
  bool isDefined(mlir::Value value) const {
    return tiles.contains(value) || scalars.contains(value);
  }
  void beginScratch(llvm::ArrayRef<int64_t> places) {
    scratchPlaces = places;
    scratchUsed = 0;
  }
  /// Whether memory was asked for that has no place.
  bool lacksScratch() const { return scratchUsed && scratchPlaces.empty(); }
  /// Whether memory has a place that no lowering asked for.
  bool leavesScratch() const { return !scratchUsed && !scratchPlaces.empty(); }

  llvm::DenseMap<mlir::Value, Regs> tiles;
  llvm::DenseMap<mlir::Value, mlir::Value> scalars;

private:
  /// Of the operation that is lowered: where its scratch memory is, and how
  /// many pieces of it have been used.
  llvm::ArrayRef<int64_t> scratchPlaces;
  size_t scratchUsed = 0;
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
  /// Where a lowering says what it needs, before there is any code; else null.
  ScratchNeeds *const needs;
  /// The code that the lowering extends; there is none where it is asked for
  /// its needs.
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
  /// Says what the lowering will borrow of shared memory, or declines the
  /// operation through the context. It is asked when barriers are placed. Null:
  /// nothing is borrowed, and `lower` may decline.
  std::function<mlir::LogicalResult(mlir::Operation *,
                                    RegisterLoweringContext &, ScratchNeeds &)>
      needs = {};
};

/// Registers a lowering. Operations that it is for pass the levels before as
/// they are.
void addLowering(target::TargetRegistry &registry, RegisterLowering lowering);

} // namespace kiln::simt

#endif // KILN_GPU_REGISTERS_H
