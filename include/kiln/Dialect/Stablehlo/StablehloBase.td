// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The stablehlo dialect: what JAX and others hand over, as Kiln reads it.
#ifndef KILN_DIALECT_STABLEHLO_STABLEHLOBASE_TD
#define KILN_DIALECT_STABLEHLO_STABLEHLOBASE_TD

include "mlir/IR/OpBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Stablehlo_Dialect : Dialect {
  let name = "stablehlo";
  let cppNamespace = "::kiln::stablehlo";
  let summary = "StableHLO programs, as an input";
  let description = [{
    Operations, types and attributes of StableHLO 1.x in its pretty and in its generic text. The
    dialect exists to be read and converted to `prim`; nothing in Kiln produces it. Operations check
    what their text needs to be read; the conversion checks the rest where it relies on it.
  }];
  let useDefaultTypePrinterParser = 1;
  let extraClassDeclaration = [{
    ::mlir::Attribute parseAttribute(::mlir::DialectAsmParser &parser, ::mlir::Type type) const override;
    void printAttribute(::mlir::Attribute attr, ::mlir::DialectAsmPrinter &printer) const override;
    void registerTypes();
    void registerAttributes();
    void registerElementwiseOps();
    void registerMovementOps();
    void registerRegionOps();
    void registerProductOps();
    void registerControlOps();
    void registerDynamicOps();
    void registerExchangeOps();
  }];
}

class SH_Op<string mnemonic, list<Trait> traits = []> : Op<Stablehlo_Dialect, mnemonic, traits>;

/// Element types are checked by the conversion, which knows what `prim` takes.
def SH_Tensor : Type<CPred<"::llvm::isa<::mlir::RankedTensorType>($_self)">, "ranked tensor", "::mlir::RankedTensorType">;
/// What operations that only hand values on take: tensors, tokens, tuples, futures.
def SH_Value : Type<CPred<"true">, "any value">;

#endif
