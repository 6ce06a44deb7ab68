// What reads at many places, as windows do, computes several rows together: their operations take turns, and what they
// all read is read once. Accesses at fixed distances share one address, and the last vector of a row begins before the
// end of the one before it, where nothing that is read changes.
//
// RUN: kiln-opt %s --pass-pipeline='builtin.module(kiln-set-target{spec=cpu:x86-64-v3,threads=1},tile-choose-blocks,tile.kernel(tile-decide-storage,convert-tile-to-stage,stage-split-products,stage-place{conflict=1024},stage-allocate),convert-stage-to-cpu)' | FileCheck %s
// RUN: kiln-run %s --target=cpu,threads=1 --entry=window --grid=5 --arg=hurt:1:f32:5x8x22 --arg=random:2:f32:9 --arg=zeros:f32:5x6x20 --check --no-fallback | FileCheck %s --check-prefix=RESULT
// RUN: kiln-run %s --target=cpu,threads=1 --entry=window --grid=4 --arg=random:1:f32:5x8x22 --arg=random:2:f32:9 --arg=zeros:f32:5x6x20 --check --no-fallback | FileCheck %s --check-prefix=RESULT
// RUN: kiln-run %s --target=cpu,threads=1 --entry=in_place --grid=2 --arg=random:1:f32:2x20 --check --no-fallback | FileCheck %s --check-prefix=RESULT
// RUN: kiln-run %s --target=cpu,threads=1 --entry=around --grid=3 --arg=random:1:f32:3x38 --arg=zeros:f32:3x40 --check --no-fallback | FileCheck %s --check-prefix=RESULT

// RESULT: largest error

