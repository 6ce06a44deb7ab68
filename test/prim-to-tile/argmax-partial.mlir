// The largest of three elements in blocks of four: the fourth place is no element, and lower than all of them.
// RUN: kiln-opt %s --pass-pipeline='builtin.module(kiln-set-target{spec=nvidia:sm_90a},func.func(prim-fuse),convert-prim-to-tile)' | FileCheck %s
// RUN: %python -c "import numpy; numpy.save('%t.npy', numpy.array([[-3, -1, -2], [-5, -7, -6]], numpy.float32)); numpy.save('%t.want.npy', numpy.array([1, 0], numpy.int64))"
// RUN: kiln-run %s --target=amd:gfx942,device=sim --arg=%t.npy --check --expect 0:%t.want.npy | FileCheck %s --check-prefix=RIGHT
// RIGHT: ok: 2xi64

// CHECK: tile.kernel private @main_0_argmax
// CHECK: dense<0xFF800000> : tensor<{{.*}}xf32>
func.func @main(%x: tensor<2x3xf32>) -> tensor<2xi64> {
  %r = prim.argmax %x dim 1 : tensor<2x3xf32> -> tensor<2xi64>
  return %r : tensor<2xi64>
}
