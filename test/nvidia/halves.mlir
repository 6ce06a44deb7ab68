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
// So are two roundings to 16 bits.
// CHECK-LABEL: .entry rounded_0
// CHECK-COUNT-2: cvt.rn.f16x2.f32
// CHECK-NOT: cvt.rn.f16.f32
func.func @rounded(%a: tensor<65536xf32>) -> tensor<65536xf16> {
  %d = prim.convert_element_type %a : tensor<65536xf32> -> tensor<65536xf16>
  return %d : tensor<65536xf16>
}
// CHECK-LABEL: .entry rounded_brain_0
// CHECK-COUNT-2: cvt.rn.bf16x2.f32
// CHECK-NOT: cvt.rn.bf16.f32
func.func @rounded_brain(%a: tensor<65536xf32>) -> tensor<65536xbf16> {
  %d = prim.convert_element_type %a : tensor<65536xf32> -> tensor<65536xbf16>
  return %d : tensor<65536xbf16>
}
