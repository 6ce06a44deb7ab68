// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Large products of 8-bit floats take copies of factors that the chip has no matrix instruction for. CDNA3 multiplies 8-bit floats
// of its own format: a copy of f8E4M3FN is in that, halved, and the sums are multiplied by four. It lies along the sum. Other
// copies have the type that factors are widened to.
// DEFINE: %{pass} = kiln-set-target{spec=amd:gfx942},amd-recode-factors{uses=1 products=1}
// RUN: kiln-opt %s --pass-pipeline='builtin.module(%{pass})' -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: kiln-opt %s --pass-pipeline='builtin.module(kiln-set-target{spec=amd:gfx942},amd-recode-factors)' | FileCheck %s --check-prefix=SMALL
// RUN: kiln-opt %s --pass-pipeline='builtin.module(kiln-set-target{spec=amd:gfx950},amd-recode-factors{uses=1 products=1})' | FileCheck %s --check-prefix=OCP
// Numbers are those of the products as they were, NaN and zeros with a sign included, also on the device.
// RUN: for entry in plain shared moved along infinite mixed; do kiln-run %s --target=reference --entry=$entry --inputs=hurt --result=0:%t.npy && kiln-run %t.mlir --target=reference --entry=$entry --inputs=hurt --expect=0:%t.npy --rtol=0 --atol=0 || exit 1; done
// RUN: for entry in plain shared moved along infinite mixed; do kiln-run %t.mlir --target=amd:gfx942,device=sim --entry=$entry --inputs=hurt --check || exit 1; done

// SMALL-NOT: prim.fusion elementwise
// SMALL-NOT: prim.full

// CHECK-LABEL: func.func @plain(
// CHECK: %[[LHS:.*]] = prim.fusion elementwise(%arg0)
// CHECK: %[[WIDE:.*]] = prim.convert_element_type %{{.*}} : tensor<32x64xf8E4M3FN> -> tensor<32x64xf32>
// CHECK: %[[HALF:.*]] = prim.full 5.000000e-01 : f32
// CHECK: %[[LESS:.*]] = prim.mul %[[WIDE]], %[[HALF]]
// CHECK: %[[OWN:.*]] = prim.convert_element_type %[[LESS]] : tensor<32x64xf32> -> tensor<32x64xf8E4M3FNUZ>
// CHECK: prim.yield %[[OWN]]
// CHECK: %[[RHS:.*]] = prim.fusion elementwise(%arg1) : (tensor<64x48xf8E4M3FN>) -> tensor<48x64xf8E4M3FNUZ>
// CHECK: prim.transpose %{{.*}} permutation [1, 0]
// CHECK: prim.fusion contraction(%[[LHS]], %[[RHS]]) : (tensor<32x64xf8E4M3FNUZ>, tensor<48x64xf8E4M3FNUZ>) -> tensor<32x48xf32>
// CHECK: %[[D:.*]] = prim.dot_general %{{.*}}, %{{.*}} batch [] x [] contract [1] x [1] : tensor<32x64xbf16>, tensor<48x64xbf16> -> tensor<32x48xf32>
// CHECK: %[[FOUR:.*]] = prim.full 4.000000e+00 : f32
// CHECK: %[[WHOLE:.*]] = prim.mul %[[D]], %[[FOUR]]
// CHECK: prim.yield %[[WHOLE]]
func.func @plain(%a: tensor<32x64xf8E4M3FN>, %b: tensor<64x48xf8E4M3FN>) -> tensor<32x48xf32> {
  %d = prim.fusion contraction (%a, %b) : (tensor<32x64xf8E4M3FN>, tensor<64x48xf8E4M3FN>) -> tensor<32x48xf32> {
  ^bb0(%x: tensor<32x64xf8E4M3FN>, %y: tensor<64x48xf8E4M3FN>):
    %u = prim.convert_element_type %x : tensor<32x64xf8E4M3FN> -> tensor<32x64xbf16>
    %v = prim.convert_element_type %y : tensor<64x48xf8E4M3FN> -> tensor<64x48xbf16>
    %e = prim.dot_general %u, %v batch [] x [] contract [1] x [0] : tensor<32x64xbf16>, tensor<64x48xbf16> -> tensor<32x48xf32>
    prim.yield %e : tensor<32x48xf32>
  }
  return %d : tensor<32x48xf32>
}

