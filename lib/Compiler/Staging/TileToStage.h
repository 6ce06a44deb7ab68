//===- TileToStage.h - Regions and storage of one kernel --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_LIB_STAGING_TILETOSTAGE_H
#define KILN_LIB_STAGING_TILETOSTAGE_H

#include "kiln/Dialect/Stage/Stage.h"
#include "kiln/Dialect/Tile/Kernel.h"
#include "kiln/Interfaces/MatrixProduct.h"
#include "kiln/Staging/Storage.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace kiln::staging {

/// Builds the body of a kernel anew, with regions and storage for its tiles.
/// Tiles of rank 0 become scalars, tiles with an encoding stay as they are.
class TileToStage {
public:
  TileToStage(tile::KernelOp kernel,
              std::function<bool(mlir::Operation *)> forced);

  mlir::LogicalResult run();

private:
  /// A region that is being built.
  struct Body {
    mlir::OpBuilder inside;
    mlir::IRMapping local;
  };
  using Fill = llvm::function_ref<llvm::SmallVector<mlir::Value>(Body &)>;

  mlir::LogicalResult check();
  void keepCrossedReads();
  void convertBlock(mlir::Block *block);
  void convertOp(mlir::Operation *op);
  void cloneScalar(mlir::Operation *op);

  // Control flow (TileToStageLoops.cpp): tiles that it carries get storage.
  void convertFor(mlir::scf::ForOp loop);
  void convertIf(mlir::scf::IfOp op);
  void convertWhile(mlir::scf::WhileOp op);
  /// Storage for the tiles among `values`, null for others.
  llvm::SmallVector<mlir::Value> allocateAll(mlir::ValueRange values);
  /// What stays a value of control flow: scalars, elements, fragments.
  llvm::SmallVector<mlir::Value>
  carriedValues(mlir::ValueRange values, llvm::ArrayRef<mlir::Value> targets);
  llvm::SmallVector<mlir::Type>
  carriedTypes(mlir::TypeRange types, llvm::ArrayRef<mlir::Value> targets);
  /// Says where the tiles of `from` are: in `targets`, or in `to`, in order.
  void bind(mlir::ValueRange from, llvm::ArrayRef<mlir::Value> targets,
            mlir::ValueRange to);
  /// Writes tiles over storage that their own evaluation may read; `carried`
  /// are the tiles that are there. A second storage resolves conflicts.
  void assign(mlir::ValueRange tiles, llvm::ArrayRef<mlir::Value> targets,
              mlir::ValueRange carried);

  // Single operations.
  void keep(mlir::Operation *op);
  void convertProduct(MatrixProductOpInterface product);
  void convertAlone(mlir::Operation *op);
  void convertCat(mlir::Operation *op);
  void convertReshape(mlir::Operation *op);
  void convertExtract(mlir::Operation *op);

  // Regions.
  mlir::ResultRange makeRegion(mlir::Location loc, llvm::ArrayRef<int64_t> box,
                               mlir::TypeRange results, Fill fill);
  /// The tile inside of a region: read, made from a scalar, or computed.
  mlir::Value fetch(mlir::Value tile, Body &body);
  mlir::Operation *cloneInto(mlir::Operation *op, Body &body);
  /// The value of a scalar of the old kernel in the new one.
  mlir::Value scalar(mlir::Value value) {
    return scalars.lookupOrDefault(value);
  }
  /// Lets `mapping` know the scalars that `op` uses.
  void mapScalars(mlir::Operation *op, mlir::IRMapping &mapping);
  /// The element of a tile of rank 0.
  mlir::Value elementOf(mlir::Value tile);
  mlir::Value allocate(mlir::RankedTensorType type, mlir::Location loc);
  /// Storage without gaps, seen with the shape of each type.
  llvm::SmallVector<mlir::Value>
  allocateDense(llvm::ArrayRef<mlir::RankedTensorType> types, int64_t elements,
                mlir::Location loc);
  void write(mlir::Value tile, mlir::Value storage);

  tile::Kernel kernel;
  Storage plan;
  mlir::OpBuilder b;
  mlir::IRMapping scalars;
  llvm::DenseMap<mlir::Value, mlir::Value> storage, elements;
  llvm::DenseMap<mlir::Operation *, int64_t> numbers; ///< of accesses
};

/// The type of a tile without encoding, else null.
mlir::RankedTensorType getExpressionType(mlir::Type type);

} // namespace kiln::staging

#endif // KILN_LIB_STAGING_TILETOSTAGE_H
