// The first elements in sorted order, and where they stood.
// RUN: kiln-opt %s | kiln-opt | FileCheck %s
// RUN: kiln-eval %s | FileCheck %s --check-prefix=EVAL
// In the code of CPUs, and of threads whose rows lie in a thread, in a warp or in several warps.
// RUN: kiln-run %s --target=cpu --entry=rows --arg=random:1:f32:8x64 --arg=zeros:f32:8x5 --arg=zeros:i32:8x5 --grid=1 --check --no-fallback | FileCheck %s --check-prefix=RESULT
// RUN: kiln-run %s --target=reference,threads=nvidia:sm_90a --entry=rows --arg=random:1:f32:8x64 --arg=zeros:f32:8x5 --arg=zeros:i32:8x5 --grid=1 --check --no-fallback | FileCheck %s --check-prefix=RESULT
// RUN: kiln-run %s --target=cpu --entry=columns --arg=random:1:i8:300x3 --arg=zeros:i8:2x3 --arg=zeros:i16:2x3 --grid=1 --check --no-fallback | FileCheck %s --check-prefix=RESULT
// RUN: kiln-run %s --target=reference,threads=nvidia:sm_90a --entry=columns --arg=random:1:i8:300x3 --arg=zeros:i8:2x3 --arg=zeros:i16:2x3 --grid=1 --check --no-fallback | FileCheck %s --check-prefix=RESULT
// RUN: kiln-run %s --target=cpu --entry=bytes --arg=random:1:f8E4M3FN:16 --arg=zeros:f8E4M3FN:16 --arg=zeros:i8:16 --grid=1 --check --no-fallback | FileCheck %s --check-prefix=RESULT
// RUN: kiln-run %s --target=reference,threads=nvidia:sm_90a --entry=bytes --arg=random:1:f8E4M3FN:16 --arg=zeros:f8E4M3FN:16 --arg=zeros:i8:16 --grid=1 --check --no-fallback | FileCheck %s --check-prefix=RESULT

// RESULT: largest error 0,
// RESULT: largest error 0,

// NaN comes last, -0 in front of +0 where the order ascends; equal elements come in the order of their indices.
// EVAL: values[0] = [1, 4] f32: 7 7 3 0
// EVAL: values[1] = [1, 4] i32: 3 5 1 2
// EVAL: values[2] = [1, 6] f32: -0 0 3 7 7 nan
// EVAL: values[3] = [1, 6] index: 4 2 1 3 5 0
// CHECK-LABEL: func.func @values
// CHECK: tile.top_k %{{.*}} axis 1 : tensor<1x6xf32> -> tensor<1x4xf32>, tensor<1x4xi32>
// CHECK: tile.top_k %{{.*}} axis 1 smallest : tensor<1x6xf32> -> tensor<1x6xf32>, tensor<1x6xindex>
func.func @values() -> (tensor<1x4xf32>, tensor<1x4xi32>, tensor<1x6xf32>, tensor<1x6xindex>) {
  %x = arith.constant dense<[[0x7FC00000, 3.0, 0.0, 7.0, -0.0, 7.0]]> : tensor<1x6xf32>
  %v, %i = tile.top_k %x axis 1 : tensor<1x6xf32> -> tensor<1x4xf32>, tensor<1x4xi32>
  %w, %j = tile.top_k %x axis 1 smallest : tensor<1x6xf32> -> tensor<1x6xf32>, tensor<1x6xindex>
  return %v, %i, %w, %j : tensor<1x4xf32>, tensor<1x4xi32>, tensor<1x6xf32>, tensor<1x6xindex>
}

// CHECK-LABEL: tile.kernel @rows
tile.kernel @rows(%x: !tile.view<8x64xf32>, %y: !tile.view<8x5xf32>, %z: !tile.view<8x5xi32>) {
  %c0 = arith.constant 0 : index
  %t = tile.load %x[%c0, %c0] : !tile.view<8x64xf32> -> tensor<8x64xf32>
  %v, %i = tile.top_k %t axis 1 : tensor<8x64xf32> -> tensor<8x5xf32>, tensor<8x5xi32>
  tile.store %v, %y[%c0, %c0] : tensor<8x5xf32>, !tile.view<8x5xf32>
  tile.store %i, %z[%c0, %c0] : tensor<8x5xi32>, !tile.view<8x5xi32>
}

tile.kernel @columns(%x: !tile.view<300x3xi8>, %y: !tile.view<2x3xi8>, %z: !tile.view<2x3xi16>) {
  %c0 = arith.constant 0 : index
  %t = tile.load %x[%c0, %c0] : !tile.view<300x3xi8> -> tensor<300x3xi8>
  %v, %i = tile.top_k %t axis 0 smallest : tensor<300x3xi8> -> tensor<2x3xi8>, tensor<2x3xi16>
  tile.store %v, %y[%c0, %c0] : tensor<2x3xi8>, !tile.view<2x3xi8>
  tile.store %i, %z[%c0, %c0] : tensor<2x3xi16>, !tile.view<2x3xi16>
}

tile.kernel @bytes(%x: !tile.view<16xf8E4M3FN>, %y: !tile.view<16xf8E4M3FN>, %z: !tile.view<16xi8>) {
  %c0 = arith.constant 0 : index
  %t = tile.load %x[%c0] : !tile.view<16xf8E4M3FN> -> tensor<16xf8E4M3FN>
  %v, %i = tile.top_k %t axis 0 : tensor<16xf8E4M3FN> -> tensor<16xf8E4M3FN>, tensor<16xi8>
  tile.store %v, %y[%c0] : tensor<16xf8E4M3FN>, !tile.view<16xf8E4M3FN>
  tile.store %i, %z[%c0] : tensor<16xi8>, !tile.view<16xi8>
}