// Two products share a copy. One in bf16 is multiplied by four before it is rounded.
// CHECK-LABEL: func.func @shared(
// CHECK-COUNT-3: prim.fusion elementwise
// CHECK-NOT: prim.fusion elementwise
// CHECK: prim.dot_general {{.*}} -> tensor<32x32xf32>
// CHECK: prim.mul
// CHECK: prim.convert_element_type {{.*}} : tensor<32x32xf32> -> tensor<32x32xbf16>
// CHECK: return
func.func @shared(%a: tensor<32x64xf8E4M3FN>, %b: tensor<64x48xf8E4M3FN>, %c: tensor<32x64xf8E4M3FN>) -> (tensor<32x48xf32>, tensor<32x32xbf16>) {
  %d = prim.fusion contraction (%a, %b) : (tensor<32x64xf8E4M3FN>, tensor<64x48xf8E4M3FN>) -> tensor<32x48xf32> {
  ^bb0(%x: tensor<32x64xf8E4M3FN>, %y: tensor<64x48xf8E4M3FN>):
    %u = prim.convert_element_type %x : tensor<32x64xf8E4M3FN> -> tensor<32x64xbf16>
    %v = prim.convert_element_type %y : tensor<64x48xf8E4M3FN> -> tensor<64x48xbf16>
    %e = prim.dot_general %u, %v batch [] x [] contract [1] x [0] : tensor<32x64xbf16>, tensor<64x48xbf16> -> tensor<32x48xf32>
    prim.yield %e : tensor<32x48xf32>
  }
  %f = prim.fusion contraction (%a, %c) : (tensor<32x64xf8E4M3FN>, tensor<32x64xf8E4M3FN>) -> tensor<32x32xbf16> {
  ^bb0(%x: tensor<32x64xf8E4M3FN>, %y: tensor<32x64xf8E4M3FN>):
    %u = prim.convert_element_type %x : tensor<32x64xf8E4M3FN> -> tensor<32x64xbf16>
    %v = prim.convert_element_type %y : tensor<32x64xf8E4M3FN> -> tensor<32x64xbf16>
    %e = prim.dot_general %u, %v batch [] x [] contract [1] x [1] : tensor<32x64xbf16>, tensor<32x64xbf16> -> tensor<32x32xbf16>
    prim.yield %e : tensor<32x32xbf16>
  }
  return %d, %f : tensor<32x48xf32>, tensor<32x32xbf16>
}

// A factor that is transposed on its way stays so.
// CHECK-LABEL: func.func @moved(
// CHECK: prim.fusion elementwise(%arg1) : (tensor<2x48x64xf8E4M3FN>) -> tensor<2x48x64xf8E4M3FNUZ>
// CHECK: prim.transpose {{.*}} : tensor<2x48x64xf8E4M3FNUZ> -> tensor<2x64x48xf8E4M3FNUZ>
// CHECK: contract [2] x [1]
func.func @moved(%a: tensor<2x32x64xf8E4M3FN>, %b: tensor<2x48x64xf8E4M3FN>) -> tensor<2x32x48xf32> {
  %d = prim.fusion contraction (%a, %b) : (tensor<2x32x64xf8E4M3FN>, tensor<2x48x64xf8E4M3FN>) -> tensor<2x32x48xf32> {
  ^bb0(%x: tensor<2x32x64xf8E4M3FN>, %y: tensor<2x48x64xf8E4M3FN>):
    %u = prim.convert_element_type %x : tensor<2x32x64xf8E4M3FN> -> tensor<2x32x64xbf16>
    %t = prim.transpose %y permutation [0, 2, 1] : tensor<2x48x64xf8E4M3FN> -> tensor<2x64x48xf8E4M3FN>
    %v = prim.convert_element_type %t : tensor<2x64x48xf8E4M3FN> -> tensor<2x64x48xbf16>
    %e = prim.dot_general %u, %v batch [0] x [0] contract [2] x [1] : tensor<2x32x64xbf16>, tensor<2x64x48xbf16> -> tensor<2x32x48xf32>
    prim.yield %e : tensor<2x32x48xf32>
  }
  return %d : tensor<2x32x48xf32>
}

