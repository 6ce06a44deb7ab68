//===- StorageAreas.h - Bytes of storage, and who reads it ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the pass that inserts barriers and the lowering of storage both know of
// staged operations.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_GPU_STORAGEAREAS_H
#define KILN_LIB_GPU_STORAGEAREAS_H

#include "kiln/Dialect/Stage/Stage.h"
#include "kiln/Dialect/Stage/StorageInterfaces.h"
#include "kiln/Dialect/Tile/GridOps.h"
#include "kiln/Dialect/Tile/Kernel.h"
#include "kiln/Dialect/Tile/TileDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace kiln::simt {

/// Bytes of shared memory, from `begin` to before `end`.
struct StorageArea {
  int64_t begin = 0, end = 0;

  bool overlaps(const StorageArea &other) const {
    return begin < other.end && other.begin < end;
  }
  bool operator==(const StorageArea &other) const {
    return begin == other.begin && end == other.end;
  }
};

/// Bytes of one slot of a ring, as its parts lie in it.
int64_t slotBytes(stage::RingOpInterface ring);
/// Bytes of all slots of a ring.
int64_t ringBytes(stage::RingOpInterface ring);
/// Bytes of all storage of a kernel and of the barriers of its slots, side by
/// side.
int64_t storageBytes(tile::Kernel kernel);
/// Whether a loop is that of a persistent kernel over points of the grid.
bool isOverPoints(mlir::scf::ForOp loop);
/// Whether a ring is older than that loop: it goes on from one point to the
/// next.
bool lastsForLaunch(stage::RingOpInterface ring);
/// The bytes of a ring buffer, and of what a value of storage may stand for:
/// all slots where it is a part of one.
StorageArea areaOf(mlir::Value storage);

/// The dimension whose elements lie side by side in storage, the bytes that are
/// permuted as one, and those of a row that lie together, 0 for all.
struct Permutation {
  unsigned inner = 1;
  int64_t unit = 16, piece = 0;
};
Permutation permutationOf(mlir::MemRefType type);

/// Whether the slots of a ring have barriers, so that filling, consuming and
/// releasing a slot wait for each other.
bool hasSlotBarriers(mlir::Value ring);
/// The ring that storage is a slot of; null where it is none.
mlir::Value ringOf(mlir::Value storage);

/// Storage with the part of its block in which something uses it.
struct StorageLife {
  explicit StorageLife(mlir::Value storage);
  /// Whether the storage is filled or read there, or may be in between.
  bool isInUseAt(mlir::Operation *op) const;
  /// Whether a copy unit may fill it there, before anything else happens.
  bool mayBeFilledAt(mlir::Operation *op) const;

  StorageArea area;

private:
  mlir::Block *block;
  mlir::Operation *first = nullptr, *last = nullptr;
  bool isFilledInBulk = false;
};

/// Where the storage of a kernel that is in use at an operation ends, in bytes.
int64_t storageEndAt(tile::Kernel kernel, mlir::Operation *op);

/// Whether something in an operation fills or uses slots of rings that are made
/// outside of it.
bool touchesRings(mlir::Operation *op);

/// Whether an operation loads a tile: through a view or by pointers.
bool isTileLoad(mlir::Operation *op);

/// Whether such a load happens where it stands, as often as it is executed.
bool isVolatileLoad(mlir::Operation *load);

/// Whether an operation only loads what storage gets.
bool isLookup(mlir::Operation *op);
/// Whether an operation exchanges the two dimensions of its operand.
bool isTransposition(mlir::Operation *op);
/// Whether an operation hands on the bytes of its operand: as elements of
/// another type, or with the two dimensions exchanged.
bool handsOnBytes(mlir::Operation *op);
/// What such an operation makes a factor of; null where none does.
mlir::Value bytesBefore(mlir::Value factor);
/// Before simt-stage-products, whether what is read of storage goes to a
/// product by a matrix instruction alone, through operations that hand its
/// bytes on, with nothing between that copies: then the product will read the
/// storage.
bool isReadByProduct(stage::StorageReadOpInterface read);
/// Such a read of a factor; null where the factor is in registers.
stage::StorageReadOpInterface storageRead(mlir::Value factor);

/// Whether slots of a ring are filled in a loop, and so have to be released.
bool isRefilled(mlir::Value ring);

/// Whether threads, and not asynchronous products alone, read slots of a ring.
bool isReadByThreads(mlir::Value ring);

} // namespace kiln::simt

#endif // KILN_LIB_GPU_STORAGEAREAS_H
