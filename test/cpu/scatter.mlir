// Stores by index: along rows and columns, with lanes outside, in place, and through pointers.
// RUN: rm -rf %t && mkdir %t
// RUN: %python -c "import numpy as np; np.save('%t/ids.npy', np.array([5, -1, 0, 3, 100, 7, 1, 2], np.int32))"
// RUN: kiln-run %s --entry=rows --target=cpu --check --grid=1 --arg=random:1:f32:8x37 --arg=%t/ids.npy --arg=zeros:f32:8x37
// RUN: kiln-run %s --entry=columns --target=cpu --check --grid=1 --arg=random:1:bf16:37x8 --arg=%t/ids.npy --arg=zeros:bf16:37x8
// RUN: kiln-run %s --entry=same --target=cpu --check --grid=1 --arg=zeros:i32:8
// RUN: kiln-run %s --entry=reverse --target=cpu --check --grid=1 --arg=random:1:i32:64
// RUN: kiln-run %s --entry=pointers --target=cpu --check --grid=1 --arg=random:1:i32:64
// RUN: kiln-run %s --entry=narrow --target=cpu --check --grid=9 --arg=zeros:bf16:40 --arg=zeros:f16:40
// RUN: kiln-run %s --entry=bytes --target=cpu --check --no-fallback --grid=9 --arg=zeros:f8E4M3FN:40 --arg=zeros:f8E5M2:40 --arg=zeros:f8E5M2:1

tile.kernel @rows(%x: !tile.view<8x37xf32>, %ids: !tile.view<8xi32>, %y: !tile.view<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %i = tile.load %ids[%c0] : !tile.view<8xi32> -> tensor<8xi32>
  %v = tile.load %x[%c0, %c0] : !tile.view<8x37xf32> -> tensor<8x40xf32>
  tile.store_scatter %v, %y[%c0] dim 0 by %i : tensor<8x40xf32>, !tile.view<?x?xf32>, tensor<8xi32>
}

tile.kernel @columns(%x: !tile.view<37x8xbf16>, %ids: !tile.view<8xi32>, %y: !tile.view<37x8xbf16>) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %i = tile.load %ids[%c0] : !tile.view<8xi32> -> tensor<8xi32>
  %v = tile.load %x[%c0, %c0] : !tile.view<37x8xbf16> -> tensor<40x8xbf16>
  %w = arith.addf %v, %v : tensor<40x8xbf16>
  tile.store_scatter %w, %y[%c2] dim 1 by %i : tensor<40x8xbf16>, !tile.view<37x8xbf16>, tensor<8xi32>
}

// All elements have the same place, and value.
tile.kernel @same(%y: !tile.view<8xi32>) {
  %i = arith.constant dense<3> : tensor<32xi32>
  tile.store_scatter %i, %y[] dim 0 by %i : tensor<32xi32>, !tile.view<8xi32>, tensor<32xi32>
}

// What is read is read before anything is written.
tile.kernel @reverse(%x: !tile.view<64xi32>) {
  %c0 = arith.constant 0 : index
  %v = tile.load %x[%c0] : !tile.view<64xi32> -> tensor<64xi32>
  %i = tile.iota 0 : tensor<64xi32>
  %last = arith.constant dense<63> : tensor<64xi32>
  %r = arith.subi %last, %i : tensor<64xi32>
  tile.store_scatter %v, %x[] dim 0 by %r : tensor<64xi32>, !tile.view<64xi32>, tensor<64xi32>
}

tile.kernel @pointers(%p: !tile.ptr<i32>) {
  %c0 = arith.constant 0 : index
  %x = tile.make_view %p : !tile.ptr<i32> -> !tile.view<64xi32>
  %v = tile.load %x[%c0] : !tile.view<64xi32> -> tensor<64xi32>
  %i = tile.iota 0 : tensor<64xi32>
  %last = arith.constant dense<63> : tensor<64xi32>
  %r = arith.subi %last, %i : tensor<64xi32>
  %ps = tile.splat %p : tensor<64x!tile.ptr<i32>>
  %q = tile.ptr_add %ps, %r : tensor<64x!tile.ptr<i32>>, tensor<64xi32>
  tile.store_ptr %q, %v : tensor<64x!tile.ptr<i32>>, tensor<64xi32>
}

