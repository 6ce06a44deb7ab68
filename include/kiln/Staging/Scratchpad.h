//===- Scratchpad.h - From tiles to addresses of a scratchpad ---*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The shared part of targets that compute in one scratchpad memory and move
// data in and out by transfers (DMA): the passes from `tile` to `stage` with
// addresses, and a base class that gives each operation to a vendor's code.
// Addresses are bytes from the beginning of the memory, values of type index.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_STAGING_SCRATCHPAD_H
#define KILN_STAGING_SCRATCHPAD_H

#include "kiln/Dialect/Stage/Stage.h"
#include "kiln/Dialect/Tile/TileDialect.h"
#include "kiln/Target/TargetRegistry.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/DenseMap.h"
#include <memory>
#include <optional>
#include <string>

namespace kiln::tile {
class NumBlocksOp;
} // namespace kiln::tile

namespace kiln::staging {

/// The memory, and the abilities of the machine, that the pipeline compiles
/// for.
struct ScratchpadOptions {
  std::string space;  ///< name of the memory in the description
  int64_t bytes = 0;  ///< size of the memory
  int64_t align = 64; ///< alignment of every buffer, in bytes
  /// Number of stages of ring buffers: one slot is used while the others are
  /// filled. Kernels get fewer if they do not fit. 1: every copy is waited for
  /// at once.
  int64_t slots = 2;
  /// The target's matmuls read operands in columns (`#kiln.order<col>`), and in
  /// panels (`#kiln.interleave`), beside rows. Instructions of the description
  /// that need another layout are refused.
  bool columns = false, panels = false;
  /// Names of reductions of plug-ins that the target lowers itself; all others
  /// become `tile.reduce`.
  std::vector<std::string> keep = {};
};

/// Adds the passes to a pass manager of `builtin.module`. Afterwards kernels
/// hold copies, ring buffers, matmuls in blocks of matrix instructions, and
/// regions that compute on storage; all storage has an address. A kernel that
/// does not fit is declined, with an error that begins with `unsupported:`.
void buildScratchpadPipeline(mlir::OpPassManager &pm,
                             const ScratchpadOptions &options);

/// A transfer between a box of a view and storage. Dimensions are those of the
/// view; a dimension that the storage lacks has one element and stride 0.
struct TransferBox {
  bool isIn = false; ///< true: from the view to the storage
  mlir::Value view;
  llvm::SmallVector<mlir::Value, 4> offsets; ///< first element in the view
  llvm::SmallVector<int64_t, 4> counts;      ///< elements of each dimension
  llvm::SmallVector<int64_t, 4> strides;     ///< bytes in the storage
  mlir::Value address; ///< of the first element in the storage
  mlir::Value padding; ///< scalar for elements outside of the view
};

/// The rows and columns of a box that are inside of the view, for machines
/// whose descriptors have two dimensions and check no bounds.
struct TransferPlane {
  mlir::Value view;
  /// The first element in the view, one coordinate per dimension. It is inside
  /// of the view if the plane has elements.
  llvm::SmallVector<mlir::Value, 4> offsets;
  /// The dimensions of the view along which rows and columns are counted; a
  /// view of rank 1 has no rows (-1), a view of rank 0 no columns either.
  int64_t rowDim = -1, columnDim = -1;
  /// Numbers of rows and columns, of type index; 0 if all are outside.
  mlir::Value rows, columns;
  int64_t rowStride = 0, columnStride = 0; ///< bytes in the storage
  mlir::Value address;
};

/// Splits a box into planes along its last two dimensions of more than one
/// element, one plane for each step of the other dimensions. The planes leave
/// out elements outside of the view: if `isInside` is false at run time, the
/// machine has to write the padding first.
llvm::SmallVector<TransferPlane>
planesOf(mlir::OpBuilder &b, mlir::Location loc, const TransferBox &box);
/// Returns an i1: whether all elements of a box are inside of its view.
mlir::Value isInside(mlir::OpBuilder &b, mlir::Location loc,
                     const TransferBox &box);

/// The addresses of the storage of one kernel.
class Addresses {
public:
  explicit Addresses(mlir::OpBuilder &b) : b(b) {}

  /// Returns the bytes between neighbours along each dimension of strided
  /// storage.
  static llvm::SmallVector<int64_t> byteStrides(mlir::Type storage);

  /// Creates a constant of type index.
  mlir::Value constant(mlir::Location loc, int64_t value);
  /// Creates the address of an element; of the first one without coordinates.
  mlir::Value at(mlir::Location loc, mlir::Value storage,
                 mlir::ValueRange coords = {});
  /// Creates the address of the first element of a group of a panel. The
  /// coordinates begin a group, so it needs no divisions.
  mlir::Value atPanel(mlir::Location loc, mlir::Value storage,
                      mlir::ValueRange coords);

  /// Records the address of the result of `op`, which allocates storage at the
  /// place that stage-allocate chose, or is an alias of storage. Returns false
  /// for any other operation.
  bool bind(mlir::Operation *op);
  /// Returns the bytes of a slot of a ring buffer.
  static int64_t slotBytes(stage::RingOp ring);
  /// Records the addresses of the parts of a slot that begins at `slot`.
  void bindSlot(stage::RingOp ring, mlir::ValueRange parts, mlir::Value slot);

