//===- Models.cpp - Interfaces of the operations of stage -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The interfaces are attached rather than part of the definitions: a change of
// one compiles the passes that ask it again, and not all users of the dialect.
//
//===----------------------------------------------------------------------===//

#include "Models.h"
#include "kiln/Dialect/Stage/ComputeOps.h"
#include "kiln/Dialect/Stage/CopyOps.h"
#include "kiln/Dialect/Stage/ProductOps.h"
#include "kiln/Dialect/Stage/RingOps.h"
#include "kiln/Dialect/Stage/StorageInterfaces.h"
#include "kiln/Dialect/Stage/StorageOps.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::stage;

#include "kiln/Dialect/Stage/StorageInterfaces.cpp.inc"

namespace {

/// The slot of an operation with an operand `ring`.
template <typename OpT, SlotUse use>
struct SlotModel : SlotOpInterface::ExternalModel<SlotModel<OpT, use>, OpT> {
  TypedValue<RingType> getRing(Operation *op) const {
    return cast<OpT>(op).getRing();
  }
  SlotUse getSlotUse(Operation *) const { return use; }
  ValueRange getSlotParts(Operation *op) const {
    if constexpr (use == SlotUse::Fill)
      return cast<OpT>(op).getBody().getArguments();
    return op->getResults();
  }
};

struct CopyModel : StorageCopyOpInterface::ExternalModel<CopyModel, CopyOp> {
  Value getSource(Operation *op) const { return cast<CopyOp>(op).getSource(); }
  OperandRange getFrom(Operation *op) const {
    return cast<CopyOp>(op).getFrom();
  }
  Value getTarget(Operation *op) const { return cast<CopyOp>(op).getTarget(); }
  OperandRange getTo(Operation *op) const { return cast<CopyOp>(op).getTo(); }
  bool getAsync(Operation *op) const { return cast<CopyOp>(op).getAsync(); }
  std::optional<ArrayRef<int64_t>> getBox(Operation *op) const {
    return cast<CopyOp>(op).getBox();
  }
  bool hasSourceOffsets(Operation *op) const {
    return cast<CopyOp>(op).getFromOffsets();
  }
  bool hasTargetOffsets(Operation *op) const {
    return cast<CopyOp>(op).getToOffsets();
  }
  bool readsZerosOutside(Operation *op) const {
    return cast<CopyOp>(op).getPadding() == tile::Padding::zero;
  }
  bool canUseCopyUnit(Operation *) const { return true; }
  bool usesCopyUnit(Operation *op) const { return cast<CopyOp>(op).getBulk(); }
  void setUsesCopyUnit(Operation *op, bool isBulk) const {
    cast<CopyOp>(op).setBulk(isBulk);
  }
};

/// The methods of an interface are those of the definition.
template <typename OpT, typename... Interfaces>
void attach(MLIRContext *context) {
  OpT::template attachInterface<typename Interfaces::template Model<OpT>...>(
      *context);
}

} // namespace

void stage::attachStorageModels(MLIRContext *context) {
  attach<AllocOp, StorageOpInterface>(context);
  attach<ReadOp, StorageReadOpInterface>(context);
  attach<WriteOp, StorageWriteOpInterface>(context);
  CopyOp::attachInterface<CopyModel>(*context);
  attach<ProductOp, StorageProductOpInterface>(context);
  attach<WaitOp, AsyncWaitOpInterface>(context);
  attach<ComputeOp, BoxRegionOpInterface>(context);
  attach<RingOp, RingOpInterface>(context);
  ProduceOp::attachInterface<SlotModel<ProduceOp, SlotUse::Fill>>(*context);
  ConsumeOp::attachInterface<SlotModel<ConsumeOp, SlotUse::Take>>(*context);
  ReleaseOp::attachInterface<SlotModel<ReleaseOp, SlotUse::Free>>(*context);
}
