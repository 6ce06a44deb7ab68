// Rows that begin between the words that copies move: where every element is multiplied often, the product takes a copy of
// the factor with longer rows, whose ends are zero. Few rows, small products, rows of whole words and other machines
// have none.
// RUN: kiln-opt %s --load-target=%S/Inputs/threads.mlir --pass-pipeline='builtin.module(kiln-set-target{spec=threads},func.func(prim-fuse),convert-prim-to-tile)' | FileCheck %s
// RUN: kiln-opt %s --pass-pipeline='builtin.module(func.func(prim-fuse),convert-prim-to-tile)' | FileCheck %s --check-prefix=OTHER
// This target has no code generator, so the host runs what it chooses:
// RUN: unset KILN_NO_FALLBACK
// RUN: kiln-run %s --load-target=%S/Inputs/threads.mlir --target=threads --check --entry=right
// RUN: kiln-run %s --load-target=%S/Inputs/threads.mlir --target=threads --check --entry=square
// RUN: kiln-run %s --load-target=%S/Inputs/threads.mlir --target=threads --check --entry=transposed
// RUN: kiln-run %s --load-target=%S/Inputs/threads.mlir --target=threads --check --entry=turned
// OTHER-NOT: _rows

// CHECK-LABEL: tile.kernel private @right_0_dot_rows0(
// CHECK-SAME: !tile.view<1024x1025xbf16> {tile.facts = {readonly}}, %{{.*}}: !tile.view<1024x1032xbf16> {tile.facts = {noalias}}
// CHECK: tile.load
// CHECK: tile.store
// CHECK-LABEL: tile.kernel private @right_0_dot(
// CHECK-SAME: !tile.view<1024x1024xbf16>
// CHECK-SAME: !tile.view<1024x1032xbf16>
// CHECK-LABEL: program.func @right
// CHECK: %[[ROWS:.*]] = program.alloc : memref<1024x1032xbf16>
// CHECK: program.launch [@right_0_dot_rows0]
// CHECK: program.launch [@right_0_dot]
func.func @right(%a: tensor<1024x1024xbf16>, %b: tensor<1024x1025xbf16>) -> tensor<1024x1025xf32> {
  %d = prim.dot_general %a, %b batch [] x [] contract [1] x [0] : tensor<1024x1024xbf16>, tensor<1024x1025xbf16> -> tensor<1024x1025xf32>
  return %d : tensor<1024x1025xf32>
}

// Both factors, one of them twice: one copy, of which the sums read nothing beyond the end.
// CHECK-LABEL: tile.kernel private @square_0_dot_rows0(
// CHECK-NOT: @square_0_dot_rows1
// CHECK-LABEL: tile.kernel private @square_0_dot(
func.func @square(%a: tensor<1025x1025xbf16>) -> tensor<1025x1025xf32> {
  %d = prim.dot_general %a, %a batch [] x [] contract [1] x [1] : tensor<1025x1025xbf16>, tensor<1025x1025xbf16> -> tensor<1025x1025xf32>
  return %d : tensor<1025x1025xf32>
}

// CHECK-NOT: @few_0_dot_rows
func.func @few(%a: tensor<16x4095xbf16>, %b: tensor<4095x4095xbf16>) -> tensor<16x4095xf32> {
  %d = prim.dot_general %a, %b batch [] x [] contract [1] x [0] : tensor<16x4095xbf16>, tensor<4095x4095xbf16> -> tensor<16x4095xf32>
  return %d : tensor<16x4095xf32>
}

// CHECK-NOT: @small_0_dot_rows
func.func @small(%a: tensor<333x333xbf16>, %b: tensor<333x333xbf16>) -> tensor<333x333xf32> {
  %d = prim.dot_general %a, %b batch [] x [] contract [1] x [0] : tensor<333x333xbf16>, tensor<333x333xbf16> -> tensor<333x333xf32>
  return %d : tensor<333x333xf32>
}

// CHECK-NOT: @words_0_dot_rows
func.func @words(%a: tensor<2048x2048xbf16>, %b: tensor<2048x2050xbf16>) -> tensor<2048x2050xf32> {
  %d = prim.dot_general %a, %b batch [] x [] contract [1] x [0] : tensor<2048x2048xbf16>, tensor<2048x2050xbf16> -> tensor<2048x2050xf32>
  return %d : tensor<2048x2050xf32>
}

// Factors that lie along what is summed up, the right one stored transposed: its rows are those of the memory.
// CHECK-LABEL: tile.kernel private @transposed_0_dot_rows0(
// CHECK-LABEL: tile.kernel private @transposed_0_dot_rows1(
// CHECK-SAME: !tile.view<1027x1025xbf16> {tile.facts = {readonly}}, %{{.*}}: !tile.view<1027x1032xbf16>
// CHECK-LABEL: tile.kernel private @transposed_0_dot(
// CHECK-SAME: !tile.view<1032x1027xbf16, strides = [1, 1032]>
func.func @transposed(%a: tensor<1026x1025xbf16>, %b: tensor<1027x1025xbf16>) -> tensor<1026x1027xf32> {
  %d = prim.dot_general %a, %b batch [] x [] contract [1] x [1] : tensor<1026x1025xbf16>, tensor<1027x1025xbf16> -> tensor<1026x1027xf32>
  return %d : tensor<1026x1027xf32>
}

// The same where the transposition is an operation of its own.
// CHECK-LABEL: tile.kernel private @turned_0_dot_rows1(
// CHECK-SAME: !tile.view<1027x1025xbf16> {tile.facts = {readonly}}, %{{.*}}: !tile.view<1027x1032xbf16>
// CHECK-LABEL: tile.kernel private @turned_0_dot(
// CHECK-SAME: !tile.view<1032x1027xbf16, strides = [1, 1032]>
func.func @turned(%a: tensor<1032x1025xbf16>, %b: tensor<1027x1025xbf16>) -> tensor<1032x1027xf32> {
  %t = prim.transpose %b permutation [1, 0] : tensor<1027x1025xbf16> -> tensor<1025x1027xbf16>
  %d = prim.dot_general %a, %t batch [] x [] contract [1] x [0] : tensor<1032x1025xbf16>, tensor<1025x1027xbf16> -> tensor<1032x1027xf32>
  return %d : tensor<1032x1027xf32>
}
