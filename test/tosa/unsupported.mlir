// RUN: kiln-opt %s --tosa-to-prim --split-input-file --verify-diagnostics

func.func @custom(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{unsupported: tosa.custom has no translation to prim}}
  %0 = tosa.custom %x {operator_name = "f", domain_name = "d", implementation_attrs = ""} : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// expected-error@+1 {{unsupported: argument 0 of 'unranked' has type 'tensor<*xf32>'}}
func.func @unranked(%x: tensor<*xf32>) -> tensor<*xf32> {
  %0 = tosa.exp %x : (tensor<*xf32>) -> tensor<*xf32>
  return %0 : tensor<*xf32>
}

// -----

// expected-error@+1 {{unsupported: argument 0 of 'quantised' has type 'tensor<4x!quant.uniform<i8:f32, 1.000000e-02>>'}}
func.func @quantised(%x: tensor<4x!quant.uniform<i8:f32, 0.01>>) -> tensor<4x!quant.uniform<i8:f32, 0.01>> {
  return %x : tensor<4x!quant.uniform<i8:f32, 0.01>>
}

// -----

func.func @multiplier(%x: tensor<4xi8>, %m: tensor<1xi32>) -> tensor<4xi8> {
  %s = "tosa.const"() <{values = dense<30> : tensor<1xi8>}> : () -> tensor<1xi8>
  %z = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  // expected-error@+1 {{unsupported: tosa.rescale has a multiplier or a shift that is not a constant}}
  %0 = tosa.rescale %x, %m, %s, %z, %z {scale32 = true, rounding_mode = SINGLE_ROUND, per_channel = false, input_unsigned = false, output_unsigned = false} : (tensor<4xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>, tensor<1xi8>) -> tensor<4xi8>
  return %0 : tensor<4xi8>
}

// -----

func.func @exp_of_integers(%x: tensor<4xi32>) -> tensor<4xi32> {
  // expected-error@+1 {{unsupported: tosa.exp on integers}}
  %0 = tosa.exp %x : (tensor<4xi32>) -> tensor<4xi32>
  return %0 : tensor<4xi32>
}

// -----

func.func @blocks(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{unsupported: control flow between blocks in 'blocks'}}
  cf.br ^bb1
^bb1:
  return %x : tensor<4xf32>
}

// -----

func.func @buffers(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{unsupported: memref.alloc has no translation to prim}}
  %m = memref.alloc() : memref<4xf32>
  return %x : tensor<4xf32>
}

// -----

func.func @scan(%x: tensor<2x4xf32>) -> tensor<2xf32> {
  %z = arith.constant dense<0.0> : tensor<2xf32>
  // expected-error@+1 {{unsupported: linalg.generic has a reduction whose body is not a sum, a product, a minimum or a maximum}}
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<2x4xf32>) outs(%z : tensor<2xf32>) {
  ^bb0(%in: f32, %out: f32):
    %a = arith.mulf %out, %out : f32
    %b = arith.addf %a, %in : f32
    linalg.yield %b : f32
  } -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

func.func @recursive(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+2 {{unsupported: func.call calls 'recursive' recursively}}
  // expected-note@+1 {{called from here}}
  %0 = call @recursive(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// What prim does not take is said in prim's words.
func.func @clamp_truth(%x: tensor<4xi1>) -> tensor<4xi1> {
  // expected-error@+1 {{unsupported: 'prim.clamp' op operand #0 must be}}
  %0 = tosa.clamp %x {min_val = 0 : i1, max_val = 1 : i1} : (tensor<4xi1>) -> tensor<4xi1>
  return %0 : tensor<4xi1>
}
