//===- SimtDialect.h - Tiles spread over threads ----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The `simt` dialect: layouts over registers, lanes and warps, and what a
// thread does that upstream's dialects cannot say.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DIALECT_SIMT_SIMTDIALECT_H
#define KILN_DIALECT_SIMT_SIMTDIALECT_H

#include "kiln/Dialect/Tile/Tile.h"
#include "kiln/Interfaces/IndexMap.h"
#include "kiln/Interfaces/Layout.h"
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

/// On an operation of a kernel that simt-insert-barriers has been through: for
/// each piece of shared memory that it borrows, where that begins and how many
/// bytes it has (array<i64>).
inline constexpr llvm::StringLiteral kScratchAttr = "simt.scratch";
/// What a split barrier takes in shared memory, in bytes, and its alignment.
inline constexpr int64_t kSplitBarrierBytes = 8;
/// On a kernel's function at the level of threads: how many threads a block
/// has (i64).
inline constexpr llvm::StringLiteral kThreadsAttr = "simt.threads";
/// On the same, and on a kernel that simt-insert-barriers has been through:
/// bytes of memory that the block shares (i64).
inline constexpr llvm::StringLiteral kSharedBytesAttr = "simt.shared_bytes";
/// On the same, where its blocks must all run at once (unit).
inline constexpr llvm::StringLiteral kCooperativeAttr = "simt.cooperative";
/// On the same: the kernel's numerics mode (#tile.numerics).
inline constexpr llvm::StringLiteral kNumericsAttr = "simt.numerics";
/// On a kernel whose tiles have layouts: how many warps run an instance (i64).
inline constexpr llvm::StringLiteral kWarpsAttr = "simt.warps";
/// The space of storage that the threads of a block share where there is no
/// description; else it has the name of the description's shared memory.
inline constexpr llvm::StringLiteral kSharedSpace = "shared";
/// The external global that stands for the memory that a block shares.
inline constexpr llvm::StringLiteral kSharedSymbol = "simt_shared";

/// Address spaces of pointers at the level of threads.
enum AddressSpace : unsigned { kGlobal = 1, kShared = 3 };

/// The layout of a tile's type; null without one.
LayoutAttr getLayout(mlir::Type tile);
LayoutAttr getLayout(mlir::Value tile);
/// The same as a linear layout with the inputs `register`, `lane` and `warp` of
/// so many bits, for a tile of this shape: sizes are rounded up.
layout::LinearLayout getLinearLayout(LayoutAttr layout,
                                     llvm::ArrayRef<int64_t> shape,
                                     unsigned laneBits, unsigned warpBits);
/// The attribute of such a layout.
LayoutAttr getLayoutAttr(mlir::MLIRContext *context,
                         const layout::LinearLayout &layout);
/// The type with another layout.
mlir::RankedTensorType withLayout(mlir::Type tile, LayoutAttr layout);

} // namespace kiln::simt

#endif // KILN_DIALECT_SIMT_SIMTDIALECT_H
