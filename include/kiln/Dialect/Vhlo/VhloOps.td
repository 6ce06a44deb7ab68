// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The vhlo dialect: the versioned operations of StableHLO's portable artifacts.
#ifndef KILN_DIALECT_VHLO_VHLOOPS_TD
#define KILN_DIALECT_VHLO_VHLOOPS_TD

include "mlir/IR/OpBase.td"

def Vhlo_Dialect : Dialect {
  let name = "vhlo";
  let cppNamespace = "::kiln::vhlo";
  let summary = "StableHLO's portable artifacts, as an input";
  // Attributes, types and functions of an artifact are made of these at once.
  let dependentDialects = ["::kiln::stablehlo::StablehloDialect", "::mlir::func::FuncDialect"];
  let description = [{
    What `jax.export` and PJRT hand over as MLIR bytecode. Names and the order of attributes are part of
    that format, so that they stay as they are: a change of an operation is a new one. Types and
    attributes of the format are read as those of MLIR and of `stablehlo` at once.
  }];
  let extraClassDeclaration = [{
    void registerOps();
  }];
}

class VH_Op<string mnemonic, dag attributes = (ins), list<Trait> traits = []>
    : Op<Vhlo_Dialect, mnemonic, traits> {
  // Programs are read, not built: the builders for each form of arguments would be a fifth of the code.
  let skipDefaultBuilders = 1;
  let builders = [OpBuilder<(ins "::mlir::TypeRange":$types, "::mlir::ValueRange":$operands,
      "::llvm::ArrayRef<::mlir::NamedAttribute>":$attributes), [{
    $_state.addTypes(types);
    $_state.addOperands(operands);
    $_state.addAttributes(attributes);
  }]>];
  let arguments = !con((ins Variadic<AnyType>:$operands), attributes);
  let results = (outs Variadic<AnyType>:$results);
}

class VH_RegionOp<string mnemonic, dag attributes = (ins)> : VH_Op<mnemonic, attributes> {
  let regions = (region VariadicRegion<AnyRegion>:$bodies);
}

def VH_abs_v1 : VH_Op<"abs_v1">;
def VH_add_v1 : VH_Op<"add_v1">;
def VH_after_all_v1 : VH_Op<"after_all_v1">;
def VH_all_gather_v1 : VH_Op<"all_gather_v1", (ins AnyAttr:$all_gather_dim, AnyAttr:$replica_groups,
  AnyAttr:$channel_id, AnyAttr:$use_global_device_ids)>;
def VH_all_gather_v2 : VH_Op<"all_gather_v2", (ins AnyAttr:$all_gather_dim, AnyAttr:$replica_groups,
  AnyAttr:$channel_id, AnyAttr:$use_global_device_ids)>;
def VH_all_reduce_v1 : VH_RegionOp<"all_reduce_v1", (ins AnyAttr:$replica_groups, AnyAttr:$channel_id,
  AnyAttr:$use_global_device_ids)>;
def VH_all_reduce_v2 : VH_RegionOp<"all_reduce_v2", (ins AnyAttr:$replica_groups, AnyAttr:$channel_id,
  AnyAttr:$use_global_device_ids)>;
def VH_all_to_all_v1 : VH_Op<"all_to_all_v1", (ins AnyAttr:$split_dimension, AnyAttr:$concat_dimension,
  AnyAttr:$split_count, AnyAttr:$replica_groups, AnyAttr:$channel_id)>;
def VH_all_to_all_v2 : VH_Op<"all_to_all_v2", (ins AnyAttr:$split_dimension, AnyAttr:$concat_dimension,
  AnyAttr:$split_count, AnyAttr:$replica_groups, AnyAttr:$channel_id)>;
