//===- Work.h - How much code a kernel becomes ------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A tile becomes a scalar for each register of a thread, so that the text of a
// thread grows with the tiles. This is known before any of it is made.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_GPU_WORK_H
#define KILN_LIB_GPU_WORK_H

#include "kiln/Dialect/Kiln/Description.h"
#include "kiln/Dialect/Tile/TileDialect.h"

namespace kiln::simt {

/// The text of one thread.
struct Work {
  int64_t operations = 0;          ///< on scalars; loops are counted once
  mlir::Operation *most = nullptr; ///< where most of them come from
  int64_t share = 0;               ///< those of `most`
};

/// The text of a thread of a kernel that so many share.
Work workOf(tile::KernelOp kernel, int64_t lanes, int64_t warps,
            target::TargetAttr description);

/// Bytes of the registers of a core; 0 where the description does not say.
int64_t registerFileOf(target::TargetAttr description);

/// Words of 32 bits that the registers of a thread hold.
int64_t registersOf(target::TargetAttr description);

/// Whether a block of a kernel whose tiles have layouts is alone on a core, as
/// its products take more than half of the registers. False where the
/// description does not say how many there are.
bool fillsRegisters(tile::KernelOp kernel, int64_t threads,
                    target::TargetAttr description);

/// The most words of 32 bits that a kernel's tiles take at one place, all
/// threads together. Tiles that follow from constants and scalars alone take
/// none.
int64_t mostLiveWords(tile::KernelOp kernel);

/// The same for one thread of a kernel whose tiles have layouts.
int64_t liveWordsOfThread(mlir::Operation *kernel);

/// Whether a thread has more text, or more of a tile, than is compiled in
/// seconds, so that more warps had better share it.
bool wantsMoreWarps(tile::KernelOp kernel, int64_t lanes, int64_t warps,
                    target::TargetAttr description);

/// Says what of a kernel is more than `warps` can do, or is no tile that
/// threads can share; false where there is no such part.
bool isTooMuch(tile::KernelOp kernel, int64_t lanes, int64_t warps,
               target::TargetAttr description);

} // namespace kiln::simt

#endif // KILN_LIB_GPU_WORK_H
