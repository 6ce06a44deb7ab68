// Where cores hold many threads blocks are powers of two, of which an instance's sums fit into registers and its rings
// into half of the memory of a core. A large product gets large blocks; where there are few rows and columns, blocks are
// small and deep, so that every core has some; what may be read as tf32 is a product of the matrix unit.
// RUN: kiln-opt %s --load-target=%S/Inputs/threads.mlir --pass-pipeline='builtin.module(kiln-set-target{spec=threads},func.func(prim-fuse),convert-prim-to-tile)' | FileCheck %s
// RUN: kiln-opt %s --load-target=%S/Inputs/threads.mlir --pass-pipeline='builtin.module(kiln-set-target{spec=threads},kiln-set-numerics{allow-tf32=true},func.func(prim-fuse),convert-prim-to-tile)' | FileCheck %s --check-prefix=TF32
// RUN: kiln-opt %s --load-target=%S/Inputs/threads.mlir --pass-pipeline='builtin.module(kiln-set-target{spec="threads,candidate=1"},func.func(prim-fuse),convert-prim-to-tile)' | FileCheck %s --check-prefix=NEXT

// CHECK: @large_0_dot{{.*}}4096x4096x4096 bf16*bf16+f32 {{.*}} -> {{(256x64|128x128|128x64)x(32|16)}}"
// NEXT: @large_0_dot{{.*}}4096x4096x4096 bf16*bf16+f32 {{.*}} -> {{[0-9]+x[0-9]+x[0-9]+}}"
func.func @large(%a: tensor<4096x4096xbf16>, %b: tensor<4096x4096xbf16>) -> tensor<4096x4096xf32> {
  %d = prim.dot_general %a, %b batch [] x [] contract [1] x [0] : tensor<4096x4096xbf16>, tensor<4096x4096xbf16> -> tensor<4096x4096xf32>
  return %d : tensor<4096x4096xf32>
}

// CHECK: @few_0_dot{{.*}}48x64x? bf16*bf16+f32 {{.*}} -> {{(16x16|32x8)x128}}"
func.func @few(%a: tensor<48x?xbf16>, %b: tensor<?x64xbf16>) -> tensor<48x64xf32> {
  %d = prim.dot_general %a, %b batch [] x [] contract [1] x [0] : tensor<48x?xbf16>, tensor<?x64xbf16> -> tensor<48x64xf32>
  return %d : tensor<48x64xf32>
}

// CHECK: @wide_0_dot{{.*}}1024x1024x1024 f32*f32+f32
// TF32: @wide_0_dot{{.*}}1024x1024x1024 tf32*tf32+f32 {{.*}} -> {{(64|128|256)x(64|128)x(16|32)}}"
// TF32: tile.dot {{.*}} precision tf32
func.func @wide(%a: tensor<1024x1024xf32>, %b: tensor<1024x1024xf32>) -> tensor<1024x1024xf32> {
  %d = prim.dot_general %a, %b batch [] x [] contract [1] x [0] : tensor<1024x1024xf32>, tensor<1024x1024xf32> -> tensor<1024x1024xf32>
  return %d : tensor<1024x1024xf32>
}
