// RUN: kiln-opt %s -split-input-file -verify-diagnostics

// expected-error@+1 {{expected a future of a tile of static shape with an encoding, found 'tensor<4xf32>'}}
tile.kernel @future(%f: !stage.future<tensor<4xf32>>) {
}

// -----

// expected-error@+1 {{expected a ring of at least 1 slot, found 0}}
tile.kernel @ring(%f: !stage.ring<0 x (memref<4xf32>)>) {
}

// -----

tile.kernel @ring_c3() {
  // expected-error@+1 {{expected parts in one space}}
  %r = stage.ring : !stage.ring<2 x (memref<4xf32, #stage.space<"a">>, memref<4xf32, #stage.space<"b">>)>
}

// -----

tile.kernel @ring_c5() {
  // expected-error@+1 {{expected 'held' to be less than the 2 slots and not negative, found 2}}
  %r = stage.ring {held = 2 : i64} : !stage.ring<2 x (memref<4xf32>)>
}

// -----

tile.kernel @produce_c1() {
  %r = stage.ring : !stage.ring<2 x (memref<4xf32>)>
  // expected-error@+1 {{expected 1 parts of a slot, found 2}}
  stage.produce %r -> (%a, %b) : !stage.ring<2 x (memref<4xf32>)> {
    stage.commit
  }
}

// -----

tile.kernel @produce_c2() {
  %r = stage.ring : !stage.ring<2 x (memref<4xf32>)>
  // expected-error@+1 {{expected the region to end in 'stage.commit'}}
  stage.produce %r -> (%a) : !stage.ring<2 x (memref<4xf32>)> {
    "stage.yield"() : () -> ()
  }
}
