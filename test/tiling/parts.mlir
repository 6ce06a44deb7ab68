// Where rows and columns give few instances, several share out the depth of a product, and a second kernel adds up what each
// has summed.
// RUN: kiln-opt %s --load-target=%S/Inputs/threads.mlir --pass-pipeline='builtin.module(kiln-set-target{spec=threads},func.func(prim-fuse),convert-prim-to-tile)' | FileCheck %s
// Instances that are threads of a processor take whole products.
// RUN: kiln-opt %s --pass-pipeline='builtin.module(kiln-set-target{spec=cpu:x86-64-v3},func.func(prim-fuse),convert-prim-to-tile)' | FileCheck %s --check-prefix=CPU
// These threads have no code generator, so the host runs what is chosen for them:
// RUN: unset KILN_NO_FALLBACK
// RUN: for entry in deep row along; do kiln-run %s --load-target=%S/Inputs/threads.mlir --target=threads --check --entry=$entry || exit 1; done
// CPU-NOT: _parts
// CPU-NOT: {{[0-9]+x[0-9]+x[0-9]+x[0-9]+"}}

// CHECK: @deep_0_dot{{.*}}64x64x8192x?<=64 bf16*bf16+f32 {{.*}} -> {{[0-9]+x[0-9]+x[0-9]+x([2-9]|[1-9][0-9])"}}
// CHECK: @deep_0_dot_parts
func.func @deep(%a: tensor<64x8192xbf16>, %b: tensor<8192x64xbf16>) -> tensor<64x64xf32> {
  %d = prim.dot_general %a, %b batch [] x [] contract [1] x [0] : tensor<64x8192xbf16>, tensor<8192x64xbf16> -> tensor<64x64xf32>
  return %d : tensor<64x64xf32>
}

// The gradient of a convolution's filter, of 24 images: instances have a line of three places of the filter, and share out images and places.
// CHECK: @filter_0_conv{{.*}}64<=64x64<=64x75264<=64x?<=64 times 3 bf16*bf16+f32 {{.*}} -> {{[0-9]+x[0-9]+x[0-9]+x([2-9]|[1-9][0-9])"}}
// CHECK: @filter_0_conv_parts
func.func @filter(%x: tensor<64x56x56x24xbf16>, %g: tensor<64x56x56x24xbf16>) -> tensor<64x3x3x64xbf16> {
  %0 = prim.conv %x, %g {strides = array<i64: 1, 1>, pad_low = array<i64: 1, 1>, pad_high = array<i64: 1, 1>,
    dilation = array<i64: 1, 1>, input_dilation = array<i64: 1, 1>, groups = 1 : i64}
    : tensor<64x56x56x24xbf16>, tensor<64x56x56x24xbf16> -> tensor<64x3x3x64xbf16>
  return %0 : tensor<64x3x3x64xbf16>
}

// Enough instances, too few steps, and a number of rows that is not known: one kernel, and the problem is the same as ever.
// CHECK: @large_0_dot{{.*}}4096x4096x4096 bf16*bf16+f32
// CHECK-NOT: _parts
func.func @large(%a: tensor<4096x4096xbf16>, %b: tensor<4096x4096xbf16>) -> tensor<4096x4096xf32> {
  %d = prim.dot_general %a, %b batch [] x [] contract [1] x [0] : tensor<4096x4096xbf16>, tensor<4096x4096xbf16> -> tensor<4096x4096xf32>
  return %d : tensor<4096x4096xf32>
}
// CHECK: @shallow_0_dot{{.*}}64x64x256 bf16*bf16+f32
// CHECK-NOT: _parts
func.func @shallow(%a: tensor<64x256xbf16>, %b: tensor<256x64xbf16>) -> tensor<64x64xf32> {
  %d = prim.dot_general %a, %b batch [] x [] contract [1] x [0] : tensor<64x256xbf16>, tensor<256x64xbf16> -> tensor<64x64xf32>
  return %d : tensor<64x64xf32>
}
// CHECK: @open_0_dot{{.*}}?x64x8192 bf16*bf16+f32
// CHECK-NOT: _parts
func.func @open(%a: tensor<?x8192xbf16>, %b: tensor<8192x64xbf16>) -> tensor<?x64xf32> {
  %d = prim.dot_general %a, %b batch [] x [] contract [1] x [0] : tensor<?x8192xbf16>, tensor<8192x64xbf16> -> tensor<?x64xf32>
  return %d : tensor<?x64xf32>
}

// A single row is padded for the matrix unit, where its factor lies across the sum.
// CHECK: @row_0_dot{{.*}}1x512x4096x?<=64 bf16*bf16+f32 {{.*}} -> 16x{{[0-9]+x[0-9]+x([2-9]|[1-9][0-9])"}}
// CHECK: tile.load {{.*}}view<1x4096xbf16> -> tensor<16x
// CHECK: @row_0_dot_parts
func.func @row(%a: tensor<1x4096xbf16>, %b: tensor<4096x512xbf16>) -> tensor<1x512xbf16> {
  %d = prim.dot_general %a, %b batch [] x [] contract [1] x [0] : tensor<1x4096xbf16>, tensor<4096x512xbf16> -> tensor<1x512xf32>
  %e = prim.convert_element_type %d : tensor<1x512xf32> -> tensor<1x512xbf16>
  return %e : tensor<1x512xbf16>
}

// Along the sum threads multiply it, if there are columns for every core.
// CHECK: @along_0_dot{{.*}}1x512x4096 bf16*bf16+f32 {{.*}} -> 1x8x1024"
// CHECK-NOT: _parts
func.func @along(%a: tensor<1x4096xbf16>, %b: tensor<512x4096xbf16>) -> tensor<1x512xbf16> {
  %d = prim.dot_general %a, %b batch [] x [] contract [1] x [1] : tensor<1x4096xbf16>, tensor<512x4096xbf16> -> tensor<1x512xf32>
  %e = prim.convert_element_type %d : tensor<1x512xf32> -> tensor<1x512xbf16>
  return %e : tensor<1x512xbf16>
}
// CHECK: @narrow_0_dot{{.*}}1x8x4096x?<=64 bf16*bf16+f32
func.func @narrow(%a: tensor<1x4096xbf16>, %b: tensor<8x4096xbf16>) -> tensor<1x8xbf16> {
  %d = prim.dot_general %a, %b batch [] x [] contract [1] x [1] : tensor<1x4096xbf16>, tensor<8x4096xbf16> -> tensor<1x8xf32>
  %e = prim.convert_element_type %d : tensor<1x8xf32> -> tensor<1x8xbf16>
  return %e : tensor<1x8xbf16>
}