def VH_and_v1 : VH_Op<"and_v1">;
def VH_async_done_v1 : VH_Op<"async_done_v1">;
def VH_async_start_v1 : VH_RegionOp<"async_start_v1">;
def VH_atan2_v1 : VH_Op<"atan2_v1">;
def VH_batch_norm_grad_v1 : VH_Op<"batch_norm_grad_v1", (ins AnyAttr:$epsilon, AnyAttr:$feature_index)>;
def VH_batch_norm_inference_v1 : VH_Op<"batch_norm_inference_v1", (ins AnyAttr:$epsilon, AnyAttr:$feature_index)>;
def VH_batch_norm_training_v1 : VH_Op<"batch_norm_training_v1", (ins AnyAttr:$epsilon, AnyAttr:$feature_index)>;
def VH_bitcast_convert_v1 : VH_Op<"bitcast_convert_v1">;
def VH_broadcast_in_dim_v1 : VH_Op<"broadcast_in_dim_v1", (ins AnyAttr:$broadcast_dimensions)>;
def VH_broadcast_v1 : VH_Op<"broadcast_v1", (ins AnyAttr:$broadcast_sizes)>;
def VH_call_v1 : VH_Op<"call_v1", (ins AnyAttr:$callee)>;
def VH_case_v1 : VH_RegionOp<"case_v1">;
def VH_cbrt_v1 : VH_Op<"cbrt_v1">;
def VH_cbrt_v2 : VH_Op<"cbrt_v2", (ins AnyAttr:$result_accuracy)>;
def VH_ceil_v1 : VH_Op<"ceil_v1">;
def VH_cholesky_v1 : VH_Op<"cholesky_v1", (ins AnyAttr:$lower)>;
def VH_clamp_v1 : VH_Op<"clamp_v1">;
def VH_collective_broadcast_v1 : VH_Op<"collective_broadcast_v1", (ins AnyAttr:$replica_groups, AnyAttr:$channel_id)>;
def VH_collective_broadcast_v2 : VH_Op<"collective_broadcast_v2", (ins AnyAttr:$replica_groups,
  AnyAttr:$channel_id, AnyAttr:$has_dynamic_root)>;
def VH_collective_permute_v1 : VH_Op<"collective_permute_v1", (ins AnyAttr:$source_target_pairs,
  AnyAttr:$channel_id)>;
def VH_collective_reduce_v1 : VH_RegionOp<"collective_reduce_v1", (ins AnyAttr:$replica_groups,
  AnyAttr:$channel_id, AnyAttr:$use_global_device_ids, AnyAttr:$has_dynamic_root)>;
def VH_compare_v1 : VH_Op<"compare_v1", (ins AnyAttr:$comparison_direction, AnyAttr:$compare_type)>;
def VH_complex_v1 : VH_Op<"complex_v1">;
def VH_composite_v1 : VH_Op<"composite_v1", (ins AnyAttr:$name, AnyAttr:$composite_attributes,
  AnyAttr:$decomposition, AnyAttr:$version)>;
def VH_composite_v2 : VH_RegionOp<"composite_v2", (ins AnyAttr:$name, AnyAttr:$composite_attributes,
  AnyAttr:$decomposition, AnyAttr:$version)>;
def VH_concatenate_v1 : VH_Op<"concatenate_v1", (ins AnyAttr:$dimension)>;
def VH_constant_v1 : VH_Op<"constant_v1", (ins AnyAttr:$value)>;
def VH_convert_v1 : VH_Op<"convert_v1">;
def VH_convolution_v1 : VH_Op<"convolution_v1", (ins AnyAttr:$window_strides, AnyAttr:$padding,
  AnyAttr:$lhs_dilation, AnyAttr:$rhs_dilation, AnyAttr:$window_reversal, AnyAttr:$input_batch_dimension,
  AnyAttr:$input_feature_dimension, AnyAttr:$input_spatial_dimensions, AnyAttr:$kernel_input_feature_dimension,
  AnyAttr:$kernel_output_feature_dimension, AnyAttr:$kernel_spatial_dimensions, AnyAttr:$output_batch_dimension,
  AnyAttr:$output_feature_dimension, AnyAttr:$output_spatial_dimensions, AnyAttr:$feature_group_count,
  AnyAttr:$batch_group_count, AnyAttr:$precision_config)>;
