//===- Lowering.h - What lowerings of the gpu family work with --*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A lowering registered for the family `gpu`, or for a target that is built on
// it, replaces one operation by others. The pass `simt-apply-lowerings` asks it
// at one of two levels (Registers.h has those of the level in between, which
// emit the code of one thread for an operation on tiles that have layouts):
//
// - Tiles: an operation of a tile.kernel, before its tiles have layouts. The
//   lowering emits operations of the tile level: tile, scf, arith and math on
//   tiles and scalars, text of the instruction set by tile.inline_asm. They are
//   offered to the other lowerings, get their layouts, and are lowered as if
//   the kernel had held them.
// - Threads: an operation of simt, gpu or llvm in the function of one thread.
//   The lowering emits operations that the target lowers: arith, math, scf,
//   gpu, llvm and simt on scalars.
//
//   registry.addLowering({"mine.exp", "gpu", "math.exp", 200,
//     [](Operation *op, target::LoweringContext &base) -> LogicalResult {
//       auto exp = cast<math::ExpOp>(op);
//       if (!getElementTypeOrSelf(exp.getType()).isF32())
//         return base.decline(op, "it is written for f32");
//       base.rewriter.replaceOpWithNewOp<...>(op, ...);
//       return success();
//     }});
//
//===----------------------------------------------------------------------===//

#ifndef KILN_GPU_LOWERING_H
#define KILN_GPU_LOWERING_H

#include "kiln/Dialect/Simt/SimtDialect.h"
#include "kiln/Dialect/Tile/TileDialect.h"
#include "kiln/Target/Lowering.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace kiln::simt {

/// Replaces `simt.atomic_rmw` or `simt.atomic_cas` by the operations of llvm.
/// `nameOf` gives the name that the target's code generator has for a scope.
/// False for any other operation.
bool lowerAtomic(mlir::Operation *op,
                 llvm::function_ref<llvm::StringRef(tile::MemoryScope)> nameOf);

/// Puts operations of llvm before a `simt.output` and lets them have its uses;
/// the caller erases it. Takes space by an atomic addition to the module's
/// output variable (kiln/Gpu/OutputRecord.h), which is returned: the target may
/// change how it is linked. `deviceScope` is the name of the device's scope in
/// the target's code generator.
mlir::LLVM::GlobalOp lowerOutput(OutputOp op, mlir::OpBuilder &b,
                                 llvm::StringRef deviceScope);

/// Puts an `llvm.inline_asm` before a `simt.inline_asm` and lets it have the
/// uses; the caller erases the operation, and has verified its `isa`.
void lowerInlineAsm(InlineAsmOp op, mlir::OpBuilder &b);

/// The context of lowerings in the gpu family. The rewriter stands before the
/// operation, which the lowering replaces or erases.
class GpuLoweringContext : public target::LoweringContext {
public:
  static constexpr llvm::StringLiteral kFamily = "gpu";
  /// The priority of the family's own lowerings: those of plug-ins go before
  /// them with this one or a higher one, and else are asked for what the family
  /// has no lowering for.
  static constexpr int kOwnPriority = 50;
  enum class Level { Tiles, Registers, Threads };

  GpuLoweringContext(Level level, mlir::RewriterBase &rewriter,
                     const target::TargetOptions &options,
                     target::TargetAttr description)
      : LoweringContext(rewriter, options, description), level(level) {}

  llvm::StringRef family() const override { return kFamily; }
  /// The form of lowerings of tiles in registers.
  static constexpr llvm::StringLiteral kRegisters = "registers";
  llvm::StringRef form() const override {
    return level == Level::Registers ? llvm::StringRef(kRegisters) : "";
  }

  /// What the operation works on.
  const Level level;
};

} // namespace kiln::simt

#endif // KILN_GPU_LOWERING_H
