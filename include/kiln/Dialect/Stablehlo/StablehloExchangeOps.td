// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operations of StableHLO between processes, and with the host.
#ifndef KILN_DIALECT_STABLEHLO_STABLEHLOEXCHANGEOPS_TD
#define KILN_DIALECT_STABLEHLO_STABLEHLOEXCHANGEOPS_TD

include "kiln/Dialect/Stablehlo/StablehloAttrs.td"

class SH_ExchangeOp<string mnemonic, dag attributes> : SH_Op<mnemonic> {
  let arguments = !con((ins Variadic<SH_Value>:$operands), attributes);
  let results = (outs Variadic<SH_Value>:$res);
}

class SH_CombiningOp<string mnemonic, dag attributes> : SH_ExchangeOp<mnemonic, attributes> {
  let regions = (region SizedRegion<1>:$computation);
}

def SH_AllGatherOp : SH_ExchangeOp<"all_gather", (ins I64Attr:$all_gather_dim, AnyAttr:$replica_groups,
  OptionalAttr<SH_ChannelHandleAttr>:$channel_handle, UnitAttr:$use_global_device_ids)>;
def SH_AllReduceOp : SH_CombiningOp<"all_reduce", (ins AnyAttr:$replica_groups,
  OptionalAttr<SH_ChannelHandleAttr>:$channel_handle, UnitAttr:$use_global_device_ids)>;
def SH_ReduceScatterOp : SH_CombiningOp<"reduce_scatter", (ins I64Attr:$scatter_dimension,
  AnyAttr:$replica_groups, OptionalAttr<SH_ChannelHandleAttr>:$channel_handle, UnitAttr:$use_global_device_ids)>;
def SH_AllToAllOp : SH_ExchangeOp<"all_to_all", (ins I64Attr:$split_dimension, I64Attr:$concat_dimension,
  I64Attr:$split_count, AnyAttr:$replica_groups, OptionalAttr<SH_ChannelHandleAttr>:$channel_handle)>;
def SH_CollectiveBroadcastOp : SH_ExchangeOp<"collective_broadcast", (ins AnyAttr:$replica_groups,
  OptionalAttr<SH_ChannelHandleAttr>:$channel_handle, UnitAttr:$has_dynamic_root)>;
def SH_CollectiveReduceOp : SH_CombiningOp<"collective_reduce", (ins AnyAttr:$replica_groups,
  OptionalAttr<SH_ChannelHandleAttr>:$channel_handle, UnitAttr:$use_global_device_ids, UnitAttr:$has_dynamic_root)>;
def SH_CollectivePermuteOp : SH_ExchangeOp<"collective_permute", (ins I64ElementsAttr:$source_target_pairs,
  OptionalAttr<SH_ChannelHandleAttr>:$channel_handle)>;
def SH_CrossReplicaSumOp : SH_ExchangeOp<"cross-replica-sum", (ins I64ElementsAttr:$replica_groups)>;

def SH_InfeedOp : SH_ExchangeOp<"infeed", (ins OptionalAttr<StrAttr>:$infeed_config, OptionalAttr<ArrayAttr>:$layout)>;
def SH_OutfeedOp : SH_ExchangeOp<"outfeed", (ins OptionalAttr<StrAttr>:$outfeed_config)>;
def SH_SendOp : SH_ExchangeOp<"send", (ins SH_ChannelHandleAttr:$channel_handle,
  DefaultValuedOptionalAttr<BoolAttr, "false">:$is_host_transfer, OptionalAttr<I64ElementsAttr>:$source_target_pairs)>;
def SH_RecvOp : SH_ExchangeOp<"recv", (ins SH_ChannelHandleAttr:$channel_handle,
  DefaultValuedOptionalAttr<BoolAttr, "false">:$is_host_transfer, OptionalAttr<I64ElementsAttr>:$source_target_pairs)>;

def SH_AsyncStartOp : SH_CombiningOp<"async_start", (ins)>;
def SH_AsyncDoneOp : SH_ExchangeOp<"async_done", (ins)>;

class SH_NumberOfProcessOp<string mnemonic> : SH_Op<mnemonic, [Pure]> {
  let results = (outs SH_Tensor:$result);
  let assemblyFormat = "attr-dict `:` type(results)";
}
def SH_ReplicaIdOp : SH_NumberOfProcessOp<"replica_id">;
def SH_PartitionIdOp : SH_NumberOfProcessOp<"partition_id">;

#endif
