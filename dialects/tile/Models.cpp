//===- Models.cpp - Interfaces of the operations of tile ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The interfaces are attached rather than part of the definitions: a change of
// one compiles the passes that ask it again, and not all users of the dialect.
//
//===----------------------------------------------------------------------===//

#include "Models.h"
#include "kiln/Dialect/Tile/ExternOps.h"
#include "kiln/Dialect/Tile/PointerOps.h"
#include "kiln/Dialect/Tile/ReduceOps.h"
#include "kiln/Dialect/Tile/ScanOps.h"
#include "kiln/Dialect/Tile/ShapeOps.h"
#include "kiln/Dialect/Tile/TileInterfaces.h"
#include "kiln/Interfaces/Movement.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::tile;

#include "kiln/Dialect/Tile/TileInterfaces.cpp.inc"

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

struct ReduceFold : FoldOpInterface::ExternalModel<ReduceFold, ReduceOp> {
  int64_t getFoldedAxis(Operation *op) const {
    return cast<ReduceOp>(op).getAxis();
  }
  bool isOrderedFold(Operation *op) const {
    return cast<ReduceOp>(op).getOrdered();
  }
};

struct ScanFold : FoldOpInterface::ExternalModel<ScanFold, ScanOp> {
  int64_t getFoldedAxis(Operation *op) const {
    return cast<ScanOp>(op).getAxis();
  }
  bool keepsAxis(Operation *) const { return true; }
};

struct AddOffset
    : PointerOffsetOpInterface::ExternalModel<AddOffset, PtrAddOp> {
  Value getOffsetInElements(Operation *op) const {
    return cast<PtrAddOp>(op).getOffset();
  }
};

struct CastOffset
    : PointerOffsetOpInterface::ExternalModel<CastOffset, PtrCastOp> {};

template <typename OpT>
struct Output : LaunchOutputOpInterface::ExternalModel<Output<OpT>, OpT> {};

} // namespace

void tile::attachModels(MLIRContext *context) {
  TransposeOp::attachInterface<TileTranspose>(*context);
  BroadcastOp::attachInterface<TileBroadcast>(*context);
  ReshapeOp::attachInterface<TileReshape<ReshapeOp>>(*context);
  ExpandDimsOp::attachInterface<TileReshape<ExpandDimsOp>>(*context);
  CatOp::attachInterface<TileCat>(*context);
  ReduceOp::attachInterface<ReduceFold>(*context);
  ScanOp::attachInterface<ScanFold>(*context);
  PtrAddOp::attachInterface<AddOffset>(*context);
  PtrCastOp::attachInterface<CastOffset>(*context);
  PrintOp::attachInterface<Output<PrintOp>>(*context);
  AssertOp::attachInterface<Output<AssertOp>>(*context);
}
