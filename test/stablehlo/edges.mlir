// Numbers at the edges: NaNs have signs where elements are ordered, quotients of complex numbers have infinities, and an init is
// combined once.
// RUN: kiln-run %s --target=reference --entry=largest | FileCheck %s --check-prefix=LARGEST
// RUN: kiln-run %s --target=cpu --entry=largest | FileCheck %s --check-prefix=LARGEST
// RUN: kiln-run %s --target=reference --entry=quotients | FileCheck %s --check-prefix=QUOTIENTS
// RUN: kiln-run %s --target=cpu --entry=quotients | FileCheck %s --check-prefix=QUOTIENTS
// RUN: kiln-run %s --target=reference --entry=inits --arg=f32:1 | FileCheck %s --check-prefix=INITS
// RUN: kiln-run %s --target=cpu --entry=inits --arg=f32:1 | FileCheck %s --check-prefix=INITS
// RUN: kiln-run %s --target=reference --entry=angles --arg=i32:5 | FileCheck %s --check-prefix=ANGLES
// RUN: kiln-run %s --target=cpu --entry=angles --arg=i32:5 | FileCheck %s --check-prefix=ANGLES
// RUN: kiln-run %s --target=amd,device=sim --entry=angles --arg=i32:5 | FileCheck %s --check-prefix=ANGLES
// RUN: kiln-compile %s --target=cpu --emit=prim | FileCheck %s --check-prefix=SPLIT

// LARGEST: 7xi32: 1, 0, 4, 6, 5, 3, 2
func.func @largest() -> tensor<7xi32> {
  %x = stablehlo.constant dense<[0x7F800000, 0x7FC00000, 0xFFC00000, 0xFF800000, 3.0, -0.0, 0.0]> : tensor<7xf32>
  %v, %i = chlo.top_k(%x, k = 7) : tensor<7xf32> -> (tensor<7xf32>, tensor<7xi32>)
  return %i : tensor<7xi32>
}

// (1, -2) / 0, (inf, 1) / (2, 1), (1, 1) / (inf, nan), 0 / 0, (3, 4) / (1, 2)
// QUOTIENTS: 5x2xf32: inf, -inf, inf, -inf, 0, 0, {{-?nan, -?nan}}, 2.2{{[0-9]*}}, -0.4
func.func @quotients() -> tensor<5xcomplex<f32>> {
  %x = stablehlo.constant dense<[(1.0, -2.0), (0x7F800000, 1.0), (1.0, 1.0), (0.0, 0.0), (3.0, 4.0)]> : tensor<5xcomplex<f32>>
  %y = stablehlo.constant dense<[(0.0, 0.0), (2.0, 1.0), (0x7F800000, 0x7FC00000), (0.0, 0.0), (1.0, 2.0)]> : tensor<5xcomplex<f32>>
  %r = stablehlo.divide %x, %y : tensor<5xcomplex<f32>>
  return %r : tensor<5xcomplex<f32>>
}

