//===- TileDims.h - Which dimensions of tiles belong together ---*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_LIB_ANALYSIS_TILEDIMS_H
#define KILN_LIB_ANALYSIS_TILEDIMS_H

#include "kiln/Dialect/Tile/Kernel.h"
#include "kiln/Dialect/Tile/TileDialect.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include <string>

namespace kiln::tile {

/// A tile where it is used or defined. What has no shape of its own to keep
/// (splats, iotas; see isShapeless in IndexMap.h) is a different tile at each
/// of its uses.
class TileRef {
public:
  TileRef(mlir::Value value) : key(value.getAsOpaquePointer()) {
    setType(value);
  }
  TileRef(mlir::OpOperand &use);

  explicit operator bool() const { return static_cast<bool>(type); }
  int64_t getRank() const { return type.getRank(); }
  int64_t getDimSize(int64_t d) const { return type.getDimSize(d); }
  const void *getKey() const { return key; }

private:
  void setType(mlir::Value value) {
    type = llvm::dyn_cast<mlir::RankedTensorType>(value.getType());
  }
  const void *key;
  mlir::RankedTensorType type;
};

/// Partitions the dimensions of all tiles of a kernel into classes that can
/// only change size together.
class TileDims {
public:
  explicit TileDims(Kernel kernel);

  /// The class of dimension `d` of `tile`.
  unsigned classOf(TileRef tile, int64_t d);
  /// Why the size of a class cannot change; empty if it can.
  llvm::StringRef pinned(unsigned cls) { return reasons[find(cls)]; }
  /// Makes a class keep its size.
  void pin(unsigned cls, const llvm::Twine &reason);
  /// Makes all dimensions of a tile keep their sizes.
  void pinAll(TileRef tile, const llvm::Twine &reason);

private:
  unsigned find(unsigned cls);
  void unite(TileRef a, int64_t da, TileRef b, int64_t db);
  void uniteClasses(unsigned a, unsigned b);
  void uniteAll(TileRef a, TileRef b);
  void visit(mlir::Operation *op);
  void visitControlFlow(mlir::Operation *op);
  void visitReads(mlir::Operation *op);

  llvm::DenseMap<const void *, unsigned> first;
  llvm::SmallVector<unsigned> parent;
  llvm::SmallVector<std::string> reasons; ///< valid for the roots
};

} // namespace kiln::tile

#endif // KILN_LIB_ANALYSIS_TILEDIMS_H
