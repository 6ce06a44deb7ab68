//===- Scratchpad.h - From tiles to addresses of a scratchpad ---*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What targets have in common whose programs compute in one explicit memory and
// move data in and out by transfers: the passes from `tile` to `stage` with
// places, and what the operations mean to a machine that knows addresses.
// Addresses are bytes from the beginning of the memory, values of type index.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_STAGING_SCRATCHPAD_H
#define KILN_STAGING_SCRATCHPAD_H

#include "kiln/Dialect/Stage/Stage.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/DenseMap.h"
#include <optional>
#include <string>

namespace kiln::staging {

struct ScratchpadOptions {
  std::string space;  ///< name of the memory in the description
  int64_t bytes = 0;  ///< that it has
  int64_t align = 64; ///< of every storage, in bytes
  /// Blocks of a loop that are there at once: one is used while the others are
  /// filled. 1: copies are waited for where they stand.
  int64_t slots = 2;
};

/// Adds the passes to a pass manager of `builtin.module`. Afterwards kernels
/// hold copies, rings, products in blocks of matrix instructions, and regions
/// that compute on storage; all storage has its place. What does not fit is
/// declined, with an error that begins with `unsupported:`.
void buildScratchpadPipeline(mlir::OpPassManager &pm,
                             const ScratchpadOptions &options);

/// A box of a view and where it lies, as a transfer moves it. Dimensions are
/// the view's; those that the storage lacks have one element and stride 0.
struct TransferBox {
  bool isIn = false; ///< from the view to the storage
  mlir::Value view;
  llvm::SmallVector<mlir::Value, 4> offsets; ///< first elements
  llvm::SmallVector<int64_t, 4> counts;      ///< elements
  llvm::SmallVector<int64_t, 4> strides;     ///< bytes in the storage
  mlir::Value address;
  mlir::Value padding; ///< scalar that is read outside of the view
};

/// Where the storage of one kernel lies.
class Addresses {
public:
  explicit Addresses(mlir::OpBuilder &b) : b(b) {}

  /// Bytes between neighbours along each dimension of strided storage.
  static llvm::SmallVector<int64_t> byteStrides(mlir::Type storage);

  mlir::Value constant(mlir::Location loc, int64_t value);
  /// The address of an element; of the first one without coordinates.
  mlir::Value at(mlir::Location loc, mlir::Value storage,
                 mlir::ValueRange coords = {});

  /// Storage of its own, at the place that stage-allocate chose, or another
  /// name of storage. False for anything else.
  bool bind(mlir::Operation *op);
  /// Bytes of a slot of a ring.
  static int64_t slotBytes(stage::RingOp ring);
  /// The parts of the slot that lies at an address.
  void bindSlot(stage::RingOp ring, mlir::ValueRange parts, mlir::Value slot);

  /// What a copy between a view and storage moves; nothing for other copies.
  std::optional<TransferBox> transfer(stage::CopyOp copy);

private:
  mlir::OpBuilder &b;
  llvm::DenseMap<mlir::Value, mlir::Value> addresses;
};

/// Whole storage that a region does nothing but fill with one value.
struct Filling {
  mlir::Value storage;
  int64_t bytes = 0;
  uint64_t word = 0; ///< the value again and again, in eight bytes
};
std::optional<Filling> getFilling(stage::ComputeOp region);

} // namespace kiln::staging

#endif // KILN_STAGING_SCRATCHPAD_H
