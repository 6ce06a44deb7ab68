// Products take their blocks in the order with which fewest bytes come from far memory, by the description's cache, cores
// and rates.
// RUN: kiln-opt %s --pass-pipeline='builtin.module(kiln-set-target{spec=nvidia:sm_90a},tile-choose-raster)' | FileCheck %s
// RUN: kiln-opt %s --pass-pipeline='builtin.module(kiln-set-target{spec=nvidia:sm_90a},tile-choose-raster{report})' 2>&1 >/dev/null | FileCheck %s --check-prefix=REPORT
// RUN: kiln-opt %s --pass-pipeline='builtin.module(kiln-set-target{spec=nvidia:sm_90a,raster=off},tile-choose-raster)' | FileCheck %s --check-prefix=OFF
// RUN: kiln-opt %s --pass-pipeline='builtin.module(kiln-set-target{spec=nvidia:sm_90a,raster=4x0},tile-choose-raster)' | FileCheck %s --check-prefix=FORCED
// The caches of this machine are not known to be slow to fill: its description has no bandwidth.
// RUN: kiln-opt %s --pass-pipeline='builtin.module(kiln-set-target{spec=cpu:znver4,threads=8},tile-choose-raster)' | FileCheck %s --check-prefix=OFF
// RUN: not kiln-compile %s --target=nvidia,raster=4x2 -o %t 2>&1 | FileCheck %s --check-prefix=WRONG

// WRONG: option 'raster': expected off, GROUP or GROUPxAXIS, found '4x2'

// 132 cores run 132 instances at once: 2.4 rows of blocks, which read all 56 columns of the right operand.
// REPORT: remark: kernel 'wide' moves [[#%u,PLAIN:]] MiB of far memory in the order of its grid, [[#%u,BANDS:]] MiB in bands of 16 along axis 1
// REPORT: remark: kernel 'narrow' moves [[#]] MiB of far memory in the order of its grid{{$}}
// REPORT: remark: kernel 'batched' moves [[#]] MiB of far memory in the order of its grid{{$}}
// REPORT: remark: kernel 'open' moves [[#]] MiB of far memory in the order of its grid, [[#]] MiB in bands of [[#]]

// CHECK-LABEL: tile.kernel @wide(
// CHECK: tile.grid_coordinates {{.*}} bands 16 along 1
// OFF-NOT: {{bands [0-9]*[124-9] }}
// FORCED-LABEL: tile.kernel @wide(
// FORCED: tile.grid_coordinates {{.*}} bands 4 along 0
tile.kernel @wide(%a: !tile.view<4096x4096xbf16>, %b: !tile.view<4096x14336xbf16>, %c: !tile.view<4096x14336xbf16>) {
  %j, %i = tile.program_id : index, index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<128x256xf32>
  %sum = scf.for %k = %c0 to %c64 step %c1 iter_args(%s = %zero) -> (tensor<128x256xf32>) {
    %x = tile.load %a[%i, %k] : !tile.view<4096x4096xbf16> -> tensor<128x64xbf16>
    %y = tile.load %b[%k, %j] : !tile.view<4096x14336xbf16> -> tensor<64x256xbf16>
    %d = tile.dot %x, %y, %s : tensor<128x64xbf16>, tensor<64x256xbf16>, tensor<128x256xf32>
    scf.yield %d : tensor<128x256xf32>
  }
  %r = arith.truncf %sum : tensor<128x256xf32> to tensor<128x256xbf16>
  tile.store %r, %c[%i, %j] : tensor<128x256xbf16>, !tile.view<4096x14336xbf16>
}