def VH_cosine_v1 : VH_Op<"cosine_v1">;
def VH_cosine_v2 : VH_Op<"cosine_v2", (ins AnyAttr:$result_accuracy)>;
def VH_count_leading_zeros_v1 : VH_Op<"count_leading_zeros_v1">;
def VH_create_token_v1 : VH_Op<"create_token_v1">;
def VH_cross_replica_sum_v1 : VH_Op<"cross-replica-sum_v1", (ins AnyAttr:$replica_groups)>;
def VH_custom_call_v1 : VH_Op<"custom_call_v1", (ins AnyAttr:$call_target_name, AnyAttr:$has_side_effect,
  AnyAttr:$backend_config, AnyAttr:$api_version, AnyAttr:$called_computations, AnyAttr:$operand_layouts,
  AnyAttr:$result_layouts, AnyAttr:$output_operand_aliases)>;
def VH_custom_call_v2 : VH_Op<"custom_call_v2", (ins AnyAttr:$call_target_name, AnyAttr:$has_side_effect,
  AnyAttr:$backend_config, AnyAttr:$api_version, AnyAttr:$called_computations, AnyAttr:$operand_layouts,
  AnyAttr:$result_layouts, AnyAttr:$output_operand_aliases, AnyAttr:$result_tilings)>;
def VH_divide_v1 : VH_Op<"divide_v1">;
def VH_dot_general_v1 : VH_Op<"dot_general_v1", (ins AnyAttr:$lhs_batching_dimensions,
  AnyAttr:$rhs_batching_dimensions, AnyAttr:$lhs_contracting_dimensions, AnyAttr:$rhs_contracting_dimensions,
  AnyAttr:$precision_config)>;
def VH_dot_general_v2 : VH_Op<"dot_general_v2", (ins AnyAttr:$lhs_batching_dimensions,
  AnyAttr:$rhs_batching_dimensions, AnyAttr:$lhs_contracting_dimensions, AnyAttr:$rhs_contracting_dimensions,
  AnyAttr:$precision_config, AnyAttr:$lhs_precision_type, AnyAttr:$rhs_precision_type, AnyAttr:$accumulation_type,
  AnyAttr:$lhs_component_count, AnyAttr:$rhs_component_count, AnyAttr:$num_primitive_operations,
  AnyAttr:$allow_imprecise_accumulation)>;
def VH_dot_v1 : VH_Op<"dot_v1", (ins AnyAttr:$precision_config)>;
def VH_dynamic_broadcast_in_dim_v1 : VH_Op<"dynamic_broadcast_in_dim_v1", (ins AnyAttr:$broadcast_dimensions,
  AnyAttr:$known_expanding_dimensions, AnyAttr:$known_nonexpanding_dimensions)>;
def VH_dynamic_conv_v1 : VH_Op<"dynamic_conv_v1", (ins AnyAttr:$window_strides, AnyAttr:$padding,
  AnyAttr:$lhs_dilation, AnyAttr:$rhs_dilation, AnyAttr:$window_reversal, AnyAttr:$input_batch_dimension,
  AnyAttr:$input_feature_dimension, AnyAttr:$input_spatial_dimensions, AnyAttr:$kernel_input_feature_dimension,
  AnyAttr:$kernel_output_feature_dimension, AnyAttr:$kernel_spatial_dimensions, AnyAttr:$output_batch_dimension,
  AnyAttr:$output_feature_dimension, AnyAttr:$output_spatial_dimensions, AnyAttr:$feature_group_count,
  AnyAttr:$batch_group_count, AnyAttr:$precision_config)>;
def VH_dynamic_conv_v2 : VH_Op<"dynamic_conv_v2", (ins AnyAttr:$window_strides, AnyAttr:$lhs_dilation,
  AnyAttr:$rhs_dilation, AnyAttr:$window_reversal, AnyAttr:$input_batch_dimension,
  AnyAttr:$input_feature_dimension, AnyAttr:$input_spatial_dimensions, AnyAttr:$kernel_input_feature_dimension,
  AnyAttr:$kernel_output_feature_dimension, AnyAttr:$kernel_spatial_dimensions, AnyAttr:$output_batch_dimension,
  AnyAttr:$output_feature_dimension, AnyAttr:$output_spatial_dimensions, AnyAttr:$feature_group_count,
  AnyAttr:$batch_group_count, AnyAttr:$precision_config)>;
