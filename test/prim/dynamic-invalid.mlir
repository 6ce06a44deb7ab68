// RUN: kiln-opt %s --split-input-file --verify-diagnostics

func.func @dynamic_slice_c1(%x: tensor<8xf32>, %i: tensor<i32>) {
  // expected-error @+1 {{expected 1 sizes, one for each ? of the result, found 0}}
  %0 = prim.dynamic_slice %x starts (%i) : tensor<8xf32>, tensor<i32> -> tensor<?xf32>
  return
}

// -----

func.func @dynamic_slice_c2(%x: tensor<8xf32>, %i: tensor<1xi32>) {
  // expected-error @+1 {{expected starts of rank 0, found 'tensor<1xi32>'}}
  %0 = prim.dynamic_slice %x starts (%i) : tensor<8xf32>, tensor<1xi32> -> tensor<2xf32>
  return
}

// -----

func.func @dynamic_slice_c2_count(%x: tensor<8xf32>) {
  // expected-error @+1 {{expected 1 starts, found 0}}
  %0 = prim.dynamic_slice %x : tensor<8xf32> -> tensor<2xf32>
  return
}

// -----

func.func @dynamic_slice_c3(%x: tensor<8xf32>, %i: tensor<i32>) {
  // expected-error @+1 {{expected a result of rank 1, found 'tensor<1x2xf32>'}}
  %0 = prim.dynamic_slice %x starts (%i) : tensor<8xf32>, tensor<i32> -> tensor<1x2xf32>
  return
}

// -----

func.func @dynamic_slice_c4(%x: tensor<8xf32>, %i: tensor<i32>) {
  // expected-error @+1 {{expected a result that is not larger than the operand, found shapes [9] and [8]}}
  %0 = prim.dynamic_slice %x starts (%i) : tensor<8xf32>, tensor<i32> -> tensor<9xf32>
  return
}

// -----

func.func @dynamic_update_slice_c1(%x: tensor<8xf32>, %u: tensor<2xf32>) {
  // expected-error @+1 {{expected 1 starts, found 0}}
  %0 = prim.dynamic_update_slice %x, %u : tensor<8xf32>, tensor<2xf32>
  return
}

// -----

func.func @dynamic_update_slice_c2(%x: tensor<8xf32>, %u: tensor<2xf16>, %i: tensor<i32>) {
  // expected-error @+1 {{expected an update of element type 'f32', found 'f16'}}
  %0 = prim.dynamic_update_slice %x, %u starts (%i) : tensor<8xf32>, tensor<2xf16>, tensor<i32>
  return
}

// -----

func.func @dynamic_update_slice_c3(%x: tensor<8xf32>, %u: tensor<9xf32>, %i: tensor<i32>) {
  // expected-error @+1 {{expected an update that is not larger than the operand, found shapes [9] and [8]}}
  %0 = prim.dynamic_update_slice %x, %u starts (%i) : tensor<8xf32>, tensor<9xf32>, tensor<i32>
  return
}

// -----

func.func @from_index_c1(%n: index) {
  // expected-error @+1 {{expected a result of rank 0, found 'tensor<1xi32>'}}
  %0 = prim.from_index %n : tensor<1xi32>
  return
}

// -----

func.func @to_index_c1(%x: tensor<1xi32>) {
  // expected-error @+1 {{expected an operand of rank 0, found 'tensor<1xi32>'}}
  %0 = prim.to_index %x : tensor<1xi32>
  return
}
