//===- IterationSpaceBuilder.h - Steps of the analysis ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_LIB_ANALYSIS_ITERATIONSPACEBUILDER_H
#define KILN_LIB_ANALYSIS_ITERATIONSPACEBUILDER_H

#include "Linearize.h"
#include "TileDims.h"
#include "kiln/Analysis/IterationSpace.h"
#include "kiln/Dialect/Tile/Kernel.h"
#include "kiln/Interfaces/ViewAccess.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SetVector.h"
#include <memory>

namespace kiln::tile {

/// Fills in the iteration space of one kernel.
class IterationSpaceBuilder {
public:
  IterationSpaceBuilder(Kernel kernel, IterationSpace &space)
      : kernel(kernel), space(space), tileDims(kernel) {}

  void run();

private:
  // Dimensions.
  void findGridDims();
  void findLoops();
  void addDim(IterationDim dim) { space.dims.push_back(std::move(dim)); }
  void pin(unsigned dim, const llvm::Twine &reason);
  void pinAllIn(const index::Expr &form, const llvm::Twine &reason);
  void setUnstructured(mlir::Operation *op, const llvm::Twine &reason);

  // Accesses.
  void findAccesses();
  void addAccess(ViewAccessOpInterface op);
  void chooseDim(AxisAccess &axis);
  void tagTile(ViewAccess &access, TileRef tile, int64_t tileAxis,
               unsigned viewAxis);
  void checkOrder();
  void findExtents();

  // Everything else that an index or a block size could reach.
  void checkUses();
  void checkUse(mlir::OpOperand &use, unsigned dim,
                llvm::SmallVectorImpl<mlir::Value> &worklist);
  void checkFill(mlir::Operation *op, mlir::Value fill);
  /// The tile that `op` computes from coordinates is neither a fill nor one
  /// coordinate.
  void checkGenerated(mlir::Operation *op);
  void checkLimitUse(mlir::OpOperand &use, unsigned dim);
  void checkIota(mlir::Operation *op, unsigned counted);
  void checkIotaUse(mlir::OpOperand &use, unsigned dim);
  /// The scalar that fills a tile, seen through what only reshapes it.
  mlir::Value fillOf(mlir::Value tile);
  bool isMask(mlir::Value limit, unsigned dim);
  void resolveClasses();
  /// Pins dimensions whose blocks are reduced one by one.
  void checkReductions();

  Kernel kernel;
  IterationSpace &space;
  TileDims tileDims;
  std::unique_ptr<Linearizer> linearizer;
  /// Operations that compute raster digits.
  llvm::DenseSet<mlir::Operation *> rasterOperations;
  /// The iteration dimension of a class of tile dimensions.
  llvm::DenseMap<unsigned, int> dimOfClass;
  /// Tile dimensions that an access ties to an iteration dimension, or to -1.
  struct Tie {
    unsigned cls;
    int dim;
    bool fixed;
  };
  llvm::SmallVector<Tie> ties;
};

} // namespace kiln::tile

#endif // KILN_LIB_ANALYSIS_ITERATIONSPACEBUILDER_H
