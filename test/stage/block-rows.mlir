// Products of storage honour each field of a row of the description, or refuse the row and say why.
// RUN: kiln-opt %s --pass-pipeline='builtin.module(tile.kernel(tile-decide-storage{keep-reads=true},convert-tile-to-stage,stage-make-copies,stage-block-products{space=pad}))' | FileCheck %s
// RUN: kiln-opt %s --pass-pipeline='builtin.module(tile.kernel(tile-decide-storage{keep-reads=true},convert-tile-to-stage,stage-make-copies,stage-block-products{space=pad columns=true panels=true}))' | FileCheck %s --check-prefix=ALL
// What lies in columns or in panels means the same.
// RUN: kiln-opt %s --verify-semantics --pass-pipeline='builtin.module(tile.kernel(tile-decide-storage{keep-reads=true},convert-tile-to-stage,stage-make-copies,stage-block-products{columns=true panels=true},stage-place{space=pad},stage-make-rings,stage-schedule,stage-pipeline,stage-allocate{limits=pad=65536}))' -o /dev/null 2>&1 | FileCheck %s --check-prefix=SAME
// SAME: semantics: {{[1-9][0-9]*}} comparisons, 0 changed
!V = !tile.view<?x?xf32>
!I = !tile.view<?x?xi8>
module attributes {kiln.target = #kiln.target<name = "pad", chip = "any",
  memories = [#kiln.memory<name = "pad", scope = core, kind = explicit, size = 65536>,
    #kiln.memory<name = "host", scope = host, kind = cached>],
  units = [#kiln.unit<name = "array", kind = matrix, types = [f32, i8]>],
  matrix_instructions = [
    #kiln.matrix_instruction<name = "overwrites", unit = "array", m = <8>, n = <8>, k = <16>,
      lhs = <types = [f32]>, rhs = <types = [f32]>, acc = <types = [f32]>, accumulate = false>,
    #kiln.matrix_instruction<name = "far", unit = "array", m = <8>, n = <8>, k = <16>,
      lhs = <types = [f32], home = "pad">, rhs = <types = [f32], home = "host">, acc = <types = [f32]>>,
    #kiln.matrix_instruction<name = "turned", unit = "array", m = <8>, n = <8>, k = <16>,
      lhs = <types = [f32]>, rhs = <types = [f32]>, acc = <types = [f32], layout = #kiln.order<col>>>,
    #kiln.matrix_instruction<name = "panels", unit = "array", m = <8>, n = <8>, k = <16>,
      lhs = <types = [f32], home = "pad", layout = #kiln.order<col>>, rhs = <types = [f32], home = "pad", layout = #kiln.interleave<16>>,
      acc = <types = [f32], home = "pad", layout = #kiln.order<row>>>,
    #kiln.matrix_instruction<name = "bytes", unit = "array", m = <8>, n = <8>, k = <32>,
      lhs = <types = [si8]>, rhs = <types = [ui8]>, acc = <types = [i32]>, stationary = rhs>,
    #kiln.matrix_instruction<name = "other", unit = "array", m = <8>, n = <8>, k = <32>,
      lhs = <types = [i8]>, rhs = <types = [i8]>, acc = <types = [si32]>, stationary = lhs>]>} {

// CHECK-LABEL: tile.kernel @floats
// CHECK: stage.compute
// CHECK: tile.dot {{.*}}kiln.reported = {declined = {{\[}}["overwrites", "it does not add to its sums (accumulate = false)"]
// CHECK-SAME: ["far", "its rhs lives in 'host', but storage is in 'pad'"]
// CHECK-SAME: ["turned", "its acc does not lie in rows, as sums do"]
// CHECK-SAME: ["panels", "its lhs lies in columns, which the target's pipeline does not provide"]
// CHECK-SAME: ["bytes", "it takes si8 * ui8 + i32, found f32 * f32 + f32"]
// One copy fills the storage of each factor, outside of the loops of the product.
// ALL-LABEL: tile.kernel @floats
// ALL: scf.for
// ALL: %[[left:.*]] = stage.alloc : memref<32x32xf32, strided<[1, 32]>>
// ALL: stage.copy %{{.*}} to %[[left]]
// ALL: %[[right:.*]] = stage.alloc : memref<32x24xf32, #[[panels:.*]]>
// ALL: stage.copy %{{.*}} to %[[right]]
// ALL-NOT: stage.compute
// ALL-NOT: stage.copy
// ALL: stage.product %[[left]]{{.*}}, %[[right]]{{.*}} block [8, 8, 16] by @panels
tile.kernel @floats(%a: !V {tile.readonly}, %b: !V {tile.readonly}, %c: !V {tile.noalias}) {
  %i, %j = tile.program_id : index, index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tile.num_blocks %a[1] by 32 : !V
  %zero = arith.constant dense<0.0> : tensor<32x24xf32>
  %sum = scf.for %k = %c0 to %n step %c1 iter_args(%s = %zero) -> tensor<32x24xf32> {
    %x = tile.load %a[%i, %k] : !V -> tensor<32x32xf32>
    %y = tile.load %b[%k, %j] : !V -> tensor<32x24xf32>
    %d = tile.dot %x, %y, %s : tensor<32x32xf32>, tensor<32x24xf32>, tensor<32x24xf32>
    scf.yield %d : tensor<32x24xf32>
  }
  tile.store %sum, %c[%i, %j] : tensor<32x24xf32>, !V
}

// Signs of factors decide; the innermost loop does not move what stays in the unit: here it goes over rows.
// CHECK-LABEL: tile.kernel @mixed
// CHECK: scf.for %[[columns:.*]] =
// CHECK: scf.for %[[steps:.*]] =
// CHECK: scf.for %[[rows:.*]] =
// CHECK: stage.product %{{.*}}[%[[rows]], %[[steps]]], %{{.*}}[%[[steps]], %[[columns]]], {{.*}} rhs_unsigned by @bytes
tile.kernel @mixed(%a: !I {tile.readonly}, %b: !I {tile.readonly}, %c: !tile.view<?x?xi32> {tile.noalias}) {
  %i, %j = tile.program_id : index, index
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0> : tensor<32x32xi32>
  %x = tile.load %a[%i, %c0] : !I -> tensor<32x64xi8>
  %y = tile.load %b[%c0, %j] : !I -> tensor<64x32xi8>
  %d = tile.dot %x, %y, %zero rhs_unsigned : tensor<32x64xi8>, tensor<64x32xi8>, tensor<32x32xi32>
  tile.store %d, %c[%i, %j] : tensor<32x32xi32>, !tile.view<?x?xi32>
}

// Both factors signed: the row for i8 of any sign. It keeps the left one, so columns are innermost.
// CHECK-LABEL: tile.kernel @signed
// CHECK: scf.for %[[rows:.*]] =
// CHECK: scf.for %[[steps:.*]] =
// CHECK: scf.for %[[columns:.*]] =
// CHECK: stage.product %{{.*}}[%[[rows]], %[[steps]]], %{{.*}}[%[[steps]], %[[columns]]], {{.*}} by @other
tile.kernel @signed(%a: !I {tile.readonly}, %b: !I {tile.readonly}, %c: !tile.view<?x?xi32> {tile.noalias}) {
  %i, %j = tile.program_id : index, index
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0> : tensor<32x32xi32>
  %x = tile.load %a[%i, %c0] : !I -> tensor<32x64xi8>
  %y = tile.load %b[%c0, %j] : !I -> tensor<64x32xi8>
  %d = tile.dot %x, %y, %zero : tensor<32x64xi8>, tensor<64x32xi8>, tensor<32x32xi32>
  tile.store %d, %c[%i, %j] : tensor<32x32xi32>, !tile.view<?x?xi32>
}

// A factor that a region computes lies in rows; a tile of 20 columns is not made of panels of 8.
// CHECK-LABEL: tile.kernel @computed
// ALL-LABEL: tile.kernel @computed
// ALL: kiln.reported = {declined = {{.*}}["panels", "its rhs is computed by a region, and only copies from views fill panels"]
tile.kernel @computed(%a: !V {tile.readonly}, %b: !V {tile.readonly}, %c: !V {tile.noalias}) {
  %i, %j = tile.program_id : index, index
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<32x32xf32>
  %x = tile.load %a[%i, %c0] : !V -> tensor<32x32xf32>
  %y = tile.load %b[%c0, %j] : !V -> tensor<32x32xf32>
  %e = math.exp %y : tensor<32x32xf32>
  %d = tile.dot %x, %e, %zero : tensor<32x32xf32>, tensor<32x32xf32>, tensor<32x32xf32>
  tile.store %d, %c[%i, %j] : tensor<32x32xf32>, !V
}
// ALL-LABEL: tile.kernel @parts
// ALL: kiln.reported = {declined = {{.*}}["panels", "its rhs of sizes 32x20 is not made of whole panels of 8, in groups of 16 steps"]
tile.kernel @parts(%a: !V {tile.readonly}, %b: !V {tile.readonly}, %c: !V {tile.noalias}) {
  %i, %j = tile.program_id : index, index
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<32x20xf32>
  %x = tile.load %a[%i, %c0] : !V -> tensor<32x32xf32>
  %y = tile.load %b[%c0, %j] : !V -> tensor<32x20xf32>
  %d = tile.dot %x, %y, %zero : tensor<32x32xf32>, tensor<32x20xf32>, tensor<32x20xf32>
  tile.store %d, %c[%i, %j] : tensor<32x20xf32>, !V
}
}
