// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operations of the torch dialect.
#ifndef KILN_DIALECT_TORCH_TORCHOPS_TD
#define KILN_DIALECT_TORCH_TORCHOPS_TD

include "kiln/Dialect/Torch/TorchTypes.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class Torch_Op<string mnemonic, list<Trait> traits = []> : Op<Torch_Dialect, mnemonic, traits>;

def Torch_OperatorOp : Torch_Op<"operator"> {
  let summary = "An operator by its name";
  let description = [{
    `name` is that of an operator of ONNX behind `onnx.`, the attributes are its own behind `torch.onnx.`, and its graphs
    are regions, in the order of their attributes' names. Inputs that are left out are of type `!torch.none`. The result
    types are as much as shape inference has found; where it found nothing a shape reads `[]`.
    ```mlir
    %0 = torch.operator "onnx.Softmax"(%x) {torch.onnx.axis = -1 : si64}
      : (!torch.vtensor<[4,8],f32>) -> !torch.vtensor<[4,8],f32>
    ```
  }];
  let arguments = (ins StrAttr:$name, Variadic<AnyType>:$operands);
  let results = (outs Variadic<AnyType>:$results);
  let regions = (region VariadicRegion<AnyRegion>:$regions);
  let assemblyFormat = "$name `(` $operands `)` attr-dict `:` functional-type($operands, $results) custom<Regions>($regions)";
}

def Torch_OperatorTerminatorOp : Torch_Op<"operator_terminator", [Pure, ReturnLike, Terminator]> {
  let summary = "What a graph of an operator gives";
  let description = [{ `torch.operator_terminator %a, %b : !torch.vtensor<[],i1>, !torch.vtensor<[4],f32>` }];
  let arguments = (ins Variadic<AnyType>:$operands);
  let assemblyFormat = "attr-dict ($operands^ `:` type($operands))?";
}

def Torch_ConstantNoneOp : Torch_Op<"constant.none", [Pure]> {
  let summary = "Nothing";
  let description = [{ `%none = torch.constant.none` stands for an input that is left out. }];
  let results = (outs Torch_NoneType:$result);
  let assemblyFormat = "attr-dict";
  let builders = [OpBuilder<(ins), [{ $_state.addTypes(NoneType::get($_builder.getContext())); }]>];
}

def Torch_LiteralOp : Torch_Op<"vtensor.literal", [Pure]> {
  let summary = "A tensor known at compile time";
  let description = [{
    The value has the shape of the result.
    ```mlir
    %0 = torch.vtensor.literal(dense<[1, 2]> : tensor<2xsi64>) : !torch.vtensor<[2],si64>
    ```
  }];
  let arguments = (ins ElementsAttr:$value);
  let results = (outs Torch_VTensorType:$result);
  let assemblyFormat = "`(` $value `)` attr-dict `:` qualified(type($result))";
  let hasVerifier = 1;
}

#endif
