// RUN: kiln-opt %s | kiln-opt | FileCheck %s

// CHECK-LABEL: func.func @forms
func.func @forms(%x: tensor<4x?xf32>, %w: tensor<?xf32>, %q: tensor<2x4x8xbf16>, %k: tensor<2x6x8xbf16>, %m: tensor<2x4x6xbf16>) {
  // CHECK: prim.sigmoid %{{.*}} : tensor<4x?xf32>
  %0 = prim.sigmoid %x : tensor<4x?xf32>
  // CHECK: prim.gelu %{{.*}} tanh : tensor<4x?xf32>
  %1 = prim.gelu %x tanh : tensor<4x?xf32>
  // CHECK: prim.softmax %{{.*}} dim 1 : tensor<4x?xf32>
  %2 = prim.softmax %x dim 1 : tensor<4x?xf32>
  // CHECK: prim.rms_norm %{{.*}} weight %{{.*}} axes 1 eps 1.000000e-05 : tensor<4x?xf32>, tensor<?xf32>
  %3 = prim.rms_norm %x weight %w axes 1 eps 1.0e-5 : tensor<4x?xf32>, tensor<?xf32>
  // CHECK: prim.rms_norm %{{.*}} axes 2 eps 0.000000e+00 : tensor<4x?xf32>
  %4 = prim.rms_norm %x axes 2 eps 0.0 : tensor<4x?xf32>
  // CHECK: prim.layer_norm %{{.*}} weight %{{.*}} bias %{{.*}} axes 1 eps 1.000000e-05 : tensor<4x?xf32>, tensor<?xf32>, tensor<?xf32>
  %5 = prim.layer_norm %x weight %w bias %w axes 1 eps 1.0e-5 : tensor<4x?xf32>, tensor<?xf32>, tensor<?xf32>
  // CHECK: prim.attention %{{.*}}, %{{.*}}, %{{.*}} mask %{{.*}} scale 1.250000e-01 :
  %6 = prim.attention %q, %k, %k mask %m scale 0.125 : tensor<2x4x8xbf16>, tensor<2x6x8xbf16>, tensor<2x6x8xbf16>,
    tensor<2x4x6xbf16> -> tensor<2x4x8xbf16>
  // CHECK: %[[O:.*]], %[[L:.*]] = prim.attention %{{.*}}, %{{.*}}, %{{.*}} scale 1.250000e-01 : {{.*}} -> tensor<2x4x8xbf16>, tensor<2x4xf32>
  %o, %l = prim.attention %q, %k, %k scale 0.125 : tensor<2x4x8xbf16>, tensor<2x6x8xbf16>, tensor<2x6x8xbf16> -> tensor<2x4x8xbf16>,
    tensor<2x4xf32>
  // CHECK: prim.attention_backward %{{.*}}, %{{.*}}, %{{.*}} output %[[O]] gradient %{{.*}} logsumexp %[[L]] mask %{{.*}} scale 1.250000e-01 :
  %7:3 = prim.attention_backward %q, %k, %k output %o gradient %q logsumexp %l mask %m scale 0.125 : tensor<2x4x8xbf16>, tensor<2x6x8xbf16>,
    tensor<2x6x8xbf16>, tensor<2x4x8xbf16>, tensor<2x4x8xbf16>, tensor<2x4xf32>, tensor<2x4x6xbf16>
  return
}
