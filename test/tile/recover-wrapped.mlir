// Rows that wrap around at the size, whose results nobody stores, become views; others stay gathers.
// RUN: kiln-opt %s --pass-pipeline='builtin.module(tile.kernel(tile-recover-views{report=true}))' -verify-diagnostics | FileCheck %s

// The rows of a product: by remainder, choice and minimum.
// CHECK-LABEL: tile.kernel @product
// CHECK: scf.for
// CHECK-COUNT-2: tile.load %{{.*}} : !tile.view<?x?xf32, strides = [?, 1]> -> tensor<16x16xf32>
// CHECK-NOT: tile.load_gather
tile.kernel @product(%a: !tile.ptr<f32>, %b: !tile.ptr<f32>, %c: !tile.ptr<f32>, %m: i32, %n: i32, %k: i32, %lda: i32, %ldb: i32, %ldc: i32) {
  %x, %y = tile.program_id : index, index
  %c0 = arith.constant 0 : i32
  %c16 = arith.constant 16 : i32
  %one = arith.constant 1 : i32
  %i = arith.index_cast %x : index to i32
  %j = arith.index_cast %y : index to i32
  %row0 = arith.muli %i, %c16 : i32
  %column0 = arith.muli %j, %c16 : i32
  %iota = tile.iota 0 : tensor<16xi32>
  %row0s = tile.splat %row0 : tensor<16xi32>
  %rows = arith.addi %row0s, %iota : tensor<16xi32>
  %column0s = tile.splat %column0 : tensor<16xi32>
  %columns = arith.addi %column0s, %iota : tensor<16xi32>
  %ms = tile.splat %m : tensor<16xi32>
  %ns = tile.splat %n : tensor<16xi32>
  %wrapped = arith.remsi %rows, %ms : tensor<16xi32>
  %in = arith.cmpi slt, %columns, %ns : tensor<16xi32>
  %zeros = arith.constant dense<0> : tensor<16xi32>
  %chosen = arith.select %in, %columns, %zeros : tensor<16xi1>, tensor<16xi32>
  %wc = tile.expand_dims %wrapped axis 1 : tensor<16xi32> -> tensor<16x1xi32>
  %ldas = tile.splat %lda : tensor<16x1xi32>
  %wo = arith.muli %wc, %ldas : tensor<16x1xi32>
  %wb = tile.broadcast %wo : tensor<16x1xi32> -> tensor<16x16xi32>
  %kr = tile.expand_dims %iota axis 0 : tensor<16xi32> -> tensor<1x16xi32>
  %kb = tile.broadcast %kr : tensor<1x16xi32> -> tensor<16x16xi32>
  %ao = arith.addi %wb, %kb : tensor<16x16xi32>
  %as = tile.splat %a : tensor<16x16x!tile.ptr<f32>>
  %ap = tile.ptr_add %as, %ao : tensor<16x16x!tile.ptr<f32>>, tensor<16x16xi32>
  %kc = tile.expand_dims %iota axis 1 : tensor<16xi32> -> tensor<16x1xi32>
  %ldbs = tile.splat %ldb : tensor<16x1xi32>
  %ko = arith.muli %kc, %ldbs : tensor<16x1xi32>
  %kob = tile.broadcast %ko : tensor<16x1xi32> -> tensor<16x16xi32>
  %cr = tile.expand_dims %chosen axis 0 : tensor<16xi32> -> tensor<1x16xi32>
  %crb = tile.broadcast %cr : tensor<1x16xi32> -> tensor<16x16xi32>
  %bo = arith.addi %kob, %crb : tensor<16x16xi32>
  %bs = tile.splat %b : tensor<16x16x!tile.ptr<f32>>
  %bp = tile.ptr_add %bs, %bo : tensor<16x16x!tile.ptr<f32>>, tensor<16x16xi32>
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %acc:3 = scf.for %q = %c0 to %k step %c16 iter_args(%sum = %zero, %pa = %ap, %pb = %bp)
      -> (tensor<16x16xf32>, tensor<16x16x!tile.ptr<f32>>, tensor<16x16x!tile.ptr<f32>>) : i32 {
    %left = arith.subi %k, %q : i32
    %lr = tile.splat %left : tensor<1x16xi32>
    %ma = arith.cmpi slt, %kr, %lr : tensor<1x16xi32>
    %mab = tile.broadcast %ma : tensor<1x16xi1> -> tensor<16x16xi1>
    %lc = tile.splat %left : tensor<16x1xi32>
    %mb = arith.cmpi slt, %kc, %lc : tensor<16x1xi32>
    %mbb = tile.broadcast %mb : tensor<16x1xi1> -> tensor<16x16xi1>
    // expected-remark@+1 {{view}}
    %av = tile.load_ptr %pa mask %mab other %zero : tensor<16x16x!tile.ptr<f32>> -> tensor<16x16xf32>
    // expected-remark@+1 {{view}}
    %bv = tile.load_ptr %pb mask %mbb other %zero : tensor<16x16x!tile.ptr<f32>> -> tensor<16x16xf32>
    %d = tile.dot %av, %bv, %sum : tensor<16x16xf32>, tensor<16x16xf32>, tensor<16x16xf32>
    %step = arith.constant dense<16> : tensor<16x16xi32>
    %na = tile.ptr_add %pa, %step : tensor<16x16x!tile.ptr<f32>>, tensor<16x16xi32>
    // What a loop adds may be computed in it.
    %rowsb = arith.muli %ldb, %c16 : i32
    %stepb = tile.splat %rowsb : tensor<16x16xi32>
    %nb = tile.ptr_add %pb, %stepb : tensor<16x16x!tile.ptr<f32>>, tensor<16x16xi32>
    scf.yield %d, %na, %nb : tensor<16x16xf32>, tensor<16x16x!tile.ptr<f32>>, tensor<16x16x!tile.ptr<f32>>
  }
  %rc = tile.expand_dims %rows axis 1 : tensor<16xi32> -> tensor<16x1xi32>
  %ldcs = tile.splat %ldc : tensor<16x1xi32>
  %ro = arith.muli %rc, %ldcs : tensor<16x1xi32>
  %rb = tile.broadcast %ro : tensor<16x1xi32> -> tensor<16x16xi32>
  %cc = tile.expand_dims %columns axis 0 : tensor<16xi32> -> tensor<1x16xi32>
  %cb = tile.broadcast %cc : tensor<1x16xi32> -> tensor<16x16xi32>
  %co = arith.addi %rb, %cb : tensor<16x16xi32>
  %cs = tile.splat %c : tensor<16x16x!tile.ptr<f32>>
  %cp = tile.ptr_add %cs, %co : tensor<16x16x!tile.ptr<f32>>, tensor<16x16xi32>
  %msc = tile.splat %m : tensor<16x1xi32>
  %rm = arith.cmpi slt, %rc, %msc : tensor<16x1xi32>
  %nsr = tile.splat %n : tensor<1x16xi32>
  %cm = arith.cmpi slt, %cc, %nsr : tensor<1x16xi32>
  %rmb = tile.broadcast %rm : tensor<16x1xi1> -> tensor<16x16xi1>
  %cmb = tile.broadcast %cm : tensor<1x16xi1> -> tensor<16x16xi1>
  %mask = arith.andi %rmb, %cmb : tensor<16x16xi1>
  // expected-remark@+1 {{view}}
  tile.store_ptr %cp, %acc#0 mask %mask : tensor<16x16x!tile.ptr<f32>>, tensor<16x16xf32>
}

