// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Types of the tt dialect.
#ifndef KILN_DIALECT_TRITON_TRITONTYPES_TD
#define KILN_DIALECT_TRITON_TRITONTYPES_TD

include "kiln/Dialect/Triton/TritonBase.td"
include "mlir/IR/AttrTypeBase.td"

class TT_Type<string name, string mnemonic_> : TypeDef<Triton_Dialect, name> {
  let mnemonic = mnemonic_;
}

def TT_PtrType : TT_Type<"Pointer", "ptr"> {
  let summary = "A pointer to an element, or to a block (tensor)";
  let description = [{
    `!tt.ptr<f32>`, `!tt.ptr<f32, 1>` (the number is the address space), and
    `!tt.ptr<tensor<64x32xf16>>` (a block pointer).
  }];
  let parameters = (ins "::mlir::Type":$pointeeType, DefaultValuedParameter<"int", "1">:$addressSpace);
  let hasCustomAssemblyFormat = 1;
}

def TT_TensorDescType : TT_Type<"TensorDesc", "tensordesc"> {
  let summary = "A tensor in memory, with the block it is read by";
  let description = [{
    `!tt.tensordesc<tensor<64x32xf16>>`, also spelled `!tt.tensordesc<64x32xf16>`.
  }];
  let parameters = (ins "::mlir::RankedTensorType":$blockType);
  let hasCustomAssemblyFormat = 1;
}

def TT_TensorDesc : DialectType<Triton_Dialect, CPred<"::llvm::isa<::kiln::tt::TensorDescType>($_self)">, "tensor descriptor">;
def TT_PtrTensor : RankedTensorOf<[TT_PtrType]>;
def TT_PtrLike : AnyTypeOf<[TT_PtrType, TT_PtrTensor]>;
def TT_Tensor : StaticShapeTensorOf<[AnyType]>;
def TT_IntLike : AnyTypeOf<[AnySignlessInteger, RankedTensorOf<[AnySignlessInteger]>]>;
def TT_FloatLike : AnyTypeOf<[AnyFloat, RankedTensorOf<[AnyFloat]>]>;
def TT_BoolLike : AnyTypeOf<[I1, RankedTensorOf<[I1]>]>;

#endif
