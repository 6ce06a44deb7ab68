// Scaled products: 4-bit elements packed along M and N, and the 6-bit types.
// RUN: kiln-run %s --entry=packs --target=cpu --grid=1 --arg=zeros:f32:16x16 --save=0:%t.cpu.npy
// RUN: kiln-run %s --entry=packs --target=reference --grid=1 --arg=zeros:f32:16x16 --save=0:%t.ref.npy
// Both packings of the same factors: no difference. Element 0 is the product itself.
// RUN: %python %S/Inputs/check.py %t.cpu.npy -52 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 ...
// RUN: %python %S/Inputs/check.py %t.ref.npy -52 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 ...
// RUN: kiln-run %s --entry=six --target=cpu --check --grid=1 --arg=zeros:f32:16x32 --arg=zeros:f32:16x32 --save=0:%t.0.npy --save=1:%t.1.npy
// RUN: %python %S/Inputs/check.py %t.0.npy 0 0.125 0.25 0.375 0.5 0.625 0.75 0.875 1 1.125 1.25 1.375 1.5 1.625 1.75 1.875 2 2.25 2.5 2.75 3 3.25 3.5 3.75 4 4.5 5 5.5 6 6.5 7 7.5 -0 -0.125 ...
// RUN: %python %S/Inputs/check.py %t.1.npy 0 0.0625 0.125 0.1875 0.25 0.3125 0.375 0.4375 0.5 0.625 0.75 0.875 1 1.25 1.5 1.75 2 2.5 3 3.5 4 5 6 7 8 10 12 14 16 20 24 28 -0 -0.0625 ...