// Rows that are summed must be what they were.
// CHECK-LABEL: tile.kernel @sum
tile.kernel @sum(%a: !tile.ptr<f32>, %b: !tile.ptr<f32>, %m: i32) {
  %iota = tile.iota 0 : tensor<16xi32>
  %ms = tile.splat %m : tensor<16xi32>
  %wrapped = arith.remsi %iota, %ms : tensor<16xi32>
  %as = tile.splat %a : tensor<16x!tile.ptr<f32>>
  %ap = tile.ptr_add %as, %wrapped : tensor<16x!tile.ptr<f32>>, tensor<16xi32>
  // Indices that are not negative are counted from the pointer.
  // CHECK: tile.load_gather {{.*}} dim 0
  // CHECK-NOT: 576460752303423488
  // expected-remark@+1 {{gather}}
  %x = tile.load_ptr %ap : tensor<16x!tile.ptr<f32>> -> tensor<16xf32>
  %s = tile.reduce %x axis 0 : tensor<16xf32> -> tensor<f32> {
  ^bb0(%p: f32, %q: f32):
    %r = arith.addf %p, %q : f32
    tile.yield %r : f32
  }
  %total = tensor.extract %s[] : tensor<f32>
  tile.store_ptr %b, %total : !tile.ptr<f32>, f32
}

