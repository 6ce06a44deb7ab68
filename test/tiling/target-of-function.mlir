// A kernel is bound in the function whose groups it is one of, also where the name of another function begins like it.
// RUN: kiln-opt %s --load-target=%S/Inputs/flat.mlir --load-target=%S/Inputs/deep.mlir \
// RUN:   --pass-pipeline='builtin.module(kiln-set-target{spec=flat},kiln-set-target{spec=deep kernels=main_1_exp})' | FileCheck %s
// RUN: kiln-opt %s --load-target=%S/Inputs/flat.mlir --load-target=%S/Inputs/deep.mlir \
// RUN:   --pass-pipeline='builtin.module(kiln-set-target{spec=flat},kiln-set-target{spec=deep kernels=main_1_exp},func.func(prim-fuse),convert-prim-to-tile)' \
// RUN:   | FileCheck %s --check-prefix=KERNELS

// CHECK: func.func @main({{.*}}kiln.spec = {main_1_exp = "deep:d1"}
// CHECK: func.func @main_1(
// CHECK-NOT: kiln.spec
// CHECK: return

// KERNELS: tile.kernel private @main_0_exp
// KERNELS-NOT: kiln.spec
// KERNELS: tile.kernel private @main_1_exp({{.*}}kiln.spec = "deep:d1"
// KERNELS: tile.kernel private @main_1_0_sqrt
// KERNELS-NOT: kiln.spec
// KERNELS: program.return
func.func @main(%x: tensor<64x256xf32>, %y: tensor<24x40x48xf32>) -> (tensor<64x256xf32>, tensor<48x40x24xf32>) {
  %0 = prim.exp %x : tensor<64x256xf32>
  %1 = prim.transpose %y permutation [2, 1, 0] : tensor<24x40x48xf32> -> tensor<48x40x24xf32>
  %2 = prim.exp %1 : tensor<48x40x24xf32>
  return %0, %2 : tensor<64x256xf32>, tensor<48x40x24xf32>
}

func.func @main_1(%x: tensor<64x256xf32>) -> tensor<64x256xf32> {
  %0 = prim.sqrt %x : tensor<64x256xf32>
  return %0 : tensor<64x256xf32>
}