def VH_dynamic_gather_v1 : VH_Op<"dynamic_gather_v1", (ins AnyAttr:$offset_dims, AnyAttr:$collapsed_slice_dims,
  AnyAttr:$start_index_map, AnyAttr:$index_vector_dim, AnyAttr:$indices_are_sorted)>;
def VH_dynamic_gather_v2 : VH_Op<"dynamic_gather_v2", (ins AnyAttr:$offset_dims, AnyAttr:$collapsed_slice_dims,
  AnyAttr:$operand_batching_dims, AnyAttr:$start_indices_batching_dims, AnyAttr:$start_index_map,
  AnyAttr:$index_vector_dim, AnyAttr:$indices_are_sorted)>;
def VH_dynamic_iota_v1 : VH_Op<"dynamic_iota_v1", (ins AnyAttr:$iota_dimension)>;
def VH_dynamic_pad_v1 : VH_Op<"dynamic_pad_v1">;
def VH_dynamic_reshape_v1 : VH_Op<"dynamic_reshape_v1">;
def VH_dynamic_slice_v1 : VH_Op<"dynamic_slice_v1", (ins AnyAttr:$slice_sizes)>;
def VH_dynamic_update_slice_v1 : VH_Op<"dynamic_update_slice_v1">;
def VH_einsum_v1 : VH_Op<"einsum_v1", (ins AnyAttr:$einsum_config)>;
def VH_exponential_minus_one_v1 : VH_Op<"exponential_minus_one_v1">;
def VH_exponential_minus_one_v2 : VH_Op<"exponential_minus_one_v2", (ins AnyAttr:$result_accuracy)>;
def VH_exponential_v1 : VH_Op<"exponential_v1">;
def VH_exponential_v2 : VH_Op<"exponential_v2", (ins AnyAttr:$result_accuracy)>;
def VH_fft_v1 : VH_Op<"fft_v1", (ins AnyAttr:$fft_type, AnyAttr:$fft_length)>;
def VH_floor_v1 : VH_Op<"floor_v1">;
def VH_func_v1 : VH_RegionOp<"func_v1", (ins AnyAttr:$sym_name, AnyAttr:$function_type, AnyAttr:$sym_visibility,
  AnyAttr:$arg_attrs, AnyAttr:$res_attrs)>;
def VH_gather_v1 : VH_Op<"gather_v1", (ins AnyAttr:$offset_dims, AnyAttr:$collapsed_slice_dims,
  AnyAttr:$start_index_map, AnyAttr:$index_vector_dim, AnyAttr:$slice_sizes, AnyAttr:$indices_are_sorted)>;
def VH_gather_v2 : VH_Op<"gather_v2", (ins AnyAttr:$offset_dims, AnyAttr:$collapsed_slice_dims,
  AnyAttr:$operand_batching_dims, AnyAttr:$start_indices_batching_dims, AnyAttr:$start_index_map,
  AnyAttr:$index_vector_dim, AnyAttr:$slice_sizes, AnyAttr:$indices_are_sorted)>;
