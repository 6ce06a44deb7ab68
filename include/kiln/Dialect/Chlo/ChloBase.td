// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The chlo dialect: what clients put beside StableHLO, as Kiln reads it.
#ifndef KILN_DIALECT_CHLO_CHLOBASE_TD
#define KILN_DIALECT_CHLO_CHLOBASE_TD

include "kiln/Dialect/Stablehlo/StablehloBase.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"

def Chlo_Dialect : Dialect {
  let name = "chlo";
  let cppNamespace = "::kiln::chlo";
  let summary = "Functions that StableHLO's clients add to it, as an input";
  let description = [{
    Functions of numbers, operations that broadcast by themselves, and a few larger ones. The dialect
    exists to be read and converted to `prim`; nothing in Kiln produces it.
  }];
  let useDefaultAttributePrinterParser = 1;
  let extraClassDeclaration = [{
    void registerAttributes();
    void registerOps();
  }];
}

class CH_Op<string mnemonic, list<Trait> traits = []> : Op<Chlo_Dialect, mnemonic, traits> {
  // Programs are read, not built: the builders for each form of arguments would be a fifth of the code.
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

def CH_ComparisonDirection : CH_Enum<"ComparisonDirection", "what is compared for", [
  I32EnumAttrCase<"EQ", 0>, I32EnumAttrCase<"NE", 1>, I32EnumAttrCase<"GE", 2>,
  I32EnumAttrCase<"GT", 3>, I32EnumAttrCase<"LE", 4>, I32EnumAttrCase<"LT", 5>]>;
def CH_ComparisonDirectionAttr : EnumAttr<Chlo_Dialect, CH_ComparisonDirection, "comparison_direction">;

def CH_ComparisonType : CH_Enum<"ComparisonType", "order that is compared by", [
  I32EnumAttrCase<"NOTYPE", 0>, I32EnumAttrCase<"FLOAT", 1>, I32EnumAttrCase<"TOTALORDER", 2>,
  I32EnumAttrCase<"SIGNED", 3>, I32EnumAttrCase<"UNSIGNED", 4>]>;
def CH_ComparisonTypeAttr : EnumAttr<Chlo_Dialect, CH_ComparisonType, "comparison_type">;

def CH_Precision : CH_Enum<"Precision", "how exact a product is", [
  I32EnumAttrCase<"DEFAULT", 0>, I32EnumAttrCase<"HIGH", 1>, I32EnumAttrCase<"HIGHEST", 2>]>;
def CH_PrecisionAttr : EnumAttr<Chlo_Dialect, CH_Precision, "precision">;

def CH_Dims : OptionalArrayRefParameter<"int64_t"> {
  let parser = "::kiln::stablehlo::parseDims($_parser)";
  let printer = "::kiln::stablehlo::printDims($_printer, $_self)";
}

def CH_RaggedDotAttr : AttrDef<Chlo_Dialect, "RaggedDotDimensionNumbers"> {
  let mnemonic = "ragged_dot";
  let summary = "Which dimensions of a product by groups are matched";
  let parameters = (ins CH_Dims:$lhs_batching_dimensions, CH_Dims:$rhs_batching_dimensions,
    CH_Dims:$lhs_contracting_dimensions, CH_Dims:$rhs_contracting_dimensions, CH_Dims:$lhs_ragged_dimensions,
    CH_Dims:$rhs_group_dimensions);
  let assemblyFormat = "`<` struct(params) `>`";
}

#endif
