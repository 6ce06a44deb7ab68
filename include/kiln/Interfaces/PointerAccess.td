// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Access to memory through pointers.
#ifndef KILN_INTERFACES_POINTERACCESS_TD
#define KILN_INTERFACES_POINTERACCESS_TD

include "mlir/IR/OpBase.td"

def PointerAccessOpInterface : OpInterface<"PointerAccessOpInterface"> {
  let cppNamespace = "::kiln";
  let description = [{
    An operation that reads, writes or updates memory through a pointer, or through a tile of pointers: one element for each pointer
    whose lane is enabled. A read has exactly one result, the elements. Effects are declared through MemoryEffectsOpInterface, too.
  }];
  let methods = [
    InterfaceMethod<"The pointer, or the tile of pointers.", "::mlir::Value", "getAccessedPointers">,
    InterfaceMethod<"Whether the memory is read, written, or updated atomically.", "::kiln::AccessKind", "getAccessKind">,
    InterfaceMethod<"Which lanes are enabled; null: all.", "::mlir::Value", "getAccessMask", (ins), "", "return {};">,
    InterfaceMethod<[{
      What the memory gets, or is combined with. Null for reads, and where it depends on more than one operand.
    }], "::mlir::Value", "getStoredElements", (ins), "", "return {};">,
    InterfaceMethod<"What a read gives for disabled lanes; null: unspecified.",
      "::mlir::Value", "getDisabledValue", (ins), "", "return {};">,
    InterfaceMethod<"Whether the access happens as often and in the order written.",
      "bool", "isVolatileAccess", (ins), "", "return false;">,
    InterfaceMethod<"Whether earlier accesses are visible to those that see what it stores.",
      "bool", "isRelease", (ins), "", "return false;">,
  ];
  let extraSharedClassDeclaration = [{
    bool isRead() { return $_op.getAccessKind() == ::kiln::AccessKind::Read; }
    bool isUpdate() { return $_op.getAccessKind() == ::kiln::AccessKind::Update; }
  }];
}

#endif
