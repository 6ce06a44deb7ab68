//===- Models.cpp - Interfaces of the operations of tile ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The interfaces are attached rather than part of the definitions: a change of
// one compiles the passes that ask it again, and not all users of the dialect.
//
//===----------------------------------------------------------------------===//

#include "Models.h"
#include "kiln/Dialect/Tile/ShapeOps.h"
#include "kiln/Interfaces/Movement.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::tile;

namespace {

struct TileTranspose
    : PermutationOpInterface::ExternalModel<TileTranspose, TransposeOp> {
  ArrayRef<int64_t> getPermutation(Operation *op) const {
    return cast<TransposeOp>(op).getPermutation();
  }
};

struct TileBroadcast
    : RepeatOpInterface::ExternalModel<TileBroadcast, BroadcastOp> {
  SmallVector<int64_t> getKeptDims(Operation *op) const {
    int64_t rank = cast<BroadcastOp>(op).getSource().getType().getRank();
    return llvm::to_vector(llvm::seq<int64_t>(0, rank));
  }
};

template <typename OpT>
struct TileReshape : ReshapeOpInterface::ExternalModel<TileReshape<OpT>, OpT> {
};

struct TileCat : ConcatenationOpInterface::ExternalModel<TileCat, CatOp> {
  int64_t getJoinedDim(Operation *op) const {
    return cast<CatOp>(op).getAxis();
  }
};

} // namespace

void tile::attachModels(MLIRContext *context) {
  TransposeOp::attachInterface<TileTranspose>(*context);
  BroadcastOp::attachInterface<TileBroadcast>(*context);
  ReshapeOp::attachInterface<TileReshape<ReshapeOp>>(*context);
  ExpandDimsOp::attachInterface<TileReshape<ExpandDimsOp>>(*context);
  CatOp::attachInterface<TileCat>(*context);
}
