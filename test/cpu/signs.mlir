// Signs of single 16-bit floats, which are constants of 16 bits with the highest one set.
// RUN: kiln-run %s --target=cpu --check | FileCheck %s
// CHECK: result 0: ok: bf16
// CHECK: result 1: ok: f16
func.func @signs(%x: tensor<2x3xbf16>, %y: tensor<2x3xf16>, %i: tensor<2x1xi64>) -> (tensor<bf16>, tensor<f16>) {
  %0 = prim.gather %x, %i dim 1 batch_dims 1 : tensor<2x3xbf16>, tensor<2x1xi64> -> tensor<2x1xbf16>
  %1 = prim.neg %0 : tensor<2x1xbf16>
  %2 = prim.sum %1 dims [0, 1] : tensor<2x1xbf16> -> tensor<bf16>
  %3 = prim.gather %y, %i dim 1 batch_dims 1 : tensor<2x3xf16>, tensor<2x1xi64> -> tensor<2x1xf16>
  %4 = prim.neg %3 : tensor<2x1xf16>
  %5 = prim.sum %4 dims [0, 1] : tensor<2x1xf16> -> tensor<f16>
  return %2, %5 : tensor<bf16>, tensor<f16>
}
