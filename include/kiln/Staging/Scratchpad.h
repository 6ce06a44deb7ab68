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
#include "kiln/Dialect/Tile/KernelOps.h"
#include "kiln/Target/TargetRegistry.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/DenseMap.h"
#include <memory>
#include <optional>
#include <string>

namespace kiln::staging {

/// The memory, and the abilities of the machine, that the pipeline compiles
/// for.
struct ScratchpadOptions {
  std::string space;  ///< name of the memory in the description
  int64_t bytes = 0;  ///< that it has
  int64_t align = 64; ///< of every storage, in bytes
  /// Blocks of a loop that are there at once: one is used while the others are
  /// filled; fewer where they do not fit. 1: copies are waited for where they
  /// stand.
  int64_t slots = 2;
  /// Layouts of operands beside rows that the target's products read: columns
  /// (`#kiln.order<col>`) and panels (`#kiln.interleave`). Instructions of the
  /// description that ask for others are refused.
  bool columns = false, panels = false;
  /// Names of reductions of plug-ins that the target lowers as they are; others
  /// become `tile.reduce`.
  std::vector<std::string> keep = {};
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

/// Rows and columns of a box, inside of the view: what a machine moves whose
/// descriptors have two dimensions and check no bounds.
struct TransferPlane {
  mlir::Value view;
  /// The first element in the view, one coordinate per dimension. Inside of it
  /// where the plane has elements.
  llvm::SmallVector<mlir::Value, 4> offsets;
  /// The dimensions of the view that rows and columns count; a view of rank 1
  /// has no rows (-1), one of rank 0 no columns either.
  int64_t rowDim = -1, columnDim = -1;
  /// How many there are, of type index; 0 where all is outside.
  mlir::Value rows, columns;
  int64_t rowStride = 0, columnStride = 0; ///< bytes in the storage
  mlir::Value address;
};

/// Splits a box into planes along its last two dimensions of more than one
/// element, one for each step of the others. What is outside of the view is in
/// none of them: where `isInside` is false, a machine writes the padding first.
llvm::SmallVector<TransferPlane>
planesOf(mlir::OpBuilder &b, mlir::Location loc, const TransferBox &box);
/// Whether all elements of a box are inside of its view, of type i1.
mlir::Value isInside(mlir::OpBuilder &b, mlir::Location loc,
                     const TransferBox &box);

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
  /// The same of the first element of a whole group of a panel, which needs no
  /// divisions.
  mlir::Value atPanel(mlir::Location loc, mlir::Value storage,
                      mlir::ValueRange coords);

  /// Storage of its own, at the place that stage-allocate chose, or another
  /// name of storage. False for anything else.
  bool bind(mlir::Operation *op);
  /// Bytes of a slot of a ring.
  static int64_t slotBytes(stage::RingOp ring);
  /// The parts of the slot that lies at an address.
  void bindSlot(stage::RingOp ring, mlir::ValueRange parts, mlir::Value slot);

  /// What a copy between a view and storage moves; nothing for other copies,
  /// and where storage lies in panels.
  std::optional<TransferBox> transfer(stage::CopyOp copy);
  /// The same in several boxes: for storage in panels one for each group of
  /// steps of each panel, or for each panel where groups have one step.
  llvm::SmallVector<TransferBox> transfers(stage::CopyOp copy);

private:
  mlir::Value moved(mlir::Location loc, mlir::Value address, mlir::Value count,
                    int64_t bytes);
  TransferBox boxOf(stage::CopyOp copy);
  mlir::OpBuilder &b;
  llvm::DenseMap<mlir::Value, mlir::Value> addresses;
};

/// A block of a product: acc += lhs * rhs, for m x k and k x n. Arrays are in
/// the order lhs, rhs, acc, and m, n, k.
struct ProductBlock {
  stage::ProductOp op;
  std::array<mlir::Value, 3> addresses;
  /// Between rows. Of an operand whose instruction reads columns, between
  /// those; of one in panels, between groups of steps.
  std::array<int64_t, 3> rowBytes;
  std::array<mlir::Value, 3> sizes;
};

/// What lowerings of `stage.compute` get: those that a vendor registers for its
/// target. The rewriter stands before the region, which they replace.
struct RegionContext : target::LoweringContext {
  RegionContext(mlir::RewriterBase &rewriter, const target::BoundTarget &bound,
                Addresses &addresses)
      : LoweringContext(rewriter, bound.options, bound.description),
        addresses(addresses) {}
  static constexpr llvm::StringLiteral kFamily = "scratchpad";
  llvm::StringRef family() const override { return kFamily; }

  Addresses &addresses;
};

class CountedRings;

/// Turns a kernel that buildScratchpadPipeline made into a vendor's operations,
/// for which it asks one by one, in their order. Regions are offered to the
/// lowerings of `stage.compute` that are registered for the target. What is
/// left are operations of the vendor, loops and conditions of scf, arith on
/// scalars, and sizes and ids of tile.
class ScratchpadLowering {
public:
  ScratchpadLowering(mlir::RewriterBase &b, const target::BoundTarget &bound);
  virtual ~ScratchpadLowering();

  /// Fails with an error where something has no form on the machine.
  mlir::LogicalResult run(tile::KernelOp kernel);

protected:
  /// Begins a transfer; the result names it, as whatever `wait` takes.
  virtual mlir::FailureOr<mlir::Value>
  beginTransfer(const TransferBox &box) = 0;
  virtual void wait(mlir::Value transfer) = 0;

  /// Ring buffers. A machine that counts slots by itself overrides all five: a
  /// ring of that number, of which all slots are empty; the address of the next
  /// empty slot, and of the oldest full one; the slot that is being filled is
  /// full once the transfers are done; the oldest slot is empty again. By
  /// default the program counts: loops and conditions carry the addresses of
  /// both slots and the transfers that fill each slot, as arith on type index,
  /// and `wait` is called for these where a slot is taken.
  virtual void makeRing(int64_t ring, int64_t base, int64_t slotBytes,
                        int64_t depth);
  virtual mlir::Value fillSlot(int64_t ring);
  virtual mlir::Value takeSlot(int64_t ring);
  virtual void commitSlot(int64_t ring, mlir::ValueRange transfers);
  virtual void freeSlot(int64_t ring);
  /// For rings that the program counts: what stands for the transfers of a slot
  /// that was never filled. It has the type of the results of `beginTransfer`,
  /// and `wait` never gets it. By default 0 of type index.
  virtual mlir::Value noTransfer();

  virtual mlir::LogicalResult multiply(const ProductBlock &block) = 0;
  /// Writes eight bytes again and again.
  virtual void fill(mlir::Value address, int64_t bytes, uint64_t word) = 0;

  mlir::RewriterBase &b; ///< stands where the operation is
  mlir::Location loc = b.getUnknownLoc();
  Addresses addresses;

private:
  mlir::LogicalResult convert(mlir::Operation *op);
  mlir::LogicalResult convertCopy(stage::CopyOp copy);
  mlir::LogicalResult convertProduct(stage::ProductOp product);
  mlir::LogicalResult convertRegion(stage::ComputeOp region);

  const target::BoundTarget &bound;
  std::unique_ptr<CountedRings> counted; ///< where the program counts
  llvm::DenseMap<mlir::Value, llvm::SmallVector<mlir::Value>>
      transfers;                              ///< of tokens
  llvm::DenseMap<mlir::Value, int64_t> rings; ///< their numbers
};

} // namespace kiln::staging

#endif // KILN_STAGING_SCRATCHPAD_H
