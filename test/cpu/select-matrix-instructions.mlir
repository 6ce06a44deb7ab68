// Which matrix instruction computes a product, by chip and type.
// REQUIRES: x86_64
// RUN: kiln-opt %s --pass-pipeline='builtin.module(kiln-set-target{spec=cpu:x86-64-v2},cpu-select-matrix-instructions)' | FileCheck %s --check-prefix=V2
// RUN: kiln-opt %s --pass-pipeline='builtin.module(kiln-set-target{spec=cpu:x86-64-v3},cpu-select-matrix-instructions)' | FileCheck %s --check-prefix=V3
// RUN: kiln-opt %s --pass-pipeline='builtin.module(kiln-set-target{spec=cpu:alderlake},cpu-select-matrix-instructions)' | FileCheck %s --check-prefix=VEX
// RUN: kiln-opt %s --pass-pipeline='builtin.module(kiln-set-target{spec=cpu:x86-64-v4},cpu-select-matrix-instructions)' | FileCheck %s --check-prefix=V4
// RUN: kiln-opt %s --pass-pipeline='builtin.module(kiln-set-target{spec=cpu:znver4},cpu-select-matrix-instructions)' | FileCheck %s --check-prefix=ZEN
// RUN: kiln-opt %s --pass-pipeline='builtin.module(kiln-set-target{spec=cpu:sapphirerapids},cpu-select-matrix-instructions)' | FileCheck %s --check-prefix=TILES
// RUN: kiln-opt %s --pass-pipeline='builtin.module(kiln-set-target{spec=cpu:lunarlake},cpu-select-matrix-instructions)' | FileCheck %s --check-prefix=INT8
// RUN: kiln-opt %s --pass-pipeline='builtin.module(kiln-set-target{spec=cpu:novalake},cpu-select-matrix-instructions)' | FileCheck %s --check-prefix=AVX10
// RUN: kiln-opt %s --pass-pipeline='builtin.module(kiln-set-target{spec=cpu:znver4},cpu-select-matrix-instructions{keep-subnormals})' | FileCheck %s --check-prefix=KEEP
// Rows print, and what is printed parses, is kept and gives the same code.
// RUN: kiln-opt %s --pass-pipeline='builtin.module(kiln-set-target{spec=cpu:znver4},cpu-select-matrix-instructions)' | kiln-opt --cpu-select-matrix-instructions | FileCheck %s --check-prefix=ZEN

// V2-LABEL: @f32
// V2: tile.dot {{.*}}split = #cpu.product<rows = 4, columns = 12,
// V3-LABEL: @f32
// V3: tile.dot {{.*}}split = #cpu.product<row = "fma.f32", rows = 4, columns = 24, depth = 256>
// V4-LABEL: @f32
// V4: tile.dot {{.*}}split = #cpu.product<row = "fma.f32", rows = 6, columns = 64,
// TILES-LABEL: @f32
// TILES: tile.dot {{.*}}row = "fma.f32"
tile.kernel @f32(%a: !tile.view<?x?xf32>, %b: !tile.view<?x?xf32>, %c: !tile.view<?x?xf32>) {
  %i, %j = tile.program_id : index, index
  %zero = arith.constant dense<0.0> : tensor<192x192xf32>
  %k = arith.constant 0 : index
  %x = tile.load %a[%i, %k] : !tile.view<?x?xf32> -> tensor<192x512xf32>
  %y = tile.load %b[%k, %j] : !tile.view<?x?xf32> -> tensor<512x192xf32>
  %d = tile.dot %x, %y, %zero : tensor<192x512xf32>, tensor<512x192xf32>, tensor<192x192xf32>
  tile.store %d, %c[%i, %j] : tensor<192x192xf32>, !tile.view<?x?xf32>
}

// V2-LABEL: @f64
// V2: tile.dot {{.*}}split = #cpu.product<rows
// V3-LABEL: @f64
// V3: tile.dot {{.*}}row = "fma.f64", rows = {{[0-9]+}}, columns = {{[0-9]+}},
tile.kernel @f64() {
  %x = arith.constant dense<0.0> : tensor<64x64xf64>
  %y = arith.constant dense<0.0> : tensor<64x64xf64>
  %z = arith.constant dense<0.0> : tensor<64x64xf64>
  %d = tile.dot %x, %y, %z : tensor<64x64xf64>, tensor<64x64xf64>, tensor<64x64xf64>
}

