// The gradients of attention are kernels that compute the weights again from the logarithm of their sum.
// RUN: kiln-compile %s --target=nvidia:sm_90a --emit=program | FileCheck %s
// RUN: kiln-opt %s -pass-pipeline='builtin.module(kiln-set-target{spec=cpu:x86-64-v3},prim-claim,prim-inline-claims,func.func(prim-decompose,prim-simplify,prim-fuse),convert-prim-to-tile)' | FileCheck %s --check-prefix=CPU
// RUN: kiln-compile %s --target=nvidia:sm_90a,attention=decomposed --emit=program | FileCheck %s --check-prefix=PARTS

// The forward kernel stores the logarithm. Weights and gradients of scores have the type of the factors; a tile that is read
// both ways is loaded once. Where instructions read left factors in shared memory, what is known of each query comes with the factors;
// elsewhere it is loaded an iteration ahead.
// RUN: kiln-compile %s --entry=half --target=nvidia:sm_80 --emit=program | FileCheck %s --check-prefix=AHEAD
// AHEAD-LABEL: tile.kernel private @half_1_attention_backward_keys(
// AHEAD: scf.for {{.*}} -> (tensor<64x64xf32>, tensor<64x64xf32>, tensor<1x64xf32>, tensor<1x64xf32>)
// CHECK-LABEL: tile.kernel private @half_0_attention(
// CHECK: math.log
// CHECK: tile.store {{.*}} : tensor<128xf32>, !tile.view<64x512xf32>
// CHECK-LABEL: tile.kernel private @half_1_attention_backward_rows(
// CHECK: tile.reduce
// CHECK: tile.store {{.*}} : tensor<64xf32>, !tile.view<64x512xf32>
// CHECK: tile.store {{.*}} : tensor<64xf32>, !tile.view<64x512xf32>
// CHECK-LABEL: tile.kernel private @half_1_attention_backward_keys(
// CHECK: %[[K:.*]] = tile.load {{.*}} -> tensor<64x64xbf16>
// CHECK: %[[V:.*]] = tile.load {{.*}} -> tensor<64x64xbf16>
// CHECK: scf.for {{.*}} -> (tensor<64x64xf32>, tensor<64x64xf32>)
// CHECK: tile.load {{.*}} -> tensor<64xf32>
// CHECK: tile.load {{.*}} -> tensor<64xf32>
// CHECK: %[[Q:.*]] = tile.load {{.*}} -> tensor<64x64xbf16>
// CHECK: %[[QT:.*]] = tile.transpose %[[Q]]
// CHECK: %[[G:.*]] = tile.load {{.*}} -> tensor<64x64xbf16>
// CHECK: %[[GT:.*]] = tile.transpose %[[G]]
// CHECK: %[[S:.*]] = tile.dot %[[K]], %[[QT]], {{.*}} tensor<64x64xf32>
// CHECK: %[[D:.*]] = tile.dot %[[V]], %[[GT]]
// CHECK: %[[E:.*]] = math.fma %[[S]]
// CHECK: %[[P:.*]] = math.exp2 %[[E]] fastmath<afn>
// CHECK: %[[W:.*]] = arith.truncf %[[P]]
// CHECK: tile.dot %[[W]], %[[G]]
// CHECK: %[[C:.*]] = arith.subf %[[D]]
// CHECK: %[[M:.*]] = arith.mulf %[[P]], %[[C]]
// CHECK: %[[N:.*]] = arith.truncf %[[M]]
// CHECK: tile.dot %[[N]], %[[Q]]
// CHECK-LABEL: tile.kernel private @half_1_attention_backward_queries(
// CHECK-LABEL: program.func @half(
// CHECK-NOT: 512x512
// CHECK: program.return
// PARTS-NOT: _attention
// CPU-LABEL: tile.kernel private @half_0_attention(
// CPU: tile.kernel private @half_1_attention_backward_keys(
// CPU-NOT: tile.transpose
// CPU: math.exp
func.func @half(%q: tensor<64x512x64xbf16>, %k: tensor<64x512x64xbf16>, %v: tensor<64x512x64xbf16>, %g: tensor<64x512x64xbf16>) -> (tensor<64x512x64xbf16>, tensor<64x512x64xbf16>, tensor<64x512x64xbf16>) {
  %o, %l = prim.attention %q, %k, %v scale 0.125 : tensor<64x512x64xbf16>, tensor<64x512x64xbf16>, tensor<64x512x64xbf16> -> tensor<64x512x64xbf16>, tensor<64x512xf32>
  %d:3 = prim.attention_backward %q, %k, %v output %o gradient %g logsumexp %l scale 0.125 : tensor<64x512x64xbf16>, tensor<64x512x64xbf16>, tensor<64x512x64xbf16>, tensor<64x512x64xbf16>, tensor<64x512x64xbf16>, tensor<64x512xf32>
  return %d#0, %d#1, %d#2 : tensor<64x512x64xbf16>, tensor<64x512x64xbf16>, tensor<64x512x64xbf16>
}

// Under a causal mask blocks of queries that see none of the keys are skipped, those that see some are masked, and those
// behind see all. Blocks of many keys come first. Only what is read is computed.
// CHECK-LABEL: tile.kernel private @causal_0_attention_backward_keys(
// CHECK: %[[FIRST:.*]] = arith.minsi
// CHECK: %[[FULL:.*]] = arith.minsi
// CHECK: scf.for %{{.*}} = %[[FIRST]] to %[[FULL]]
// CHECK: arith.cmpi sge
// CHECK: scf.yield
// CHECK: scf.for %{{.*}} = %[[FULL]] to
// CHECK-NOT: arith.cmpi
// CHECK: scf.yield
// CHECK-NOT: _backward_queries
func.func @causal(%q: tensor<64x512x64xbf16>, %k: tensor<64x512x64xbf16>, %v: tensor<64x512x64xbf16>, %o: tensor<64x512x64xbf16>, %g: tensor<64x512x64xbf16>, %l: tensor<64x512xf32>) -> (tensor<64x512x64xbf16>, tensor<64x512x64xbf16>) {
  %i = prim.iota dim 0 : tensor<512x512xi32>
  %j = prim.iota dim 1 : tensor<512x512xi32>
  %c = prim.ge %i, %j : tensor<512x512xi32> -> tensor<512x512xi1>
  %z = prim.full 0.0 : bf16 : tensor<512x512xbf16>
  %n = prim.full 0xFF80 : bf16 : tensor<512x512xbf16>
  %w = prim.where %c, %z, %n : tensor<512x512xi1>, tensor<512x512xbf16>
  %m = prim.broadcast_in_dim %w dims [1, 2] : tensor<512x512xbf16> -> tensor<64x512x512xbf16>
  %d:3 = prim.attention_backward %q, %k, %v output %o gradient %g logsumexp %l mask %m scale 0.125 : tensor<64x512x64xbf16>, tensor<64x512x64xbf16>, tensor<64x512x64xbf16>, tensor<64x512x64xbf16>, tensor<64x512x64xbf16>, tensor<64x512xf32>, tensor<64x512x512xbf16>
  return %d#1, %d#2 : tensor<64x512x64xbf16>, tensor<64x512x64xbf16>
}