def VH_get_dimension_size_v1 : VH_Op<"get_dimension_size_v1", (ins AnyAttr:$dimension)>;
def VH_get_tuple_element_v1 : VH_Op<"get_tuple_element_v1", (ins AnyAttr:$index)>;
def VH_if_v1 : VH_RegionOp<"if_v1">;
def VH_imag_v1 : VH_Op<"imag_v1">;
def VH_infeed_v1 : VH_Op<"infeed_v1", (ins AnyAttr:$infeed_config, AnyAttr:$layout)>;
def VH_iota_v1 : VH_Op<"iota_v1", (ins AnyAttr:$iota_dimension)>;
def VH_is_finite_v1 : VH_Op<"is_finite_v1">;
def VH_log_plus_one_v1 : VH_Op<"log_plus_one_v1">;
def VH_log_plus_one_v2 : VH_Op<"log_plus_one_v2", (ins AnyAttr:$result_accuracy)>;
def VH_log_v1 : VH_Op<"log_v1">;
def VH_log_v2 : VH_Op<"log_v2", (ins AnyAttr:$result_accuracy)>;
def VH_logistic_v1 : VH_Op<"logistic_v1">;
def VH_logistic_v2 : VH_Op<"logistic_v2", (ins AnyAttr:$result_accuracy)>;
def VH_map_v1 : VH_RegionOp<"map_v1", (ins AnyAttr:$dimensions)>;
def VH_maximum_v1 : VH_Op<"maximum_v1">;
def VH_minimum_v1 : VH_Op<"minimum_v1">;
def VH_multiply_v1 : VH_Op<"multiply_v1">;
def VH_negate_v1 : VH_Op<"negate_v1">;
def VH_not_v1 : VH_Op<"not_v1">;
def VH_optimization_barrier_v1 : VH_Op<"optimization_barrier_v1">;
def VH_or_v1 : VH_Op<"or_v1">;
def VH_outfeed_v1 : VH_Op<"outfeed_v1", (ins AnyAttr:$outfeed_config)>;
def VH_pad_v1 : VH_Op<"pad_v1", (ins AnyAttr:$edge_padding_low, AnyAttr:$edge_padding_high,
  AnyAttr:$interior_padding)>;
def VH_partition_id_v1 : VH_Op<"partition_id_v1">;
def VH_popcnt_v1 : VH_Op<"popcnt_v1">;
def VH_power_v1 : VH_Op<"power_v1">;
def VH_real_dynamic_slice_v1 : VH_Op<"real_dynamic_slice_v1">;
def VH_real_v1 : VH_Op<"real_v1">;
def VH_recv_v1 : VH_Op<"recv_v1", (ins AnyAttr:$channel_id, AnyAttr:$channel_type, AnyAttr:$is_host_transfer)>;
def VH_recv_v2 : VH_Op<"recv_v2", (ins AnyAttr:$channel_id, AnyAttr:$channel_type, AnyAttr:$is_host_transfer,
  AnyAttr:$source_target_pairs)>;
def VH_reduce_precision_v1 : VH_Op<"reduce_precision_v1", (ins AnyAttr:$exponent_bits, AnyAttr:$mantissa_bits)>;
def VH_reduce_scatter_v1 : VH_RegionOp<"reduce_scatter_v1", (ins AnyAttr:$scatter_dimension,
  AnyAttr:$replica_groups, AnyAttr:$channel_id, AnyAttr:$use_global_device_ids)>;
def VH_reduce_v1 : VH_RegionOp<"reduce_v1", (ins AnyAttr:$dimensions)>;
def VH_reduce_window_v1 : VH_RegionOp<"reduce_window_v1", (ins AnyAttr:$window_dimensions, AnyAttr:$window_strides,
  AnyAttr:$base_dilations, AnyAttr:$window_dilations, AnyAttr:$padding)>;
def VH_remainder_v1 : VH_Op<"remainder_v1">;
def VH_replica_id_v1 : VH_Op<"replica_id_v1">;
def VH_reshape_v1 : VH_Op<"reshape_v1">;
def VH_return_v1 : VH_Op<"return_v1", (ins), [Terminator]>;
def VH_reverse_v1 : VH_Op<"reverse_v1", (ins AnyAttr:$dimensions)>;
def VH_rng_bit_generator_v1 : VH_Op<"rng_bit_generator_v1", (ins AnyAttr:$rng_algorithm)>;
def VH_rng_v1 : VH_Op<"rng_v1", (ins AnyAttr:$rng_distribution)>;
def VH_round_nearest_afz_v1 : VH_Op<"round_nearest_afz_v1">;
def VH_round_nearest_even_v1 : VH_Op<"round_nearest_even_v1">;
def VH_rsqrt_v1 : VH_Op<"rsqrt_v1">;
def VH_rsqrt_v2 : VH_Op<"rsqrt_v2", (ins AnyAttr:$result_accuracy)>;
def VH_scatter_v1 : VH_RegionOp<"scatter_v1", (ins AnyAttr:$update_window_dims, AnyAttr:$inserted_window_dims,
  AnyAttr:$scatter_dims_to_operand_dims, AnyAttr:$index_vector_dim, AnyAttr:$indices_are_sorted,
  AnyAttr:$unique_indices)>;
