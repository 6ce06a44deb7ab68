// Threads that hold all sums of a large block take long for functions of many instructions, which are a kernel of their own where the product
// writes few bits. Of f32, or of few elements, they are the end of the product.
// RUN: kiln-opt %s -pass-pipeline='builtin.module(kiln-set-target{spec=nvidia:sm_90a},func.func(prim-fuse))' | FileCheck %s --check-prefix=GPU
// RUN: kiln-opt %s -pass-pipeline='builtin.module(kiln-set-target{spec=cpu},func.func(prim-fuse))' | FileCheck %s --check-prefix=CPU

// GPU-LABEL: func.func @long_epilogue
// GPU: prim.fusion contraction
// GPU: prim.convert_element_type {{.*}} -> tensor<4096x2048xf16>
// GPU: prim.fusion elementwise
// GPU: prim.erf
// CPU-LABEL: func.func @long_epilogue
// CPU: prim.fusion contraction
// CPU: prim.erf
// CPU-NOT: prim.fusion
func.func @long_epilogue(%a: tensor<4096x32xf16>, %b: tensor<32x2048xf16>) -> tensor<4096x2048xf16> {
  %d = prim.dot_general %a, %b batch [] x [] contract [1] x [0] : tensor<4096x32xf16>, tensor<32x2048xf16> -> tensor<4096x2048xf32>
  %n = prim.convert_element_type %d : tensor<4096x2048xf32> -> tensor<4096x2048xf16>
  %w = prim.convert_element_type %n : tensor<4096x2048xf16> -> tensor<4096x2048xf32>
  %e = prim.erf %w : tensor<4096x2048xf32>
  %r = prim.convert_element_type %e : tensor<4096x2048xf32> -> tensor<4096x2048xf16>
  return %r : tensor<4096x2048xf16>
}

// GPU-LABEL: func.func @long_gradient
// GPU: prim.fusion contraction
// GPU-NOT: prim.erf
// GPU: prim.fusion elementwise
// GPU: prim.erf
// CPU-LABEL: func.func @long_gradient
func.func @long_gradient(%a: tensor<4096x32xf16>, %b: tensor<32x2048xf16>, %x: tensor<4096x2048xf32>) -> tensor<4096x2048xf16> {
  %d = prim.dot_general %a, %b batch [] x [] contract [1] x [0] : tensor<4096x32xf16>, tensor<32x2048xf16> -> tensor<4096x2048xf16>
  %w = prim.convert_element_type %d : tensor<4096x2048xf16> -> tensor<4096x2048xf32>
  %e = prim.erf %x : tensor<4096x2048xf32>
  %m = prim.mul %w, %e : tensor<4096x2048xf32>
  %r = prim.convert_element_type %m : tensor<4096x2048xf32> -> tensor<4096x2048xf16>
  return %r : tensor<4096x2048xf16>
}

// GPU-LABEL: func.func @wide_epilogue
// CPU-LABEL: func.func @wide_epilogue
// GPU: prim.fusion contraction
// GPU: prim.erf
// GPU-NOT: prim.fusion
func.func @wide_epilogue(%a: tensor<4096x32xf32>, %b: tensor<32x2048xf32>) -> tensor<4096x2048xf32> {
  %d = prim.dot_general %a, %b batch [] x [] contract [1] x [0] : tensor<4096x32xf32>, tensor<32x2048xf32> -> tensor<4096x2048xf32>
  %e = prim.erf %d : tensor<4096x2048xf32>
  return %e : tensor<4096x2048xf32>
}

// A mask has few bits, but the function reads f32: apart, f32 would be written and read again.
// GPU-LABEL: func.func @masked
// CPU-LABEL: func.func @masked
// GPU: prim.fusion contraction
// GPU: prim.erf
// GPU-NOT: prim.fusion
func.func @masked(%a: tensor<4096x32xf32>, %b: tensor<32x2048xf32>) -> tensor<4096x2048xf32> {
  %z = prim.full 0.0 : f32 : tensor<4096x2048xf32>
  %d = prim.dot_general %a, %b batch [] x [] contract [1] x [0] : tensor<4096x32xf32>, tensor<32x2048xf32> -> tensor<4096x2048xf32>
  %e = prim.erf %d : tensor<4096x2048xf32>
  %c = prim.gt %d, %z : tensor<4096x2048xf32> -> tensor<4096x2048xi1>
  %r = prim.where %c, %e, %z : tensor<4096x2048xi1>, tensor<4096x2048xf32>
  return %r : tensor<4096x2048xf32>
}

// What is rounded behind the function does not make its operand any smaller.
// GPU-LABEL: func.func @rounded_later
// CPU-LABEL: func.func @rounded_later
// GPU: prim.fusion contraction
// GPU: prim.erf
// GPU-NOT: prim.fusion
func.func @rounded_later(%a: tensor<4096x32xf16>, %b: tensor<32x2048xf16>, %x: tensor<4096x2048xf16>) -> tensor<4096x2048xf16> {
  %d = prim.dot_general %a, %b batch [] x [] contract [1] x [0] : tensor<4096x32xf16>, tensor<32x2048xf16> -> tensor<4096x2048xf32>
  %e = prim.erf %d : tensor<4096x2048xf32>
  %n = prim.convert_element_type %e : tensor<4096x2048xf32> -> tensor<4096x2048xf16>
  %r = prim.add %n, %x : tensor<4096x2048xf16>
  return %r : tensor<4096x2048xf16>
}

// GPU-LABEL: func.func @few
// GPU: prim.fusion contraction
// GPU: prim.erf
// GPU-NOT: prim.fusion
func.func @few(%a: tensor<128x32xf16>, %b: tensor<32x2048xf16>) -> tensor<128x2048xf16> {
  %d = prim.dot_general %a, %b batch [] x [] contract [1] x [0] : tensor<128x32xf16>, tensor<32x2048xf16> -> tensor<128x2048xf16>
  %w = prim.convert_element_type %d : tensor<128x2048xf16> -> tensor<128x2048xf32>
  %e = prim.erf %w : tensor<128x2048xf32>
  %r = prim.convert_element_type %e : tensor<128x2048xf32> -> tensor<128x2048xf16>
  return %r : tensor<128x2048xf16>
}