// CHECK-LABEL: func.func @window(
// Six rows in each turn, which begin 22 elements after each other.
// CHECK: scf.for {{.*}} step %c6_i64
// CHECK: scf.for %[[LANE:.*]] = {{.*}} step %c8_i64
// CHECK-NEXT: %[[A:.*]] = llvm.getelementptr %{{.*}}[%[[LANE]]]
// CHECK-COUNT-5: llvm.getelementptr %{{.*}}[%[[LANE]]]
// CHECK: %[[B:.*]] = llvm.getelementptr %{{.*}}[22]
// CHECK-NEXT: %[[C:.*]] = llvm.getelementptr %{{.*}}[44]
// CHECK-NEXT: llvm.getelementptr %{{.*}}[66]
// CHECK-NEXT: llvm.getelementptr %{{.*}}[88]
// CHECK-NEXT: %[[F:.*]] = llvm.getelementptr %{{.*}}[110]
// CHECK: llvm.load %[[A]] {{.*}} -> vector<8xf32>
// CHECK: llvm.load %[[B]] {{.*}} -> vector<8xf32>
// CHECK-NEXT: llvm.load %[[C]] {{.*}} -> vector<8xf32>
// CHECK: llvm.load %[[F]] {{.*}} -> vector<8xf32>
// CHECK-NOT: scf.for
// CHECK: llvm.store {{.*}} : vector<8xf32>
// CHECK-NOT: llvm.load
// CHECK: llvm.store {{.*}} : vector<8xf32>
// CHECK-NEXT: llvm.store {{.*}} : vector<8xf32>
// The last vector: it ends at 20.
// CHECK: %[[BEGIN:.*]] = arith.select %{{.*}}, %c12_i64, %c20_i64 : i64
// CHECK: scf.for {{.*}} = %[[BEGIN]] to %c20_i64 step %c8_i64
// CHECK-NOT: masked
// CHECK: llvm.store
tile.kernel @window(%x: !tile.view<5x8x22xf32> {tile.readonly}, %w: !tile.view<9xf32> {tile.readonly}, %y: !tile.view<5x6x20xf32> {tile.noalias}) {
  %i = tile.program_id : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c8 = arith.constant 8 : index
  %x00 = tile.load %x at [%i, %c0, %c0] : !tile.view<5x8x22xf32> -> tensor<6x20xf32>
  %x01 = tile.load %x at [%i, %c0, %c1] : !tile.view<5x8x22xf32> -> tensor<6x20xf32>
  %x02 = tile.load %x at [%i, %c0, %c2] : !tile.view<5x8x22xf32> -> tensor<6x20xf32>
  %x10 = tile.load %x at [%i, %c1, %c0] : !tile.view<5x8x22xf32> -> tensor<6x20xf32>
  %x11 = tile.load %x at [%i, %c1, %c1] : !tile.view<5x8x22xf32> -> tensor<6x20xf32>
  %x12 = tile.load %x at [%i, %c1, %c2] : !tile.view<5x8x22xf32> -> tensor<6x20xf32>
  %x20 = tile.load %x at [%i, %c2, %c0] : !tile.view<5x8x22xf32> -> tensor<6x20xf32>
  %x22 = tile.load %x at [%i, %c2, %c2] : !tile.view<5x8x22xf32> -> tensor<6x20xf32>
  %w3 = tile.load %w[%c3] : !tile.view<9xf32> -> tensor<1xf32>
  %w8 = tile.load %w[%c8] : !tile.view<9xf32> -> tensor<1xf32>
  %f3 = tile.reshape %w3 : tensor<1xf32> -> tensor<1x1xf32>
  %f8 = tile.reshape %w8 : tensor<1xf32> -> tensor<1x1xf32>
  %g3 = tile.broadcast %f3 : tensor<1x1xf32> -> tensor<6x20xf32>
  %g8 = tile.broadcast %f8 : tensor<1x1xf32> -> tensor<6x20xf32>
  %0 = arith.mulf %x00, %g3 : tensor<6x20xf32>
  %1 = arith.addf %0, %x01 : tensor<6x20xf32>
  %2 = arith.addf %1, %x02 : tensor<6x20xf32>
  %3 = arith.mulf %x10, %g8 : tensor<6x20xf32>
  %4 = arith.addf %2, %3 : tensor<6x20xf32>
  %5 = arith.addf %4, %x11 : tensor<6x20xf32>
  %6 = arith.addf %5, %x12 : tensor<6x20xf32>
  %7 = arith.addf %6, %x20 : tensor<6x20xf32>
  %8 = arith.addf %7, %x22 : tensor<6x20xf32>
  tile.store %8, %y[%i, %c0, %c0] : tensor<6x20xf32>, !tile.view<5x6x20xf32>
}

// What is read is written: no element is computed twice.
// CHECK-LABEL: func.func @in_place(
// CHECK-NOT: c12_i64
// CHECK: llvm.intr.masked.store
tile.kernel @in_place(%x: !tile.view<2x20xf32>) {
  %i = tile.program_id : index
  %c0 = arith.constant 0 : index
  %a = tile.load %x[%i, %c0] : !tile.view<2x20xf32> -> tensor<20xf32>
  %b = arith.addf %a, %a : tensor<20xf32>
  tile.store %b, %x[%i, %c0] : tensor<20xf32>, !tile.view<2x20xf32>
}

// The first vector of a row is partly outside of the view, those behind it are not.
// CHECK-LABEL: func.func @around(
// CHECK: llvm.intr.masked.load
// CHECK: scf.for
// CHECK: llvm.load {{.*}} -> vector<8xf32>
// CHECK-NEXT: llvm.getelementptr
// CHECK-NEXT: llvm.store {{.*}} : vector<8xf32>
// CHECK: scf.for
// CHECK: llvm.intr.masked.load
tile.kernel @around(%x: !tile.view<3x38xf32> {tile.readonly}, %y: !tile.view<3x40xf32> {tile.noalias}) {
  %i = tile.program_id : index
  %c0 = arith.constant 0 : index
  %c-1 = arith.constant -1 : index
  %a = tile.load %x at [%i, %c-1] : !tile.view<3x38xf32> -> tensor<40xf32>
  tile.store %a, %y[%i, %c0] : tensor<40xf32>, !tile.view<3x40xf32>
}
