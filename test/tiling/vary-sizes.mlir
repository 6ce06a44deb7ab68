// Where threads move several elements at once, kernels of sizes that only a launch knows have a variant for rows that such
// accesses divide, behind a guard.
// RUN: kiln-opt %s --load-target=%S/Inputs/wide.mlir --pass-pipeline='builtin.module(kiln-set-target{spec=wide},func.func(prim-decompose,prim-fuse),convert-prim-to-tile,tile-vary-sizes)' | FileCheck %s
// Elsewhere there is nothing to gain.
// RUN: kiln-opt %s --load-target=%S/Inputs/threaded.mlir --pass-pipeline='builtin.module(kiln-set-target{spec=threaded},func.func(prim-decompose,prim-fuse),convert-prim-to-tile,tile-vary-sizes)' | FileCheck %s --check-prefix=OFF
// RUN: kiln-opt %s --pass-pipeline='builtin.module(kiln-set-target{spec=cpu:x86-64-v3},func.func(prim-decompose,prim-fuse),convert-prim-to-tile,tile-vary-sizes)' | FileCheck %s --check-prefix=OFF
// OFF-NOT: _aligned
// OFF-NOT: size_div
// This target has no code generator, so the host runs what it chooses; 37 and 64 are sizes of both kinds.
// RUN: unset KILN_NO_FALLBACK
// RUN: for entry in scale rows sums product turned odd; do for dim in 37 64; do \
// RUN:   kiln-run %s --load-target=%S/Inputs/wide.mlir --target=wide --check --entry=$entry --dim=$dim || exit 1; done; done

// One row of all elements begins where memory does.
// CHECK-LABEL: tile.kernel private @scale_0_
// CHECK-NOT: _aligned
// CHECK-LABEL: program.func @scale
func.func @scale(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %r = prim.mul %x, %x : tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// Rows of unknown length; weights have the same, and those for each row need not divide.
// CHECK-LABEL: tile.kernel private @rows_0_add_aligned(
// CHECK-SAME: !tile.view<?x?xbf16> {tile.facts = {readonly, size_div = array<i64: 1, 8>}}
// CHECK-SAME: !tile.view<?xbf16> {tile.facts = {readonly, size_div = array<i64: 8>}}
// CHECK-SAME: !tile.view<?xbf16> {tile.facts = {readonly}}
// CHECK-SAME: !tile.view<?x?xbf16> {tile.facts = {noalias, size_div = array<i64: 1, 8>}}
// CHECK-LABEL: program.func @rows
// CHECK: %[[N:.*]] = memref.dim %arg0, %c1
// CHECK: %[[BITS:.*]] = arith.andi %[[N]], %c7
// CHECK: %[[WHOLE:.*]] = arith.cmpi eq, %[[BITS]], %c0
// CHECK: program.launch [@rows_0_add_aligned, @rows_0_add] guards(%[[WHOLE]])
func.func @rows(%x: tensor<?x?xbf16>, %w: tensor<?xbf16>, %b: tensor<?xbf16>) -> tensor<?x?xbf16> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %x, %c0 : tensor<?x?xbf16>
  %n = tensor.dim %x, %c1 : tensor<?x?xbf16>
  %wide = prim.broadcast_in_dim %w dims [1] sizes (%m, %n) : tensor<?xbf16> -> tensor<?x?xbf16>
  %high = prim.broadcast_in_dim %b dims [0] sizes (%m, %n) : tensor<?xbf16> -> tensor<?x?xbf16>
  %p = prim.mul %x, %wide : tensor<?x?xbf16>
  %r = prim.add %p, %high : tensor<?x?xbf16>
  return %r : tensor<?x?xbf16>
}

