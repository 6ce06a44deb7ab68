// RUN: kiln-opt %s --convert-linalg-to-prim --split-input-file --verify-diagnostics

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

// expected-error@+1 {{unsupported: argument 0 of 'vectors' has type 'vector<4xf32>'}}
func.func @vectors(%v: vector<4xf32>) -> vector<4xf32> {
  return %v : vector<4xf32>
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

func.func @overlap(%m: memref<8xf32>) {
  %a = memref.subview %m[0] [6] [1] : memref<8xf32> to memref<6xf32, strided<[1]>>
  %b = memref.subview %m[2] [6] [1] : memref<8xf32> to memref<6xf32, strided<[1], offset: 2>>
  // expected-error@+1 {{unsupported: linalg.copy reads and writes parts of one buffer that may overlap}}
  linalg.copy ins(%a : memref<6xf32, strided<[1]>>) outs(%b : memref<6xf32, strided<[1], offset: 2>>)
  return
}

// -----

func.func private @fill(memref<4xf32>)
func.func @unknown_writer() -> memref<4xf32> {
  %m = memref.alloc() : memref<4xf32>
  // expected-error@+2 {{unsupported: call of undefined function 'fill'}}
  // expected-remark@+1 {{ignored: call of undefined function 'fill'}}
  call @fill(%m) : (memref<4xf32>) -> ()
  // expected-note@+1 {{its result is needed here}}
  return %m : memref<4xf32>
}

// -----

func.func @outside(%m: memref<4xf32>) -> f32 {
  %c = arith.constant 4 : index
  // expected-error@+1 {{unsupported: memref.load reads element 4 of dimension 0, which has 4}}
  %0 = memref.load %m[%c] : memref<4xf32>
  return %0 : f32
}

// -----

func.func @sized(%n: index) -> tensor<?xf32> {
  %0 = tensor.empty(%n) : tensor<?xf32>
  return %0 : tensor<?xf32>
}
func.func @caller(%x: tensor<4xf32>) -> tensor<?xf32> {
  %c = arith.constant 4 : index
  %0 = call @sized(%c) : (index) -> tensor<?xf32>
  %1 = linalg.copy ins(%x : tensor<4xf32>) outs(%0 : tensor<?xf32>) -> tensor<?xf32>
  return %1 : tensor<?xf32>
}

// -----

func.func @never(%x: tensor<4xf32>, %i: i32) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %d = tensor.dim %x, %c0 : tensor<4xf32>
  %c5 = arith.constant 5 : index
  %short = arith.cmpi slt, %d, %c5 : index
  cf.assert %short, "expected less than five"
  %z = arith.constant 0 : i32
  %positive = arith.cmpi sgt, %i, %z : i32
  // expected-remark@+1 {{ignored: assertion 'expected a positive number' is not checked}}
  cf.assert %positive, "expected a positive number"
  %long = arith.cmpi sge, %d, %c5 : index
  // expected-error@+1 {{unsupported: cf.assert fails whenever it is reached: expected five or more}}
  cf.assert %long, "expected five or more"
  return %x : tensor<4xf32>
}

// -----

func.func @data_dependent(%n: i32, %x: memref<4xf32>) -> memref<4xf32> {
  %z = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  // expected-error@+1 {{unsupported: scf.while carries buffers, and depends on data}}
  %r:2 = scf.while (%i = %z, %v = %x) : (i32, memref<4xf32>) -> (i32, memref<4xf32>) {
    %c = arith.cmpi slt, %i, %n : i32
    scf.condition(%c) %i, %v : i32, memref<4xf32>
  } do {
  ^bb0(%i: i32, %v: memref<4xf32>):
    %k = arith.addi %i, %one : i32
    scf.yield %k, %v : i32, memref<4xf32>
  }
  return %r#1 : memref<4xf32>
}

// -----

func.func @other_sizes(%n: i32, %x: tensor<?xf32>) -> tensor<?xf32> {
  %z = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  // expected-error@+1 {{unsupported: scf.while depends on data, and may carry another size in each step}}
  %r:2 = scf.while (%i = %z, %v = %x) : (i32, tensor<?xf32>) -> (i32, tensor<?xf32>) {
    %c = arith.cmpi slt, %i, %n : i32
    scf.condition(%c) %i, %v : i32, tensor<?xf32>
  } do {
  ^bb0(%i: i32, %v: tensor<?xf32>):
    %k = arith.addi %i, %one : i32
    %w = tensor.concat dim(0) %v, %x : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
    scf.yield %k, %w : i32, tensor<?xf32>
  }
  return %r#1 : tensor<?xf32>
}

// -----

func.func @scan(%x: tensor<2x4000xf32>) -> tensor<2xf32> {
  %z = arith.constant dense<0.0> : tensor<2xf32>
  // expected-error@+1 {{unsupported: linalg.generic has a reduction over many elements whose body is not a sum}}
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<2x4000xf32>) outs(%z : tensor<2xf32>) {
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

// -----

// Sizes do not wrap.
func.func @wide_size(%x: tensor<4xf32>) -> tensor<?xf32> {
  %a = tosa.const_shape {values = dense<4611686018427387904> : tensor<1xindex>} : () -> !tosa.shape<1>
  %b = tosa.const_shape {values = dense<4> : tensor<1xindex>} : () -> !tosa.shape<1>
  // expected-error@+1 {{unsupported: tosa.mul_shape computes a size that does not fit 64 bits}}
  %c = tosa.mul_shape %a, %b : (!tosa.shape<1>, !tosa.shape<1>) -> !tosa.shape<1>
  %d = tosa.add_shape %c, %b : (!tosa.shape<1>, !tosa.shape<1>) -> !tosa.shape<1>
  %r = tosa.reshape %x, %d : (tensor<4xf32>, !tosa.shape<1>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

// The place of another element than the one that is kept.
func.func @minimum_beside_greater(%x: tensor<?xf32>, %v: tensor<f32>, %p: tensor<i64>) -> (tensor<f32>, tensor<i64>) {
  // expected-error@+1 {{unsupported: linalg.generic reduces a dimension of a size that is not known with a body that is not associative}}
  %r:2 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>, affine_map<(i) -> ()>], iterator_types = ["reduction"]}
      ins(%x : tensor<?xf32>) outs(%v, %p : tensor<f32>, tensor<i64>) {
  ^bb0(%in: f32, %out: f32, %at: i64):
    %j = linalg.index 0 : index
    %i = arith.index_cast %j : index to i64
    %c = arith.cmpf ogt, %in, %out : f32
    %m = arith.minimumf %in, %out : f32
    %n = arith.select %c, %i, %at : i64
    linalg.yield %m, %n : f32, i64
  } -> (tensor<f32>, tensor<i64>)
  return %r#0, %r#1 : tensor<f32>, tensor<i64>
}
