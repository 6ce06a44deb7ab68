// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The prim dialect itself and the base class of its operations.
#ifndef KILN_DIALECT_PRIM_PRIMBASE_TD
#define KILN_DIALECT_PRIM_PRIMBASE_TD

include "kiln/Interfaces/ExactResult.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"

def Prim_Dialect : Dialect {
  let name = "prim";
  let cppNamespace = "::kiln::prim";
  let summary = "Primitive tensor operations: what to compute";
  let description = [{
    Value semantics on ranked tensors. There is no implicit broadcast and no implicit
    type promotion; both are operations. A dimension that is `?` in a result type and
    cannot be derived from the operands is given by an `index` operand, in order.
    Operands of an elementwise operation have the same shape; where sizes are known
    only at run time that is checked once, at the entry of the host program.
    `i1` holds truth values and takes one byte in memory; other integers are signless,
    and operations say where they read them as signed (the default) or unsigned.

    Constraints are numbered (C1, C2, ...) in each description; verifiers and tests use the same
    numbers. Where a constraint asks for equal sizes, `?` is compatible with every size.

    Numerics: unless a description says otherwise, an operation on floats rounds the exact result
    once, to nearest with ties to even, in the element type; subnormal numbers are kept; NaN operands
    give NaN, whose sign and payload are unspecified; a sum that is zero has an unspecified sign.
    Integers wrap. Floats of at most 8 bits are element types like the others, one byte each in memory;
    what overflows, or is NaN, in a type that has no infinity or no NaN is in `docs/numerics.md`.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::tensor::TensorDialect"];
  let hasConstantMaterializer = 1;
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
  let hasRegionResultAttrVerify = 1;
  let extraClassDeclaration = [{
    void registerElementwiseOps();
    void registerFunctionOps();
    void registerRandomOps();
    void registerRealOps();
    void registerSpecialOps();
    void registerBitwiseOps();
    void registerCompareOps();
    void registerConvertOps();
    void registerMovementOps();
    void registerCreationOps();
    void registerReductionOps();
    void registerGatherOps();
    void registerMatMulOps();
    void registerConvOps();
    void registerPoolingOps();
    void registerCompositeOps();
    void registerGroupOps();
    void registerControlOps();
    void registerDynamicOps();
    void registerScatterOps();
    void registerScanOps();
    void registerSortOps();
    void registerCombineOps();
  }];
}

/// Every prim can say the sizes of its results, see Shape.h.
class Prim_Op<string mnemonic, list<Trait> traits = []>
    : Op<Prim_Dialect, mnemonic, !listconcat(traits,
        [DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface, ["reifyResultShapes"]>])> {
  let extraClassDefinition = [{
    ::llvm::LogicalResult $cppClass::reifyResultShapes(
        ::mlir::OpBuilder &builder, ::mlir::ReifiedRankedShapedTypeDims &shapes) {
      return ::kiln::prim::reifyResultShapes(builder, getOperation(), shapes);
    }
  }];
}

/// Floats of at most 8 bits: kept in memory as they are, a byte each, and computed with in f32.
def Prim_SmallFloat : AnyTypeOf<[F8E4M3FN, F8E5M2, F8E4M3FNUZ, F8E5M2FNUZ, F8E4M3B11FNUZ, F8E4M3, F8E3M4,
  F8E8M0FNU, F6E2M3FN, F6E3M2FN, F4E2M1FN], "float of at most 8 bits">;
def Prim_Float : AnyTypeOf<[F16, BF16, F32, F64, Prim_SmallFloat]>;
def Prim_WideFloatTensor : RankedTensorOf<[F16, BF16, F32, F64]>;
def Prim_Int : AnyTypeOf<[I<8>, I<16>, I<32>, I<64>]>;
def Prim_Element : AnyTypeOf<[I1, I<8>, I<16>, I<32>, I<64>, F16, BF16, F32, F64, Prim_SmallFloat]>;

def Prim_Tensor : RankedTensorOf<[Prim_Element]>;
def Prim_FloatTensor : RankedTensorOf<[Prim_Float]>;
def Prim_IntTensor : RankedTensorOf<[Prim_Int]>;
def Prim_BitsTensor : RankedTensorOf<[I1, Prim_Int]>;
def Prim_NumberTensor : RankedTensorOf<[Prim_Int, Prim_Float]>;
def Prim_BoolTensor : RankedTensorOf<[I1]>;

#endif
