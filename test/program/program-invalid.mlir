// RUN: kiln-opt %s -split-input-file -verify-diagnostics

// expected-error@+1 {{expected parameter 0 to be a memref, found 'f32'}}
program.func @func_c1(%x: f32) {
  program.return
}

// -----

// expected-error@+1 {{expected 'donated' of argument 0 to be a unit attribute or "written", found "read"}}
program.func @func_c2(%x: memref<4xf32> {kiln.argument = {donated = "read"}}) {
  program.return
}

// -----

// expected-note@+1 {{the function's results are here}}
program.func @return_c1(%x: memref<4xf32>) -> memref<5xf32> {
  // expected-error@+1 {{expected value 0 to be 'memref<5xf32>', found 'memref<4xf32>'}}
  program.return %x : memref<4xf32>
}

// -----

program.func @alloc_c1() {
  // expected-error@+1 {{expected a dense row-major memref, found 'memref<4xf32, strided<[2]>>'}}
  %x = program.alloc : memref<4xf32, strided<[2]>>
  program.return
}

// -----

program.func @alloc_c2() {
  // expected-error@+1 {{expected 1 sizes, found 0}}
  %x = program.alloc : memref<?xf32>
  program.return
}

// -----

program.func @constant_c1() {
  // expected-error@+1 {{expected a dense memref like 'tensor<4xf32>', found 'memref<5xf32>'}}
  %x = program.constant dense<1.0> : tensor<4xf32> as memref<5xf32>
  program.return
}

// -----

program.func @view_c2(%x: memref<8xf32>) {
  // expected-error@+1 {{expected 1 operands for sizes, found 0}}
  %v = program.view %x offset [0] sizes [?] strides [1] (), (), () : memref<8xf32> -> memref<?xf32>
  program.return
}

// -----

program.func @view_c4(%x: memref<8xf32>) {
  // expected-error@+1 {{expected stride 1 along dimension 0 as in the result's type}}
  %v = program.view %x offset [0] sizes [4] strides [2] (), (), () : memref<8xf32> -> memref<4xf32>
  program.return
}

// -----

program.func @launch_c2(%x: memref<8xf32>, %y: memref<8xf32>) {
  %c1 = arith.constant 1 : index
  // expected-error@+1 {{expected a grid of 3 extents, found 1}}
  program.launch [@k] grid (%c1) args (%x, %y) writes [] : memref<8xf32>, memref<8xf32>
  program.return
}

// -----

program.func @launch_c4(%x: memref<8xf32>) {
  %c1 = arith.constant 1 : index
  // expected-error@+1 {{expected positions of memref arguments in 'writes', found 1}}
  program.launch [@k] grid (%c1, %c1, %c1) args (%x) writes [1] : memref<8xf32>
  program.return
}

// -----

program.func @launch_c5(%x: memref<8xf32>) {
  %c1 = arith.constant 1 : index
  // expected-error@+1 {{expected @main to be a kernel, found none of that name}}
  program.launch [@main] grid (%c1, %c1, %c1) args (%x) writes [] : memref<8xf32>
  program.return
}

// -----

// expected-note@+1 {{the kernel is here}}
tile.kernel @k(%x: !tile.view<?x4xf32>) {
}
program.func @launch_c6(%x: memref<8x4xf32, strided<[8, 2]>>) {
  %c1 = arith.constant 1 : index
  // expected-error@+1 {{expected argument 0 to fit !tile.view<?x4xf32>, found memref<8x4xf32, strided<[8, 2]>>: strides differ along dimension 0}}
  program.launch [@k] grid (%c1, %c1, %c1) args (%x) writes [] : memref<8x4xf32, strided<[8, 2]>>
  program.return
}

// -----

tile.kernel private @k(%x: !tile.view<8xf32>) {
}
program.func @main(%x: memref<8xf32>, %c: memref<1xf32>) {
  %c1 = arith.constant 1 : index
  %g = arith.cmpi eq, %c1, %c1 : index
  // expected-error@+1 {{expected a grid of 3 extents or of 6, found 5}}
  program.launch [@k, @k] guards (%g) grid (%c1, %c1, %c1, %c1, %c1) args (%x) writes [] : memref<8xf32>
  program.return
}

// -----

tile.kernel private @k(%x: !tile.view<8xf32>) {
}
program.func @main(%x: memref<8xf32>) {
  %c1 = arith.constant 1 : index
  // expected-error@+1 {{unknown launch attribute 'thread' in 'contract'}}
  program.launch [@k] grid (%c1, %c1, %c1) args (%x) writes [] {contract = {thread = 1 : i64}} : memref<8xf32>
  program.return
}

// -----

tile.kernel private @k(%x: !tile.view<8xf32>) {
}
program.func @main(%x: memref<8xf32>) {
  %c1 = arith.constant 1 : index
  // expected-error@+1 {{expected 1 to 1 integers for launch attribute 'registers', found array<i64: 1, 2>}}
  program.launch [@k] grid (%c1, %c1, %c1) args (%x) writes [] {contract = {registers = array<i64: 1, 2>}} : memref<8xf32>
  program.return
}