// Several tensors that are combined separately are reduced separately, if an init is not neutral.
// INITS: 2xf32: 6.5, -11.5
// INITS: 2xf32: 3, 0
// INITS: 2x1xf32: 12, -120
// INITS: 2x1xf32: 6, -12
// SPLIT-LABEL: func.func @inits
// SPLIT-NOT: prim.reduce(
// SPLIT: prim.sum %{{.*}} dims [1]
// SPLIT: prim.amax %{{.*}} dims [1]
// SPLIT-COUNT-2: prim.reduce_window(%{{[0-9]+}}) inits
func.func @inits(%one: tensor<f32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2x1xf32>, tensor<2x1xf32>) {
  %numbers = stablehlo.constant dense<[[1.0, 2.0, 3.0], [-3.0, -4.0, -5.0]]> : tensor<2x3xf32>
  %ones = stablehlo.broadcast_in_dim %one, dims = [] : (tensor<f32>) -> tensor<2x3xf32>
  %x = stablehlo.multiply %numbers, %ones : tensor<2x3xf32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %half = stablehlo.constant dense<0.5> : tensor<f32>
  %two = stablehlo.constant dense<2.0> : tensor<f32>
  %y:2 = "stablehlo.reduce"(%x, %x, %half, %zero) <{dimensions = array<i64: 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<f32>, %d: tensor<f32>):
    %sum = stablehlo.add %a, %c : tensor<f32>
    %most = stablehlo.maximum %d, %b : tensor<f32>
    stablehlo.return %sum, %most : tensor<f32>, tensor<f32>
  }) : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<f32>, tensor<f32>) -> (tensor<2xf32>, tensor<2xf32>)
  %z:2 = "stablehlo.reduce_window"(%x, %x, %two, %zero) <{window_dimensions = array<i64: 1, 3>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<f32>, %d: tensor<f32>):
    %product = stablehlo.multiply %a, %c : tensor<f32>
    %sum = stablehlo.add %b, %d : tensor<f32>
    stablehlo.return %product, %sum : tensor<f32>, tensor<f32>
  }) : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<f32>, tensor<f32>) -> (tensor<2x1xf32>, tensor<2x1xf32>)
  return %y#0, %y#1, %z#0, %z#1 : tensor<2xf32>, tensor<2xf32>, tensor<2x1xf32>, tensor<2x1xf32>
}

// Lengths that f32 does not hold, or in few bits, and infinities: values of numpy.
// RUN: kiln-run %s --target=reference --entry=complex_edges | FileCheck %s --check-prefix=COMPLEX
// RUN: kiln-run %s --target=cpu --entry=complex_edges | FileCheck %s --check-prefix=COMPLEX
// COMPLEX: 4x2xf32: 1.902976{{[0-9]*}}e+19, 7.88238{{[0-9]*}}e+18, inf, inf, inf, -inf, 0, 1.73205{{[0-9]*}}e+19
// COMPLEX: 2x2xf32: 88.9434{{[0-9]*}}, 0.78539{{[0-9]*}}, -102.932{{[0-9]*}}, 0.78539{{[0-9]*}}
// COMPLEX: 2x2xf32: 4.4853{{[0-9]*}}e-20, -1.85789{{[0-9]*}}e-20, 2.07535{{[0-9]*}}e+22, -8.5964{{[0-9]*}}e+21
// COMPLEX: 3x2xf32: 3.5749{{[0-9]*}}e+35, inf, 0, 0, inf, 0
// COMPLEX: 1x2xf32: -inf, 0
// COMPLEX: 1x2xf32: inf, -0
// COMPLEX: 4x2xf32: 1, 0, {{3.3333[0-9]*}}e-39, 0, 28544.{{[0-9]*}}, -14272.{{[0-9]*}}, 0, {{-(2|1.99999)[0-9.]*}}e+38
func.func @complex_edges() -> (tensor<4xcomplex<f32>>, tensor<2xcomplex<f32>>, tensor<2xcomplex<f32>>, tensor<3xcomplex<f32>>,
    tensor<1xcomplex<f32>>, tensor<1xcomplex<f32>>, tensor<4xcomplex<f32>>) {
  %x = stablehlo.constant dense<[(3.0e+38, 3.0e+38), (0.0, 0x7F800000), (0x7FC00000, 0xFF800000), (-3.0e+38, 0.0)]> : tensor<4xcomplex<f32>>
  %root = stablehlo.sqrt %x : tensor<4xcomplex<f32>>
  %y = stablehlo.constant dense<[(3.0e+38, 3.0e+38), (1.4e-45, 1.4e-45)]> : tensor<2xcomplex<f32>>
  %log = stablehlo.log %y : tensor<2xcomplex<f32>>
  %over = stablehlo.rsqrt %y : tensor<2xcomplex<f32>>
  %z = stablehlo.constant dense<[(89.0, 1.57), (0xFF800000, 0x7F800000), (100.0, 0.0)]> : tensor<3xcomplex<f32>>
  %exp = stablehlo.exponential %z : tensor<3xcomplex<f32>>
  %w = stablehlo.constant dense<[(-100.0, 0.0)]> : tensor<1xcomplex<f32>>
  %sinh = chlo.sinh %w : tensor<1xcomplex<f32>> -> tensor<1xcomplex<f32>>
  %cosh = chlo.cosh %w : tensor<1xcomplex<f32>> -> tensor<1xcomplex<f32>>
  %a = stablehlo.constant dense<[(3.0e+38, 3.0e+38), (1.0, 1.0), (1.0e-40, 0.0), (3.0e+38, -3.0e+38)]> : tensor<4xcomplex<f32>>
  %b = stablehlo.constant dense<[(3.0e+38, 3.0e+38), (3.0e+38, 3.0e+38), (2.8e-45, 1.4e-45), (1.5, 1.5)]> : tensor<4xcomplex<f32>>
  %quotient = stablehlo.divide %a, %b : tensor<4xcomplex<f32>>
  return %root, %log, %over, %exp, %sinh, %cosh, %quotient : tensor<4xcomplex<f32>>, tensor<2xcomplex<f32>>, tensor<2xcomplex<f32>>,
    tensor<3xcomplex<f32>>, tensor<1xcomplex<f32>>, tensor<1xcomplex<f32>>, tensor<4xcomplex<f32>>
}

