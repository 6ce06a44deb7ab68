// Both sides of a condition that depends on data are computed: what only the side that is taken may do does no harm.
// RUN: kiln-run %s --target=cpu --check --entry=element --arg=random:1:f32:8 --arg=i64:3 | FileCheck %s
// RUN: kiln-run %s --target=cpu --check --entry=element --arg=random:1:f32:8 --arg=i64:1000000000000 | FileCheck %s
// RUN: kiln-run %s --target=cpu --check --entry=element --arg=random:1:f32:8 --arg=i64:-5 | FileCheck %s
// RUN: kiln-run %s --target=cpu --check --entry=slice --arg=random:1:f32:8 --arg=i64:7 | FileCheck %s
// RUN: kiln-run %s --target=cpu --check --entry=slice --arg=random:1:f32:8 --arg=i64:2 | FileCheck %s
// RUN: kiln-run %s --target=cpu --check --entry=quotient --arg=i64:9 --arg=i64:0 | FileCheck %s
// RUN: kiln-run %s --target=cpu --check --entry=quotient --arg=i64:9 --arg=i64:2 | FileCheck %s
// RUN: kiln-opt %s --convert-tosa-to-prim | FileCheck %s --check-prefix=PRIM
// CHECK: result 0: ok

// PRIM-LABEL: func.func @element
// PRIM: %[[INSIDE:.*]] = prim.clamp
// PRIM: prim.gather %{{.*}}, %[[INSIDE]]
func.func @element(%x: tensor<8xf32>, %i: i64) -> tensor<f32> {
  %c8 = arith.constant 8 : index
  %zero = arith.constant 0.0 : f32
  %at = arith.index_cast %i : i64 to index
  %inside = arith.cmpi ult, %at, %c8 : index
  %r = scf.if %inside -> f32 {
    %v = tensor.extract %x[%at] : tensor<8xf32>
    scf.yield %v : f32
  } else {
    scf.yield %zero : f32
  }
  %t = tensor.from_elements %r : tensor<f32>
  return %t : tensor<f32>
}

// PRIM-LABEL: func.func @slice
func.func @slice(%x: tensor<8xf32>, %i: i64) -> tensor<4xf32> {
  %c5 = arith.constant 5 : index
  %at = arith.index_cast %i : i64 to index
  %inside = arith.cmpi ult, %at, %c5 : index
  %r = scf.if %inside -> tensor<4xf32> {
    %v = tensor.extract_slice %x[%at] [4] [1] : tensor<8xf32> to tensor<4xf32>
    scf.yield %v : tensor<4xf32>
  } else {
    %v = tensor.extract_slice %x[0] [4] [1] : tensor<8xf32> to tensor<4xf32>
    scf.yield %v : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// PRIM-LABEL: func.func @quotient
func.func @quotient(%x: i64, %y: i64) -> tensor<i64> {
  %zero = arith.constant 0 : i64
  %some = arith.cmpi ne, %y, %zero : i64
  %r = scf.if %some -> i64 {
    %v = arith.divsi %x, %y : i64
    scf.yield %v : i64
  } else {
    scf.yield %zero : i64
  }
  %t = tensor.from_elements %r : tensor<i64>
  return %t : tensor<i64>
}
