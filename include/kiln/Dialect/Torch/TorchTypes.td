// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Types of the torch dialect.
#ifndef KILN_DIALECT_TORCH_TORCHTYPES_TD
#define KILN_DIALECT_TORCH_TORCHTYPES_TD

include "kiln/Dialect/Torch/TorchBase.td"
include "mlir/IR/AttrTypeBase.td"

class Torch_Type<string name, string mnemonic_> : TypeDef<Torch_Dialect, name> {
  let mnemonic = mnemonic_;
}

/// A type without parameters.
class Torch_PlainType<string name, string mnemonic_, string brief> : Torch_Type<name, mnemonic_> {
  let summary = brief;
}

def Torch_VTensorType : Torch_Type<"VTensor", "vtensor"> {
  let summary = "A tensor as a value";
  let description = [{
    `!torch.vtensor<[2,?],f32>`; without a shape `!torch.vtensor<*,f32>`, without an element type
    `!torch.vtensor<[2,?],unk>`, without either `!torch.vtensor`. Integers say whether they are signed.
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$shape, "bool":$ranked, "::mlir::Type":$element);
  let hasCustomAssemblyFormat = 1;
}

def Torch_NoneType : Torch_PlainType<"None", "none", "An operand or a result that is not there">;
def Torch_IntType : Torch_PlainType<"Int", "int", "A number of Python">;
def Torch_FloatType : Torch_PlainType<"Float", "float", "A float of Python">;
def Torch_BoolType : Torch_PlainType<"Bool", "bool", "A truth value of Python">;
def Torch_StringType : Torch_PlainType<"String", "str", "A text">;

def Torch_ListType : Torch_Type<"List", "list"> {
  let summary = "A sequence";
  let description = "`!torch.list<vtensor<[2],f32>>`: what is nested may leave out `!torch.`.";
  let parameters = (ins "::mlir::Type":$contained);
  let hasCustomAssemblyFormat = 1;
}

def Torch_OptionalType : Torch_Type<"Optional", "optional"> {
  let summary = "A value, or none";
  let description = "`!torch.optional<vtensor<[2],f32>>`: what is nested may leave out `!torch.`.";
  let parameters = (ins "::mlir::Type":$contained);
  let hasCustomAssemblyFormat = 1;
}

#endif