// RUN: kiln-run %s --target=reference --entry=complex_inverses | FileCheck %s --check-prefix=INVERSES
// RUN: kiln-run %s --target=cpu --entry=complex_inverses | FileCheck %s --check-prefix=INVERSES
// INVERSES: 2x2xf32: 0.785398{{[0-9]*}}, -89.6365{{[0-9]*}}, 0, 69.7706{{[0-9]*}}
// INVERSES: 2x2xf32: 89.6365{{[0-9]*}}, -0.785398{{[0-9]*}}, 69.7706{{[0-9]*}}, 1.570796{{[0-9]*}}
// INVERSES: 2x2xf32: 1.66666{{[0-9]*}}e-39, -1.570796{{[0-9]*}}, 0, 1.570796{{[0-9]*}}
// INVERSES: 2x2xf32: 1.570796{{[0-9]*}}, -1.66666{{[0-9]*}}e-39, {{-?}}1.570796{{[0-9]*}}, {{1e-30|9.99999[0-9]*e-31}}
func.func @complex_inverses() -> (tensor<2xcomplex<f32>>, tensor<2xcomplex<f32>>, tensor<2xcomplex<f32>>, tensor<2xcomplex<f32>>) {
  %x = stablehlo.constant dense<[(3.0e+38, -3.0e+38), (0.0, 1.0e+30)]> : tensor<2xcomplex<f32>>
  %asin = chlo.asin %x : tensor<2xcomplex<f32>> -> tensor<2xcomplex<f32>>
  %acosh = chlo.acosh %x : tensor<2xcomplex<f32>> -> tensor<2xcomplex<f32>>
  %atanh = chlo.atanh %x : tensor<2xcomplex<f32>> -> tensor<2xcomplex<f32>>
  %atan = chlo.atan %x : tensor<2xcomplex<f32>> -> tensor<2xcomplex<f32>>
  return %asin, %acosh, %atanh, %atan : tensor<2xcomplex<f32>>, tensor<2xcomplex<f32>>, tensor<2xcomplex<f32>>, tensor<2xcomplex<f32>>
}

