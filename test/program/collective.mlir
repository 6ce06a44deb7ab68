// RUN: kiln-opt %s --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: program.func @forms
program.func @forms(%a: memref<8xf32>) -> memref<8xf32> {
  %b = program.alloc : memref<8xf32>
  // CHECK: program.collective "all_reduce" "add" %{{.*}} to %{{.*}} ranks [array<i64: 0, 1>] : memref<8xf32>, memref<8xf32>
  program.collective "all_reduce" "add" %a to %b ranks [array<i64: 0, 1>] : memref<8xf32>, memref<8xf32>
  // CHECK: program.wait %{{.*}} for %{{.*}} : memref<8xf32>, memref<8xf32>
  program.wait %b for %a : memref<8xf32>, memref<8xf32>
  program.return %b : memref<8xf32>
}

// -----

program.func @kind(%a: memref<8xf32>) {
  // expected-error @+1 {{expected a kind of exchange, found 'reduce'}}
  program.collective "reduce" %a to %a ranks [array<i64: 0, 1>] : memref<8xf32>, memref<8xf32>
  program.return
}

// -----

program.func @combiner(%a: memref<8xf32>) {
  // expected-error @+1 {{expected a combiner}}
  program.collective "all_reduce" %a to %a ranks [array<i64: 0, 1>] : memref<8xf32>, memref<8xf32>
  program.return
}

// -----

program.func @combiner_of_gather(%a: memref<8xf32>) {
  // expected-error @+1 {{expected no combiner, found 'add'}}
  program.collective "all_gather" "add" %a to %a ranks [array<i64: 0, 1>] : memref<8xf32>, memref<8xf32>
  program.return
}

// -----

program.func @types(%a: memref<8xf32>, %b: memref<8xf16>) {
  // expected-error @+1 {{expected buffers of one element type}}
  program.collective "broadcast" %a to %b ranks [array<i64: 0, 1>] : memref<8xf32>, memref<8xf16>
  program.return
}

// -----

program.func @pairs(%a: memref<8xf32>) {
  // expected-error @+1 {{expected pairs of ranks}}
  program.collective "permute" %a to %a ranks [array<i64: 0, 1, 2>] : memref<8xf32>, memref<8xf32>
  program.return
}

// -----

program.func @groups(%a: memref<8xf32>) {
  // expected-error @+1 {{expected at least one group}}
  program.collective "broadcast" %a to %a ranks [] : memref<8xf32>, memref<8xf32>
  program.return
}

// -----

program.func @rank(%a: memref<1xf32>) {
  // expected-error @+1 {{expected a buffer of i32 and no lists}}
  program.collective "rank" %a to %a ranks [] : memref<1xf32>, memref<1xf32>
  program.return
}