// Elements with the same place are combined, by several instances as by one.
// RUN: kiln-run %s --entry=weigh --target=cpu --check --no-fallback --grid=9 --arg=random:1:i32:288 --arg=random:2:i32:288 --arg=zeros:i32:8 --arg=zeros:i64:8
// RUN: kiln-run %s --entry=products --target=cpu --check --no-fallback --grid=1 --arg=random:1:f32:32 --arg=random:2:bf16:32 --arg=random:3:f64:40 --arg=random:4:bf16:40
tile.kernel @weigh(%x: !tile.view<?xi32>, %ids: !tile.view<?xi32>, %y: !tile.view<8xi32>, %z: !tile.view<8xi64>) {
  %n = tile.program_id : index
  %v = tile.load %x[%n] : !tile.view<?xi32> -> tensor<32xi32>
  %w = arith.extsi %v : tensor<32xi32> to tensor<32xi64>
  %i = tile.load %ids[%n] : !tile.view<?xi32> -> tensor<32xi32>
  %ten = arith.constant dense<10> : tensor<32xi32>
  %j = arith.remsi %i, %ten : tensor<32xi32>
  tile.store_scatter %v, %y[] dim 0 by %j combine add : tensor<32xi32>, !tile.view<8xi32>, tensor<32xi32>
  tile.store_scatter %w, %z[] dim 0 by %j combine mul : tensor<32xi64>, !tile.view<8xi64>, tensor<32xi32>
}
tile.kernel @products(%x: !tile.view<32xf32>, %w: !tile.view<32xbf16>, %y: !tile.view<40xf64>, %z: !tile.view<40xbf16>) {
  %c0 = arith.constant 0 : index
  %v = tile.load %x[%c0] : !tile.view<32xf32> -> tensor<32xf32>
  %d = arith.extf %v : tensor<32xf32> to tensor<32xf64>
  %u = tile.load %w[%c0] : !tile.view<32xbf16> -> tensor<32xbf16>
  %i = tile.iota 0 : tensor<32xi32>
  %three = arith.constant dense<3> : tensor<32xi32>
  %j = arith.muli %i, %three : tensor<32xi32>
  tile.store_scatter %d, %y[] dim 0 by %j combine mul : tensor<32xf64>, !tile.view<40xf64>, tensor<32xi32>
  tile.store_scatter %u, %z[] dim 0 by %j combine mul : tensor<32xbf16>, !tile.view<40xbf16>, tensor<32xi32>
}

// Combining stores of floats that no machine combines by itself.
tile.kernel @narrow(%x: !tile.view<40xbf16>, %y: !tile.view<40xf16>) {
  %c0 = arith.constant 0 : index
  %i = tile.program_id : index
  %n = arith.index_cast %i : index to i32
  %f = arith.sitofp %n : i32 to f32
  %t = tile.splat %f : tensor<40xf32>
  %b = arith.truncf %t : tensor<40xf32> to tensor<40xbf16>
  %h = arith.truncf %t : tensor<40xf32> to tensor<40xf16>
  tile.store %b, %x[%c0] combine add : tensor<40xbf16>, !tile.view<40xbf16>
  tile.store %h, %y[%c0] combine max : tensor<40xf16>, !tile.view<40xf16>
}

// The codes of floats of 8 bits are no numbers that can be added.
tile.kernel @bytes(%x: !tile.view<40xf8E4M3FN>, %y: !tile.view<40xf8E5M2>, %p: !tile.ptr<f8E5M2>) {
  %c0 = arith.constant 0 : index
  %i = tile.program_id : index
  %n = arith.index_cast %i : index to i32
  %four = arith.constant 4 : i32
  %m = arith.subi %n, %four : i32
  %f = arith.sitofp %m : i32 to f32
  %t = tile.splat %f : tensor<40xf32>
  %b = arith.truncf %t : tensor<40xf32> to tensor<40xf8E4M3FN>
  %h = arith.truncf %t : tensor<40xf32> to tensor<40xf8E5M2>
  %s = arith.truncf %f : f32 to f8E5M2
  tile.store %b, %x[%c0] combine add : tensor<40xf8E4M3FN>, !tile.view<40xf8E4M3FN>
  tile.store %h, %y[%c0] combine max : tensor<40xf8E5M2>, !tile.view<40xf8E5M2>
  %old = tile.atomic_rmw max relaxed device %p, %s : !tile.ptr<f8E5M2>, f8E5M2
}
