// A result that the source calls unsigned is printed, written and compared as such.
// RUN: kiln-run %s --target=cpu --arg=zeros:u8:2 --result=0:%t.npy --result=1:%t.wide.npy --check | FileCheck %s
// RUN: %python -c "import numpy; print(repr(numpy.load('%t.npy')), repr(numpy.load('%t.wide.npy')))" | FileCheck %s --check-prefix=FILES
// RUN: kiln-run %s --target=reference --arg=zeros:i8:2 --expect=0:%t.npy --expect=1:%t.wide.npy | FileCheck %s --check-prefix=EXPECTED
// CHECK: result 0: ok: 2xu8
// CHECK: result 1: ok: 2xu64
// FILES: array([250,   3], dtype=uint8) array([18446744073709551615,{{ *}}5], dtype=uint64)
// EXPECTED: result 0: ok
// EXPECTED: result 1: ok
func.func @main(%x: tensor<2xui8>) -> (tensor<2xui8>, tensor<2xui64>) {
  %c = stablehlo.constant dense<[250, 3]> : tensor<2xui8>
  %r = stablehlo.maximum %x, %c : tensor<2xui8>
  %w = stablehlo.constant dense<[18446744073709551615, 5]> : tensor<2xui64>
  return %r, %w : tensor<2xui8>, tensor<2xui64>
}