// Factors of 16 bits are widened where nothing multiplies them.
// V3-LABEL: @bf16
// V3: tile.dot {{.*}}row = "fma.f32", rows = {{[46]}}, columns = {{16|24}},
// V4-LABEL: @bf16
// V4: tile.dot {{.*}}row = "fma.f32", rows = 6, columns = 64,
// ZEN-LABEL: @bf16
// ZEN: tile.dot {{.*}}row = "vdpbf16ps", rows = 6, columns = 64,
// TILES-LABEL: @bf16
// TILES: tile.dot {{.*}}row = "tdpbf16ps", rows = 32, columns = 32,
// Subnormal numbers have to be kept.
// KEEP-LABEL: @bf16
// KEEP: tile.dot {{.*}}row = "fma.f32"
tile.kernel @bf16() {
  %x = arith.constant dense<0.0> : tensor<192x192xbf16>
  %y = arith.constant dense<0.0> : tensor<192x192xbf16>
  %z = arith.constant dense<0.0> : tensor<192x192xf32>
  %d = tile.dot %x, %y, %z : tensor<192x192xbf16>, tensor<192x192xbf16>, tensor<192x192xf32>
}

// Few rows are no work for tiles of 16.
// TILES-LABEL: @row
// TILES: tile.dot {{.*}}row = "vdpbf16ps", rows = 1,
tile.kernel @row() {
  %x = arith.constant dense<0.0> : tensor<1x192xbf16>
  %y = arith.constant dense<0.0> : tensor<192x192xbf16>
  %z = arith.constant dense<0.0> : tensor<1x192xf32>
  %d = tile.dot %x, %y, %z : tensor<1x192xbf16>, tensor<192x192xbf16>, tensor<1x192xf32>
}

// V2-LABEL: @s8s8
// V2: tile.dot {{.*}}#cpu.product<rows
// V3-LABEL: @s8s8
// V3: tile.dot {{.*}}row = "vpmaddwd", {{.*}}narrow = [#cpu.product<row = "vpmaddubsw", {{[^>]*}}lhs_offset = 128, bounded = true>]>
// VEX-LABEL: @s8s8
// VEX: tile.dot {{.*}}row = "vpdpbusd", {{.*}}lhs_offset = 128>
// V4-LABEL: @s8s8
// V4: tile.dot {{.*}}row = "vpmaddwd"
// ZEN-LABEL: @s8s8
// ZEN: tile.dot {{.*}}row = "vpdpbusd", {{.*}}lhs_offset = 128>
// INT8-LABEL: @s8s8
// INT8: tile.dot {{.*}}row = "vpdpbssd", rows = {{[0-9]+}}, columns = {{[0-9]+}}, depth = {{[0-9]+}}>
// AVX10-LABEL: @s8s8
// AVX10: tile.dot {{.*}}row = "vpdpbssd", rows = {{[0-9]+}}, columns = {{[0-9]+}}, depth = {{[0-9]+}}>
// TILES-LABEL: @s8s8
// TILES: tile.dot {{.*}}row = "tdpbssd"
tile.kernel @s8s8() {
  %x = arith.constant dense<0> : tensor<192x192xi8>
  %y = arith.constant dense<0> : tensor<192x192xi8>
  %z = arith.constant dense<0> : tensor<192x192xi32>
  %d = tile.dot %x, %y, %z : tensor<192x192xi8>, tensor<192x192xi8>, tensor<192x192xi32>
}

