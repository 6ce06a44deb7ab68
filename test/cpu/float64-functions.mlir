// Where the C library errs by three units in the last place or more, functions of f64 are right to one.
// RUN: rm -rf %t && mkdir -p %t && cd %t
// RUN: %python -c "import numpy as np; h = float.fromhex; np.save('x.npy', [h('0x1.3f9a6a7364519p+0'), 1.0, -0.0, np.inf, -np.inf, np.nan, 5e-324, 27.0]); np.save('y.npy', [-h('0x1.a64028f718f7ap-8'), 1.0, -0.0, np.inf, -np.inf, np.nan, 5e-324, 27.0])"
// RUN: kiln-run %s --target=cpu --arg=x.npy --arg=y.npy --result=0:erfc.npy --result=1:cbrt.npy
// RUN: %python %S/Inputs/float64-functions.py | FileCheck %s
// CHECK: 16 of 16 as they should be
func.func @main(%x: tensor<8xf64>, %y: tensor<8xf64>) -> (tensor<8xf64>, tensor<8xf64>) {
  %0 = prim.erfc %x : tensor<8xf64>
  %1 = prim.cbrt %y : tensor<8xf64>
  return %0, %1 : tensor<8xf64>, tensor<8xf64>
}