// Parts that cancel nearly, and those that are far smaller than the other part or than one of its squares.
// RUN: kiln-run %s --target=reference --entry=complex_small_parts | FileCheck %s --check-prefix=SMALL
// RUN: kiln-run %s --target=cpu --entry=complex_small_parts | FileCheck %s --check-prefix=SMALL
// SMALL: 2x2xf32: -1.34611{{[0-9]*}}e-08, 1.04719{{[0-9]*}}, {{4.99999[0-9]*|5[.0-9]*}}e-25, 1.57079{{[0-9]*}}
// SMALL: 2x2xf32: {{4|3.99999[0-9]*}}e-26, {{2|1.99999[0-9]*}}e-13, -2.80081{{[0-9]*}}e-05, 2.44967{{[0-9]*}}
// SMALL: 2x2xf32: 1, 1.59245{{[0-9]*}}e-26, -1, 0
// SMALL: 2x2xf32: -9.41688{{[0-9]*}}, 0.78539{{[0-9]*}}, 23.37242{{[0-9]*}}, 0.78539{{[0-9]*}}
// SMALL: 2x2xf32: 2.6576{{[0-9]*}}e-39, 0, 1, 0
func.func @complex_small_parts() -> (tensor<2xcomplex<f32>>, tensor<2xcomplex<f32>>, tensor<2xcomplex<f32>>, tensor<2xcomplex<f32>>,
    tensor<2xcomplex<f32>>) {
  %x = stablehlo.constant dense<[(0.5, 0.8660253882408142), (1.0e-12, 1.0)]> : tensor<2xcomplex<f32>>
  %log = stablehlo.log %x : tensor<2xcomplex<f32>>
  %y = stablehlo.constant dense<[(2.0e-26, 2.0e-13), (-1.77, 0.638)]> : tensor<2xcomplex<f32>>
  %log1p = stablehlo.log_plus_one %y : tensor<2xcomplex<f32>>
  %z = stablehlo.constant dense<[(30.0, 1.0), (-1000.0, 1.0)]> : tensor<2xcomplex<f32>>
  %tanh = stablehlo.tanh %z : tensor<2xcomplex<f32>>
  %u = stablehlo.constant dense<[(-1.0, 1.3232101636617699e-08), (1.0, 1.0e-20)]> : tensor<2xcomplex<f32>>
  %atanh = chlo.atanh %u : tensor<2xcomplex<f32>> -> tensor<2xcomplex<f32>>
  %v = stablehlo.constant dense<[(-88.8233642578125, 0.0), (200.0, 0.0)]> : tensor<2xcomplex<f32>>
  %logistic = stablehlo.logistic %v : tensor<2xcomplex<f32>>
  return %log, %log1p, %tanh, %atanh, %logistic : tensor<2xcomplex<f32>>, tensor<2xcomplex<f32>>, tensor<2xcomplex<f32>>,
    tensor<2xcomplex<f32>>, tensor<2xcomplex<f32>>
}

// So are those whose combiners have several operations; what uses the numbers of another tensor stays with that one.
// RUN: kiln-run %s --target=reference --entry=shared_inits --arg=f32:1 | FileCheck %s --check-prefix=SHARED
// RUN: kiln-run %s --target=cpu --entry=shared_inits --arg=f32:1 | FileCheck %s --check-prefix=SHARED
// SHARED: 2xf32: 6.5, -11.5
// SHARED: 2xf32: 3, 5
// SHARED: 2xf32: 6.5, -11.5
// SHARED: 2xf32: 3, -3
// SHARED: 2xi32: 2, 0
// SPLIT-LABEL: func.func @shared_inits
// SPLIT: prim.sum %{{.*}} dims [1]
// SPLIT: prim.reduce(%{{[0-9a-z_]+}}) inits
// SPLIT: prim.reduce(%{{[0-9a-z_]+}}, %{{[0-9a-z_]+}}) inits
func.func @shared_inits(%one: tensor<f32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xi32>) {
  %numbers = stablehlo.constant dense<[[1.0, 2.0, 3.0], [-3.0, -4.0, -5.0]]> : tensor<2x3xf32>
  %ones = stablehlo.broadcast_in_dim %one, dims = [] : (tensor<f32>) -> tensor<2x3xf32>
  %x = stablehlo.multiply %numbers, %ones : tensor<2x3xf32>
  %places = stablehlo.iota dim = 1 : tensor<2x3xi32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %half = stablehlo.constant dense<0.5> : tensor<f32>
  %least = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %none = stablehlo.constant dense<0> : tensor<i32>
  %y:2 = "stablehlo.reduce"(%x, %x, %half, %zero) <{dimensions = array<i64: 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<f32>, %d: tensor<f32>):
    %sum = stablehlo.add %a, %c : tensor<f32>
    %so_far = stablehlo.abs %b : tensor<f32>
    %size = stablehlo.abs %d : tensor<f32>
    %most = stablehlo.maximum %size, %so_far : tensor<f32>
    stablehlo.return %sum, %most : tensor<f32>, tensor<f32>
  }) : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<f32>, tensor<f32>) -> (tensor<2xf32>, tensor<2xf32>)
  %z:3 = "stablehlo.reduce"(%x, %x, %places, %least, %half, %none) <{dimensions = array<i64: 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>, %i: tensor<i32>, %c: tensor<f32>, %d: tensor<f32>, %j: tensor<i32>):
    %sum = stablehlo.add %b, %d : tensor<f32>
    %isMore = stablehlo.compare GE, %a, %c : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %most = stablehlo.select %isMore, %a, %c : tensor<i1>, tensor<f32>
    %place = stablehlo.select %isMore, %i, %j : tensor<i1>, tensor<i32>
    stablehlo.return %most, %sum, %place : tensor<f32>, tensor<f32>, tensor<i32>
  }) : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xi32>, tensor<f32>, tensor<f32>, tensor<i32>)
      -> (tensor<2xf32>, tensor<2xf32>, tensor<2xi32>)
  return %y#0, %y#1, %z#1, %z#0, %z#2 : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xi32>
}

