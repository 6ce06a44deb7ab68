// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Enumerations and structured attributes of the stablehlo dialect.
#ifndef KILN_DIALECT_STABLEHLO_STABLEHLOATTRS_TD
#define KILN_DIALECT_STABLEHLO_STABLEHLOATTRS_TD

include "kiln/Dialect/Stablehlo/StablehloBase.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"

class SH_Enum<string name, string summary, list<I32EnumAttrCase> cases> : I32EnumAttr<name, summary, cases> {
  let cppNamespace = "::kiln::stablehlo";
  let genSpecializedAttr = 0;
}

def SH_Precision : SH_Enum<"Precision", "how exact a product is", [
  I32EnumAttrCase<"DEFAULT", 0>, I32EnumAttrCase<"HIGH", 1>, I32EnumAttrCase<"HIGHEST", 2>]>;
def SH_PrecisionAttr : EnumAttr<Stablehlo_Dialect, SH_Precision, "precision">;

def SH_ResultAccuracyMode : SH_Enum<"ResultAccuracyMode", "how exact a function is", [
  I32EnumAttrCase<"DEFAULT", 0>, I32EnumAttrCase<"HIGHEST", 1>, I32EnumAttrCase<"TOLERANCE", 2>]>;
def SH_ResultAccuracyModeAttr : EnumAttr<Stablehlo_Dialect, SH_ResultAccuracyMode, "result_accuracy_mode"> {
  let assemblyFormat = "`<` $value `>`";
}

def SH_FftType : SH_Enum<"FftType", "kind of Fourier transform", [
  I32EnumAttrCase<"FFT", 0>, I32EnumAttrCase<"IFFT", 1>, I32EnumAttrCase<"RFFT", 2>, I32EnumAttrCase<"IRFFT", 3>]>;
def SH_FftTypeAttr : EnumAttr<Stablehlo_Dialect, SH_FftType, "fft_type">;

def SH_ComparisonDirection : SH_Enum<"ComparisonDirection", "what is compared for", [
  I32EnumAttrCase<"EQ", 0>, I32EnumAttrCase<"NE", 1>, I32EnumAttrCase<"GE", 2>,
  I32EnumAttrCase<"GT", 3>, I32EnumAttrCase<"LE", 4>, I32EnumAttrCase<"LT", 5>]>;
def SH_ComparisonDirectionAttr : EnumAttr<Stablehlo_Dialect, SH_ComparisonDirection, "comparison_direction">;

def SH_ComparisonType : SH_Enum<"ComparisonType", "order that is compared by", [
  I32EnumAttrCase<"NOTYPE", 0>, I32EnumAttrCase<"FLOAT", 1>, I32EnumAttrCase<"TOTALORDER", 2>,
  I32EnumAttrCase<"SIGNED", 3>, I32EnumAttrCase<"UNSIGNED", 4>]>;
def SH_ComparisonTypeAttr : EnumAttr<Stablehlo_Dialect, SH_ComparisonType, "comparison_type">;

def SH_Transpose : SH_Enum<"Transpose", "form of the matrix of an equation", [
  I32EnumAttrCase<"TRANSPOSE_INVALID", 0>, I32EnumAttrCase<"NO_TRANSPOSE", 1>,
  I32EnumAttrCase<"TRANSPOSE", 2>, I32EnumAttrCase<"ADJOINT", 3>]>;
def SH_TransposeAttr : EnumAttr<Stablehlo_Dialect, SH_Transpose, "transpose">;

def SH_RngDistribution : SH_Enum<"RngDistribution", "distribution of random numbers", [
  I32EnumAttrCase<"UNIFORM", 1>, I32EnumAttrCase<"NORMAL", 2>]>;
def SH_RngDistributionAttr : EnumAttr<Stablehlo_Dialect, SH_RngDistribution, "rng_distribution">;

def SH_RngAlgorithm : SH_Enum<"RngAlgorithm", "generator of random bits", [
  I32EnumAttrCase<"DEFAULT", 0>, I32EnumAttrCase<"THREE_FRY", 1>, I32EnumAttrCase<"PHILOX", 2>]>;
def SH_RngAlgorithmAttr : EnumAttr<Stablehlo_Dialect, SH_RngAlgorithm, "rng_algorithm">;

/// A list of numbers in brackets; `?` stands for a size that is not known.
def SH_Dims : OptionalArrayRefParameter<"int64_t"> {
  let parser = "::kiln::stablehlo::parseDims($_parser)";
  let printer = "::kiln::stablehlo::printDims($_printer, $_self)";
}
def SH_Number : DefaultValuedParameter<"int64_t", "0">;

class SH_StructAttr<string name, string spelling> : AttrDef<Stablehlo_Dialect, name> {
  let mnemonic = spelling;
  let assemblyFormat = "`<` struct(params) `>`";
}

def SH_GatherAttr : AttrDef<Stablehlo_Dialect, "GatherDimensionNumbers"> {
  let mnemonic = "gather";
  let summary = "Which dimensions of a gather are what";
  let parameters = (ins SH_Dims:$offset_dims, SH_Dims:$collapsed_slice_dims, SH_Dims:$operand_batching_dims,
    SH_Dims:$start_indices_batching_dims, SH_Dims:$start_index_map, SH_Number:$index_vector_dim);
  let hasCustomAssemblyFormat = 1;
}

