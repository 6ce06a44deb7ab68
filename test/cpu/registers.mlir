// No vector is wider than a register of the chip, whatever the tile's size.
// RUN: kiln-compile %s --target=cpu:x86-64-v3 --emit=llvm -o - | FileCheck %s --check-prefix=V3
// RUN: kiln-compile %s --target=cpu:x86-64-v4 --emit=llvm -o - | FileCheck %s --check-prefix=V4
// RUN: kiln-compile %s --target=cpu:x86-64-v3 --emit=asm -o - | FileCheck %s --check-prefix=ASM3
// RUN: kiln-compile %s --target=cpu:x86-64-v4 --emit=asm -o - | FileCheck %s --check-prefix=ASM4

// V3-NOT: <16 x float>
// V3: define {{.*}}@scale(
// V3: load <8 x float>
// V3: fmul <8 x float>
// V4-NOT: <32 x float>
// V4: define {{.*}}@scale(
// V4: load <16 x float>
// ASM3-NOT: zmm
// ASM3: vmulps {{.*}}%ymm
// ASM4: vmulps {{.*}}%zmm
tile.kernel @scale(%x: !tile.view<?xf32> {tile.readonly}, %y: !tile.view<?xf32> {tile.noalias}, %by: f32) {
  %i = tile.program_id : index
  %a = tile.load %x[%i] : !tile.view<?xf32> -> tensor<2048xf32>
  %s = tile.splat %by : tensor<2048xf32>
  %b = arith.mulf %a, %s : tensor<2048xf32>
  tile.store %b, %y[%i] : tensor<2048xf32>, !tile.view<?xf32>
}