// A store without the bound needs the rows, and so does one with another bound.
// CHECK-LABEL: tile.kernel @stored
// CHECK-COUNT-2: tile.load_gather
tile.kernel @stored(%a: !tile.ptr<f32>, %b: !tile.ptr<f32>, %m: i32, %n: i32) {
  %iota = tile.iota 0 : tensor<16xi32>
  %ms = tile.splat %m : tensor<16xi32>
  %ns = tile.splat %n : tensor<16xi32>
  %wrapped = arith.remsi %iota, %ms : tensor<16xi32>
  %least = arith.minsi %iota, %ns : tensor<16xi32>
  %as = tile.splat %a : tensor<16x!tile.ptr<f32>>
  %ap = tile.ptr_add %as, %wrapped : tensor<16x!tile.ptr<f32>>, tensor<16xi32>
  %lp = tile.ptr_add %as, %least : tensor<16x!tile.ptr<f32>>, tensor<16xi32>
  // expected-remark@+1 {{gather}}
  %x = tile.load_ptr %ap : tensor<16x!tile.ptr<f32>> -> tensor<16xf32>
  // expected-remark@+1 {{gather}}
  %y = tile.load_ptr %lp : tensor<16x!tile.ptr<f32>> -> tensor<16xf32>
  %bs = tile.splat %b : tensor<16x!tile.ptr<f32>>
  %bp = tile.ptr_add %bs, %iota : tensor<16x!tile.ptr<f32>>, tensor<16xi32>
  %mask = arith.cmpi slt, %iota, %ns : tensor<16xi32>
  // expected-remark@+1 {{view}}
  tile.store_ptr %bp, %x mask %mask : tensor<16x!tile.ptr<f32>>, tensor<16xf32>
  // expected-remark@+1 {{view}}
  tile.store_ptr %bp, %y : tensor<16x!tile.ptr<f32>>, tensor<16xf32>
}

// The last row is size - 1; a remainder that is none goes.
// CHECK-LABEL: tile.kernel @minimum
// CHECK-NOT: tile.load_gather
tile.kernel @minimum(%a: !tile.ptr<f32>, %b: !tile.ptr<f32>, %n: i32) {
  %one = arith.constant 1 : i32
  %c16 = arith.constant dense<16> : tensor<16xi32>
  %iota = tile.iota 0 : tensor<16xi32>
  %last = arith.subi %n, %one : i32
  %lasts = tile.splat %last : tensor<16xi32>
  %ns = tile.splat %n : tensor<16xi32>
  %least = arith.minsi %iota, %lasts : tensor<16xi32>
  %as = tile.splat %a : tensor<16x!tile.ptr<f32>>
  %ap = tile.ptr_add %as, %least : tensor<16x!tile.ptr<f32>>, tensor<16xi32>
  // expected-remark@+1 {{view}}
  %x = tile.load_ptr %ap : tensor<16x!tile.ptr<f32>> -> tensor<16xf32>
  %same = arith.remsi %iota, %c16 : tensor<16xi32>
  %bs = tile.splat %b : tensor<16x!tile.ptr<f32>>
  %bp = tile.ptr_add %bs, %same : tensor<16x!tile.ptr<f32>>, tensor<16xi32>
  %mask = arith.cmpi slt, %iota, %ns : tensor<16xi32>
  // expected-remark@+1 {{view}}
  tile.store_ptr %bp, %x mask %mask : tensor<16x!tile.ptr<f32>>, tensor<16xf32>
}