def SH_ScatterAttr : AttrDef<Stablehlo_Dialect, "ScatterDimensionNumbers"> {
  let mnemonic = "scatter";
  let summary = "Which dimensions of a scatter are what";
  let parameters = (ins SH_Dims:$update_window_dims, SH_Dims:$inserted_window_dims, SH_Dims:$input_batching_dims,
    SH_Dims:$scatter_indices_batching_dims, SH_Dims:$scatter_dims_to_operand_dims, SH_Number:$index_vector_dim);
  let hasCustomAssemblyFormat = 1;
}

def SH_DotAttr : AttrDef<Stablehlo_Dialect, "DotDimensionNumbers"> {
  let mnemonic = "dot";
  let summary = "Which dimensions of a product are matched";
  let parameters = (ins SH_Dims:$lhs_batching_dimensions, SH_Dims:$rhs_batching_dimensions,
    SH_Dims:$lhs_contracting_dimensions, SH_Dims:$rhs_contracting_dimensions);
  let hasCustomAssemblyFormat = 1;
}

def SH_DotAlgorithmAttr : SH_StructAttr<"DotAlgorithm", "dot_algorithm"> {
  let summary = "How a product is to be computed";
  let parameters = (ins "::mlir::Type":$lhs_precision_type, "::mlir::Type":$rhs_precision_type,
    "::mlir::Type":$accumulation_type, "int64_t":$lhs_component_count, "int64_t":$rhs_component_count,
    "int64_t":$num_primitive_operations, "bool":$allow_imprecise_accumulation);
}

def SH_OutputOperandAliasAttr : SH_StructAttr<"OutputOperandAlias", "output_operand_alias"> {
  let summary = "A result that takes an operand's memory";
  let parameters = (ins SH_Dims:$output_tuple_indices, SH_Number:$operand_index, SH_Dims:$operand_tuple_indices);
}

def SH_ChannelHandleAttr : SH_StructAttr<"ChannelHandle", "channel_handle"> {
  let summary = "A channel between processes";
  let parameters = (ins "int64_t":$handle, "int64_t":$type);
}

def SH_TypeExtensionsAttr : SH_StructAttr<"TypeExtensions", "type_extensions"> {
  let summary = "Bounds of dynamic sizes";
  let parameters = (ins SH_Dims:$bounds);
}

def SH_ConvAttr : AttrDef<Stablehlo_Dialect, "ConvDimensionNumbers"> {
  let mnemonic = "conv";
  let summary = "Which dimensions of a convolution are what";
  let parameters = (ins "int64_t":$inputBatch, "int64_t":$inputFeature, SH_Dims:$inputSpatial,
    "int64_t":$kernelInput, "int64_t":$kernelOutput, SH_Dims:$kernelSpatial,
    "int64_t":$outputBatch, "int64_t":$outputFeature, SH_Dims:$outputSpatial);
  let hasCustomAssemblyFormat = 1;
}

def SH_ResultAccuracyAttr : AttrDef<Stablehlo_Dialect, "ResultAccuracy"> {
  let mnemonic = "result_accuracy";
  let summary = "How exact a function is to be";
  let parameters = (ins "::mlir::FloatAttr":$atol, "::mlir::FloatAttr":$rtol, "int64_t":$ulps, "ResultAccuracyModeAttr":$mode);
  let hasCustomAssemblyFormat = 1;
}

def SH_SubAxisInfoAttr : AttrDef<Stablehlo_Dialect, "SubAxisInfo"> {
  let mnemonic = "sub_axis_info";
  let summary = "A part of an axis";
  let parameters = (ins "int64_t":$pre_size, "int64_t":$size);
  let assemblyFormat = "`(` $pre_size `)` `` $size";
}

def SH_AxisRefAttr : SH_StructAttr<"AxisRef", "axis_ref"> {
  let summary = "An axis of a mesh of devices";
  let parameters = (ins "::mlir::StringAttr":$name, OptionalParameter<"SubAxisInfoAttr">:$sub_axis_info);
}

def SH_MeshAxisAttr : SH_StructAttr<"MeshAxis", "mesh_axis"> {
  let summary = "Name and size of an axis";
  let parameters = (ins "::mlir::StringAttr":$name, "int64_t":$size);
}

def SH_MeshAttr : AttrDef<Stablehlo_Dialect, "Mesh"> {
  let mnemonic = "mesh";
  let summary = "A mesh of devices";
  let parameters = (ins "::mlir::ArrayAttr":$axes, OptionalParameter<"::mlir::DenseIntElementsAttr">:$device_ids);
  let assemblyFormat = "`<` struct(params) `>`";
}

def SH_ReplicaGroupMeshAxesAttr : SH_StructAttr<"ReplicaGroupMeshAxes", "replica_group_mesh_axes"> {
  let summary = "Groups of devices along axes of a mesh";
  let parameters = (ins "::mlir::Attribute":$mesh, "::mlir::ArrayAttr":$axes);
}

#endif
