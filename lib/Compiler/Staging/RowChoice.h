//===- RowChoice.h - Which instruction multiplies storage -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_LIB_STAGING_ROWCHOICE_H
#define KILN_LIB_STAGING_ROWCHOICE_H

#include "kiln/Dialect/Kiln/Description.h"
#include "kiln/Interfaces/MatrixProduct.h"

namespace kiln::staging {

/// The memory of a description that storage goes to: `space`, or else the first
/// one that programs move data into, or else the cache that is nearest.
target::MemoryAttr chooseMemory(target::TargetAttr description,
                                llvm::StringRef space);

enum class Factor { Lhs, Rhs };

/// Chooses among the matrix instructions of a description for products of
/// storage in one memory. `stage-block-products` asks it.
class RowChoice {
public:
  /// `columns` and `panels`: whether the target reads factors that lie so.
  RowChoice(target::TargetAttr description, llvm::StringRef space, bool columns,
            bool panels);

  /// The first row that computes a product, or null. The report gets the
  /// reasons of those before it.
  target::MatrixInstructionAttr choose(MatrixProductOpInterface product) const;

  /// Rows, columns and steps of a block.
  std::array<int64_t, 3> blockOf(target::MatrixInstructionAttr row,
                                 MatrixProductOpInterface product) const;
  /// Storage of a factor, in the layout that a row reads.
  mlir::MemRefType storageOf(target::MatrixInstructionAttr row,
                             MatrixProductOpInterface product,
                             Factor which) const;
  /// Whether copies from views alone fill the storage of a factor, and only
  /// products read it as this one does: then it can have any layout.
  bool isFilledFor(MatrixProductOpInterface product, Factor which) const;
  /// Whether a factor is in storage of that layout.
  bool liesAs(MatrixProductOpInterface product, Factor which,
              mlir::MemRefType wanted) const;

private:
  std::string whyRefused(target::MatrixInstructionAttr row,
                         MatrixProductOpInterface product) const;
  std::string whyHome(target::OperandAttr operand) const;
  std::string whyLayout(target::MatrixInstructionAttr row,
                        MatrixProductOpInterface product, Factor which) const;

  target::TargetAttr description;
  std::string space;
  bool columns, panels;
};

} // namespace kiln::staging

#endif // KILN_LIB_STAGING_ROWCHOICE_H
