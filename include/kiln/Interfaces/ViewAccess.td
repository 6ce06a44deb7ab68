// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Access to memory through a view.
#ifndef KILN_INTERFACES_VIEWACCESS_TD
#define KILN_INTERFACES_VIEWACCESS_TD

include "mlir/IR/OpBase.td"

def ViewAccessOpInterface : OpInterface<"ViewAccessOpInterface"> {
  let cppNamespace = "::kiln";
  let description = [{
    An operation that reads one tile through a view, or writes one through it. What it touches is a
    block: for each dimension of the view a first element, a number of elements and their distance.
    Elements outside of the view are not touched; a read gives `getOutside()` for them.

    Where tile and view have the same element type, elements are moved as they are. An operation
    whose tile has another element type says itself what happens to them, and needs a lowering of
    its own in each family.

    Every axis of the block is described by `ViewAxis`, see ViewAccess.h. Reads have exactly one
    result, the tile. Effects beyond the access itself are declared through
    MemoryEffectsOpInterface, as the access is.
  }];
  let methods = [
    InterfaceMethod<"The view.", "::mlir::Value", "getAccessedView">,
    InterfaceMethod<"Whether the memory is read, written, or updated in place.",
      "::kiln::AccessKind", "getAccessKind">,
    InterfaceMethod<"The operand that holds the tile to be written; null for reads.",
      "::mlir::OpOperand *", "getWrittenOperand", (ins), "", "return nullptr;">,
    InterfaceMethod<"Appends one axis per dimension of the view, in its order.",
      "void", "getViewAxes", (ins "::llvm::SmallVectorImpl<::kiln::ViewAxis> &":$axes)>,
    InterfaceMethod<"What a read gives for elements outside of the view.",
      "::kiln::Outside", "getOutside", (ins), "", "return ::kiln::Outside::Zero;">,
    InterfaceMethod<"The scalar that a read gives for elements outside of the view, with Outside::Value.",
      "::mlir::Value", "getOutsideValue", (ins), "", "return {};">,
    InterfaceMethod<[{
      Replaces the coordinates: one index value per axis that is not indirect, in order, each the
      first element along its axis. Fails, changing nothing, where the operation cannot say that.
    }], "::llvm::LogicalResult", "setElementOffsets",
      (ins "::llvm::ArrayRef<::mlir::Value>":$offsets), "", "return ::mlir::failure();">,
    InterfaceMethod<[{
      Hints about the access: strings `cache` and `evict`, integer arrays `contiguity`, `divisibility` and
      `constancy` with a number for each dimension of the tile; may be null.
    }], "::mlir::DictionaryAttr", "getAccessHints", (ins), "", "return {};">,
    InterfaceMethod<"Whether the access happens as often and in the order written.",
      "bool", "isVolatileAccess", (ins), "", "return false;">,
  ];
  let extraSharedClassDeclaration = [{
    bool isRead() { return $_op.getAccessKind() == ::kiln::AccessKind::Read; }
    bool isWrite() { return !isRead(); }
    /// The tile: the result of a read, the operand of a write.
    ::mlir::Value getAccessedTile() {
      ::mlir::OpOperand *written = $_op.getWrittenOperand();
      return written ? written->get() : ::mlir::Value($_op->getResult(0));
    }
    ::mlir::RankedTensorType getAccessedType() {
      return ::llvm::cast<::mlir::RankedTensorType>(getAccessedTile().getType());
    }
    ::llvm::SmallVector<::kiln::ViewAxis, 4> getAxes() {
      ::llvm::SmallVector<::kiln::ViewAxis, 4> axes;
      $_op.getViewAxes(axes);
      return axes;
    }
  }];
  let verify = "return ::kiln::detail::verifyViewAccess($_op);";
}

#endif
