// kiln-isolate-kernels leaves the kernels of a module, each public.
// RUN: kiln-opt %s --pass-pipeline='builtin.module(func.func(prim-fuse),convert-prim-to-tile,kiln-isolate-kernels)' | FileCheck %s --implicit-check-not=program.func
// RUN: kiln-opt %s --pass-pipeline='builtin.module(func.func(prim-fuse),convert-prim-to-tile,kiln-isolate-kernels{for-target=true})' | FileCheck %s --check-prefix=TARGET

// CHECK: tile.kernel @
// TARGET: tile.kernel @{{.*}}kiln.reported = {function = "negate"}
func.func @negate(%a: tensor<4xf32>) -> tensor<4xf32> {
  %r = prim.neg %a : tensor<4xf32>
  return %r : tensor<4xf32>
}