// (89, 1.57), (-inf, inf), (2, 1), (-0.5, 0.25), (1e-6, 1e-6)
// RUN: kiln-run %s --target=reference --entry=complex_expm1 | FileCheck %s --check-prefix=EXPM1
// RUN: kiln-run %s --target=cpu --entry=complex_expm1 | FileCheck %s --check-prefix=EXPM1
// EXPM1: 5x2xf32: 3.5749{{[0-9]*}}e+35, inf, -1, 0, 2.99232{{[0-9]*}}, 6.21767{{[0-9]*}}, -0.412324{{[0-9]*}}, 0.150058{{[0-9]*}}, {{1e-06|9.99999[0-9]*e-07}}, {{1.00000[0-9]*}}e-06
func.func @complex_expm1() -> tensor<5xcomplex<f32>> {
  %x = stablehlo.constant dense<[(89.0, 1.57), (0xFF800000, 0x7F800000), (2.0, 1.0), (-0.5, 0.25), (1.0e-6, 1.0e-6)]> : tensor<5xcomplex<f32>>
  %r = stablehlo.exponential_minus_one %x : tensor<5xcomplex<f32>>
  return %r : tensor<5xcomplex<f32>>
}

// Directions of infinities, (-inf, 1), (inf, inf), (1, inf), (-inf, -inf), and of (-3e38, -2e38): values of numpy.
// RUN: kiln-run %s --target=reference --entry=infinite_inverses | FileCheck %s --check-prefix=INFINITE
// RUN: kiln-run %s --target=cpu --entry=infinite_inverses | FileCheck %s --check-prefix=INFINITE
// INFINITE: 6x2xf32: 1.57079{{[0-9]*}}, inf, -1.57079{{[0-9]*}}, inf, 0.785398{{[0-9]*}}, inf, 0, inf, -0.785398{{[0-9]*}}, -inf, -0.98279{{[0-9]*}}, -89.473{{[0-9]*}}
// INFINITE: 6x2xf32: 0, -inf, 3.14159{{[0-9]*}}, -inf, 0.785398{{[0-9]*}}, -inf, 1.57079{{[0-9]*}}, -inf, 2.35619{{[0-9]*}}, inf, 2.55359{{[0-9]*}}, 89.473{{[0-9]*}}
// INFINITE: 6x2xf32: inf, 0, inf, 3.14159{{[0-9]*}}, inf, 0.785398{{[0-9]*}}, inf, 1.57079{{[0-9]*}}, inf, -2.35619{{[0-9]*}}, 89.473{{[0-9]*}}, -2.55359{{[0-9]*}}
// INFINITE: 6x2xf32: inf, 0, -inf, 0, inf, 0.785398{{[0-9]*}}, inf, 1.57079{{[0-9]*}}, -inf, -0.785398{{[0-9]*}}, -89.473{{[0-9]*}}, -0.58800{{[0-9]*}}
func.func @infinite_inverses() -> (tensor<6xcomplex<f32>>, tensor<6xcomplex<f32>>, tensor<6xcomplex<f32>>, tensor<6xcomplex<f32>>) {
  %x = stablehlo.constant dense<[(0x7F800000, 1.0), (0xFF800000, 1.0), (0x7F800000, 0x7F800000), (1.0, 0x7F800000), (0xFF800000, 0xFF800000),
      (-3.0e+38, -2.0e+38)]> : tensor<6xcomplex<f32>>
  %asin = chlo.asin %x : tensor<6xcomplex<f32>> -> tensor<6xcomplex<f32>>
  %acos = chlo.acos %x : tensor<6xcomplex<f32>> -> tensor<6xcomplex<f32>>
  %acosh = chlo.acosh %x : tensor<6xcomplex<f32>> -> tensor<6xcomplex<f32>>
  %asinh = chlo.asinh %x : tensor<6xcomplex<f32>> -> tensor<6xcomplex<f32>>
  return %asin, %acos, %acosh, %asinh : tensor<6xcomplex<f32>>, tensor<6xcomplex<f32>>, tensor<6xcomplex<f32>>, tensor<6xcomplex<f32>>
}

