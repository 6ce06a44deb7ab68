//===- Fragments.h - What threads read of storage ---------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_LIB_GPU_FRAGMENTS_H
#define KILN_LIB_GPU_FRAGMENTS_H

#include "ThreadWriter.h"

namespace kiln::simt {

/// Reads what the threads hold of storage by a layout, each register when it is
/// asked for first: by a tile move of the description whose matrices are those
/// of the layout, else by elements.
class FragmentReader {
public:
  FragmentReader(ThreadWriter &w, const StoragePlace &place, LayoutAttr layout,
                 mlir::Type element);

  mlir::Value get(int64_t reg);
  const Regs &all();

private:
  void findMatrices();
  bool takesMove(target::TileMoveAttr move);
  void readMatrices(int64_t group);
  void findRuns();
  void readRun(int64_t reg);

  ThreadWriter &w;
  StoragePlace place;
  LayoutAttr layout;
  mlir::Type element;
  Regs result; ///< null: not read yet
  // Of matrices: elements of a word, and the bits of a register's number that
  // count them and the matrices of an instruction.
  int64_t perWord = 1;
  unsigned wordBits = 0, matrixBits = 0;
  target::TileMoveAttr move; ///< null: elements
  LayoutAttr addresses;      ///< of what lanes point to, by the move
  /// Bits of a register's number that count elements side by side.
  llvm::SmallVector<unsigned> runBits;
};

/// The storage of the left (0) or the right (1) factor of a product, with the
/// dimensions of the tile; nothing where threads have the factor.
std::optional<StoragePlace> storageOf(ThreadWriter &w, stage::ProductOp op,
                                      int which);

/// How threads read such a factor; null where they have it.
std::unique_ptr<FragmentReader> readerOf(ThreadWriter &w, stage::ProductOp op,
                                         int which);

} // namespace kiln::simt

#endif // KILN_LIB_GPU_FRAGMENTS_H