// One row of blocks: every order is the same.
// CHECK-LABEL: tile.kernel @narrow(
// CHECK-NOT: bands
// CHECK: scf.for
tile.kernel @narrow(%a: !tile.view<128x4096xbf16>, %b: !tile.view<4096x14336xbf16>, %c: !tile.view<128x14336xbf16>) {
  %j = tile.program_id : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %sum = scf.for %k = %c0 to %c64 step %c1 iter_args(%s = %zero) -> (tensor<128x128xf32>) {
    %x = tile.load %a[%c0, %k] : !tile.view<128x4096xbf16> -> tensor<128x64xbf16>
    %y = tile.load %b[%k, %j] : !tile.view<4096x14336xbf16> -> tensor<64x128xbf16>
    %d = tile.dot %x, %y, %s : tensor<128x64xbf16>, tensor<64x128xbf16>, tensor<128x128xf32>
    scf.yield %d : tensor<128x128xf32>
  }
  %r = arith.truncf %sum : tensor<128x128xf32> to tensor<128x128xbf16>
  tile.store %r, %c[%c0, %j] : tensor<128x128xbf16>, !tile.view<128x14336xbf16>
}

// All of it stays in the cache.
// CHECK-LABEL: tile.kernel @batched(
// CHECK-NOT: bands
// CHECK: scf.for
tile.kernel @batched(%a: !tile.view<64x512x512xbf16>, %b: !tile.view<64x512x512xbf16>, %c: !tile.view<64x512x512xbf16>) {
  %j, %i, %h = tile.program_id : index, index, index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %sum = scf.for %k = %c0 to %c8 step %c1 iter_args(%s = %zero) -> (tensor<128x128xf32>) {
    %x = tile.load %a[%h, %i, %k] : !tile.view<64x512x512xbf16> -> tensor<128x64xbf16>
    %y = tile.load %b[%h, %k, %j] : !tile.view<64x512x512xbf16> -> tensor<64x128xbf16>
    %d = tile.dot %x, %y, %s : tensor<128x64xbf16>, tensor<64x128xbf16>, tensor<128x128xf32>
    scf.yield %d : tensor<128x128xf32>
  }
  %r = arith.truncf %sum : tensor<128x128xf32> to tensor<128x128xbf16>
  tile.store %r, %c[%h, %i, %j] : tensor<128x128xbf16>, !tile.view<64x512x512xbf16>
}

// Sizes that only a launch knows count as 8192.
// CHECK-LABEL: tile.kernel @open(
// CHECK: bands {{[0-9]+}} along
tile.kernel @open(%a: !tile.view<?x?xbf16>, %b: !tile.view<?x?xbf16>, %c: !tile.view<?x?xf32>) {
  %j, %i = tile.program_id : index, index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tile.num_blocks %a[1] by 64 : !tile.view<?x?xbf16>
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %sum = scf.for %k = %c0 to %n step %c1 iter_args(%s = %zero) -> (tensor<128x128xf32>) {
    %x = tile.load %a[%i, %k] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
    %y = tile.load %b[%k, %j] : !tile.view<?x?xbf16> -> tensor<64x128xbf16>
    %d = tile.dot %x, %y, %s : tensor<128x64xbf16>, tensor<64x128xbf16>, tensor<128x128xf32>
    scf.yield %d : tensor<128x128xf32>
  }
  tile.store %sum, %c[%i, %j] : tensor<128x128xf32>, !tile.view<?x?xf32>
}

// The author has an order already.
// CHECK-LABEL: tile.kernel @given(
// CHECK: bands 3 along 0
// FORCED-LABEL: tile.kernel @given(
// FORCED: bands 3 along 0
tile.kernel @given(%a: !tile.view<?x?xf32>, %b: !tile.view<?x?xf32>, %c: !tile.view<?x?xf32>) {
  %n = tile.instance_id : index
  %nx, %ny, %nz = tile.num_programs : index, index, index
  %j, %i, %h = tile.grid_coordinates %n in (%nx, %ny, %nz) bands 3 along 0
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %x = tile.load %a[%i, %c0] : !tile.view<?x?xf32> -> tensor<16x16xf32>
  %y = tile.load %b[%c0, %j] : !tile.view<?x?xf32> -> tensor<16x16xf32>
  %d = tile.dot %x, %y, %zero : tensor<16x16xf32>, tensor<16x16xf32>, tensor<16x16xf32>
  tile.store %d, %c[%i, %j] : tensor<16x16xf32>, !tile.view<?x?xf32>
}
