// Kernels with the operations of this plug-in.

// c = a * b, with the sum of squares of each row of a block beside it.
tile.kernel @product(%a: !tile.view<?x?xf16> {tile.facts = {readonly, align = 16 : i64, size_div = array<i64: 1, 8>, stride_div = array<i64: 8, 1>}},
                     %b: !tile.view<?x?xf16> {tile.facts = {readonly, align = 16 : i64, size_div = array<i64: 1, 8>, stride_div = array<i64: 8, 1>}},
                     %c: !tile.view<?x?xf32> {tile.facts = {noalias}}, %norms: !tile.view<?x?xf32> {tile.facts = {noalias}}) {
  %i, %j = tile.program_id : index, index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %n = tile.num_blocks %a[1] by 32 : !tile.view<?x?xf16>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %row = arith.muli %i, %c64 : index
  %column = arith.muli %j, %c64 : index
  %sum = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32>) {
    %at = arith.muli %k, %c32 : index
    %x = rows.fetch %a at [%row, %at] : !tile.view<?x?xf16> -> tensor<64x32xf16>
    %y = rows.fetch %b at [%at, %column] : !tile.view<?x?xf16> -> tensor<32x64xf16>
    %d = rows.mma %x, %y, %acc : tensor<64x32xf16>, tensor<32x64xf16>, tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  tile.store %sum, %c[%i, %j] : tensor<64x64xf32>, !tile.view<?x?xf32>
  %norm = rows.squares %sum : tensor<64x64xf32> -> tensor<64x1xf32>
  tile.store %norm, %norms[%i, %j] : tensor<64x1xf32>, !tile.view<?x?xf32>
}

// What one operation writes the next one reads, whichever thread has it.
tile.kernel @moved(%x: !tile.view<?xf32> {tile.facts = {readonly}}, %y: !tile.view<?xf32>, %z: !tile.view<?xf32>) {
  %c0 = arith.constant 0 : index
  %t = tile.load %x[%c0] : !tile.view<?xf32> -> tensor<512xf32>
  %r = rows.rotate %t by 3 : tensor<512xf32>
  tile.store %r, %y[%c0] : tensor<512xf32>, !tile.view<?xf32>
  rows.copy %y to %z count 500 : !tile.view<?xf32>, !tile.view<?xf32>
  %u = tile.load %z[%c0] : !tile.view<?xf32> -> tensor<512xf32>
  %s = rows.rotate %u by 5 : tensor<512xf32>
  tile.store %s, %z[%c0] : tensor<512xf32>, !tile.view<?xf32>
}

// The plug-in scans for the target nvidia, from the left.
tile.kernel @scans(%x: !tile.view<?xf32> {tile.facts = {readonly}}, %y: !tile.view<?xf32> {tile.facts = {noalias}}) {
  %c0 = arith.constant 0 : index
  %t = tile.load %x[%c0] : !tile.view<?xf32> -> tensor<256xf32>
  %s = tile.scan %t axis 0 : tensor<256xf32> -> tensor<256xf32> {
  ^bb0(%a: f32, %b: f32):
    %sum = arith.addf %a, %b : f32
    tile.yield %sum : f32
  }
  %back = tile.scan %s axis 0 reverse : tensor<256xf32> -> tensor<256xf32> {
  ^bb0(%a: f32, %b: f32):
    %most = arith.maximumf %a, %b : f32
    tile.yield %most : f32
  }
  tile.store %back, %y[%c0] : tensor<256xf32>, !tile.view<?xf32>
}

// It reduces and gathers for nvidia, too: one source, and indices of 32 bits.
tile.kernel @picks(%x: !tile.view<?x?xf32> {tile.facts = {readonly}}, %y: !tile.view<?xf32> {tile.facts = {noalias}},
                   %z: !tile.view<?xi32> {tile.facts = {noalias}}) {
  %c0 = arith.constant 0 : index
  %t = tile.load %x[%c0, %c0] : !tile.view<?x?xf32> -> tensor<64x32xf32>
  %number = tile.iota 0 : tensor<64xi32>
  %c21 = arith.constant dense<21> : tensor<64xi32>
  %i = arith.xori %number, %c21 : tensor<64xi32>
  %sums = tile.reduce %t axis 1 : tensor<64x32xf32> -> tensor<64xf32> {
  ^bb0(%a: f32, %b: f32):
    %sum = arith.addf %a, %b : f32
    tile.yield %sum : f32
  }
  %picked = tile.gather %sums by %i axis 0 : tensor<64xf32>, tensor<64xi32> -> tensor<64xf32>
  tile.store %picked, %y[%c0] : tensor<64xf32>, !tile.view<?xf32>
  %numbers = tile.iota 1 : tensor<64x32xi32>
  %most:2 = tile.reduce %t, %numbers axis 1 : tensor<64x32xf32>, tensor<64x32xi32> -> tensor<64xf32>, tensor<64xi32> {
  ^bb0(%a: f32, %m: i32, %b: f32, %n: i32):
    // Of equal ones the first, in whichever order elements are combined.
    %isLarger = arith.cmpf ogt, %a, %b : f32
    %isEqual = arith.cmpf oeq, %a, %b : f32
    %isBefore = arith.cmpi slt, %m, %n : i32
    %isFirst = arith.andi %isEqual, %isBefore : i1
    %isMore = arith.ori %isLarger, %isFirst : i1
    %value = arith.select %isMore, %a, %b : f32
    %place = arith.select %isMore, %m, %n : i32
    tile.yield %value, %place : f32, i32
  }
  %wide = arith.extsi %i : tensor<64xi32> to tensor<64xi64>
  %place = tile.gather %most#1 by %wide axis 0 : tensor<64xi32>, tensor<64xi64> -> tensor<64xi32>
  tile.store %place, %z[%c0] : tensor<64xi32>, !tile.view<?xi32>
}

// The product with factors that an operation of the plug-in copies ahead, three iterations deep.
tile.kernel @streamed(%a: !tile.view<?x?xf16> {tile.facts = {readonly, align = 16 : i64, size_div = array<i64: 1, 8>, stride_div = array<i64: 8, 1>}},
                      %b: !tile.view<?x?xf16> {tile.facts = {readonly, align = 16 : i64, size_div = array<i64: 1, 8>, stride_div = array<i64: 8, 1>}},
                      %c: !tile.view<?x?xf32> {tile.facts = {noalias}}) {
  %i, %j = tile.program_id : index, index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %n = tile.num_blocks %a[1] by 32 : !tile.view<?x?xf16>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %row = arith.muli %i, %c64 : index
  %column = arith.muli %j, %c64 : index
  %sum = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32>) {
    %at = arith.muli %k, %c32 : index
    %x = rows.stream %a at [%row, %at] : !tile.view<?x?xf16> -> tensor<64x32xf16>
    %y = rows.stream %b at [%at, %column] : !tile.view<?x?xf16> -> tensor<32x64xf16>
    %d = rows.mma %x, %y, %acc : tensor<64x32xf16>, tensor<32x64xf16>, tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  tile.store %sum, %c[%i, %j] : tensor<64x64xf32>, !tile.view<?x?xf32>
}
