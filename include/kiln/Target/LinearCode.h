//===- LinearCode.h - Kernels as code of registers and jumps ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What serialisers for machines with registers and jumps have in common: values
// get registers, loops and conditions of scf become jumps. How an instruction
// is written is the vendor's.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_TARGET_LINEARCODE_H
#define KILN_TARGET_LINEARCODE_H

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include <optional>
#include <vector>

namespace kiln::target {

/// Writes words. Every value has a register of its own, in one of several
/// files; registers are numbered from 0 in each.
class LinearCode {
public:
  virtual ~LinearCode();

  /// The operations of a block but for the last one, in order. Stops at the
  /// first for which there is an error.
  mlir::LogicalResult writeBlock(mlir::Block &block);

  std::vector<int64_t> words;
  /// Prints one line for each instruction that `append` wrote: its number, its
  /// name and its operands. A jump shows the number of the instruction that it
  /// leads to as `@N`.
  void print(llvm::raw_ostream &os) const;
  /// How many registers of a file are used.
  int64_t used(unsigned file) const {
    return file < files.size() ? files[file] : 0;
  }

protected:
  /// The register of a value.
  int64_t reg(mlir::Value value);
  /// One that no value has.
  int64_t newRegister(unsigned file = 0);
  /// Appends an instruction: `head`, such as its code, and its operands.
  /// Returns the place of its last word.
  size_t append(llvm::StringRef name, llvm::ArrayRef<int64_t> head,
                llvm::ArrayRef<int64_t> operands);
  /// The registers that values of a type are in.
  virtual unsigned fileOf(mlir::Type type) const { return 0; }

  /// Any operation but scf.for and scf.if.
  virtual mlir::LogicalResult write(mlir::Operation *op) = 0;
  virtual void writeMove(unsigned file, int64_t to, int64_t from) = 0;
  /// to = a < b for signed numbers, and to = a + b.
  virtual void writeLess(int64_t to, int64_t a, int64_t b) = 0;
  virtual void writeAdd(int64_t to, int64_t a, int64_t b) = 0;
  /// Jumps, always or where a condition is false. The result is where the word
  /// stands that says whereto, which is set later. It is one of those appended
  /// here, or by the `writeLess` or `writeAdd` in front of the jump.
  virtual size_t writeJump() = 0;
  virtual size_t writeJumpUnless(int64_t condition) = 0;

private:
  mlir::LogicalResult writeFor(mlir::scf::ForOp loop);
  mlir::LogicalResult writeIf(mlir::scf::IfOp choice);
  /// All at once: a register may be both source and target.
  void moveAll(mlir::ValueRange to, mlir::ValueRange from);
  /// Lets a jump lead to the word `to`; to the next one.
  void land(size_t jump, size_t to);
  void land(size_t jump) { land(jump, words.size()); }
  /// Writes a jump, always or unless a register is true. Its place is one of
  /// the words from `before` on; else an error at `op`.
  mlir::FailureOr<size_t>
  jumpFrom(mlir::Operation *op, size_t before,
           std::optional<int64_t> unless = std::nullopt);

  struct Line {
    std::string name;
    size_t begin, operands, end; ///< places among the words
  };
  std::vector<Line> lines;
  llvm::DenseSet<size_t> jumps; ///< words that say whereto

  llvm::DenseMap<mlir::Value, int64_t> registers;
  std::vector<int64_t> files;
};

} // namespace kiln::target

#endif // KILN_TARGET_LINEARCODE_H
