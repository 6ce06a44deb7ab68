// Many parts of one result lie side by side, so that the kernel that adds them up has a block for a few results and reads whole lines. It
// has as many threads as leave eight elements of all tiles to one. Few parts are rows of all results.
// RUN: kiln-compile %s --target=nvidia:sm_90a,ptxas=none --no-fallback --emit=program | FileCheck %s
// RUN: for entry in fewer few statistics; do kiln-run %s --target=amd:gfx942,device=sim --no-fallback --check --entry=$entry || exit 1; done
// CHECK-LABEL: tile.kernel private @columns_0_sum(
// CHECK: tile.store {{.*}} !tile.view<1024x64xf32, strides = [1, 1024]>
// CHECK-LABEL: tile.kernel private @columns_0_sum_parts(
// CHECK: tile.load {{.*}} !tile.view<64x1024xf32> -> tensor<1x1024xf32>
// CHECK: tile.reduce {{.*}} axis 1
// CHECK: program.launch [@columns_0_sum_parts] grid(%c64,
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

// CHECK-LABEL: tile.kernel private @few_0_sum_parts(
// CHECK: tile.load {{.*}} !tile.view<16x4096xf32> -> tensor<16x64xf32>
func.func @few(%x: tensor<512x4096xbf16>) -> tensor<4096xf32> {
  %w = prim.convert_element_type %x : tensor<512x4096xbf16> -> tensor<512x4096xf32>
  %sum = prim.sum %w dims [0] : tensor<512x4096xf32> -> tensor<4096xf32>
  return %sum : tensor<4096xf32>
}

// CHECK-LABEL: tile.kernel private @statistics_0_sum_parts({{.*}}tile.hints = #tile.kernel_hints<warps = 16>
// CHECK-COUNT-4: tile.load {{.*}} -> tensor<{{.*}}xf32>
func.func @statistics(%x: tensor<32x28x28x24xbf16>) -> (tensor<24xf32>, tensor<24xf32>) {
  %n = prim.full 25088.0 : f32 : tensor<24xf32>
  %w = prim.convert_element_type %x : tensor<32x28x28x24xbf16> -> tensor<32x28x28x24xf32>
  %total = prim.sum %w dims [0, 1, 2] : tensor<32x28x28x24xf32> -> tensor<24xf32>
  %mean = prim.div %total, %n : tensor<24xf32>
  %means = prim.broadcast_in_dim %mean dims [3] : tensor<24xf32> -> tensor<32x28x28x24xf32>
  %apart = prim.sub %w, %means : tensor<32x28x28x24xf32>
  %squares = prim.mul %apart, %apart : tensor<32x28x28x24xf32>
  %sum = prim.sum %squares dims [0, 1, 2] : tensor<32x28x28x24xf32> -> tensor<24xf32>
  return %mean, %sum : tensor<24xf32>, tensor<24xf32>
}
