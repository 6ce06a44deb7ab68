// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The chlo dialect: higher-level functions that StableHLO's clients (JAX, for
// example) emit beside StableHLO operations, as Kiln reads them.
#ifndef KILN_DIALECT_CHLO_CHLOBASE_TD
#define KILN_DIALECT_CHLO_CHLOBASE_TD

include "kiln/Dialect/Stablehlo/StablehloBase.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"

def Chlo_Dialect : Dialect {
  let name = "chlo";
  let cppNamespace = "::kiln::chlo";
  let summary = "Functions that StableHLO's clients emit beside StableHLO, as an input of Kiln";
  let description = [{
    Mathematical functions (`chlo.lgamma`), binary operations with implicit broadcasts, and a few composites (`chlo.top_k`,
    `chlo.ragged_dot`). Kiln parses the dialect and converts it to `prim`; it never creates these operations.
  }];
  let useDefaultAttributePrinterParser = 1;
  let extraClassDeclaration = [{
    void registerAttributes();
    void registerOps();
  }];
}

class CH_Op<string mnemonic, list<Trait> traits = []> : Op<Chlo_Dialect, mnemonic, traits> {
  // Programs are parsed, not built in C++: ODS's builders would be a fifth of the dialect's machine code.
  let skipDefaultBuilders = 1;
  let builders = [OpBuilder<(ins "::mlir::TypeRange":$types, "::mlir::ValueRange":$operands,
      "::llvm::ArrayRef<::mlir::NamedAttribute>":$attributes), [{
    $_state.addTypes(types);
    $_state.addOperands(operands);
    $_state.addAttributes(attributes);
  }]>];
}

class CH_Enum<string name, string summary, list<I32EnumAttrCase> cases> : I32EnumAttr<name, summary, cases> {
  let cppNamespace = "::kiln::chlo";
  let genSpecializedAttr = 0;
}

def CH_ComparisonDirection : CH_Enum<"ComparisonDirection", "the relation that a comparison tests", [
  I32EnumAttrCase<"EQ", 0>, I32EnumAttrCase<"NE", 1>, I32EnumAttrCase<"GE", 2>,
  I32EnumAttrCase<"GT", 3>, I32EnumAttrCase<"LE", 4>, I32EnumAttrCase<"LT", 5>]>;
def CH_ComparisonDirectionAttr : EnumAttr<Chlo_Dialect, CH_ComparisonDirection, "comparison_direction">;

def CH_ComparisonType : CH_Enum<"ComparisonType", "the order by which a comparison compares", [
  I32EnumAttrCase<"NOTYPE", 0>, I32EnumAttrCase<"FLOAT", 1>, I32EnumAttrCase<"TOTALORDER", 2>,
  I32EnumAttrCase<"SIGNED", 3>, I32EnumAttrCase<"UNSIGNED", 4>]>;
def CH_ComparisonTypeAttr : EnumAttr<Chlo_Dialect, CH_ComparisonType, "comparison_type">;

def CH_Precision : CH_Enum<"Precision", "how exact a matmul is", [
  I32EnumAttrCase<"DEFAULT", 0>, I32EnumAttrCase<"HIGH", 1>, I32EnumAttrCase<"HIGHEST", 2>]>;
def CH_PrecisionAttr : EnumAttr<Chlo_Dialect, CH_Precision, "precision">;

def CH_Dims : OptionalArrayRefParameter<"int64_t"> {
  let parser = "::kiln::stablehlo::parseDims($_parser)";
  let printer = "::kiln::stablehlo::printDims($_printer, $_self)";
}

def CH_RaggedDotAttr : AttrDef<Chlo_Dialect, "RaggedDotDimensionNumbers"> {
  let mnemonic = "ragged_dot";
  let summary = "The dimensions of a ragged (grouped) matmul: batch, contracted, ragged and group dimensions";
  let parameters = (ins CH_Dims:$lhs_batching_dimensions, CH_Dims:$rhs_batching_dimensions,
    CH_Dims:$lhs_contracting_dimensions, CH_Dims:$rhs_contracting_dimensions, CH_Dims:$lhs_ragged_dimensions,
    CH_Dims:$rhs_group_dimensions);
  let assemblyFormat = "`<` struct(params) `>`";
}

#endif
