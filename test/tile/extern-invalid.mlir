// RUN: kiln-opt %s -split-input-file -verify-diagnostics

tile.kernel @convert_float_c1(%x: f32) {
  // expected-error@+1 {{requires the same shape for all operands and results}}
  %y = tile.convert_float %x toward_zero : f32 -> tensor<4xf16>
}

// -----

tile.kernel @inline_asm_c1(%x: f32) {
  // expected-error@+1 {{expected a pack of 1, 2, 4 and so on up to 32, found 3}}
  %y = tile.inline_asm "" isa "ptx" constraints "=f,f" pack 3 pure (%x) : (f32) -> f32
}

// -----

tile.kernel @inline_asm_c2(%x: f32) {
  %a = tile.splat %x : tensor<4xf32>
  // expected-error@+1 {{expected operands and results of one shape, found 'tensor<4xf32>' and 'f32'}}
  %y = tile.inline_asm "" isa "ptx" constraints "=f,f" pack 1 pure (%a) : (tensor<4xf32>) -> f32
}

// -----

tile.kernel @assert_type(%n: i32) {
  // expected-error@+1 {{operand #0 must be 1-bit signless integer or}}
  "tile.assert"(%n) <{message = "no truth value"}> : (i32) -> ()
}

// -----

tile.kernel @print_type(%v: !tile.view<?xf32>) {
  // expected-error@+1 {{operand #0 must be variadic of}}
  tile.print "x" %v : !tile.view<?xf32>
}
