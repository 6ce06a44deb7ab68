// Results that are larger than all caches are written past them, also to memory
// that no vector of the target fits: each row begins with what comes before the
// first aligned vector.
//
// RUN: kiln-compile %s --target=cpu:x86-64-v3 --emit=llvm | FileCheck %s
// RUN: %python -c "import numpy; numpy.save('%t.npy', numpy.zeros(8650760, numpy.float32))"
// RUN: kiln-run %s --target=cpu,threads=2 --entry=large --grid=2112 --arg=%t.npy+3 --arg=f32:1.5 --check --no-fallback | FileCheck %s --check-prefix=RESULT
// RUN: kiln-run %s --target=cpu,threads=2 --entry=uneven --grid=2111 --arg=%t.npy+5 --arg=f32:1.5 --check --no-fallback | FileCheck %s --check-prefix=RESULT
// RUN: kiln-run %s --target=cpu,threads=2 --entry=rows --grid=1056 --arg=%t.npy+2 --arg=f32:1.5 --check --no-fallback | FileCheck %s --check-prefix=RESULT

// RESULT: largest error 0,

// What the next instance stores to is found meanwhile: a prefetch for each of
// the four pages of a row.
// CHECK-LABEL: @large(
// CHECK-COUNT-4: call void @llvm.prefetch.p0({{.*}}, i32 0, i32 3, i32 1)
// CHECK-NOT: prefetch
// CHECK: masked.store
// CHECK: store <32 x float> {{.*}}, align 32, !nontemporal
// CHECK: store <8 x float> {{.*}}, align 32, !nontemporal
tile.kernel @large(%p: !tile.ptr<f32>, %a: f32) {
  %i = tile.program_id : index
  %c0 = arith.constant 0 : index
  %y = tile.make_view %p : !tile.ptr<f32> -> !tile.view<2112x4096xf32>
  %n = tile.iota 0 : tensor<4096xi32>
  %f = arith.sitofp %n : tensor<4096xi32> to tensor<4096xf32>
  %b = tile.splat %a : tensor<4096xf32>
  %v = arith.mulf %f, %b : tensor<4096xf32>
  tile.store %v, %y[%i, %c0] : tensor<4096xf32>, !tile.view<2112x4096xf32>
}

// Rows whose distance is no multiple of a vector are each aligned otherwise.
// CHECK-LABEL: @uneven(
tile.kernel @uneven(%p: !tile.ptr<f32>, %a: f32) {
  %i = tile.program_id : index
  %c0 = arith.constant 0 : index
  %y = tile.make_view %p : !tile.ptr<f32> -> !tile.view<2111x4097xf32>
  %n = tile.iota 0 : tensor<4097xi32>
  %f = arith.sitofp %n : tensor<4097xi32> to tensor<4097xf32>
  %b = tile.splat %a : tensor<4097xf32>
  %v = arith.mulf %f, %b : tensor<4097xf32>
  tile.store %v, %y[%i, %c0] : tensor<4097xf32>, !tile.view<2111x4097xf32>
}

// Several rows, and columns that the view lacks.
// CHECK-LABEL: @rows(
tile.kernel @rows(%p: !tile.ptr<f32>, %a: f32) {
  %i = tile.program_id : index
  %c0 = arith.constant 0 : index
  %y = tile.make_view %p : !tile.ptr<f32> -> !tile.view<2111x4092xf32, strides = [4096, 1]>
  %n = tile.iota 1 : tensor<2x4096xi32>
  %f = arith.sitofp %n : tensor<2x4096xi32> to tensor<2x4096xf32>
  %b = tile.splat %a : tensor<2x4096xf32>
  %v = arith.mulf %f, %b : tensor<2x4096xf32>
  tile.store %v, %y[%i, %c0] : tensor<2x4096xf32>, !tile.view<2111x4092xf32, strides = [4096, 1]>
}
