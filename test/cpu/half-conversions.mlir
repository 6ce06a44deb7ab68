// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RISC-V's vectors of f16 become integers by way of f32 where the chip only converts between these two types.
// RUN: kiln-compile %s --target=cpu:rva23,vector_bits=256 --emit=asm | FileCheck %s
// CHECK: vfwcvt.f.f.v
// CHECK: vfcvt.rtz.x.f.v
// That is a property of the chip, which its description has.
// RUN: kiln-compile --describe=cpu:rva23 | FileCheck %s --check-prefix=CHIP
// CHIP: extra = {{.*}}f16_through_f32
// RUN: kiln-compile --describe=cpu:neoverse-n1 | FileCheck %s --check-prefix=OTHER
// OTHER-NOT: f16_through_f32
func.func @main(%x: tensor<64xf16>) -> tensor<64xi32> {
  %0 = prim.convert_element_type %x : tensor<64xf16> -> tensor<64xi32>
  return %0 : tensor<64xi32>
}
