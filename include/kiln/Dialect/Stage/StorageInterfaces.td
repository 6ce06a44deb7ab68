// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What passes on staged kernels know of an operation: the storage that it allocates, reads, writes and fills.
#ifndef KILN_DIALECT_STAGE_STORAGEINTERFACES_TD
#define KILN_DIALECT_STAGE_STORAGEINTERFACES_TD

include "mlir/IR/OpBase.td"

class Stage_OpInterface<string name> : OpInterface<name> {
  let cppNamespace = "::kiln::stage";
}

def Stage_StorageOpInterface : Stage_OpInterface<"StorageOpInterface"> {
  let description = [{
    An operation that allocates storage for one program instance, as `stage.alloc` does: one `memref` of static shape, whose elements are
    unwritten at first. Nothing else names these bytes but what is made from the result.
  }];
  let methods = [
    InterfaceMethod<"The storage: the result.", "::mlir::TypedValue<::mlir::MemRefType>", "getStorage">,
    InterfaceMethod<"The alignment of the first byte, in bytes, if it is stated.", "::std::optional<uint64_t>", "getAlign">,
    InterfaceMethod<"The number of bytes behind the last element that full vector accesses may touch.",
      "::std::optional<uint64_t>", "getSlack">,
    InterfaceMethod<"The place in the memory, in bytes, once there is one.", "::std::optional<uint64_t>", "getOffset">,
    InterfaceMethod<"States the alignment of the first byte.", "void", "setAlign", (ins "::std::optional<uint64_t>":$bytes)>,
    InterfaceMethod<"States the number of bytes behind the last element.", "void", "setSlack",
      (ins "::std::optional<uint64_t>":$bytes)>
  ];
}

def Stage_RingOpInterface : Stage_OpInterface<"RingOpInterface"> {
  let description = [{
    An operation that creates a ring buffer, as `stage.ring` does. The type of the result says how many slots it has, and which parts.
  }];
  let methods = [
    InterfaceMethod<"The ring buffer: the result.", "::mlir::TypedValue<::kiln::stage::RingType>", "getRing">,
    InterfaceMethod<"The alignment of the parts, in bytes, if it is stated.", "::std::optional<uint64_t>", "getAlign">,
    InterfaceMethod<"The place of the first slot in its memory, in bytes, once there is one.",
      "::std::optional<uint64_t>", "getOffset">,
    InterfaceMethod<"How many consumed slots stay full behind a release, if any do.", "::std::optional<uint64_t>", "getHeld">,
    InterfaceMethod<"Says how many stay full.", "void", "setHeld", (ins "::std::optional<uint64_t>":$held)>,
    InterfaceMethod<"How producer and consumer wait for each other; null: by operations that a code generator inserts.",
      "::mlir::Attribute", "getBarriersAttr">,
    InterfaceMethod<"Says how they wait for each other.", "void", "setBarriersAttr", (ins "::mlir::Attribute":$barriers)>
  ];
}

def Stage_SlotOpInterface : Stage_OpInterface<"SlotOpInterface"> {
  let description = [{
    An operation that fills, takes or frees the next slot of a ring buffer, as `stage.produce`, `stage.consume` and `stage.release` do.
    An operation that fills a slot does so in its region.
  }];
  let methods = [
    InterfaceMethod<"The ring buffer.", "::mlir::TypedValue<::kiln::stage::RingType>", "getRing">,
    InterfaceMethod<"What happens to the slot.", "::kiln::stage::SlotUse", "getSlotUse">,
    InterfaceMethod<"The storage of the slot, one value for each part; none where it is freed.", "::mlir::ValueRange", "getSlotParts">
  ];
}

def Stage_StorageReadOpInterface : Stage_OpInterface<"StorageReadOpInterface"> {
  let description = [{
    An operation that reads a tile from storage as it is: result[i...] = storage[origin + i...]. In a region of a `BoxRegionOpInterface` the
    result is an expression, elsewhere a fragment. An operation that reads in another way, such as one that converts elements, does
    not implement it. The methods need no code if the operation names its operands and result `storage`, `origin` and `result`: MLIR then
    generates them.
  }];
  let methods = [
    InterfaceMethod<"The storage that is read.", "::mlir::TypedValue<::mlir::MemRefType>", "getStorage">,
    InterfaceMethod<"The coordinates of the first element; none: zeros.", "::mlir::OperandRange", "getOrigin">,
    InterfaceMethod<"The tile.", "::mlir::TypedValue<::mlir::RankedTensorType>", "getResult">
  ];
}

def Stage_StorageWriteOpInterface : Stage_OpInterface<"StorageWriteOpInterface"> {
  let description = [{
    An operation that writes a tile to storage as it is: storage[origin + i...] = value[i...].
  }];
  let methods = [
    InterfaceMethod<"The tile.", "::mlir::TypedValue<::mlir::RankedTensorType>", "getValue">,
    InterfaceMethod<"The storage that is written.", "::mlir::TypedValue<::mlir::MemRefType>", "getStorage">,
    InterfaceMethod<"The coordinates of the first element; none: zeros.", "::mlir::OperandRange", "getOrigin">
  ];
}

