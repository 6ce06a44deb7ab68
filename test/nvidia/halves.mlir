// Two equal operations on neighbouring numbers of 16 bits are one instruction.
// RUN: kiln-compile %s --target=nvidia:sm_90a,ptxas=none --emit=asm -o - | FileCheck %s
// CHECK-COUNT-2: mul.rn.f16x2
// CHECK-COUNT-2: add.rn.f16x2
// CHECK-NOT: mul.rn.f16 {{[[:space:]]}}
func.func @main(%a: tensor<65536xf16>, %b: tensor<65536xf16>) -> tensor<65536xf16> {
  %d = prim.mul %a, %b : tensor<65536xf16>
  %e = prim.add %d, %b : tensor<65536xf16>
  return %e : tensor<65536xf16>
}