// Factors of the chip's own format have a copy only where they lie across the sum.
// CHECK-LABEL: func.func @along(
// CHECK: prim.fusion elementwise(%arg1) : (tensor<64x48xf8E5M2FNUZ>) -> tensor<48x64xf8E5M2FNUZ>
// CHECK: prim.fusion contraction(%arg0,
// CHECK-NOT: prim.mul
// CHECK: return
func.func @along(%a: tensor<32x64xf8E4M3FNUZ>, %b: tensor<64x48xf8E5M2FNUZ>) -> tensor<32x48xf32> {
  %d = prim.fusion contraction (%a, %b) : (tensor<32x64xf8E4M3FNUZ>, tensor<64x48xf8E5M2FNUZ>) -> tensor<32x48xf32> {
  ^bb0(%x: tensor<32x64xf8E4M3FNUZ>, %y: tensor<64x48xf8E5M2FNUZ>):
    %u = prim.convert_element_type %x : tensor<32x64xf8E4M3FNUZ> -> tensor<32x64xbf16>
    %v = prim.convert_element_type %y : tensor<64x48xf8E5M2FNUZ> -> tensor<64x48xbf16>
    %e = prim.dot_general %u, %v batch [] x [] contract [1] x [0] : tensor<32x64xbf16>, tensor<64x48xbf16> -> tensor<32x48xf32>
    prim.yield %e : tensor<32x48xf32>
  }
  return %d : tensor<32x48xf32>
}

// CDNA4 multiplies both formats of OCP along and across the sum, and those of CDNA3 as bf16.
// OCP-LABEL: func.func @plain(
// OCP-NOT: prim.fusion elementwise
// OCP-LABEL: func.func @along(
// OCP: prim.fusion elementwise(%arg0) : (tensor<32x64xf8E4M3FNUZ>) -> tensor<32x64xbf16>
// OCP: prim.fusion elementwise(%arg1) : (tensor<64x48xf8E5M2FNUZ>) -> tensor<64x48xbf16>
// OCP-LABEL: func.func @infinite(
// OCP-NOT: prim.fusion elementwise

// Infinities have no place in the chip's format, and both factors have to be in it.
// CHECK-LABEL: func.func @infinite(
// CHECK: prim.fusion elementwise(%arg0) : (tensor<32x64xf8E5M2>) -> tensor<32x64xbf16>
// CHECK: prim.fusion elementwise(%arg1) : (tensor<64x48xf8E4M3FN>) -> tensor<64x48xbf16>
// CHECK: prim.fusion contraction
// CHECK-NOT: prim.convert_element_type
// CHECK: contract [1] x [0] : tensor<32x64xbf16>, tensor<64x48xbf16> -> tensor<32x48xf32>
func.func @infinite(%a: tensor<32x64xf8E5M2>, %b: tensor<64x48xf8E4M3FN>) -> tensor<32x48xf32> {
  %d = prim.fusion contraction (%a, %b) : (tensor<32x64xf8E5M2>, tensor<64x48xf8E4M3FN>) -> tensor<32x48xf32> {
  ^bb0(%x: tensor<32x64xf8E5M2>, %y: tensor<64x48xf8E4M3FN>):
    %u = prim.convert_element_type %x : tensor<32x64xf8E5M2> -> tensor<32x64xbf16>
    %v = prim.convert_element_type %y : tensor<64x48xf8E4M3FN> -> tensor<64x48xbf16>
    %e = prim.dot_general %u, %v batch [] x [] contract [1] x [0] : tensor<32x64xbf16>, tensor<64x48xbf16> -> tensor<32x48xf32>
    prim.yield %e : tensor<32x48xf32>
  }
  return %d : tensor<32x48xf32>
}

// CHECK-LABEL: func.func @mixed(
// CHECK: prim.fusion elementwise(%arg1) : (tensor<64x48xf8E4M3FN>) -> tensor<64x48xbf16>
// CHECK: prim.fusion contraction
// CHECK-NOT: prim.convert_element_type
// OCP-LABEL: func.func @mixed(
// OCP: return
func.func @mixed(%a: tensor<32x64xbf16>, %b: tensor<64x48xf8E4M3FN>) -> tensor<32x48xf32> {
  %d = prim.fusion contraction (%a, %b) : (tensor<32x64xbf16>, tensor<64x48xf8E4M3FN>) -> tensor<32x48xf32> {
  ^bb0(%x: tensor<32x64xbf16>, %y: tensor<64x48xf8E4M3FN>):
    %v = prim.convert_element_type %y : tensor<64x48xf8E4M3FN> -> tensor<64x48xbf16>
    %e = prim.dot_general %x, %v batch [] x [] contract [1] x [0] : tensor<32x64xbf16>, tensor<64x48xbf16> -> tensor<32x48xf32>
    prim.yield %e : tensor<32x48xf32>
  }
  return %d : tensor<32x48xf32>
}

