// RUN: kiln-opt %s -split-input-file -verify-diagnostics

tile.kernel @histogram_c1(%n: i32) {
  %v = tile.splat %n : tensor<4xi32>
  // expected-error@+1 {{expected a result of rank 1, found 'tensor<4x4xi32>'}}
  %h = tile.histogram %v : tensor<4xi32> -> tensor<4x4xi32>
}

// -----

tile.kernel @histogram_c2(%n: i32, %on: i1) {
  %v = tile.splat %n : tensor<4xi32>
  %m = tile.splat %on : tensor<5xi1>
  // expected-error@+1 {{expected a mask of the source's shape, found 'tensor<5xi1>'}}
  %h = tile.histogram %v mask %m : tensor<5xi1> : tensor<4xi32> -> tensor<4xi32>
}

// -----

tile.kernel @gather_c1(%x: f32) {
  %a = tile.splat %x : tensor<4x8xf32>
  %i = tile.iota 0 : tensor<4x8xi32>
  // expected-error@+1 {{expected an axis in [0, 2), found 2}}
  %g = tile.gather %a by %i axis 2 : tensor<4x8xf32>, tensor<4x8xi32> -> tensor<4x8xf32>
}

// -----

tile.kernel @gather_c3(%x: f32) {
  %a = tile.splat %x : tensor<4x8xf32>
  %i = tile.iota 0 : tensor<5x8xi32>
  // expected-error@+1 {{expected dimension 0 of the indices to have size 4, found 5}}
  %g = tile.gather %a by %i axis 1 : tensor<4x8xf32>, tensor<5x8xi32> -> tensor<5x8xf32>
}

// -----

tile.kernel @sort_c1(%x: f32) {
  %a = tile.splat %x : tensor<4x8xf32>
  // expected-error@+1 {{expected an axis in [0, 2), found -1}}
  %s = tile.sort %a axis -1 : tensor<4x8xf32>
}

// -----

tile.kernel @join_c1(%x: f32) {
  %a = tile.splat %x : tensor<4x8xf32>
  // expected-error@+1 {{expected a result of type 'tensor<4x8x2xf32>', found 'tensor<2x4x8xf32>'}}
  %j = tile.join %a, %a : tensor<4x8xf32> -> tensor<2x4x8xf32>
}

// -----

tile.kernel @split_c1(%x: f32) {
  %a = tile.splat %x : tensor<4x8xf32>
  // expected-error@+1 {{expected a source of type 'tensor<4x2xf32>', found 'tensor<4x8xf32>'}}
  %f, %l = tile.split %a : tensor<4x8xf32> -> tensor<4xf32>
}

// -----

tile.kernel @scan_c3(%x: f32) {
  %a = tile.splat %x : tensor<4xf32>
  // expected-error@+1 {{expected an axis in [0, 1), found 1}}
  %s = tile.scan %a axis 1 : tensor<4xf32> -> tensor<4xf32> {
  ^bb0(%p: f32, %q: f32):
    tile.yield %p : f32
  }
}

// -----

tile.kernel @scan_c4(%x: f32) {
  %a = tile.splat %x : tensor<4xf32>
  // expected-error@+1 {{expected a region with 2 arguments, found 1}}
  %s = tile.scan %a axis 0 : tensor<4xf32> -> tensor<4xf32> {
  ^bb0(%p: f32):
    tile.yield %p : f32
  }
}

// -----

tile.kernel @segmented_scan_c1(%x: f32, %on: i1) {
  %a = tile.splat %x : tensor<4xf32>
  %f = tile.splat %on : tensor<4xi1>
  // expected-error@+1 {{expected at least one source and results of the sources' types}}
  %s = tile.segmented_scan %a starts %f : tensor<4xi1> axis 0 : tensor<4xf32> -> tensor<4xi32> {
  ^bb0(%p: f32, %q: f32):
    tile.yield %q : f32
  }
}

// -----

tile.kernel @segmented_scan_c2(%x: f32, %on: i1) {
  %a = tile.splat %x : tensor<4xf32>
  %f = tile.splat %on : tensor<5xi1>
  // expected-error@+1 {{expected starts of the shape of 'tensor<4xf32>', found 'tensor<5xi1>'}}
  %s = tile.segmented_scan %a starts %f : tensor<5xi1> axis 0 : tensor<4xf32> -> tensor<4xf32> {
  ^bb0(%p: f32, %q: f32):
    tile.yield %q : f32
  }
}

// -----

tile.kernel @segmented_scan_c3(%x: f32, %on: i1) {
  %a = tile.splat %x : tensor<4xf32>
  %f = tile.splat %on : tensor<4xi1>
  // expected-error@+1 {{expected an axis in [0, 1), found 1}}
  %s = tile.segmented_scan %a starts %f : tensor<4xi1> axis 1 : tensor<4xf32> -> tensor<4xf32> {
  ^bb0(%p: f32, %q: f32):
    tile.yield %q : f32
  }
}

// -----

tile.kernel @segmented_scan_c4(%x: f32, %on: i1) {
  %a = tile.splat %x : tensor<4xf32>
  %f = tile.splat %on : tensor<4xi1>
  // expected-error@+1 {{expected a region with 2 arguments, found 3}}
  %s = tile.segmented_scan %a starts %f : tensor<4xi1> axis 0 : tensor<4xf32> -> tensor<4xf32> {
  ^bb0(%p: f32, %q: f32, %r: i1):
    tile.yield %q : f32
  }
}

// -----

func.func @top_k(%t: tensor<8x64xf32>) {
  // expected-error@+1 {{'tile.top_k' op expected an axis in [0, 2), found 2}}
  %v, %i = tile.top_k %t axis 2 : tensor<8x64xf32> -> tensor<8x4xf32>, tensor<8x4xi32>
  return
}

// -----

func.func @top_k(%t: tensor<8x64xf32>) {
  // expected-error@+1 {{'tile.top_k' op expected results of rank 2, found 'tensor<4xf32>'}}
  %v, %i = tile.top_k %t axis 1 : tensor<8x64xf32> -> tensor<4xf32>, tensor<4xi32>
  return
}

// -----

func.func @top_k(%t: tensor<8x64xf32>) {
  // expected-error@+1 {{'tile.top_k' op expected results of size 8 in dimension 0, found 'tensor<4x4xf32>'}}
  %v, %i = tile.top_k %t axis 1 : tensor<8x64xf32> -> tensor<4x4xf32>, tensor<4x4xi32>
  return
}

// -----

func.func @top_k(%t: tensor<8x64xf32>) {
  // expected-error@+1 {{'tile.top_k' op expected at most 64 elements, found 65}}
  %v, %i = tile.top_k %t axis 1 : tensor<8x64xf32> -> tensor<8x65xf32>, tensor<8x65xi32>
  return
}

// -----

func.func @top_k(%t: tensor<8x64xf32>) {
  // expected-error@+1 {{'tile.top_k' op expected values of type 'f32', found 'tensor<8x4xf16>'}}
  %v, %i = tile.top_k %t axis 1 : tensor<8x64xf32> -> tensor<8x4xf16>, tensor<8x4xi32>
  return
}

// -----

func.func @top_k(%t: tensor<8x256xf32>) {
  // expected-error@+1 {{'tile.top_k' op expected indices that hold 255, found 'i8'}}
  %v, %i = tile.top_k %t axis 1 : tensor<8x256xf32> -> tensor<8x4xf32>, tensor<8x4xi8>
  return
}
