//===- SimtDialect.h - Tiles spread over threads ----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The `simt` dialect: layouts over registers, lanes and warps, and what a
// thread does that upstream's dialects cannot say.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DIALECT_SIMT_SIMTDIALECT_H
#define KILN_DIALECT_SIMT_SIMTDIALECT_H

#include "kiln/Dialect/Simt/ThreadCode.h"
#include "kiln/Dialect/Stage/StageDialect.h"
#include "kiln/Dialect/Tile/TileDialect.h"
#include "kiln/Interfaces/AsyncCopy.h"
#include "kiln/Interfaces/IndexMap.h"
#include "kiln/Interfaces/Layout.h"
#include "kiln/Interfaces/Synchronization.h"
#include "kiln/Interfaces/ThreadAccess.h"
#include "kiln/Layout/LinearLayout.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/LLVMIR/LLVMAttrs.h"
#include "mlir/Dialect/LLVMIR/LLVMTypes.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/TensorEncoding.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "kiln/Dialect/Simt/SimtOpsDialect.h.inc"

#include "kiln/Dialect/Simt/SimtEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "kiln/Dialect/Simt/SimtOpsAttrs.h.inc"

#define GET_OP_CLASSES
#include "kiln/Dialect/Simt/SimtOps.h.inc"

namespace kiln::simt {

/// The size and the alignment of a split barrier in shared memory, in bytes.
inline constexpr int64_t kSplitBarrierBytes = 8;
/// The name of the space of shared memory if the module has no description;
/// otherwise the description names it.
inline constexpr llvm::StringLiteral kSharedSpace = "shared";
/// The external global that stands for the shared memory of a block.
inline constexpr llvm::StringLiteral kSharedSymbol = "simt_shared";

/// Address spaces of pointers at the level of threads.
enum AddressSpace : unsigned { kGlobal = 1, kShared = 3 };

/// Returns the layout of a tile's type, or of the tile that a future is of;
/// null if it has none.
LayoutAttr getLayout(mlir::Type tile);
LayoutAttr getLayout(mlir::Value tile);
/// Returns a layout as a linear layout with the inputs `register`, `lane` and
/// `warp`, the last two with `laneBits` and `warpBits` bits, for a tile of
/// `shape`. Sizes are rounded up to powers of two.
layout::LinearLayout getLinearLayout(LayoutAttr layout,
                                     llvm::ArrayRef<int64_t> shape,
                                     unsigned laneBits, unsigned warpBits);
/// Returns the attribute of a linear layout with these inputs.
LayoutAttr getLayoutAttr(mlir::MLIRContext *context,
                         const layout::LinearLayout &layout);
/// The type with another layout.
mlir::RankedTensorType withLayout(mlir::Type tile, LayoutAttr layout);

} // namespace kiln::simt

#endif // KILN_DIALECT_SIMT_SIMTDIALECT_H
