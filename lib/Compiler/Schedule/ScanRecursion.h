//===- ScanRecursion.h - Scans written as recursions ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Frontends write a scan with a function of theirs as a recursion: neighbours
// are combined, the half as long sequence is scanned, and its elements are
// combined with those between them. The two halves of the result take turns.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_SCHEDULE_SCANRECURSION_H
#define KILN_LIB_SCHEDULE_SCANRECURSION_H

#include "kiln/Dialect/Prim/Prim.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SetVector.h"

#include <optional>

namespace kiln::schedule {

/// A tensor whose elements along `dim` are those of two others by turns.
struct Interleaved {
  mlir::Value even, odd;
  unsigned dim = 0;
  int64_t size = 0;      ///< along `dim`
  bool addsZero = false; ///< to each element
};

/// Returns how `value` takes turns between two tensors, or nothing.
std::optional<Interleaved> interleavedOf(mlir::Value value);

/// A scan that was found as a recursion. Sequences that are scanned together
/// are its components, in the order in which they were found.
class ScanRecursion {
public:
  /// A step of the function that combines two elements of each component.
  struct Node {
    mlir::Operation *op = nullptr; ///< an elementwise operation
    llvm::SmallVector<int> operands;
    mlir::TypedAttr value; ///< of a constant
    int component = -1;    ///< of an element
    bool isRight = false;  ///< whether it is the later one of two elements
  };

  /// Finds the scan one of whose results is `value`.
  static std::optional<ScanRecursion> find(mlir::Value value);

  /// Adds another result, if `value` is one.
  bool addResult(mlir::Value value);

  unsigned dim = 0;
  int64_t size = 0;
  bool addsZero = false;
  std::vector<Node> nodes;
  llvm::SmallVector<int> functions;        ///< the node of each component
  llvm::SmallVector<mlir::Value> elements; ///< the tensor of each component
  /// Results with their components.
  llvm::SmallVector<std::pair<mlir::Value, unsigned>> results;

  /// The operations between the elements and the results.
  llvm::SetVector<mlir::Operation *> operations() const;

private:
  struct Level {
    int64_t size;
    llvm::SmallVector<mlir::Value> elements; ///< null: not known
  };
  /// The values that elements of a function stand for, by component and side,
  /// and which nodes were found to be which values.
  struct Bindings {
    llvm::DenseMap<std::pair<int, int>, mlir::Value> elements;
    llvm::DenseSet<std::pair<int, mlir::Value>> seen;
  };

  bool readLevels(mlir::Value value);
  int trace(mlir::Value value);
  int componentOf(mlir::Value elements);
  bool unify(int node, mlir::Value value, Bindings &bindings);
  bool knowElements(unsigned level, unsigned component, mlir::Value elements);
  bool closeLevels();
  bool verify(unsigned level, unsigned component, mlir::Value value);
  bool verifyLater(unsigned level, unsigned component, const Interleaved &both,
                   mlir::Value rest);

  std::vector<Level> levels;
  llvm::DenseMap<mlir::Value, int> traced;
  size_t numTraced = 0; ///< with values whose operands are being traced
  /// Values that are the scan of a level and component.
  llvm::DenseSet<std::pair<mlir::Value, std::pair<unsigned, unsigned>>>
      verified;
};

} // namespace kiln::schedule

#endif // KILN_LIB_SCHEDULE_SCANRECURSION_H
