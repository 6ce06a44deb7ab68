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

/// Writes a block of operations as instructions, which are words of 64 bits.
/// Every value gets a register of its own, in one of several register files;
/// registers are numbered from 0 in each file. A subclass writes single
/// instructions; this class writes loops and conditions.
class LinearCode {
public:
  virtual ~LinearCode();

  /// Writes the operations of a block, except its terminator, in order. Stops
  /// at the first that fails.
  mlir::LogicalResult writeBlock(mlir::Block &block);

  std::vector<int64_t> words; ///< the instructions that were written
  /// Prints one line for each instruction that `append` wrote: its number, its
  /// name and its operands. A jump shows the number of the instruction that it
  /// leads to as `@N`.
  void print(llvm::raw_ostream &os) const;
  /// Returns the number of registers of a file that are used.
  int64_t used(unsigned file) const {
    return file < files.size() ? files[file] : 0;
  }

protected:
  /// Returns the register of a value; a value without one gets the next.
  int64_t reg(mlir::Value value);
  /// Returns a register that no value has.
  int64_t newRegister(unsigned file = 0);
  /// Appends an instruction: `head`, such as its code, and its operands.
  /// Returns the place of its last word.
  size_t append(llvm::StringRef name, llvm::ArrayRef<int64_t> head,
                llvm::ArrayRef<int64_t> operands);
  /// Returns the register file for values of a type.
  virtual unsigned fileOf(mlir::Type type) const { return 0; }

  /// Writes one operation, which is neither scf.for nor scf.if.
  virtual mlir::LogicalResult write(mlir::Operation *op) = 0;
  /// Writes to = from, both in one file.
  virtual void writeMove(unsigned file, int64_t to, int64_t from) = 0;
  /// Write to = a < b for signed integers, and to = a + b.
  virtual void writeLess(int64_t to, int64_t a, int64_t b) = 0;
  virtual void writeAdd(int64_t to, int64_t a, int64_t b) = 0;
  /// Write a jump that is always taken, and one that is taken if a condition is
  /// false. Return the index of the word that holds the target of the jump,
  /// which this class sets later. The word is one of those appended here, or by
  /// the `writeLess` or `writeAdd` before the jump.
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