// CHECK-LABEL: program.func @sums
// CHECK: program.launch [@sums_0_sum_aligned, @sums_0_sum] guards
func.func @sums(%x: tensor<?x?xf32>) -> tensor<?xf32> {
  %r = prim.sum %x dims [1] : tensor<?x?xf32> -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// CHECK-LABEL: program.func @product
// CHECK: program.launch [@product_0_dot_aligned, @product_0_dot] guards(
func.func @product(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %d = prim.dot_general %a, %b batch [] x [] contract [1] x [0] : tensor<?x?xf32>, tensor<?x?xf32> -> tensor<?x?xf32>
  return %d : tensor<?x?xf32>
}

// A factor that lies along its columns has strides to look at.
// CHECK-LABEL: tile.kernel private @turned_0_dot_aligned(
// CHECK-SAME: !tile.view<?x?xf32, strides = [1, ?]> {tile.facts = {readonly, size_div = array<i64: 4, 1>, stride_div = array<i64: 1, 4>}}
// CHECK-LABEL: program.func @turned
func.func @turned(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %d = prim.dot_general %a, %b batch [] x [] contract [1] x [1] : tensor<?x?xf32>, tensor<?x?xf32> -> tensor<?x?xf32>
  return %d : tensor<?x?xf32>
}

// A variant with a guard gets the facts and the condition; what is behind it has a variant.
// CHECK: tile.kernel private @one(%arg0: !tile.view<?x?xf32> {tile.facts = {size_div = array<i64: 1, 4>}})
// CHECK: tile.kernel private @many(%arg0: !tile.view<?x?xf32>)
// CHECK: tile.kernel private @many_aligned(%arg0: !tile.view<?x?xf32> {tile.facts = {size_div = array<i64: 1, 4>}})
// CHECK-LABEL: program.func @guarded
// CHECK: %[[ROW:.*]] = arith.cmpi eq, %{{.*}}, %c1
// CHECK: %[[BOTH:.*]] = arith.andi %[[ROW]], %{{.*}} : i1
// CHECK: program.launch [@one, @many_aligned, @many] guards(%[[BOTH]], %{{.*}}) grid(%c1, %c1, %c1, %[[M:.*]], %c1, %c1, %[[M]], %c1, %c1)
tile.kernel private @one(%x: !tile.view<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %a = tile.load %x[%c0, %c0] : !tile.view<?x?xf32> -> tensor<64xf32>
  tile.store %a, %x[%c0, %c0] : tensor<64xf32>, !tile.view<?x?xf32>
}
tile.kernel private @many(%x: !tile.view<?x?xf32>) {
  %i = tile.program_id : index
  %c0 = arith.constant 0 : index
  %a = tile.load %x[%i, %c0] : !tile.view<?x?xf32> -> tensor<64xf32>
  tile.store %a, %x[%i, %c0] : tensor<64xf32>, !tile.view<?x?xf32>
}
program.func @guarded(%x: memref<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = memref.dim %x, %c0 : memref<?x?xf32>
  %row = arith.cmpi eq, %m, %c1 : index
  program.launch [@one, @many] guards (%row) grid (%c1, %c1, %c1, %m, %c1, %c1) args (%x) writes [0] : memref<?x?xf32>
  program.return
}

// What is known to divide needs no variant, what is known not to has none.
// CHECK-LABEL: tile.kernel private @known(
// CHECK-SAME: size_div = array<i64: 1, 4>
// CHECK-NOT: _aligned
// CHECK-LABEL: program.func @fours
// CHECK: program.launch [@known] grid
tile.kernel private @known(%x: !tile.view<?x?xf32>) {
  %i = tile.program_id : index
  %c0 = arith.constant 0 : index
  %a = tile.load %x[%i, %c0] : !tile.view<?x?xf32> -> tensor<64xf32>
  tile.store %a, %x[%i, %c0] : tensor<64xf32>, !tile.view<?x?xf32>
}
program.func @fours(%b: memref<?xf32>, %m: memref<?xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %m, %c0 : memref<?xi32>
  %c4 = arith.constant 4 : index
  %row = arith.muli %n, %c4 : index
  %x = program.view %b offset [0] sizes [8, ?] strides [?, 1] (), (%row), (%row)
    : memref<?xf32> -> memref<8x?xf32, strided<[?, 1]>>
  program.launch [@known] grid (%c4, %c1, %c1) args (%x) writes [0] : memref<8x?xf32, strided<[?, 1]>>
  program.return
}
// CHECK-NOT: _aligned
// CHECK-LABEL: program.func @odd
func.func @odd(%x: tensor<?x5xf32>) -> tensor<?x5xf32> {
  %r = prim.softmax %x dim 1 : tensor<?x5xf32>
  return %r : tensor<?x5xf32>
}