def Stage_StorageCopyOpInterface : Stage_OpInterface<"StorageCopyOpInterface"> {
  let description = [{
    An operation that copies a box of elements between a view and storage, or between two storages, as `stage.copy` does:
    target[to + i...] = source[from + i...]. Elements outside of a view are not written, and read as the operation says.
  }];
  let methods = [
    InterfaceMethod<"The view or the storage that is read.", "::mlir::Value", "getSource">,
    InterfaceMethod<"Where the box starts in the source; for storage none: zeros.", "::mlir::OperandRange", "getFrom">,
    InterfaceMethod<"The view or the storage that is written.", "::mlir::Value", "getTarget">,
    InterfaceMethod<"Where the box starts in the target; for storage none: zeros.", "::mlir::OperandRange", "getTo">,
    InterfaceMethod<"Whether the copy is in flight until a wait for its token, which is the only result then.", "bool", "getAsync">,
    InterfaceMethod<"The sizes of the box, if it is not the whole storage.",
      "::std::optional<::llvm::ArrayRef<int64_t>>", "getBox">,
    InterfaceMethod<"Whether coordinates in a source view are of elements; otherwise they are of boxes.", "bool", "hasSourceOffsets",
      (ins), "", "return false;">,
    InterfaceMethod<"Whether coordinates in a target view are of elements; otherwise they are of boxes.", "bool", "hasTargetOffsets",
      (ins), "", "return false;">,
    InterfaceMethod<"Whether elements outside of a source view are zeros.", "bool", "readsZerosOutside", (ins), "",
      "return false;">,
    InterfaceMethod<[{
      Whether a copy unit may fill storage by the copy, which then says so: `setUsesCopyUnit`. Such a copy has no effect but on the target, and
      stays in flight until a wait for the slot.
    }], "bool", "canUseCopyUnit", (ins), "", "return false;">,
    InterfaceMethod<"Whether a copy unit does it.", "bool", "usesCopyUnit", (ins), "", "return false;">,
    InterfaceMethod<"Says whether a copy unit does it.", "void", "setUsesCopyUnit", (ins "bool":$isBulk), "", "return;">
  ];
  let extraSharedClassDeclaration = [{
    /// Returns whether storage is written.
    bool fillsStorage() { return ::llvm::isa<::mlir::MemRefType>($_op.getTarget().getType()); }
    /// Returns the sizes of what is copied.
    ::llvm::ArrayRef<int64_t> getCopiedSizes() {
      if (auto box = $_op.getBox())
        return *box;
      auto source = ::llvm::dyn_cast<::mlir::MemRefType>($_op.getSource().getType());
      return (source ? source : ::llvm::cast<::mlir::MemRefType>($_op.getTarget().getType())).getShape();
    }
  }];
}

def Stage_StorageProductOpInterface : Stage_OpInterface<"StorageProductOpInterface"> {
  let description = [{
    A matmul of blocks that are in storage or are fragments, as `stage.product` is: it adds lhs * rhs to the accumulator. If the
    accumulator is storage, it is updated in place. Otherwise the sum is the only result, or a future of it.
  }];
  let methods = [
    InterfaceMethod<"The left operand: storage or a fragment.", "::mlir::Value", "getLhs">,
    InterfaceMethod<"The right operand: storage, a fragment or a view.", "::mlir::Value", "getRhs">,
    InterfaceMethod<"The accumulator: storage, a fragment or a future of one.", "::mlir::Value", "getAcc">,
    InterfaceMethod<"The name of the matrix instruction, if one is chosen.", "::std::optional<::llvm::StringRef>", "getRow">,
    InterfaceMethod<"Whether the matmul is in flight until a wait for its result.", "bool", "getAsync">,
    InterfaceMethod<"An i1: whether the accumulator counts as zero. Null: it does not.", "::mlir::Value", "getFresh">,
    InterfaceMethod<"The sizes of m, n and k of the block.", "::std::array<int64_t, 3>", "getSizes">,
    InterfaceMethod<"The sizes of m, n and k, if they are stated.", "::std::optional<::llvm::ArrayRef<int64_t>>", "getBlock">
  ];
}

def Stage_AsyncWaitOpInterface : Stage_OpInterface<"AsyncWaitOpInterface"> {
  let description = [{
    An operation that waits for asynchronous copies and matmuls, as `stage.wait` does. The first results are the fragments of the futures
    that it awaits, in order.
  }];
  let methods = [
    InterfaceMethod<"The tokens and futures that are complete behind it.", "::mlir::OperandRange", "getAwaited">,
    InterfaceMethod<"The number of latest matmuls that stay in flight; none: only what is awaited is known to be complete.",
      "::std::optional<uint64_t>", "getBut">
  ];
}

def Stage_BoxRegionOpInterface : Stage_OpInterface<"BoxRegionOpInterface"> {
  let description = [{
    An operation whose region is evaluated at the points of a box, in no order, as that of `stage.compute` is. Tiles in the region are
    expressions: they have no storage, and are computed where a write, a store, a reduction or a result needs them.
  }];
  let methods = [
    InterfaceMethod<"The sizes of the box.", "::llvm::ArrayRef<int64_t>", "getBox">,
    InterfaceMethod<"The first point; none: zeros.", "::mlir::OperandRange", "getFrom">,
    InterfaceMethod<"The point behind the last one; none: the sizes.", "::mlir::OperandRange", "getTo">,
    InterfaceMethod<"The region, of one block.", "::mlir::Region &", "getBody">,
    InterfaceMethod<"Which stores are non-temporal; null: none.", "::kiln::stage::StreamAttr", "getStreamAttr">,
    InterfaceMethod<"Says which stores are non-temporal.", "void", "setStreamAttr", (ins "::kiln::stage::StreamAttr":$stream)>
  ];
}

#endif
