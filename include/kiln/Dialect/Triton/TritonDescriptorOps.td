// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tensor descriptors.
#ifndef KILN_DIALECT_TRITON_TRITONDESCRIPTOROPS_TD
#define KILN_DIALECT_TRITON_TRITONDESCRIPTOROPS_TD

include "kiln/Dialect/Triton/TritonAttrs.td"
include "kiln/Dialect/Triton/TritonTypes.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"

def TT_MakeTensorDescOp : TT_Op<"make_tensor_descriptor", [Pure, AttrSizedOperandSegments]> {
  let summary = "Describes a tensor in memory";
  let arguments = (ins TT_PtrType:$base, Variadic<I32>:$shape, Variadic<I64>:$strides,
    DefaultValuedAttr<TT_PaddingOption, "::kiln::tt::PaddingOption::pad_zero">:$padding);
  let results = (outs TT_TensorDescType:$result);
  let hasCustomAssemblyFormat = 1;
}

def TT_DescriptorLoadOp : TT_Op<"descriptor_load", [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "Reads a block";
  let arguments = (ins TT_TensorDescType:$desc, Variadic<I32>:$indices,
    DefaultValuedAttr<TT_CacheModifier, "::kiln::tt::CacheModifier::none">:$cache,
    DefaultValuedAttr<TT_EvictionPolicy, "::kiln::tt::EvictionPolicy::evict_normal">:$evict);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = [{
    $desc `[` $indices `]` oilist(`cacheModifier` `=` $cache | `evictionPolicy` `=` $evict)
    attr-dict `:` qualified(type($desc)) `->` type($result)
  }];
}

def TT_DescriptorStoreOp : TT_Op<"descriptor_store", [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "Writes a block";
  let arguments = (ins TT_TensorDescType:$desc, TT_Tensor:$src, Variadic<I32>:$indices);
  let assemblyFormat = "$desc `[` $indices `]` `,` $src attr-dict `:` qualified(type($desc)) `,` type($src)";
}

def TT_DescriptorReduceOp : TT_Op<"descriptor_reduce", [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "Combines a block with memory";
  let arguments = (ins TT_DescriptorReduceKind:$kind, TT_TensorDescType:$desc, TT_Tensor:$src, Variadic<I32>:$indices);
  let assemblyFormat = "$kind `,` $desc `[` $indices `]` `,` $src attr-dict `:` qualified(type($desc)) `,` type($src)";
}

def TT_DescriptorGatherOp : TT_Op<"descriptor_gather", [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "Reads rows by index";
  let arguments = (ins TT_TensorDescType:$desc, TT_Tensor:$x_offsets, I32:$y_offset);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = "$desc `[` $x_offsets `,` $y_offset `]` attr-dict `:` functional-type(operands, results)";
}

def TT_DescriptorScatterOp : TT_Op<"descriptor_scatter", [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "Writes rows by index";
  let arguments = (ins TT_TensorDescType:$desc, TT_Tensor:$x_offsets, I32:$y_offset, TT_Tensor:$src);
  let assemblyFormat = "$desc `[` $x_offsets `,` $y_offset `]` `,` $src attr-dict `:` type(operands)";
}

def TT_ExperimentalDescriptorLoadOp : TT_Op<"experimental_descriptor_load", [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "Reads a block (spelling up to 3.2)";
  let arguments = (ins AnyType:$desc, Variadic<I32>:$indices,
    DefaultValuedAttr<TT_CacheModifier, "::kiln::tt::CacheModifier::none">:$cache,
    DefaultValuedAttr<TT_EvictionPolicy, "::kiln::tt::EvictionPolicy::evict_normal">:$evict);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = [{
    $desc `[` $indices `]` oilist(`cacheModifier` `=` $cache | `evictionPolicy` `=` $evict)
    attr-dict `:` qualified(type($desc)) `->` type($result)
  }];
}

def TT_ExperimentalDescriptorStoreOp : TT_Op<"experimental_descriptor_store", [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "Writes a block (spelling up to 3.2)";
  let arguments = (ins AnyType:$desc, TT_Tensor:$src, Variadic<I32>:$indices);
  let assemblyFormat = "$desc `[` $indices `]` `,` $src attr-dict `:` qualified(type($desc)) `,` type($src)";
}

def TT_ExperimentalMakeTensorDescOp : TT_Op<"experimental_make_tensor_descriptor", [Pure, AttrSizedOperandSegments]> {
  let summary = "Describes a tensor in memory (spelling up to 3.2)";
  let arguments = (ins TT_PtrType:$base, Variadic<I32>:$shape, Variadic<I64>:$strides);
  let results = (outs TT_TensorDescType:$result);
  let hasCustomAssemblyFormat = 1;
}

#endif
