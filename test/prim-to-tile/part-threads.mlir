// The kernel that adds up parts has few blocks: each has as many threads as leave eight elements of a part's tile to one.
// RUN: kiln-compile %s --target=nvidia:sm_90a,ptxas=none --no-fallback --emit=program | FileCheck %s
// RUN: kiln-run %s --target=amd:gfx942,device=sim --no-fallback --check --entry=fewer
// CHECK: tile.kernel private @columns_0_sum_parts({{.*}}tile.hints = #tile.kernel_hints<warps = 32>
func.func @columns(%x: tensor<200704x64xbf16>) -> tensor<64xf32> {
  %w = prim.convert_element_type %x : tensor<200704x64xbf16> -> tensor<200704x64xf32>
  %sum = prim.sum %w dims [0] : tensor<200704x64xf32> -> tensor<64xf32>
  return %sum : tensor<64xf32>
}

func.func @fewer(%x: tensor<16384x64xbf16>) -> tensor<64xf32> {
  %w = prim.convert_element_type %x : tensor<16384x64xbf16> -> tensor<16384x64xf32>
  %sum = prim.sum %w dims [0] : tensor<16384x64xf32> -> tensor<64xf32>
  return %sum : tensor<64xf32>
}