// Rows by index, in steps of rows; and two indirect dimensions, by an index for each element.
// CHECK-LABEL: tile.kernel @indirect
tile.kernel @indirect(%t: !tile.ptr<f32>, %ids: !tile.view<16xi32>, %b: !tile.ptr<f32>, %ld: i32) {
  %c0 = arith.constant 0 : index
  %zeros = arith.constant dense<0> : tensor<16xi64>
  %narrow = tile.load %ids[%c0] : !tile.view<16xi32> -> tensor<16xi32>
  %id = arith.extsi %narrow : tensor<16xi32> to tensor<16xi64>
  %wide = arith.extsi %ld : i32 to i64
  %valid = arith.cmpi sge, %id, %zeros : tensor<16xi64>
  %iota = tile.iota 0 : tensor<16xi64>
  %ic = tile.expand_dims %id axis 1 : tensor<16xi64> -> tensor<16x1xi64>
  %vc = tile.expand_dims %valid axis 1 : tensor<16xi1> -> tensor<16x1xi1>
  %mask = tile.broadcast %vc : tensor<16x1xi1> -> tensor<16x16xi1>
  %lds = tile.splat %wide : tensor<16x1xi64>
  %ro = arith.muli %ic, %lds : tensor<16x1xi64>
  %rb = tile.broadcast %ro : tensor<16x1xi64> -> tensor<16x16xi64>
  %kr = tile.expand_dims %iota axis 0 : tensor<16xi64> -> tensor<1x16xi64>
  %kb = tile.broadcast %kr : tensor<1x16xi64> -> tensor<16x16xi64>
  %o = arith.addi %rb, %kb : tensor<16x16xi64>
  %ts = tile.splat %t : tensor<16x16x!tile.ptr<f32>>
  %tp = tile.ptr_add %ts, %o : tensor<16x16x!tile.ptr<f32>>, tensor<16x16xi64>
  // CHECK: tile.make_view %{{.*}} strides{{ ?}}[%{{.*}}] : !tile.ptr<f32> -> !tile.view<2305843009213693951x16xf32, strides = [?, 1]>
  // CHECK: tile.load_gather {{.*}} dim 0 by %{{.*}} -> tensor<16x16xf32>
  // expected-remark@+1 {{gather}}
  %x = tile.load_ptr %tp mask %mask : tensor<16x16x!tile.ptr<f32>> -> tensor<16x16xf32>
  %ir = tile.expand_dims %id axis 0 : tensor<16xi64> -> tensor<1x16xi64>
  %irb = tile.broadcast %ir : tensor<1x16xi64> -> tensor<16x16xi64>
  %o2 = arith.addi %rb, %irb : tensor<16x16xi64>
  %tp2 = tile.ptr_add %ts, %o2 : tensor<16x16x!tile.ptr<f32>>, tensor<16x16xi64>
  // CHECK: tile.load_gather %{{.*}}[] dim 0 by %{{.*}} : !tile.view<2305843009213693951xf32, strides = [1]>, tensor<16x16xi64> -> tensor<16x16xf32>
  // expected-remark@+1 {{gather}}
  %y = tile.load_ptr %tp2 mask %mask : tensor<16x16x!tile.ptr<f32>> -> tensor<16x16xf32>
  %s = arith.addf %x, %y : tensor<16x16xf32>
  %bs = tile.splat %b : tensor<16x16x!tile.ptr<f32>>
  %bp = tile.ptr_add %bs, %o2 : tensor<16x16x!tile.ptr<f32>>, tensor<16x16xi64>
  // CHECK: tile.store_scatter %{{.*}}, %{{.*}}[] dim 0 by %{{.*}} : tensor<16x16xf32>
  // expected-remark@+1 {{scatter}}
  tile.store_ptr %bp, %s mask %mask : tensor<16x16x!tile.ptr<f32>>, tensor<16x16xf32>
}
