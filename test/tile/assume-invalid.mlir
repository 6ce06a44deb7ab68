// RUN: kiln-opt %s -split-input-file -verify-diagnostics

tile.kernel @number(%n: i32) {
  // expected-error@+1 {{operand #0 must be 1-bit signless integer or}}
  "tile.assume"(%n) : (i32) -> ()
}
