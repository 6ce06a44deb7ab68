// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Recursions that look like scans, and are none.
// RUN: kiln-compile %s --target=cpu --explain --emit=program -o %t.program | FileCheck %s
// RUN: for entry in levels nonassoc; do kiln-run %s --target=cpu --check --entry=$entry || exit 1; done

// The second result reads the whole scan where it would have to read that of the second level.
// CHECK-LABEL: function levels
func.func @levels(%x: tensor<8xi32>) -> (tensor<8xi32>, tensor<8xi32>) {
  %a0 = prim.slice %x starts [0] limits [8] strides [2] : tensor<8xi32> -> tensor<4xi32>
  %b0 = prim.slice %x starts [1] limits [8] strides [2] : tensor<8xi32> -> tensor<4xi32>
  %l1 = prim.add %a0, %b0 : tensor<4xi32>
  %a1 = prim.slice %l1 starts [0] limits [4] strides [2] : tensor<4xi32> -> tensor<2xi32>
  %b1 = prim.slice %l1 starts [1] limits [4] strides [2] : tensor<4xi32> -> tensor<2xi32>
  %l2 = prim.add %a1, %b1 : tensor<2xi32>
  %a2 = prim.slice %l2 starts [0] limits [2] strides [2] : tensor<2xi32> -> tensor<1xi32>
  %b2 = prim.slice %l2 starts [1] limits [2] strides [2] : tensor<2xi32> -> tensor<1xi32>
  %l3 = prim.add %a2, %b2 : tensor<1xi32>
  %f2 = prim.slice %l2 starts [0] limits [1] strides [1] : tensor<2xi32> -> tensor<1xi32>
  %s2e = prim.reshape %f2 : tensor<1xi32> -> tensor<1x1xi32>
  %s2o = prim.reshape %l3 : tensor<1xi32> -> tensor<1x1xi32>
  %s2c = prim.cat %s2e, %s2o dim 1 : tensor<1x1xi32>, tensor<1x1xi32> -> tensor<1x2xi32>
  %s2 = prim.reshape %s2c : tensor<1x2xi32> -> tensor<2xi32>
  %f1 = prim.slice %l1 starts [0] limits [1] strides [1] : tensor<4xi32> -> tensor<1xi32>
  %p1 = prim.slice %s2 starts [0] limits [1] strides [1] : tensor<2xi32> -> tensor<1xi32>
  %q1 = prim.slice %l1 starts [2] limits [4] strides [2] : tensor<4xi32> -> tensor<1xi32>
  %r1 = prim.add %p1, %q1 : tensor<1xi32>
  %e1 = prim.cat %f1, %r1 dim 0 : tensor<1xi32>, tensor<1xi32> -> tensor<2xi32>
  %s1e = prim.reshape %e1 : tensor<2xi32> -> tensor<2x1xi32>
  %s1o = prim.reshape %s2 : tensor<2xi32> -> tensor<2x1xi32>
  %s1c = prim.cat %s1e, %s1o dim 1 : tensor<2x1xi32>, tensor<2x1xi32> -> tensor<2x2xi32>
  %s1 = prim.reshape %s1c : tensor<2x2xi32> -> tensor<4xi32>
  %f0 = prim.slice %x starts [0] limits [1] strides [1] : tensor<8xi32> -> tensor<1xi32>
  %p0 = prim.slice %s1 starts [0] limits [3] strides [1] : tensor<4xi32> -> tensor<3xi32>
  %q0 = prim.slice %x starts [2] limits [8] strides [2] : tensor<8xi32> -> tensor<3xi32>
  %r0 = prim.add %p0, %q0 : tensor<3xi32>
  %e0 = prim.cat %f0, %r0 dim 0 : tensor<1xi32>, tensor<3xi32> -> tensor<4xi32>
  %s0e = prim.reshape %e0 : tensor<4xi32> -> tensor<4x1xi32>
  %s0o = prim.reshape %s1 : tensor<4xi32> -> tensor<4x1xi32>
  %s0c = prim.cat %s0e, %s0o dim 1 : tensor<4x1xi32>, tensor<4x1xi32> -> tensor<4x2xi32>
  %s0 = prim.reshape %s0c : tensor<4x2xi32> -> tensor<8xi32>
  %g0 = prim.slice %x starts [0] limits [1] strides [1] : tensor<8xi32> -> tensor<1xi32>
  %pp = prim.slice %s0 starts [0] limits [3] strides [1] : tensor<8xi32> -> tensor<3xi32>
  %qq = prim.slice %x starts [2] limits [8] strides [2] : tensor<8xi32> -> tensor<3xi32>
  %rr = prim.add %pp, %qq : tensor<3xi32>
  %ee = prim.cat %g0, %rr dim 0 : tensor<1xi32>, tensor<3xi32> -> tensor<4xi32>
  %t0e = prim.reshape %ee : tensor<4xi32> -> tensor<4x1xi32>
  %t0o = prim.reshape %s1 : tensor<4xi32> -> tensor<4x1xi32>
  %t0c = prim.cat %t0e, %t0o dim 1 : tensor<4x1xi32>, tensor<4x1xi32> -> tensor<4x2xi32>
  %t0 = prim.reshape %t0c : tensor<4x2xi32> -> tensor<8xi32>
  return %s0, %t0 : tensor<8xi32>, tensor<8xi32>
}

