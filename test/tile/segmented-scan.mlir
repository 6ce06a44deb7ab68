// Scans that begin anew where a segment starts: a scan of the sources together with the starts.
// RUN: kiln-opt %s | kiln-opt | FileCheck %s --check-prefix=SAME
// RUN: kiln-opt %s --verify-semantics --pass-pipeline='builtin.module(tile.kernel(tile-expand-reductions))' | FileCheck %s
// RUN: kiln-opt %s --pass-pipeline='builtin.module(tile.kernel(tile-expand-reductions{keep=tile.segmented_scan}))' | FileCheck %s --check-prefix=SAME
// What is written for targets in programs of their own, which need not know the operation.
// RUN: kiln-opt %s --pass-pipeline="builtin.module(tile-to-wire)" | FileCheck %s --check-prefix=WIRE
// WIRE-NOT: segmented_scan
// WIRE: tile.scan
// WIRE-NOT: segmented_scan
// Two sources: the largest element of a segment up to each, and where it stands.
// RUN: kiln-run %s --target=cpu --entry=largest --arg=random:1:i32:8x32 --arg=random:2:i1:8x32 --arg=zeros:i32:8x32 --grid=1 --check --no-fallback | FileCheck %s --check-prefix=RESULT
// RUN: kiln-run %s --target=reference,threads=nvidia:sm_90a --entry=largest --arg=random:1:i32:8x32 --arg=random:2:i1:8x32 --arg=zeros:i32:8x32 --grid=1 --check --no-fallback | FileCheck %s --check-prefix=RESULT

// RESULT: largest error 0,

// SAME-LABEL: tile.kernel @largest
// SAME: tile.segmented_scan %{{.*}}, %{{.*}} starts %{{.*}} : tensor<8x32xi1> axis 1 reverse : tensor<8x32xi32>, tensor<8x32xi32> -> tensor<8x32xi32>, tensor<8x32xi32>
// CHECK-LABEL: tile.kernel @largest
// CHECK: tile.scan %{{.*}}, %{{.*}}, %{{.*}} axis 1 reverse : tensor<8x32xi32>, tensor<8x32xi32>, tensor<8x32xi1>
// CHECK: ^bb0(%[[P:.*]]: i32, %[[I:.*]]: i32, %[[SEEN:.*]]: i1, %[[E:.*]]: i32, %[[J:.*]]: i32, %[[STARTS:.*]]: i1):
// CHECK: %[[MORE:.*]] = arith.cmpi sge, %[[P]], %[[E]]
// CHECK: %[[V:.*]] = arith.select %[[MORE]], %[[P]], %[[E]]
// CHECK: %[[W:.*]] = arith.select %[[MORE]], %[[I]], %[[J]]
// CHECK: arith.select %[[STARTS]], %[[E]], %[[V]] : i32
// CHECK: arith.select %[[STARTS]], %[[J]], %[[W]] : i32
// CHECK: arith.ori %[[SEEN]], %[[STARTS]] : i1
// CHECK-NOT: segmented_scan
tile.kernel @largest(%x: !tile.view<8x32xi32>, %f: !tile.view<8x32xi1>, %y: !tile.view<8x32xi32>) {
  %c0 = arith.constant 0 : index
  %a = tile.load %x[%c0, %c0] : !tile.view<8x32xi32> -> tensor<8x32xi32>
  %s = tile.load %f[%c0, %c0] : !tile.view<8x32xi1> -> tensor<8x32xi1>
  %n = tile.iota 1 : tensor<8x32xi32>
  %m:2 = tile.segmented_scan %a, %n starts %s : tensor<8x32xi1> axis 1 reverse
       : tensor<8x32xi32>, tensor<8x32xi32> -> tensor<8x32xi32>, tensor<8x32xi32> {
  ^bb0(%p: i32, %i: i32, %e: i32, %j: i32):
    %more = arith.cmpi sge, %p, %e : i32
    %v = arith.select %more, %p, %e : i32
    %w = arith.select %more, %i, %j : i32
    tile.yield %v, %w : i32, i32
  }
  %r = arith.xori %m#0, %m#1 : tensor<8x32xi32>
  tile.store %r, %y[%c0, %c0] : tensor<8x32xi32>, !tile.view<8x32xi32>
}
