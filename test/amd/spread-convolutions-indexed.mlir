// Transposed convolutions whose group uses the index of a position: in an iota, in bounds of a pad or a cat, or along what a
// gather reads. Rows of a phase are no neighbours, so such a group has no phases along its positions.
// RUN: kiln-run %s --entry=padded --target=amd:gfx942,device=sim --no-fallback --check 2>&1 | FileCheck %s
// RUN: kiln-run %s --entry=joined --target=amd:gfx942,device=sim --no-fallback --check 2>&1 | FileCheck %s
// RUN: kiln-run %s --entry=counted --target=amd:gfx942,device=sim --no-fallback --check 2>&1 | FileCheck %s
// RUN: kiln-run %s --entry=columns --target=amd:gfx942,device=sim --no-fallback --check 2>&1 | FileCheck %s
// RUN: kiln-run %s --entry=gathered --target=amd:gfx942,device=sim --no-fallback --check 2>&1 | FileCheck %s
// CHECK: result 0: ok
// A gather whose indices belong to positions, and what it reads does not, keeps the phases.
// RUN: kiln-run %s --entry=looked_up --target=amd:gfx942,device=sim --no-fallback --check 2>&1 | FileCheck %s
// RUN: kiln-compile %s --target=amd:gfx942,device=sim --emit=tile -o - | FileCheck %s --check-prefix=PHASES
// PHASES-NOT: tile.kernel @{{.*}}_zeros
// PHASES: tile.kernel @looked_up{{.*}}_zeros
func.func @padded(%x: tensor<2x20x32xf16>, %w: tensor<16x3x32xf16>, %z: tensor<2x30x16xf16>) -> tensor<2x40x16xf16> {
  %0 = prim.conv %x, %w {strides = array<i64: 1>, pad_low = array<i64: 1>, pad_high = array<i64: 2>, dilation = array<i64: 1>, input_dilation = array<i64: 2>, groups = 1 : i64} : tensor<2x20x32xf16>, tensor<16x3x32xf16> -> tensor<2x40x16xf16>
  %p = prim.pad %z low [0, 4, 0] high [0, 6, 0] value 0.5 : f16 : tensor<2x30x16xf16> -> tensor<2x40x16xf16>
  %1 = prim.add %0, %p : tensor<2x40x16xf16>
  return %1 : tensor<2x40x16xf16>
}
func.func @joined(%x: tensor<2x20x32xf16>, %w: tensor<16x3x32xf16>, %z: tensor<2x10x16xf16>, %y: tensor<2x30x16xf16>) -> tensor<2x40x16xf16> {
  %0 = prim.conv %x, %w {strides = array<i64: 1>, pad_low = array<i64: 1>, pad_high = array<i64: 2>, dilation = array<i64: 1>, input_dilation = array<i64: 2>, groups = 1 : i64} : tensor<2x20x32xf16>, tensor<16x3x32xf16> -> tensor<2x40x16xf16>
  %p = prim.cat %z, %y dim 1 : tensor<2x10x16xf16>, tensor<2x30x16xf16> -> tensor<2x40x16xf16>
  %1 = prim.add %0, %p : tensor<2x40x16xf16>
  return %1 : tensor<2x40x16xf16>
}
func.func @counted(%x: tensor<2x20x32xf16>, %w: tensor<16x3x32xf16>) -> tensor<2x40x16xf16> {
  %0 = prim.conv %x, %w {strides = array<i64: 1>, pad_low = array<i64: 1>, pad_high = array<i64: 2>, dilation = array<i64: 1>, input_dilation = array<i64: 2>, groups = 1 : i64} : tensor<2x20x32xf16>, tensor<16x3x32xf16> -> tensor<2x40x16xf16>
  %i = prim.iota dim 1 : tensor<2x40x16xi32>
  %c = prim.convert_element_type %i : tensor<2x40x16xi32> -> tensor<2x40x16xf16>
  %1 = prim.add %0, %c : tensor<2x40x16xf16>
  return %1 : tensor<2x40x16xf16>
}
func.func @columns(%x: tensor<2x5x6x32xf16>, %w: tensor<40x3x3x32xf16>) -> tensor<2x10x12x40xf16> {
  %0 = prim.conv %x, %w {strides = array<i64: 1, 1>, pad_low = array<i64: 1, 1>, pad_high = array<i64: 2, 2>, dilation = array<i64: 1, 1>, input_dilation = array<i64: 2, 2>, groups = 1 : i64} : tensor<2x5x6x32xf16>, tensor<40x3x3x32xf16> -> tensor<2x10x12x40xf16>
  %i = prim.iota dim 2 : tensor<2x10x12x40xi32>
  %c = prim.convert_element_type %i : tensor<2x10x12x40xi32> -> tensor<2x10x12x40xf16>
  %1 = prim.add %0, %c : tensor<2x10x12x40xf16>
  return %1 : tensor<2x10x12x40xf16>
}
func.func @gathered(%x: tensor<2x20x32xf16>, %w: tensor<16x3x32xf16>, %z: tensor<2x40x77xf16>, %i: tensor<16xi32>) -> tensor<2x40x16xf16> {
  %0 = prim.conv %x, %w {strides = array<i64: 1>, pad_low = array<i64: 1>, pad_high = array<i64: 2>, dilation = array<i64: 1>, input_dilation = array<i64: 2>, groups = 1 : i64} : tensor<2x20x32xf16>, tensor<16x3x32xf16> -> tensor<2x40x16xf16>
  %g = prim.gather %z, %i dim 2 batch_dims 0 : tensor<2x40x77xf16>, tensor<16xi32> -> tensor<2x40x16xf16>
  %1 = prim.add %0, %g : tensor<2x40x16xf16>
  return %1 : tensor<2x40x16xf16>
}
func.func @looked_up(%x: tensor<2x20x32xf16>, %w: tensor<16x3x32xf16>, %z: tensor<77x16xf16>, %i: tensor<40xi32>) -> tensor<2x40x16xf16> {
  %0 = prim.conv %x, %w {strides = array<i64: 1>, pad_low = array<i64: 1>, pad_high = array<i64: 2>, dilation = array<i64: 1>, input_dilation = array<i64: 2>, groups = 1 : i64} : tensor<2x20x32xf16>, tensor<16x3x32xf16> -> tensor<2x40x16xf16>
  %g = prim.gather %z, %i dim 0 batch_dims 0 : tensor<77x16xf16>, tensor<40xi32> -> tensor<40x16xf16>
  %p = prim.broadcast_in_dim %g dims [1, 2] : tensor<40x16xf16> -> tensor<2x40x16xf16>
  %1 = prim.add %0, %p : tensor<2x40x16xf16>
  return %1 : tensor<2x40x16xf16>
}
