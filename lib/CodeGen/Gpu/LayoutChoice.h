//===- LayoutChoice.h - Layouts of accesses ---------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_LIB_GPU_LAYOUTCHOICE_H
#define KILN_LIB_GPU_LAYOUTCHOICE_H

#include "kiln/Analysis/AxisAnalysis.h"
#include "kiln/Dialect/Simt/SimtDialect.h"
#include "kiln/Interfaces/ViewAccess.h"

namespace kiln::simt {

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

/// Returns why an operation cannot have the layout that a schedule script asks
/// for; empty where it can.
std::string whyNoLayout(mlir::Operation *op, mlir::Attribute asked,
                        int64_t lanes, int64_t warps);
/// The layout that a schedule script asks for; null: none.
LayoutAttr askedLayout(mlir::Operation *op);

} // namespace kiln::simt

#endif // KILN_LIB_GPU_LAYOUTCHOICE_H
