// Threads share tiles: an instance scans tiles that lie along the dimension and one beside it. Few instances for much
// work are more by parts of the dimension, which a kernel before combines.
//
// RUN: kiln-opt %s --pass-pipeline='builtin.module(kiln-set-target{spec=nvidia:sm_90a},func.func(prim-fuse),convert-prim-to-tile)' | FileCheck %s
// RUN: kiln-opt %s --pass-pipeline='builtin.module(kiln-set-target{spec=amd:gfx942},func.func(prim-fuse),convert-prim-to-tile)' | FileCheck %s --check-prefix=LANES64
// RUN: kiln-opt %s --verify-semantics --pass-pipeline='builtin.module(kiln-set-target{spec=nvidia:sm_90a},func.func(prim-fuse),convert-prim-to-tile)' -o %t
// RUN: sed -n '/tile.kernel/,/^  }/p' %t | sed 's/ private//' > %t.kernels
// RUN: for seed in 0 3; do run="kiln-run %t.kernels --target=reference,threads=nvidia:sm_90a,seed=$seed --check --no-fallback"; \
// RUN:   $run --entry=line_0_scan_parts --grid=3 --arg=random:1:i32:33000 --arg=zeros:i32:3 && \
// RUN:   $run --entry=line_0_scan --grid=4 --arg=random:1:i32:3 --arg=random:2:i32:33000 --arg=zeros:i32:33000 && \
// RUN:   $run --entry=columns_0_scan_parts --grid=2,3 --arg=random:1:i32:72x640 --arg=zeros:i32:3x640 && \
// RUN:   $run --entry=columns_0_scan --grid=2,4 --arg=zeros:i32:72x640 --arg=random:1:i32:3x640 --arg=random:2:i32:72x640 && \
// RUN:   $run --entry=lines_0_scan --grid=1 --arg=random:1:f32:6x37 --arg=zeros:f32:6x37 || exit 1; done

// 17 tiles of 2048 elements, in four parts.
// CHECK-LABEL: tile.kernel private @line_0_scan_parts
// CHECK: scf.for
// CHECK: tile.load {{.*}} -> tensor<2048xi32>
// CHECK: arith.addi {{.*}} : tensor<2048xi32>
// CHECK: tile.reduce {{.*}} axis 0
// CHECK: tile.store {{.*}} !tile.view<3xi32>
// CHECK-LABEL: tile.kernel private @line_0_scan(
// CHECK: scf.for
// CHECK: arith.select
// CHECK: tile.reduce
// CHECK: scf.for
// CHECK: tile.scan {{.*}} axis 0
// CHECK: tile.store
// CHECK: tile.reduce
func.func @line(%x: tensor<33000xi32>) -> tensor<33000xi32> {
  %r = prim.scan sum %x dim 0 : tensor<33000xi32>
  return %r : tensor<33000xi32>
}

// Lines of 512 elements: 16 bytes for each of 128 threads. What is exclusive is stored a step further.
// CHECK-LABEL: tile.kernel private @columns_0_scan_parts
// CHECK: tile.load {{.*}} -> tensor<4x512xi32>
// Four groups of 64 threads have tiles of twice the elements.
// LANES64: tile.kernel private @columns_0_scan
// LANES64: tile.load {{.*}} -> tensor<4x1024xi32>
// CHECK-LABEL: tile.kernel private @columns_0_scan(
// CHECK: %[[NONE:.*]] = arith.constant dense<-2147483648> : tensor<1x512xi32>
// CHECK: tile.store %[[NONE]], {{.*}} at [%c71, {{.*}}]
// CHECK: tile.scan {{.*}} axis 0 reverse
func.func @columns(%x: tensor<72x640xi32>) -> tensor<72x640xi32> {
  %r = prim.scan max %x dim 0 reverse exclusive : tensor<72x640xi32>
  return %r : tensor<72x640xi32>
}

// One tile of several rows: no loop.
// CHECK-LABEL: tile.kernel private @lines_0_scan(
// CHECK-NOT: scf.for
// CHECK: tile.scan {{.*}} axis 1 {{.*}} tensor<8x64xf32>
func.func @lines(%x: tensor<6x37xf32>) -> tensor<6x37xf32> {
  %r = prim.scan logsumexp %x dim 1 : tensor<6x37xf32>
  return %r : tensor<6x37xf32>
}

// CHECK-LABEL: tile.kernel private @open_0_scan(
// CHECK: scf.for
// CHECK: tile.scan {{.*}} axis 0
func.func @open(%x: tensor<?x?xf16>) -> tensor<?x?xf16> {
  %r = prim.scan sum %x dim 0 : tensor<?x?xf16>
  return %r : tensor<?x?xf16>
}
