// A bitonic network of reshapes, sums, comparisons and exclusive ors of bits, as sort functions print it.
// RUN: for t in cpu reference; do kiln-run %s --target=$t --grid=1 --arg=%S/Inputs/unsorted.npy --arg=zeros:f32:8 --save=1:%t.1.npy && %python %S/Inputs/check.py %t.1.npy -6 -5 -1 1 2.5 3 4 9 || exit 1; done
// Compares and exchanges neighbours at distance 4, 2 and 1; where `flip` is true, the larger comes first.
tt.func private @swap4(%x: tensor<8xf32>, %flip: tensor<8xi1>) -> tensor<8xf32> attributes {noinline = false} {
  %zero = arith.constant dense<0> : tensor<8xi32>
  %one = arith.constant dense<1.0> : tensor<1x2x1xf32>
  %r = tt.make_range {end = 2 : i32, start = 0 : i32} : tensor<2xi32>
  %r0 = tt.expand_dims %r {axis = 0 : i32} : tensor<2xi32> -> tensor<1x2xi32>
  %r1 = tt.expand_dims %r0 {axis = 2 : i32} : tensor<1x2xi32> -> tensor<1x2x1xi32>
  %second = arith.sitofp %r1 : tensor<1x2x1xi32> to tensor<1x2x1xf32>
  %first = arith.subf %one, %second : tensor<1x2x1xf32>
  %y = tt.reshape %x : tensor<8xf32> -> tensor<1x2x4xf32>
  %firstb = tt.broadcast %first : tensor<1x2x1xf32> -> tensor<1x2x4xf32>
  %firsty = arith.mulf %y, %firstb : tensor<1x2x4xf32>
  %firsts = "tt.reduce"(%firsty) <{axis = 1 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    tt.reduce.return %s : f32
  }) : (tensor<1x2x4xf32>) -> tensor<1x4xf32>
  %firste = tt.expand_dims %firsts {axis = 1 : i32} : tensor<1x4xf32> -> tensor<1x1x4xf32>
  %firstw = tt.broadcast %firste : tensor<1x1x4xf32> -> tensor<1x2x4xf32>
  %firstf = tt.reshape %firstw : tensor<1x2x4xf32> -> tensor<8xf32>
  %firsti = tt.bitcast %firstf : tensor<8xf32> -> tensor<8xi32>
  %secondb = tt.broadcast %second : tensor<1x2x1xf32> -> tensor<1x2x4xf32>
  %secondy = arith.mulf %y, %secondb : tensor<1x2x4xf32>
  %seconds = "tt.reduce"(%secondy) <{axis = 1 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    tt.reduce.return %s : f32
  }) : (tensor<1x2x4xf32>) -> tensor<1x4xf32>
  %seconde = tt.expand_dims %seconds {axis = 1 : i32} : tensor<1x4xf32> -> tensor<1x1x4xf32>
  %secondw = tt.broadcast %seconde : tensor<1x1x4xf32> -> tensor<1x2x4xf32>
  %secondf = tt.reshape %secondw : tensor<1x2x4xf32> -> tensor<8xf32>
  %secondi = tt.bitcast %secondf : tensor<8xf32> -> tensor<8xi32>
  %more = arith.cmpf ogt, %firstf, %secondf : tensor<8xf32>
  %exchange = arith.xori %more, %flip : tensor<8xi1>
  %both = arith.xori %firsti, %secondi : tensor<8xi32>
  %change = arith.select %exchange, %both, %zero : tensor<8xi1>, tensor<8xi32>
  %bits = tt.bitcast %x : tensor<8xf32> -> tensor<8xi32>
  %changed = arith.xori %bits, %change : tensor<8xi32>
  %result = tt.bitcast %changed : tensor<8xi32> -> tensor<8xf32>
  tt.return %result : tensor<8xf32>
}
tt.func private @swap2(%x: tensor<8xf32>, %flip: tensor<8xi1>) -> tensor<8xf32> attributes {noinline = false} {
  %zero = arith.constant dense<0> : tensor<8xi32>
  %one = arith.constant dense<1.0> : tensor<1x2x1xf32>
  %r = tt.make_range {end = 2 : i32, start = 0 : i32} : tensor<2xi32>
  %r0 = tt.expand_dims %r {axis = 0 : i32} : tensor<2xi32> -> tensor<1x2xi32>
  %r1 = tt.expand_dims %r0 {axis = 2 : i32} : tensor<1x2xi32> -> tensor<1x2x1xi32>
  %second = arith.sitofp %r1 : tensor<1x2x1xi32> to tensor<1x2x1xf32>
  %first = arith.subf %one, %second : tensor<1x2x1xf32>
  %y = tt.reshape %x : tensor<8xf32> -> tensor<2x2x2xf32>
  %firstb = tt.broadcast %first : tensor<1x2x1xf32> -> tensor<2x2x2xf32>
  %firsty = arith.mulf %y, %firstb : tensor<2x2x2xf32>
  %firsts = "tt.reduce"(%firsty) <{axis = 1 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    tt.reduce.return %s : f32
  }) : (tensor<2x2x2xf32>) -> tensor<2x2xf32>
  %firste = tt.expand_dims %firsts {axis = 1 : i32} : tensor<2x2xf32> -> tensor<2x1x2xf32>
  %firstw = tt.broadcast %firste : tensor<2x1x2xf32> -> tensor<2x2x2xf32>
  %firstf = tt.reshape %firstw : tensor<2x2x2xf32> -> tensor<8xf32>
  %firsti = tt.bitcast %firstf : tensor<8xf32> -> tensor<8xi32>
  %secondb = tt.broadcast %second : tensor<1x2x1xf32> -> tensor<2x2x2xf32>
  %secondy = arith.mulf %y, %secondb : tensor<2x2x2xf32>
  %seconds = "tt.reduce"(%secondy) <{axis = 1 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    tt.reduce.return %s : f32
  }) : (tensor<2x2x2xf32>) -> tensor<2x2xf32>
  %seconde = tt.expand_dims %seconds {axis = 1 : i32} : tensor<2x2xf32> -> tensor<2x1x2xf32>
  %secondw = tt.broadcast %seconde : tensor<2x1x2xf32> -> tensor<2x2x2xf32>
  %secondf = tt.reshape %secondw : tensor<2x2x2xf32> -> tensor<8xf32>
  %secondi = tt.bitcast %secondf : tensor<8xf32> -> tensor<8xi32>
  %more = arith.cmpf ogt, %firstf, %secondf : tensor<8xf32>
  %exchange = arith.xori %more, %flip : tensor<8xi1>
  %both = arith.xori %firsti, %secondi : tensor<8xi32>
  %change = arith.select %exchange, %both, %zero : tensor<8xi1>, tensor<8xi32>
  %bits = tt.bitcast %x : tensor<8xf32> -> tensor<8xi32>
  %changed = arith.xori %bits, %change : tensor<8xi32>
  %result = tt.bitcast %changed : tensor<8xi32> -> tensor<8xf32>
  tt.return %result : tensor<8xf32>
}
tt.func private @swap1(%x: tensor<8xf32>, %flip: tensor<8xi1>) -> tensor<8xf32> attributes {noinline = false} {
  %zero = arith.constant dense<0> : tensor<8xi32>
  %one = arith.constant dense<1.0> : tensor<1x2x1xf32>
  %r = tt.make_range {end = 2 : i32, start = 0 : i32} : tensor<2xi32>
  %r0 = tt.expand_dims %r {axis = 0 : i32} : tensor<2xi32> -> tensor<1x2xi32>
  %r1 = tt.expand_dims %r0 {axis = 2 : i32} : tensor<1x2xi32> -> tensor<1x2x1xi32>
  %second = arith.sitofp %r1 : tensor<1x2x1xi32> to tensor<1x2x1xf32>
  %first = arith.subf %one, %second : tensor<1x2x1xf32>
  %y = tt.reshape %x : tensor<8xf32> -> tensor<4x2x1xf32>
  %firstb = tt.broadcast %first : tensor<1x2x1xf32> -> tensor<4x2x1xf32>
  %firsty = arith.mulf %y, %firstb : tensor<4x2x1xf32>
  %firsts = "tt.reduce"(%firsty) <{axis = 1 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    tt.reduce.return %s : f32
  }) : (tensor<4x2x1xf32>) -> tensor<4x1xf32>
  %firste = tt.expand_dims %firsts {axis = 1 : i32} : tensor<4x1xf32> -> tensor<4x1x1xf32>
  %firstw = tt.broadcast %firste : tensor<4x1x1xf32> -> tensor<4x2x1xf32>
  %firstf = tt.reshape %firstw : tensor<4x2x1xf32> -> tensor<8xf32>
  %firsti = tt.bitcast %firstf : tensor<8xf32> -> tensor<8xi32>
  %secondb = tt.broadcast %second : tensor<1x2x1xf32> -> tensor<4x2x1xf32>
  %secondy = arith.mulf %y, %secondb : tensor<4x2x1xf32>
  %seconds = "tt.reduce"(%secondy) <{axis = 1 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    tt.reduce.return %s : f32
  }) : (tensor<4x2x1xf32>) -> tensor<4x1xf32>
  %seconde = tt.expand_dims %seconds {axis = 1 : i32} : tensor<4x1xf32> -> tensor<4x1x1xf32>
  %secondw = tt.broadcast %seconde : tensor<4x1x1xf32> -> tensor<4x2x1xf32>
  %secondf = tt.reshape %secondw : tensor<4x2x1xf32> -> tensor<8xf32>
  %secondi = tt.bitcast %secondf : tensor<8xf32> -> tensor<8xi32>
  %more = arith.cmpf ogt, %firstf, %secondf : tensor<8xf32>
  %exchange = arith.xori %more, %flip : tensor<8xi1>
  %both = arith.xori %firsti, %secondi : tensor<8xi32>
  %change = arith.select %exchange, %both, %zero : tensor<8xi1>, tensor<8xi32>
  %bits = tt.bitcast %x : tensor<8xf32> -> tensor<8xi32>
  %changed = arith.xori %bits, %change : tensor<8xi32>
  %result = tt.bitcast %changed : tensor<8xi32> -> tensor<8xf32>
  tt.return %result : tensor<8xf32>
}
tt.func public @sort(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>) {
  %r = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32>
  %v0s = tt.splat %x : !tt.ptr<f32> -> tensor<8x!tt.ptr<f32>>
  %v0p = tt.addptr %v0s, %r : tensor<8x!tt.ptr<f32>>, tensor<8xi32>
  %v0 = tt.load %v0p : tensor<8x!tt.ptr<f32>>
  %zero = arith.constant dense<0> : tensor<8xi32>
  %c2 = arith.constant dense<2> : tensor<8xi32>
  %c4 = arith.constant dense<4> : tensor<8xi32>
  %up = arith.constant dense<false> : tensor<8xi1>
  %b1 = arith.andi %r, %c2 : tensor<8xi32>
  %flip2 = arith.cmpi ne, %b1, %zero : tensor<8xi32>
  %b2 = arith.andi %r, %c4 : tensor<8xi32>
  %flip4 = arith.cmpi ne, %b2, %zero : tensor<8xi32>
  %v1 = tt.call @swap1(%v0, %flip2) : (tensor<8xf32>, tensor<8xi1>) -> tensor<8xf32>
  %v2 = tt.call @swap2(%v1, %flip4) : (tensor<8xf32>, tensor<8xi1>) -> tensor<8xf32>
  %v3 = tt.call @swap1(%v2, %flip4) : (tensor<8xf32>, tensor<8xi1>) -> tensor<8xf32>
  %v4 = tt.call @swap4(%v3, %up) : (tensor<8xf32>, tensor<8xi1>) -> tensor<8xf32>
  %v5 = tt.call @swap2(%v4, %up) : (tensor<8xf32>, tensor<8xi1>) -> tensor<8xf32>
  %v6 = tt.call @swap1(%v5, %up) : (tensor<8xf32>, tensor<8xi1>) -> tensor<8xf32>
  %yos = tt.splat %y : !tt.ptr<f32> -> tensor<8x!tt.ptr<f32>>
  %yop = tt.addptr %yos, %r : tensor<8x!tt.ptr<f32>>, tensor<8xi32>
  tt.store %yop, %v6 : tensor<8x!tt.ptr<f32>>
  tt.return
}
