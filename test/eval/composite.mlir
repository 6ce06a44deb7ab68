// RUN: kiln-eval %s | FileCheck %s

// CHECK: unary[0] = [3] f32: 0.268941432 0.5 0.731058598
// CHECK: unary[1] = [3] f32: -0.268941432 0 0.731058598
// CHECK: unary[2] = [3] f32: 0 0 1
// CHECK: unary[3] = [3] f32: -0.158655256 0 0.841344774
// CHECK: unary[4] = [3] f32: -0.158808008 0 0.841192007
func.func @unary() -> (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) {
  %x = prim.constant dense<[-1.0, 0.0, 1.0]> : tensor<3xf32>
  %a = prim.sigmoid %x : tensor<3xf32>
  %b = prim.silu %x : tensor<3xf32>
  %c = prim.relu %x : tensor<3xf32>
  %d = prim.gelu %x exact : tensor<3xf32>
  %e = prim.gelu %x tanh : tensor<3xf32>
  return %a, %b, %c, %d, %e : tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>
}
// CHECK: softmax[0] = [1, 2] f32: 0.268941432 0.731058598
// CHECK: softmax[1] = [2, 1] f16: 0.5 0.5
func.func @softmax() -> (tensor<1x2xf32>, tensor<2x1xf16>) {
  %x = prim.constant dense<[[1000.0, 1001.0]]> : tensor<1x2xf32>
  %a = prim.softmax %x dim 1 : tensor<1x2xf32>
  %y = prim.constant dense<1.0> : tensor<2x1xf16>
  %b = prim.softmax %y dim 0 : tensor<2x1xf16>
  return %a, %b : tensor<1x2xf32>, tensor<2x1xf16>
}
// CHECK: rms_norm = [1, 2] f32: 0.848528147 2.2627418
func.func @rms_norm() -> tensor<1x2xf32> {
  %x = prim.constant dense<[[3.0, 4.0]]> : tensor<1x2xf32>
  %w = prim.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %r = prim.rms_norm %x weight %w axes 1 eps 0.0 : tensor<1x2xf32>, tensor<2xf32>
  return %r : tensor<1x2xf32>
}
// CHECK: layer_norm = [1, 2] f32: -2 5
func.func @layer_norm() -> tensor<1x2xf32> {
  %x = prim.constant dense<[[3.0, 5.0]]> : tensor<1x2xf32>
  %w = prim.constant dense<[2.0, 4.0]> : tensor<2xf32>
  %b = prim.constant dense<[0.0, 1.0]> : tensor<2xf32>
  %r = prim.layer_norm %x weight %w bias %b axes 1 eps 0.0 : tensor<1x2xf32>, tensor<2xf32>, tensor<2xf32>
  return %r : tensor<1x2xf32>
}
// Only the second key is left by the mask.
// CHECK: attention = [1, 1, 2] f32: 3 4
func.func @attention() -> tensor<1x1x2xf32> {
  %q = prim.constant dense<[[[1.0, 0.0]]]> : tensor<1x1x2xf32>
  %k = prim.constant dense<[[[5.0, 0.0], [1.0, 1.0]]]> : tensor<1x2x2xf32>
  %v = prim.constant dense<[[[1.0, 2.0], [3.0, 4.0]]]> : tensor<1x2x2xf32>
  %m = prim.constant dense<[[[0xFF800000, 0.0]]]> : tensor<1x1x2xf32>
  %r = prim.attention %q, %k, %v mask %m scale 0.5 : tensor<1x1x2xf32>, tensor<1x2x2xf32>,
    tensor<1x2x2xf32>, tensor<1x1x2xf32> -> tensor<1x1x2xf32>
  return %r : tensor<1x1x2xf32>
}
// Both keys have the same score; the logarithm is 1/2 + log(2).
// CHECK: attention_backward[0] = [1, 2] f32: 2 3
// CHECK: attention_backward[1] = [1] f32: 1.19314718
// CHECK: attention_backward[2] = [1, 2] f32: 0 0.75
// CHECK: attention_backward[3] = [2, 2] f32: -0.75 0 0.75 0
// CHECK: attention_backward[4] = [2, 2] f32: 0.5 1 0.5 1
func.func @attention_backward() -> (tensor<1x2xf32>, tensor<1xf32>, tensor<1x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>) {
  %q = prim.constant dense<[[1.0, 0.0]]> : tensor<1x2xf32>
  %k = prim.constant dense<[[1.0, 0.0], [1.0, 1.0]]> : tensor<2x2xf32>
  %v = prim.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %g = prim.constant dense<[[1.0, 2.0]]> : tensor<1x2xf32>
  %o, %l = prim.attention %q, %k, %v scale 0.5 : tensor<1x2xf32>, tensor<2x2xf32>, tensor<2x2xf32> -> tensor<1x2xf32>, tensor<1xf32>
  %d:3 = prim.attention_backward %q, %k, %v output %o gradient %g logsumexp %l scale 0.5 : tensor<1x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1xf32>
  return %o, %l, %d#0, %d#1, %d#2 : tensor<1x2xf32>, tensor<1xf32>, tensor<1x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>
}
// CHECK: fusion = [1] f32: 3
func.func @fusion() -> tensor<1xf32> {
  %x = prim.constant dense<2.0> : tensor<1xf32>
  %r = prim.fusion elementwise (%x) : (tensor<1xf32>) -> tensor<1xf32> {
  ^bb0(%a: tensor<1xf32>):
    %one = prim.full 1.0 : f32 : tensor<1xf32>
    %s = prim.add %a, %one : tensor<1xf32>
    prim.yield %s : tensor<1xf32>
  }
  return %r : tensor<1xf32>
}
// CHECK: claim = [1] f32: -2
func.func @claim() -> tensor<1xf32> {
  %x = prim.constant dense<2.0> : tensor<1xf32>
  %r = prim.claim "toy" "negate" (%x) : (tensor<1xf32>) -> tensor<1xf32> {
  ^bb0(%a: tensor<1xf32>):
    %s = prim.neg %a : tensor<1xf32>
    prim.yield %s : tensor<1xf32>
  }
  return %r : tensor<1xf32>
}
// CHECK: call = [1] f32: 4
func.func private @double(%x: tensor<1xf32>) -> tensor<1xf32> {
  %r = prim.add %x, %x : tensor<1xf32>
  return %r : tensor<1xf32>
}
func.func @call() -> tensor<1xf32> {
  %x = prim.constant dense<2.0> : tensor<1xf32>
  %r = func.call @double(%x) : (tensor<1xf32>) -> tensor<1xf32>
  return %r : tensor<1xf32>
}
// A result that lies next to the middle between two floats is rounded once: 0.5 - 5.5 * 2^-25 and a little more.
// CHECK: rounded_once = [1] f32: 0.499999851
func.func @rounded_once() -> tensor<1xf32> {
  %x = prim.constant dense<0xB5300000> : tensor<1xf32>
  %a = prim.sigmoid %x : tensor<1xf32>
  return %a : tensor<1xf32>
}