  /// Returns the transfer for a copy between a view and strided storage;
  /// nothing for other copies, and for storage in panels.
  std::optional<TransferBox> transfer(stage::CopyOp copy);
  /// Returns the transfers for a copy. Storage in panels takes one for each
  /// group of steps of each panel, or for each panel if groups have one step.
  llvm::SmallVector<TransferBox> transfers(stage::CopyOp copy);

private:
  mlir::Value moved(mlir::Location loc, mlir::Value address, mlir::Value count,
                    int64_t bytes);
  TransferBox boxOf(stage::CopyOp copy);
  mlir::OpBuilder &b;
  llvm::DenseMap<mlir::Value, mlir::Value> addresses;
};

/// A block of a matmul: acc += lhs * rhs, for m x k and k x n.
struct ProductBlock {
  stage::ProductOp op;
  std::array<mlir::Value, 3> addresses; ///< of lhs, rhs, acc
  /// Bytes between rows of lhs, rhs and acc. For an operand whose instruction
  /// reads columns, between columns; in panels, between groups of steps.
  std::array<int64_t, 3> rowBytes;
  std::array<mlir::Value, 3> sizes; ///< m, n, k, of type index
};

/// The context of lowerings of `stage.compute` that a vendor registers for its
/// target. They replace the region; the rewriter is positioned before it.
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

/// Lowers a kernel from buildScratchpadPipeline to a vendor's operations. A
/// subclass implements the virtual functions; the class calls them operation by
/// operation, in program order. It offers regions to the lowerings of
/// `stage.compute` that are registered for the target. Afterwards the kernel
/// holds operations of the vendor, loops and conditions of scf, arith on
/// scalars, and sizes and ids of tile.
class ScratchpadLowering {
public:
  ScratchpadLowering(mlir::RewriterBase &b, const target::BoundTarget &bound);
  virtual ~ScratchpadLowering();

  /// Lowers the kernel. Fails with an error at an operation that the machine
  /// cannot execute.
  mlir::LogicalResult run(tile::KernelOp kernel);

protected:
  /// Starts an asynchronous transfer; returns a value that `wait` takes.
  virtual mlir::FailureOr<mlir::Value>
  beginTransfer(const TransferBox &box) = 0;
  /// Waits until a transfer is complete.
  virtual void wait(mlir::Value transfer) = 0;

  /// Ring buffers. A machine that counts slots by itself overrides all five. By
  /// default the program counts: loops and conditions carry the addresses of
  /// both slots and the transfers that fill each slot, as arith on type index,
  /// and `wait` is called for these where a slot is taken.
  ///
  /// Creates the ring buffer with the number `ring`; all slots are empty.
  virtual void makeRing(int64_t ring, int64_t base, int64_t slotBytes,
                        int64_t depth);
  /// Waits for an empty slot, and returns its address.
  virtual mlir::Value fillSlot(int64_t ring);
  /// Waits for the oldest full slot, and returns its address.
  virtual mlir::Value takeSlot(int64_t ring);
  /// Marks the slot from `fillSlot` as full as soon as the transfers are
  /// complete. Does not wait.
  virtual void commitSlot(int64_t ring, mlir::ValueRange transfers);
  /// Empties the oldest slot from `takeSlot`.
  virtual void freeSlot(int64_t ring);
  /// For rings that the program counts: what stands for the transfers of a slot
  /// that was never filled. It has the type of the results of `beginTransfer`,
  /// and `wait` never gets it. By default 0 of type index.
  virtual mlir::Value noTransfer();

  /// Emits acc += lhs * rhs for a block.
  virtual mlir::LogicalResult multiply(const ProductBlock &block) = 0;
  /// Fills `bytes` bytes with copies of the eight bytes of `word`.
  virtual void fill(mlir::Value address, int64_t bytes, uint64_t word) = 0;

  mlir::RewriterBase &b; ///< positioned at the operation
  mlir::Location loc = b.getUnknownLoc();
  Addresses addresses;

private:
  mlir::LogicalResult convert(mlir::Operation *op);
  mlir::LogicalResult convertCopy(stage::CopyOp copy);
  mlir::LogicalResult convertProduct(stage::ProductOp product);
  mlir::LogicalResult convertRegion(stage::ComputeOp region);
  mlir::LogicalResult convertWait(stage::WaitOp waiting);
  mlir::LogicalResult convertRing(stage::RingOp ring);
  mlir::LogicalResult convertProduce(stage::ProduceOp produce);
  mlir::LogicalResult convertConsume(stage::ConsumeOp consume);
  mlir::LogicalResult convertCommit(stage::CommitOp commit);
  mlir::LogicalResult convertRelease(stage::ReleaseOp release);
  mlir::LogicalResult convertCount(tile::NumBlocksOp count);
  /// Gives the parts of a slot their addresses, from the one that the function
  /// `by` of the subclass gave for `op`.
  mlir::LogicalResult bindSlot(mlir::Operation *op, mlir::Value ring,
                               mlir::ValueRange parts, mlir::Value slot,
                               llvm::StringRef by);
  /// An error at `op` that names the target: what its subclass does not keep.
  mlir::LogicalResult blame(mlir::Operation *op, const llvm::Twine &what);
  mlir::LogicalResult checkRingSteps(tile::KernelOp kernel);

  /// The functions of rings, as bits.
  enum RingStep : unsigned {
    Make = 1,
    Fill = 2,
    Take = 4,
    Commit = 8,
    Free = 16
  };
  unsigned asked = 0;    ///< those that were called
  unsigned defaults = 0; ///< those that the subclass does not override
  mlir::Type noneType;   ///< of `noTransfer`, where the program counts

  const target::BoundTarget &bound;
  std::unique_ptr<CountedRings> counted; ///< where the program counts
  llvm::DenseMap<mlir::Value, llvm::SmallVector<mlir::Value>>
      transfers;                              ///< of tokens
  llvm::DenseMap<mlir::Value, int64_t> rings; ///< their numbers
};

} // namespace kiln::staging

#endif // KILN_STAGING_SCRATCHPAD_H
