// The tutorial's product: rows and columns wrap around, the depth is masked, and the operands of f32 are read as tf32.
// RUN: kiln-run %s --target=cpu --check --grid=6 --arg=random:1:f32:40x50 --arg=random:2:f32:50x70 --arg=zeros:f32:40x70 --arg=i32:40 --arg=i32:70 --arg=i32:50
tt.func public @matmul(%a: !tt.ptr<f32>, %b: !tt.ptr<f32>, %c: !tt.ptr<f32>, %M: i32, %N: i32, %K: i32) {
  %zero = arith.constant dense<0.0> : tensor<32x32xf32>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c3 = arith.constant 3 : i32
  %c31 = arith.constant 31 : i32
  %c32 = arith.constant 32 : i32
  %step = arith.constant dense<32> : tensor<32x32xi32>
  %pid = tt.get_program_id x : i32
  %pm = arith.divsi %pid, %c3 : i32
  %pn = arith.remsi %pid, %c3 : i32
  %range = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %m0 = arith.muli %pm, %c32 : i32
  %m0s = tt.splat %m0 : i32 -> tensor<32xi32>
  %m = arith.addi %m0s, %range : tensor<32xi32>
  %Ms = tt.splat %M : i32 -> tensor<32xi32>
  %mw = arith.remsi %m, %Ms : tensor<32xi32>
  %n0 = arith.muli %pn, %c32 : i32
  %n0s = tt.splat %n0 : i32 -> tensor<32xi32>
  %n = arith.addi %n0s, %range : tensor<32xi32>
  %Ns = tt.splat %N : i32 -> tensor<32xi32>
  %nw = arith.remsi %n, %Ns : tensor<32xi32>
  %mcol = tt.expand_dims %mw {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
  %nrow = tt.expand_dims %nw {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %kcol = tt.expand_dims %range {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
  %krow = tt.expand_dims %range {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %Kc = tt.splat %K : i32 -> tensor<32x1xi32>
  %Nc = tt.splat %N : i32 -> tensor<32x1xi32>
  %arow = arith.muli %mcol, %Kc : tensor<32x1xi32>
  %arow2 = tt.broadcast %arow : tensor<32x1xi32> -> tensor<32x32xi32>
  %krow2 = tt.broadcast %krow : tensor<1x32xi32> -> tensor<32x32xi32>
  %aoff = arith.addi %arow2, %krow2 : tensor<32x32xi32>
  %as = tt.splat %a : !tt.ptr<f32> -> tensor<32x32x!tt.ptr<f32>>
  %ap = tt.addptr %as, %aoff : tensor<32x32x!tt.ptr<f32>>, tensor<32x32xi32>
  %brow = arith.muli %kcol, %Nc : tensor<32x1xi32>
  %brow2 = tt.broadcast %brow : tensor<32x1xi32> -> tensor<32x32xi32>
  %nrow2 = tt.broadcast %nrow : tensor<1x32xi32> -> tensor<32x32xi32>
  %boff = arith.addi %brow2, %nrow2 : tensor<32x32xi32>
  %bs = tt.splat %b : !tt.ptr<f32> -> tensor<32x32x!tt.ptr<f32>>
  %bp = tt.addptr %bs, %boff : tensor<32x32x!tt.ptr<f32>>, tensor<32x32xi32>
  %bstep = arith.muli %N, %c32 : i32
  %bsteps = tt.splat %bstep : i32 -> tensor<32x32xi32>
  %up = arith.addi %K, %c31 : i32
  %steps = arith.divsi %up, %c32 : i32
  %r:3 = scf.for %k = %c0 to %steps step %c1 iter_args(%acc = %zero, %ak = %ap, %bk = %bp) -> (tensor<32x32xf32>, tensor<32x32x!tt.ptr<f32>>, tensor<32x32x!tt.ptr<f32>>) : i32 {
    %done = arith.muli %k, %c32 : i32
    %left = arith.subi %K, %done : i32
    %leftr = tt.splat %left : i32 -> tensor<1x32xi32>
    %leftc = tt.splat %left : i32 -> tensor<32x1xi32>
    %am = arith.cmpi slt, %krow, %leftr : tensor<1x32xi32>
    %am2 = tt.broadcast %am : tensor<1x32xi1> -> tensor<32x32xi1>
    %x = tt.load %ak, %am2, %zero : tensor<32x32x!tt.ptr<f32>>
    %bm = arith.cmpi slt, %kcol, %leftc : tensor<32x1xi32>
    %bm2 = tt.broadcast %bm : tensor<32x1xi1> -> tensor<32x32xi1>
    %y = tt.load %bk, %bm2, %zero : tensor<32x32x!tt.ptr<f32>>
    %d = tt.dot %x, %y, %acc, inputPrecision = tf32 : tensor<32x32xf32> * tensor<32x32xf32> -> tensor<32x32xf32>
    %an = tt.addptr %ak, %step : tensor<32x32x!tt.ptr<f32>>, tensor<32x32xi32>
    %bn = tt.addptr %bk, %bsteps : tensor<32x32x!tt.ptr<f32>>, tensor<32x32xi32>
    scf.yield %d, %an, %bn : tensor<32x32xf32>, tensor<32x32x!tt.ptr<f32>>, tensor<32x32x!tt.ptr<f32>>
  }
  %mc = tt.expand_dims %m {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
  %nr = tt.expand_dims %n {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %crow = arith.muli %mc, %Nc : tensor<32x1xi32>
  %crow2 = tt.broadcast %crow : tensor<32x1xi32> -> tensor<32x32xi32>
  %nr2 = tt.broadcast %nr : tensor<1x32xi32> -> tensor<32x32xi32>
  %coff = arith.addi %crow2, %nr2 : tensor<32x32xi32>
  %cs = tt.splat %c : !tt.ptr<f32> -> tensor<32x32x!tt.ptr<f32>>
  %cp = tt.addptr %cs, %coff : tensor<32x32x!tt.ptr<f32>>, tensor<32x32xi32>
  %Mc = tt.splat %M : i32 -> tensor<32x1xi32>
  %Nr = tt.splat %N : i32 -> tensor<1x32xi32>
  %min = arith.cmpi slt, %mc, %Mc : tensor<32x1xi32>
  %nin = arith.cmpi slt, %nr, %Nr : tensor<1x32xi32>
  %min2 = tt.broadcast %min : tensor<32x1xi1> -> tensor<32x32xi1>
  %nin2 = tt.broadcast %nin : tensor<1x32xi1> -> tensor<32x32xi1>
  %in = arith.andi %min2, %nin2 : tensor<32x32xi1>
  tt.store %cp, %r#0, %in : tensor<32x32x!tt.ptr<f32>>
  tt.return
}