// Where one factor has 7 bits sums of two products do not saturate.
// V3-LABEL: @u8s8
// V3: tile.dot {{.*}}row = "vpmaddwd", {{.*}}narrow = [#cpu.product<row = "vpmaddubsw", {{[^>]*}}bounded = true>, #cpu.product<row = "vpmaddubsw.lhs7", {{[^>]*}}bounded = true>]>
// VEX-LABEL: @u8s8
// VEX: tile.dot {{.*}}row = "vpdpbusd", {{.*}}depth = {{[0-9]*}}>
// TILES-LABEL: @u8s8
// TILES: tile.dot {{.*}}row = "tdpbusd"
tile.kernel @u8s8() {
  %x = arith.constant dense<0> : tensor<192x192xi8>
  %y = arith.constant dense<0> : tensor<192x192xi8>
  %z = arith.constant dense<0> : tensor<192x192xi32>
  %d = tile.dot %x, %y, %z lhs_unsigned : tensor<192x192xi8>, tensor<192x192xi8>, tensor<192x192xi32>
}

// VEX-LABEL: @s8u8
// VEX: tile.dot {{.*}}row = "vpdpbusd.swapped"
// TILES-LABEL: @s8u8
// TILES: tile.dot {{.*}}row = "tdpbsud"
tile.kernel @s8u8() {
  %x = arith.constant dense<0> : tensor<192x192xi8>
  %y = arith.constant dense<0> : tensor<192x192xi8>
  %z = arith.constant dense<0> : tensor<192x192xi32>
  %d = tile.dot %x, %y, %z rhs_unsigned : tensor<192x192xi8>, tensor<192x192xi8>, tensor<192x192xi32>
}

// V3-LABEL: @u8u8
// V3: tile.dot {{.*}}row = "vpmaddwd"
// VEX-LABEL: @u8u8
// VEX: tile.dot {{.*}}row = "vpdpwssd"
// TILES-LABEL: @u8u8
// TILES: tile.dot {{.*}}row = "tdpbuud"
tile.kernel @u8u8() {
  %x = arith.constant dense<0> : tensor<192x192xi8>
  %y = arith.constant dense<0> : tensor<192x192xi8>
  %z = arith.constant dense<0> : tensor<192x192xi32>
  %d = tile.dot %x, %y, %z lhs_unsigned rhs_unsigned : tensor<192x192xi8>, tensor<192x192xi8>, tensor<192x192xi32>
}

// V3-LABEL: @s16
// V3: tile.dot {{.*}}row = "vpmaddwd"
// VEX-LABEL: @s16
// VEX: tile.dot {{.*}}row = "vpdpwssd"
tile.kernel @s16() {
  %x = arith.constant dense<0> : tensor<192x192xi16>
  %y = arith.constant dense<0> : tensor<192x192xi8>
  %z = arith.constant dense<0> : tensor<192x192xi32>
  %d = tile.dot %x, %y, %z : tensor<192x192xi16>, tensor<192x192xi8>, tensor<192x192xi32>
}

// Unsigned 16-bit numbers are no signed ones, and sums of 64 bits no row has.
// VEX-LABEL: @u16
// VEX: tile.dot {{.*}}#cpu.product<rows
// VEX: tile.dot {{.*}}#cpu.product<rows
tile.kernel @u16() {
  %x = arith.constant dense<0> : tensor<64x64xi16>
  %y = arith.constant dense<0> : tensor<64x64xi16>
  %z = arith.constant dense<0> : tensor<64x64xi32>
  %w = arith.constant dense<0> : tensor<64x64xi64>
  %d = tile.dot %x, %y, %z lhs_unsigned : tensor<64x64xi16>, tensor<64x64xi16>, tensor<64x64xi32>
  %e = tile.dot %x, %y, %w : tensor<64x64xi16>, tensor<64x64xi16>, tensor<64x64xi64>
}

// A panel of many columns has enough steps, though the nearest cache does not hold it: sums are loaded and stored for each panel.
// V4-LABEL: @many_columns
// V4: tile.dot {{.*}}columns = 112, depth = 128>
// V3-LABEL: @many_columns
// V3: tile.dot {{.*}}columns = 40, depth = 160>
tile.kernel @many_columns() {
  %x = arith.constant dense<0.0> : tensor<256x2304xf32>
  %y = arith.constant dense<0.0> : tensor<2304x196xf32>
  %z = arith.constant dense<0.0> : tensor<256x196xf32>
  %d = tile.dot %x, %y, %z : tensor<256x2304xf32>, tensor<2304x196xf32>, tensor<256x196xf32>
}
