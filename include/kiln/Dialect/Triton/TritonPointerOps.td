// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pointers and the memory behind them.
#ifndef KILN_DIALECT_TRITON_TRITONPOINTEROPS_TD
#define KILN_DIALECT_TRITON_TRITONPOINTEROPS_TD

include "kiln/Dialect/Triton/TritonAttrs.td"
include "kiln/Dialect/Triton/TritonTypes.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"

def TT_IntToPtrOp : TT_Op<"int_to_ptr", [Pure]> {
  let summary = "Makes pointers from addresses";
  let arguments = (ins TT_IntLike:$src);
  let results = (outs TT_PtrLike:$result);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($result)";
}

def TT_PtrToIntOp : TT_Op<"ptr_to_int", [Pure]> {
  let summary = "Addresses of pointers";
  let arguments = (ins TT_PtrLike:$src);
  let results = (outs TT_IntLike:$result);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($result)";
}

def TT_AddPtrOp : TT_Op<"addptr", [Pure, AllTypesMatch<["ptr", "result"]>]> {
  let summary = "Moves pointers by elements";
  let arguments = (ins TT_PtrLike:$ptr, TT_IntLike:$offset);
  let results = (outs TT_PtrLike:$result);
  let assemblyFormat = "$ptr `,` $offset attr-dict `:` type($result) `,` type($offset)";
}

def TT_MakeTensorPtrOp : TT_Op<"make_tensor_ptr", [Pure, SameVariadicOperandSize]> {
  let summary = "Makes a block pointer";
  let arguments = (ins TT_PtrType:$base, Variadic<I64>:$shape, Variadic<I64>:$strides,
    Variadic<I32>:$offsets, DenseI32ArrayAttr:$order);
  let results = (outs TT_PtrType:$result);
  let hasCustomAssemblyFormat = 1;
}

def TT_AdvanceOp : TT_Op<"advance", [Pure, AllTypesMatch<["ptr", "result"]>]> {
  let summary = "Moves a block pointer";
  let arguments = (ins TT_PtrType:$ptr, Variadic<I32>:$offsets);
  let results = (outs TT_PtrType:$result);
  let assemblyFormat = "$ptr `,` `[` $offsets `]` attr-dict `:` type($result)";
}

def TT_LoadOp : TT_Op<"load", [AttrSizedOperandSegments, DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "Reads through pointers, or a block";
  let arguments = (ins TT_PtrLike:$ptr, Optional<TT_BoolLike>:$mask, Optional<AnyType>:$other,
    DefaultValuedAttr<DenseI32ArrayAttr, "{}">:$boundaryCheck, OptionalAttr<TT_PaddingOption>:$padding,
    DefaultValuedAttr<TT_CacheModifier, "::kiln::tt::CacheModifier::none">:$cache,
    DefaultValuedAttr<TT_EvictionPolicy, "::kiln::tt::EvictionPolicy::evict_normal">:$evict,
    DefaultValuedAttr<BoolAttr, "false">:$isVolatile);
  let results = (outs AnyType:$result);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def TT_StoreOp : TT_Op<"store", [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "Writes through pointers, or a block";
  let arguments = (ins TT_PtrLike:$ptr, AnyType:$value, Optional<TT_BoolLike>:$mask,
    DefaultValuedAttr<DenseI32ArrayAttr, "{}">:$boundaryCheck,
    DefaultValuedAttr<TT_CacheModifier, "::kiln::tt::CacheModifier::none">:$cache,
    DefaultValuedAttr<TT_EvictionPolicy, "::kiln::tt::EvictionPolicy::evict_normal">:$evict);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def TT_AtomicRMWOp : TT_Op<"atomic_rmw", [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "Atomic read-modify-write; the result is what was there";
  let arguments = (ins TT_RMWOp:$atomic_rmw_op, TT_PtrLike:$ptr, AnyType:$val, Optional<TT_BoolLike>:$mask,
    TT_MemSemantic:$sem, TT_MemSyncScope:$scope);
  let results = (outs AnyType:$result);
  let assemblyFormat = [{
    $atomic_rmw_op `,` $sem `,` $scope `,` $ptr `,` $val (`,` $mask^)? attr-dict
    `:` functional-type(operands, $result)
  }];
}

def TT_AtomicCASOp : TT_Op<"atomic_cas", [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "Atomic compare and swap; the result is what was there";
  let arguments = (ins TT_PtrLike:$ptr, AnyType:$cmp, AnyType:$val, TT_MemSemantic:$sem, TT_MemSyncScope:$scope);
  let results = (outs AnyType:$result);
  let assemblyFormat = [{
    $sem `,` $scope `,` $ptr `,` $cmp `,` $val attr-dict `:` functional-type(operands, $result)
  }];
}

def TT_AtomicPollOp : TT_Op<"atomic_poll", [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "Waits until memory holds a value";
  let arguments = (ins TT_PtrType:$ptr, AnyType:$expected, TT_MemSemantic:$sem, TT_MemSyncScope:$scope);
  let results = (outs Optional<AnyType>:$result);
  let assemblyFormat = [{
    $sem `,` $scope `,` $ptr `,` $expected attr-dict `:` functional-type(operands, results)
  }];
}

#endif