// Bits are combined with an init that is not neutral once, not once for each lane.
// RUN: kiln-run %s --target=cpu --entry=bit_inits | FileCheck %s --check-prefix=BITS
// RUN: kiln-run %s --target=reference --entry=bit_inits | FileCheck %s --check-prefix=BITS
// BITS: 3xi8: 5, 2, 5
// BITS: 3xi8: 0, 2, 0
// BITS: i1: 0
func.func @bit_inits() -> (tensor<3xi8>, tensor<3xi8>, tensor<i1>) {
  %x = stablehlo.constant dense<[[1, 2, 3], [4, 6, 4], [1, 2, 1], [2, 7, 0]]> : tensor<4x3xi8>
  %three = stablehlo.constant dense<3> : tensor<i8>
  %two = stablehlo.constant dense<2> : tensor<i8>
  %a = stablehlo.reduce(%x init: %three) applies stablehlo.xor across dimensions = [0] : (tensor<4x3xi8>, tensor<i8>) -> tensor<3xi8>
  %b = stablehlo.reduce(%x init: %two) applies stablehlo.and across dimensions = [0] : (tensor<4x3xi8>, tensor<i8>) -> tensor<3xi8>
  %bits = stablehlo.constant dense<[false, true]> : tensor<2xi1>
  %true = stablehlo.constant dense<true> : tensor<i1>
  %c = stablehlo.reduce(%bits init: %true) applies stablehlo.xor across dimensions = [0] : (tensor<2xi1>, tensor<i1>) -> tensor<i1>
  return %a, %b, %c : tensor<3xi8>, tensor<3xi8>, tensor<i1>
}

// The angle of the origin, whose coordinates become constants only in the kernel.
// ANGLES: 0: f32: 0
// ANGLES: 1: f32: 3.14159{{[0-9]*}}
// ANGLES: 2: f32: -3.14159{{[0-9]*}}
// ANGLES: 3: f32: -0
func.func @angles(%a: tensor<i32>) -> (tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) {
  %none = stablehlo.xor %a, %a : tensor<i32>
  %zero = stablehlo.convert %none : (tensor<i32>) -> tensor<f32>
  %minus = stablehlo.negate %zero : tensor<f32>
  %0 = stablehlo.atan2 %zero, %zero : tensor<f32>
  %1 = stablehlo.atan2 %zero, %minus : tensor<f32>
  %2 = stablehlo.atan2 %minus, %minus : tensor<f32>
  %3 = stablehlo.atan2 %minus, %zero : tensor<f32>
  return %0, %1, %2, %3 : tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>
}