// The function is not associative: only the recursion says how elements are grouped.
// CHECK-LABEL: function nonassoc
// CHECK-NOT: generic.associative_scan
func.func @nonassoc(%x: tensor<8xi32>) -> tensor<8xi32> {
  %a0 = prim.slice %x starts [0] limits [8] strides [2] : tensor<8xi32> -> tensor<4xi32>
  %b0 = prim.slice %x starts [1] limits [8] strides [2] : tensor<8xi32> -> tensor<4xi32>
  %l1 = prim.sub %a0, %b0 : tensor<4xi32>
  %a1 = prim.slice %l1 starts [0] limits [4] strides [2] : tensor<4xi32> -> tensor<2xi32>
  %b1 = prim.slice %l1 starts [1] limits [4] strides [2] : tensor<4xi32> -> tensor<2xi32>
  %l2 = prim.sub %a1, %b1 : tensor<2xi32>
  %a2 = prim.slice %l2 starts [0] limits [2] strides [2] : tensor<2xi32> -> tensor<1xi32>
  %b2 = prim.slice %l2 starts [1] limits [2] strides [2] : tensor<2xi32> -> tensor<1xi32>
  %l3 = prim.sub %a2, %b2 : tensor<1xi32>
  %f2 = prim.slice %l2 starts [0] limits [1] strides [1] : tensor<2xi32> -> tensor<1xi32>
  %s2e = prim.reshape %f2 : tensor<1xi32> -> tensor<1x1xi32>
  %s2o = prim.reshape %l3 : tensor<1xi32> -> tensor<1x1xi32>
  %s2c = prim.cat %s2e, %s2o dim 1 : tensor<1x1xi32>, tensor<1x1xi32> -> tensor<1x2xi32>
  %s2 = prim.reshape %s2c : tensor<1x2xi32> -> tensor<2xi32>
  %f1 = prim.slice %l1 starts [0] limits [1] strides [1] : tensor<4xi32> -> tensor<1xi32>
  %p1 = prim.slice %s2 starts [0] limits [1] strides [1] : tensor<2xi32> -> tensor<1xi32>
  %q1 = prim.slice %l1 starts [2] limits [4] strides [2] : tensor<4xi32> -> tensor<1xi32>
  %r1 = prim.sub %p1, %q1 : tensor<1xi32>
  %e1 = prim.cat %f1, %r1 dim 0 : tensor<1xi32>, tensor<1xi32> -> tensor<2xi32>
  %s1e = prim.reshape %e1 : tensor<2xi32> -> tensor<2x1xi32>
  %s1o = prim.reshape %s2 : tensor<2xi32> -> tensor<2x1xi32>
  %s1c = prim.cat %s1e, %s1o dim 1 : tensor<2x1xi32>, tensor<2x1xi32> -> tensor<2x2xi32>
  %s1 = prim.reshape %s1c : tensor<2x2xi32> -> tensor<4xi32>
  %f0 = prim.slice %x starts [0] limits [1] strides [1] : tensor<8xi32> -> tensor<1xi32>
  %p0 = prim.slice %s1 starts [0] limits [3] strides [1] : tensor<4xi32> -> tensor<3xi32>
  %q0 = prim.slice %x starts [2] limits [8] strides [2] : tensor<8xi32> -> tensor<3xi32>
  %r0 = prim.sub %p0, %q0 : tensor<3xi32>
  %e0 = prim.cat %f0, %r0 dim 0 : tensor<1xi32>, tensor<3xi32> -> tensor<4xi32>
  %s0e = prim.reshape %e0 : tensor<4xi32> -> tensor<4x1xi32>
  %s0o = prim.reshape %s1 : tensor<4xi32> -> tensor<4x1xi32>
  %s0c = prim.cat %s0e, %s0o dim 1 : tensor<4x1xi32>, tensor<4x1xi32> -> tensor<4x2xi32>
  %s0 = prim.reshape %s0c : tensor<4x2xi32> -> tensor<8xi32>
  return %s0 : tensor<8xi32>
}
