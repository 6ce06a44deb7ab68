// What f32 operands keep: 10 bits of the mantissa with tf32, all of it with ieee; batches of products.
// RUN: for t in cpu reference; do kiln-run %s --entry=tf32 --target=$t --grid=1 --arg=%S/Inputs/mantissas.npy --arg=zeros:f32:16x16 --save=1:%t.1.npy && %python %S/Inputs/check.py %t.1.npy 1.0009765625 1.0 1.0 1.0 ... || exit 1; done
// RUN: for t in cpu reference; do kiln-run %s --entry=ieee --target=$t --grid=1 --arg=%S/Inputs/mantissas.npy --arg=zeros:f32:16x16 --save=1:%t.1.npy && %python %S/Inputs/check.py %t.1.npy 1.0009765625 1.00048828125 1.000732421875 1.0000001192092896 ... || exit 1; done
// RUN: kiln-run %s --entry=tf32x3 --target=cpu --check --grid=1 --arg=%S/Inputs/mantissas.npy --arg=zeros:f32:16x16
// RUN: kiln-run %s --entry=bf16x6 --target=cpu --check --grid=1 --arg=%S/Inputs/mantissas.npy --arg=zeros:f32:16x16
// RUN: for t in cpu reference; do kiln-run %s --entry=batches --target=$t --grid=1 --arg=zeros:f32:2x16x16 --save=0:%t.0.npy && %python %S/Inputs/check.py %t.0.npy 295 199 175 223 280 238 178 190 274 295 199 175 223 280 238 178 199 347 ... || exit 1; done
tt.func private @identity() -> tensor<16x16xf32> {
  %r = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
  %c = tt.expand_dims %r {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>
  %d = tt.expand_dims %r {axis = 0 : i32} : tensor<16xi32> -> tensor<1x16xi32>
  %rows = tt.broadcast %c : tensor<16x1xi32> -> tensor<16x16xi32>
  %columns = tt.broadcast %d : tensor<1x16xi32> -> tensor<16x16xi32>
  %same = arith.cmpi eq, %rows, %columns : tensor<16x16xi32>
  %f = arith.uitofp %same : tensor<16x16xi1> to tensor<16x16xf32>
  tt.return %f : tensor<16x16xf32>
}
tt.func public @tf32(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>) {
  %r = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32>
  %ls = tt.splat %x : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>>
  %lp = tt.addptr %ls, %r : tensor<256x!tt.ptr<f32>>, tensor<256xi32>
  %l = tt.load %lp : tensor<256x!tt.ptr<f32>>
  %a = tt.reshape %l : tensor<256xf32> -> tensor<16x16xf32>
  %i = tt.call @identity() : () -> tensor<16x16xf32>
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %d = tt.dot %a, %i, %zero, inputPrecision = tf32 : tensor<16x16xf32> * tensor<16x16xf32> -> tensor<16x16xf32>
  %v = tt.reshape %d : tensor<16x16xf32> -> tensor<256xf32>
  %yos = tt.splat %y : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>>
  %yop = tt.addptr %yos, %r : tensor<256x!tt.ptr<f32>>, tensor<256xi32>
  tt.store %yop, %v : tensor<256x!tt.ptr<f32>>
  tt.return
}
tt.func public @ieee(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>) {
  %r = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32>
  %ls = tt.splat %x : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>>
  %lp = tt.addptr %ls, %r : tensor<256x!tt.ptr<f32>>, tensor<256xi32>
  %l = tt.load %lp : tensor<256x!tt.ptr<f32>>
  %a = tt.reshape %l : tensor<256xf32> -> tensor<16x16xf32>
  %i = tt.call @identity() : () -> tensor<16x16xf32>
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %d = tt.dot %a, %i, %zero, inputPrecision = ieee : tensor<16x16xf32> * tensor<16x16xf32> -> tensor<16x16xf32>
  %v = tt.reshape %d : tensor<16x16xf32> -> tensor<256xf32>
  %yos = tt.splat %y : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>>
  %yop = tt.addptr %yos, %r : tensor<256x!tt.ptr<f32>>, tensor<256xi32>
  tt.store %yop, %v : tensor<256x!tt.ptr<f32>>
  tt.return
}
tt.func public @tf32x3(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>) {
  %r = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32>
  %ls = tt.splat %x : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>>
  %lp = tt.addptr %ls, %r : tensor<256x!tt.ptr<f32>>, tensor<256xi32>
  %l = tt.load %lp : tensor<256x!tt.ptr<f32>>
  %a = tt.reshape %l : tensor<256xf32> -> tensor<16x16xf32>
  %i = tt.call @identity() : () -> tensor<16x16xf32>
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %d = tt.dot %a, %i, %zero, inputPrecision = tf32x3 : tensor<16x16xf32> * tensor<16x16xf32> -> tensor<16x16xf32>
  %v = tt.reshape %d : tensor<16x16xf32> -> tensor<256xf32>
  %yos = tt.splat %y : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>>
  %yop = tt.addptr %yos, %r : tensor<256x!tt.ptr<f32>>, tensor<256xi32>
  tt.store %yop, %v : tensor<256x!tt.ptr<f32>>
  tt.return
}
tt.func public @bf16x6(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>) {
  %r = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32>
  %ls = tt.splat %x : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>>
  %lp = tt.addptr %ls, %r : tensor<256x!tt.ptr<f32>>, tensor<256xi32>
  %l = tt.load %lp : tensor<256x!tt.ptr<f32>>
  %a = tt.reshape %l : tensor<256xf32> -> tensor<16x16xf32>
  %i = tt.call @identity() : () -> tensor<16x16xf32>
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %d = tt.dot %a, %i, %zero, inputPrecision = bf16x6 : tensor<16x16xf32> * tensor<16x16xf32> -> tensor<16x16xf32>
  %v = tt.reshape %d : tensor<16x16xf32> -> tensor<256xf32>
  %yos = tt.splat %y : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>>
  %yop = tt.addptr %yos, %r : tensor<256x!tt.ptr<f32>>, tensor<256xi32>
  tt.store %yop, %v : tensor<256x!tt.ptr<f32>>
  tt.return
}
tt.func public @batches(%y: !tt.ptr<f32>) {
  %r = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32>
  %c9 = arith.constant dense<9> : tensor<512xi32>
  %m = arith.remsi %r, %c9 : tensor<512xi32>
  %v = arith.sitofp %m : tensor<512xi32> to tensor<512xf16>
  %a = tt.reshape %v : tensor<512xf16> -> tensor<2x16x16xf16>
  %b = tt.trans %a {order = array<i32: 0, 2, 1>} : tensor<2x16x16xf16> -> tensor<2x16x16xf16>
  %zero = arith.constant dense<0.0> : tensor<2x16x16xf32>
  %d = tt.dot %a, %b, %zero : tensor<2x16x16xf16> * tensor<2x16x16xf16> -> tensor<2x16x16xf32>
  %w = tt.reshape %d : tensor<2x16x16xf32> -> tensor<512xf32>
  %yos = tt.splat %y : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>>
  %yop = tt.addptr %yos, %r : tensor<512x!tt.ptr<f32>>, tensor<512xi32>
  tt.store %yop, %w : tensor<512x!tt.ptr<f32>>
  tt.return
}
