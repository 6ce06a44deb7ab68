//===- LayoutChoice.h - Layouts of accesses and products --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_LIB_GPU_LAYOUTCHOICE_H
#define KILN_LIB_GPU_LAYOUTCHOICE_H

#include "kiln/Analysis/AxisAnalysis.h"
#include "kiln/Dialect/Kiln/Asked.h"
#include "kiln/Dialect/Kiln/Description.h"
#include "kiln/Dialect/Simt/SimtDialect.h"
#include "kiln/Dialect/Stage/ProductOps.h"
#include "kiln/Interfaces/MatrixProduct.h"
#include "kiln/Interfaces/ViewAccess.h"

namespace kiln::simt {

struct BlockShape;

/// A view of so many elements ends behind all memory.
inline constexpr int64_t kBeyondMemory = int64_t(1) << 60;

/// How many elements of one access lie beside each other at an address that
/// is known to be a multiple of their size, and along which dimension of the
/// tile: -1 for none.
struct Contiguity {
  int axis = -1;     ///< of the view
  int dim = -1;      ///< of the tile
  int64_t count = 1; ///< a power of two; 16 bytes at most
};
Contiguity contiguityOf(mlir::Value view, llvm::ArrayRef<ViewAxis> axes,
                        tile::AxisAnalysis &facts);
inline Contiguity contiguityOf(ViewAccessOpInterface access,
                               tile::AxisAnalysis &facts) {
  return contiguityOf(access.getAccessedView(), access.getAxes(), facts);
}
/// The same for a tile of pointers that is accessed where `mask` (null:
/// everywhere) holds: as a whole vector or not at all.
Contiguity contiguityOf(mlir::Value pointers, mlir::Value mask,
                        tile::AxisAnalysis &facts);

/// The bits of registers that hold `count` neighbours along a dimension, the
/// nearest first; fewer where the layout has other elements in between.
llvm::SmallVector<unsigned> vectorBits(LayoutAttr layout, int dim,
                                       int64_t count);

/// Calls `body` with the registers that differ in `bits` alone, for each such
/// group; the first of `bits` counts one.
void forEachGroup(LayoutAttr layout, llvm::ArrayRef<unsigned> bits,
                  llvm::function_ref<void(llvm::ArrayRef<int64_t>)> body);

/// Threads take neighbouring vectors of `count` elements along `dim`; lanes run
/// along it first, warps along the other dimensions first. Small tiles are
/// spread over all threads, in smaller vectors, unless `isWhole`. `across`
/// vectors of a thread are neighbours along the other dimensions. Of these the
/// threads take `last`, if it is one of them, after all others;
/// `isLastOfWarps`: warps take it even after `dim`.
LayoutAttr blockedLayout(mlir::MLIRContext *context,
                         llvm::ArrayRef<int64_t> shape, int dim, int64_t count,
                         int64_t lanes, int64_t warps, bool isWhole = false,
                         int64_t across = 1, int last = -1,
                         bool isLastOfWarps = false);

/// Each thread holds `pack` elements that follow each other in row-major order,
/// or all that there are, in its first registers.
LayoutAttr packedLayout(mlir::MLIRContext *context,
                        llvm::ArrayRef<int64_t> shape, int64_t pack,
                        int64_t lanes, int64_t warps);

/// Whether matrix instructions may sum a product, whose factors are floats of 8
/// bits, with fewer bits than f32 has.
bool sumsWithFewerBits(MatrixProductOpInterface op);
bool sumsWithFewerBits(stage::ProductOp op);
/// Whether that holds for some terms at a time: their sums are added in f32.
bool sumsInParts(MatrixProductOpInterface op);
bool sumsInParts(stage::ProductOp op);
/// Why such sums of one instruction are more than the product allows; empty
/// where they are not.
std::string whyImprecise(MatrixProductOpInterface op,
                         target::MatrixInstructionAttr row);

/// Returns why a row of the description does not compute a product of `warps`
/// warps; empty where it does.
std::string whyRefused(MatrixProductOpInterface op,
                       target::MatrixInstructionAttr row,
                       target::TargetAttr description, int64_t warps);

/// The row of the description that takes a product's types and sizes in the
/// least time, the first one where rows do not say their cycles; null if none
/// does. Instructions for floats of 8 bits may sum with fewer bits than f32
/// has, so they need a product that allows as many imprecise terms. Those that
/// read factors from the memory of the block are found for `warps` alone.
target::MatrixInstructionAttr findInstruction(MatrixProductOpInterface op,
                                              target::TargetAttr description,
                                              int64_t warps = 0);

/// Returns why a product cannot be computed by the instruction that a schedule
/// script asks for; empty where it can.
std::string whyNotAsked(MatrixProductOpInterface op, const target::Asked &asked,
                        target::TargetAttr description, int64_t warps);

/// Returns why an operation cannot have the layout that a schedule script asks
/// for; empty where it can.
std::string whyNoLayout(mlir::Operation *op, mlir::Attribute asked,
                        int64_t lanes, int64_t warps);
/// The layout that a schedule script asks for; null: none.
LayoutAttr askedLayout(mlir::Operation *op);

/// Why there is no such row.
std::string whyNoInstruction(MatrixProductOpInterface op,
                             target::TargetAttr description);

/// The part that a lane has of the scales of one operand of an instruction (0:
/// lhs, 1: rhs), as a layout of that operand with one element for each block:
/// the lanes that divide the depth have a block each.
LayoutAttr scaleAtomOf(target::MatrixInstructionAttr row, int operand);
/// The layout of an operand of an instruction whose elements `packed` share a
/// byte along the depth, as a layout of bytes.
LayoutAttr packedAtomOf(target::MatrixInstructionAttr row, int operand,
                        int64_t packed);

/// How a product is computed by a matrix instruction of warps.
struct ProductChoice {
  target::MatrixInstructionAttr row;
  LayoutAttr lhs, rhs, acc;      ///< of a factor null: it is read from memory
  LayoutAttr lhsScale, rhsScale; ///< of the operands that have scales
  bool isExchanged = false;      ///< `RowFit`
};
/// The best row of the description that takes the product, if there is one;
/// `warps` share out its rows and columns. With `inRegisters` only rows are
/// looked at whose operands are in registers.
std::optional<ProductChoice> chooseProduct(MatrixProductOpInterface op,
                                           target::TargetAttr description,
                                           int64_t warps,
                                           bool inRegisters = false);

/// Whether one product's result goes into the left factor of another one, as
/// scores do into what weighs rows.
bool isChained(MatrixProductOpInterface op);

/// Adds rows of `--explain` for what a kernel whose tiles have layouts does:
/// how wide accesses are, and how many elements a thread has of the rest.
void reportLowerings(tile::KernelOp kernel, const BlockShape &block);

/// Adds such rows for a product and for what reads its factors: by which
/// instruction it goes, and why not by one that reads them from the memory of
/// the block.
void reportProduct(MatrixProductOpInterface product,
                   llvm::ArrayRef<mlir::Operation *> reads,
                   target::TargetAttr description);

} // namespace kiln::simt

#endif // KILN_LIB_GPU_LAYOUTCHOICE_H
