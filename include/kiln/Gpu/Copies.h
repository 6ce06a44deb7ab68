//===- Copies.h - Copies in flight that a plug-in starts --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A load whose tile a loop reads from shared memory becomes a copy that runs
// iterations ahead: it fills a slot of a ring, and the loop waits for it before
// it reads the slot. A copy lowering has the code that starts such a
// copy, piece by piece. Rings, groups, waits and barriers stay the family's.
//
//   simt::addCopyLowering(registry, {"mine.lines", "gpu", "mine.fetch", 100,
//     [](Operation *load, simt::CopyLoweringContext &ctx,
//        const simt::CopyPiece &piece) -> LogicalResult {
//       simt::RegisterCode &code = ctx.code();
//       mine::CopyLineOp::create(code.b, code.loc, piece.source, piece.target,
//                                piece.bytes, piece.mask, piece.valid);
//       return success();
//     },
//     [](Operation *load, simt::CopyLoweringContext &ctx) -> LogicalResult {
//       return isMine(load) ? success() : ctx.decline(load, "it is no line");
//     }});
//
//===----------------------------------------------------------------------===//

#ifndef KILN_GPU_COPIES_H
#define KILN_GPU_COPIES_H

#include "kiln/Gpu/Registers.h"

namespace kiln::simt {

/// What one thread copies at once: bytes that lie side by side in both
/// memories. The values are those of `AsyncCopyOpInterface`.
struct CopyPiece {
  mlir::Value source, target;
  int64_t bytes = 0; ///< 4, 8 or 16
  mlir::Value mask;  ///< i1; null: always
  mlir::Value valid; ///< i1 or i32; null: all bytes
};

/// The context of lowerings that start copies.
class CopyLoweringContext : public RegisterLoweringContext {
public:
  using RegisterLoweringContext::RegisterLoweringContext;
  /// The form of lowerings of copies.
  static constexpr llvm::StringLiteral kCopies = "copies";
  llvm::StringRef form() const override { return kCopies; }

  /// The pieces of a load; empty while a lowering is asked whether it takes the
  /// load.
  llvm::ArrayRef<CopyPiece> pieces;
};

/// A lowering of loads that go ahead of the loop.
struct CopyLowering {
  std::string name;   ///< "mine.lines"
  std::string target; ///< a target, or "gpu" for all of the family
  std::string op;     ///< a load: "mine.fetch", or a kind of Interfaces/Names.h
  int priority = 0;
  /// Emits operations with `AsyncCopyOpInterface` that copy a piece. They do
  /// not commit or wait.
  std::function<mlir::LogicalResult(mlir::Operation *, CopyLoweringContext &,
                                    const CopyPiece &)>
      copy;
  /// Says that the lowering copies what a load reads, or declines it through
  /// the context; there is no code yet. Null: it takes all.
  std::function<mlir::LogicalResult(mlir::Operation *, CopyLoweringContext &)>
      accepts = {};
};

/// Registers a lowering of copies. A load that no such lowering takes is copied
/// by the family.
void addCopyLowering(target::TargetRegistry &registry, CopyLowering lowering);

} // namespace kiln::simt

#endif // KILN_GPU_COPIES_H
