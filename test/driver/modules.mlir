// A file of several modules is the program in the one that holds functions.

// RUN: split-file %s %t
// RUN: kiln-run %t/beside.mlir --target=cpu --check | FileCheck %s --check-prefix=OK
// RUN: kiln-run %t/beside.mlir --target=cpu --check --entry=main | FileCheck %s --check-prefix=OK
// RUN: kiln-run %t/wrapped.mlir --target=cpu --check | FileCheck %s --check-prefix=OK
// RUN: not kiln-compile %t/several.mlir --target=cpu -o %t.kiln 2>&1 | FileCheck %s --check-prefix=SEVERAL
// RUN: not kiln-compile %t/none.mlir --target=cpu -o %t.kiln 2>&1 | FileCheck %s --check-prefix=NONE

// OK: result 0: ok: 4xf32
// SEVERAL: several.mlir:2:1: error: unsupported: functions in several modules of one file
// NONE: none.mlir:1:1: error: expected a function or a kernel with a body, found no more than 'func.func'

//--- beside.mlir
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    transform.yield
  }
}
module @payload attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @k() kernel { gpu.return }
  }
  func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
    %0 = call @helper(%x) : (tensor<4xf32>) -> tensor<4xf32>
    return %0 : tensor<4xf32>
  }
  func.func private @helper(%x: tensor<4xf32>) -> tensor<4xf32> {
    %0 = tosa.exp %x : (tensor<4xf32>) -> tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}

//--- wrapped.mlir
module {
  module {
    module attributes {dlti.dl_spec = #dlti.dl_spec<index = 64 : i32>} {
      func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
        %0 = tosa.exp %x : (tensor<4xf32>) -> tensor<4xf32>
        return %0 : tensor<4xf32>
      }
    }
  }
}

//--- several.mlir
module { func.func @a(%x: tensor<4xf32>) -> tensor<4xf32> { return %x : tensor<4xf32> } }
module { func.func @b(%x: tensor<4xf32>) -> tensor<4xf32> { return %x : tensor<4xf32> } }

//--- none.mlir
func.func private @elsewhere(tensor<4xf32>) -> tensor<4xf32>