// The factors are (3 m + 5 k) % 16 and (7 n + k) % 16 as codes of e2m1.
tt.func private @codes(%m: tensor<8x32xi32>, %k: tensor<8x32xi32>, %a: i32, %b: i32) -> tensor<8x32xi32> {
  %as = tt.splat %a : i32 -> tensor<8x32xi32>
  %bs = tt.splat %b : i32 -> tensor<8x32xi32>
  %c15 = arith.constant dense<15> : tensor<8x32xi32>
  %0 = arith.muli %m, %as : tensor<8x32xi32>
  %1 = arith.muli %k, %bs : tensor<8x32xi32>
  %2 = arith.addi %0, %1 : tensor<8x32xi32>
  %3 = arith.andi %2, %c15 : tensor<8x32xi32>
  tt.return %3 : tensor<8x32xi32>
}
// Rows 2m and 2m + 1 as two tensors.
tt.func private @rows(%a: i32, %b: i32) -> (tensor<8x32xi32>, tensor<8x32xi32>) {
  %one = arith.constant dense<1> : tensor<8x32xi32>
  %r8 = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32>
  %r32 = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %m1 = tt.expand_dims %r8 {axis = 1 : i32} : tensor<8xi32> -> tensor<8x1xi32>
  %k1 = tt.expand_dims %r32 {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %m = tt.broadcast %m1 : tensor<8x1xi32> -> tensor<8x32xi32>
  %k = tt.broadcast %k1 : tensor<1x32xi32> -> tensor<8x32xi32>
  %even = arith.addi %m, %m : tensor<8x32xi32>
  %odd = arith.addi %even, %one : tensor<8x32xi32>
  %x = tt.call @codes(%even, %k, %a, %b) : (tensor<8x32xi32>, tensor<8x32xi32>, i32, i32) -> tensor<8x32xi32>
  %y = tt.call @codes(%odd, %k, %a, %b) : (tensor<8x32xi32>, tensor<8x32xi32>, i32, i32) -> tensor<8x32xi32>
  tt.return %x, %y : tensor<8x32xi32>, tensor<8x32xi32>
}
// One tensor packed along the rows, and the same packed along K.
tt.func private @pack(%a: i32, %b: i32) -> (tensor<8x32xi8>, tensor<16x16xi8>) {
  %c4 = arith.constant dense<4> : tensor<8x32xi32>
  %c4k = arith.constant dense<4> : tensor<16x16xi32>
  %x, %y = tt.call @rows(%a, %b) : (i32, i32) -> (tensor<8x32xi32>, tensor<8x32xi32>)
  %ys = arith.shli %y, %c4 : tensor<8x32xi32>
  %xy = arith.ori %x, %ys : tensor<8x32xi32>
  %byRow = arith.trunci %xy : tensor<8x32xi32> to tensor<8x32xi8>
  %j = tt.join %x, %y : tensor<8x32xi32> -> tensor<8x32x2xi32>
  %t = tt.trans %j {order = array<i32: 0, 2, 1>} : tensor<8x32x2xi32> -> tensor<8x2x32xi32>
  %all = tt.reshape %t : tensor<8x2x32xi32> -> tensor<16x16x2xi32>
  %low, %high = tt.split %all : tensor<16x16x2xi32> -> tensor<16x16xi32>
  %hs = arith.shli %high, %c4k : tensor<16x16xi32>
  %lh = arith.ori %low, %hs : tensor<16x16xi32>
  %byK = arith.trunci %lh : tensor<16x16xi32> to tensor<16x16xi8>
  tt.return %byRow, %byK : tensor<8x32xi8>, tensor<16x16xi8>
}
tt.func private @store(%p: !tt.ptr<f32>, %x: tensor<512xf32>) {
  %r = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32>
  %ps = tt.splat %p : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>>
  %pp = tt.addptr %ps, %r : tensor<512x!tt.ptr<f32>>, tensor<512xi32>
  tt.store %pp, %x : tensor<512x!tt.ptr<f32>>
  tt.return
}

tt.func public @packs(%out: !tt.ptr<f32>) {
  %c1 = arith.constant 1 : i32
  %c3 = arith.constant 3 : i32
  %c5 = arith.constant 5 : i32
  %c7 = arith.constant 7 : i32
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %none = arith.constant dense<0> : tensor<256xi32>
  %am, %ak = tt.call @pack(%c3, %c5) : (i32, i32) -> (tensor<8x32xi8>, tensor<16x16xi8>)
  %bn, %bk = tt.call @pack(%c7, %c1) : (i32, i32) -> (tensor<8x32xi8>, tensor<16x16xi8>)
  %bnt = tt.trans %bn {order = array<i32: 1, 0>} : tensor<8x32xi8> -> tensor<32x8xi8>
  %bkt = tt.trans %bk {order = array<i32: 1, 0>} : tensor<16x16xi8> -> tensor<16x16xi8>
  %x = tt.dot_scaled %am, %bnt, %zero lhs = e2m1 rhs = e2m1 {fastMath = false, lhs_k_pack = false, rhs_k_pack = false} : tensor<8x32xi8> * tensor<32x8xi8> -> tensor<16x16xf32>
  %y = tt.dot_scaled %ak, %bkt, %zero lhs = e2m1 rhs = e2m1 {fastMath = false} : tensor<16x16xi8> * tensor<16x16xi8> -> tensor<16x16xf32>
  %d = arith.subf %x, %y : tensor<16x16xf32>
  %df = tt.reshape %d : tensor<16x16xf32> -> tensor<256xf32>
  %xf = tt.reshape %x : tensor<16x16xf32> -> tensor<256xf32>
  %r = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32>
  %first = arith.cmpi eq, %r, %none : tensor<256xi32>
  %s = arith.select %first, %xf, %df : tensor<256xi1>, tensor<256xf32>
  %ps = tt.splat %out : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>>
  %pp = tt.addptr %ps, %r : tensor<256x!tt.ptr<f32>>, tensor<256xi32>
  tt.store %pp, %s : tensor<256x!tt.ptr<f32>>
  tt.return
}

// Every code times the identity.
tt.func public @six(%p: !tt.ptr<f32>, %q: !tt.ptr<f32>) {
  %zero = arith.constant dense<0.0> : tensor<16x32xf32>
  %r512 = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32>
  %r32 = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %c63 = arith.constant dense<63> : tensor<512xi32>
  %code = arith.andi %r512, %c63 : tensor<512xi32>
  %byte = arith.trunci %code : tensor<512xi32> to tensor<512xi8>
  %a = tt.reshape %byte : tensor<512xi8> -> tensor<16x32xi8>
  %k1 = tt.expand_dims %r32 {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
  %n1 = tt.expand_dims %r32 {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %k = tt.broadcast %k1 : tensor<32x1xi32> -> tensor<32x32xi32>
  %n = tt.broadcast %n1 : tensor<1x32xi32> -> tensor<32x32xi32>
  %diagonal = arith.cmpi eq, %k, %n : tensor<32x32xi32>
  %b = arith.uitofp %diagonal : tensor<32x32xi1> to tensor<32x32xbf16>
  %x = tt.dot_scaled %a, %b, %zero lhs = e2m3 rhs = bf16 {fastMath = false} : tensor<16x32xi8> * tensor<32x32xbf16> -> tensor<16x32xf32>
  %y = tt.dot_scaled %a, %b, %zero lhs = e3m2 rhs = bf16 {fastMath = false} : tensor<16x32xi8> * tensor<32x32xbf16> -> tensor<16x32xf32>
  %xf = tt.reshape %x : tensor<16x32xf32> -> tensor<512xf32>
  %yf = tt.reshape %y : tensor<16x32xf32> -> tensor<512xf32>
  tt.call @store(%p, %xf) : (!tt.ptr<f32>, tensor<512xf32>) -> ()
  tt.call @store(%q, %yf) : (!tt.ptr<f32>, tensor<512xf32>) -> ()
  tt.return
}
