// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The sdy dialect: how tensors lie on several devices, as JAX writes it beside StableHLO.
#ifndef KILN_DIALECT_SDY_SDYOPS_TD
#define KILN_DIALECT_SDY_SDYOPS_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/OpBase.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Sdy_Dialect : Dialect {
  let name = "sdy";
  let cppNamespace = "::kiln::sdy";
  let summary = "Shardy's meshes and shardings, as an input";
  let description = [{
    What JAX writes beside StableHLO, in text and in portable artifacts: meshes of devices, how the dimensions of tensors
    are split along their axes, and computations that are written for one device of a mesh. The dialect exists to be read.
    The order of attributes of an operation is that of Shardy's bytecode.
  }];
  let extraClassDeclaration = [{
    ::mlir::Attribute parseAttribute(::mlir::DialectAsmParser &parser, ::mlir::Type type) const override;
    void printAttribute(::mlir::Attribute attr, ::mlir::DialectAsmPrinter &printer) const override;
    void registerAttributes();
  }];
}

class Sdy_Attr<string name, string attrMnemonic> : AttrDef<Sdy_Dialect, name> {
  let mnemonic = attrMnemonic;
}

def Sdy_MeshAttr : Sdy_Attr<"Mesh", "mesh"> {
  let summary = "Devices in a grid whose axes have names";
  let description = [{
    `<["x"=2, "y"=4], device_ids=[1, 0, ...]>`. Without `device_ids` they are counted from 0, the last axis first.
  }];
  let parameters = (ins ArrayRefParameter<"::mlir::StringAttr">:$axes, ArrayRefParameter<"int64_t">:$sizes,
    ArrayRefParameter<"int64_t">:$deviceIds);
  let hasCustomAssemblyFormat = 1;
  let extraClassDeclaration = [{
    /// The number of devices.
    int64_t getNumDevices() const;
  }];
}

def Sdy_AxisRefAttr : Sdy_Attr<"AxisRef", "axis_ref"> {
  let summary = "An axis, or the part `:(preSize)size` of it; a size of 0 is the whole";
  let parameters = (ins "::mlir::StringAttr":$name, "int64_t":$preSize, "int64_t":$size);
  let hasCustomAssemblyFormat = 1;
}

def Sdy_DimensionShardingAttr : Sdy_Attr<"DimensionSharding", "dimension_sharding"> {
  let summary = "The axes that split a dimension, the major first";
  let description = [{ `{"x", "y", ?}p1`: `?` where more may be added, `p` and a priority; -1 is none. }];
  let parameters = (ins ArrayRefParameter<"::kiln::sdy::AxisRefAttr">:$axes, "bool":$isClosed, "int64_t":$priority);
  let hasCustomAssemblyFormat = 1;
}

def Sdy_TensorShardingAttr : Sdy_Attr<"TensorSharding", "sharding"> {
  let summary = "How a tensor lies on a mesh";
  let description = [{ `<@mesh, [{"x"}, {} ], replicated={"y"}, unreduced={"z"}>` }];
  let parameters = (ins "::mlir::Attribute":$mesh, ArrayRefParameter<"::kiln::sdy::DimensionShardingAttr">:$dims,
    ArrayRefParameter<"::kiln::sdy::AxisRefAttr">:$replicated, ArrayRefParameter<"::kiln::sdy::AxisRefAttr">:$unreduced);
  let hasCustomAssemblyFormat = 1;
}

class Sdy_Op<string mnemonic, list<Trait> traits = []> : Op<Sdy_Dialect, mnemonic, traits>;

def Sdy_MeshOp : Sdy_Op<"mesh", [Symbol]> {
  let summary = "A mesh by name";
  let description = [{ `sdy.mesh @mesh = <["x"=2]>` }];
  let arguments = (ins SymbolNameAttr:$sym_name, Sdy_MeshAttr:$mesh);
  let assemblyFormat = "$sym_name `=` custom<Mesh>($mesh) attr-dict";
}

def Sdy_ShardingConstraintOp : Sdy_Op<"sharding_constraint", [Pure, AllTypesMatch<["input", "result"]>]> {
  let summary = "The operand, lying as it says";
  let description = [{ `%1 = sdy.sharding_constraint %0 <@mesh, [{"x"}, {} ]> : tensor<8x8xf32>` }];
  let arguments = (ins AnyType:$input, Sdy_TensorShardingAttr:$sharding);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$input custom<Sharding>($sharding) attr-dict `:` type($result)";
}

def Sdy_ReshardOp : Sdy_Op<"reshard", [Pure, AllTypesMatch<["input", "result"]>]> {
  let summary = "The operand, moved to lie as it says";
  let description = [{ `%1 = sdy.reshard %0 <@mesh, [{"x"}, {} ]> : tensor<8x8xf32>` }];
  let arguments = (ins AnyType:$input, Sdy_TensorShardingAttr:$sharding);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$input custom<Sharding>($sharding) attr-dict `:` type($result)";
}

def Sdy_ManualComputationOp : Sdy_Op<"manual_computation", [IsolatedFromAbove, RecursiveMemoryEffects]> {
  let summary = "A computation written for one device of a mesh";
  let description = [{
    The region's arguments are the parts of the operands that a device holds along the manual axes, its results the parts of the
    results: `jax.shard_map`.
    ```mlir
    %1 = sdy.manual_computation(%0) in_shardings=[<@mesh, [{"x"} ]>] out_shardings=[<@mesh, [{"x"} ]>] manual_axes={"x"}
        (%part: tensor<4xf32>) {
      sdy.return %part : tensor<4xf32>
    } : (tensor<8xf32>) -> tensor<8xf32>
    ```
  }];
  let arguments = (ins Variadic<AnyType>:$tensors, ArrayAttr:$in_shardings, ArrayAttr:$out_shardings,
    ArrayAttr:$manual_axes);
  let results = (outs Variadic<AnyType>:$results);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def Sdy_ReturnOp : Sdy_Op<"return", [Pure, Terminator]> {
  let summary = "The results of a region";
  let arguments = (ins Variadic<AnyType>:$results);
  let assemblyFormat = "($results^ `:` type($results))? attr-dict";
}

#endif