def VH_scatter_v2 : VH_RegionOp<"scatter_v2", (ins AnyAttr:$update_window_dims, AnyAttr:$inserted_window_dims,
  AnyAttr:$input_batching_dims, AnyAttr:$scatter_indices_batching_dims, AnyAttr:$scatter_dims_to_operand_dims,
  AnyAttr:$index_vector_dim, AnyAttr:$indices_are_sorted, AnyAttr:$unique_indices)>;
def VH_select_and_scatter_v1 : VH_RegionOp<"select_and_scatter_v1", (ins AnyAttr:$window_dimensions,
  AnyAttr:$window_strides, AnyAttr:$padding)>;
def VH_select_v1 : VH_Op<"select_v1">;
def VH_send_v1 : VH_Op<"send_v1", (ins AnyAttr:$channel_id, AnyAttr:$channel_type, AnyAttr:$is_host_transfer)>;
def VH_send_v2 : VH_Op<"send_v2", (ins AnyAttr:$channel_id, AnyAttr:$channel_type, AnyAttr:$is_host_transfer,
  AnyAttr:$source_target_pairs)>;
def VH_set_dimension_size_v1 : VH_Op<"set_dimension_size_v1", (ins AnyAttr:$dimension)>;
def VH_shift_left_v1 : VH_Op<"shift_left_v1">;
def VH_shift_right_arithmetic_v1 : VH_Op<"shift_right_arithmetic_v1">;
def VH_shift_right_logical_v1 : VH_Op<"shift_right_logical_v1">;
def VH_sign_v1 : VH_Op<"sign_v1">;
def VH_sine_v1 : VH_Op<"sine_v1">;
def VH_sine_v2 : VH_Op<"sine_v2", (ins AnyAttr:$result_accuracy)>;
def VH_slice_v1 : VH_Op<"slice_v1", (ins AnyAttr:$start_indices, AnyAttr:$limit_indices, AnyAttr:$strides)>;
def VH_sort_v1 : VH_RegionOp<"sort_v1", (ins AnyAttr:$dimension, AnyAttr:$is_stable)>;
def VH_sqrt_v1 : VH_Op<"sqrt_v1">;
def VH_sqrt_v2 : VH_Op<"sqrt_v2", (ins AnyAttr:$result_accuracy)>;
def VH_subtract_v1 : VH_Op<"subtract_v1">;
def VH_tan_v1 : VH_Op<"tan_v1">;
def VH_tan_v2 : VH_Op<"tan_v2", (ins AnyAttr:$result_accuracy)>;
def VH_tanh_v1 : VH_Op<"tanh_v1">;
def VH_tanh_v2 : VH_Op<"tanh_v2", (ins AnyAttr:$result_accuracy)>;
def VH_torch_index_select_v1 : VH_Op<"torch_index_select_v1", (ins AnyAttr:$dim, AnyAttr:$batch_dims)>;
def VH_transpose_v1 : VH_Op<"transpose_v1", (ins AnyAttr:$permutation)>;
def VH_triangular_solve_v1 : VH_Op<"triangular_solve_v1", (ins AnyAttr:$left_side, AnyAttr:$lower,
  AnyAttr:$unit_diagonal, AnyAttr:$transpose_a)>;
def VH_tuple_v1 : VH_Op<"tuple_v1">;
def VH_unary_einsum_v1 : VH_Op<"unary_einsum_v1", (ins AnyAttr:$einsum_config)>;
def VH_uniform_dequantize_v1 : VH_Op<"uniform_dequantize_v1">;
def VH_uniform_quantize_v1 : VH_Op<"uniform_quantize_v1">;
def VH_while_v1 : VH_RegionOp<"while_v1">;
def VH_xor_v1 : VH_Op<"xor_v1">;

#endif
