// Shardy's operations beside StableHLO: what is printed reads the same, and on one device they hand on what they are given.
// RUN: kiln-opt %s | kiln-opt | FileCheck %s
// RUN: kiln-opt %s --emit-bytecode | kiln-opt | FileCheck %s
// RUN: kiln-compile %s --target=reference --emit=prim -o - | FileCheck %s --check-prefix=PRIM

// CHECK: sdy.mesh @empty = <[]>
sdy.mesh @empty = <[]>
// CHECK: sdy.mesh @one = <["x"=1, "y"=1], device_ids=[3]>
sdy.mesh @one = <["x"=1, "y"=1], device_ids=[3]>
// CHECK: sdy.mesh @grid = <["x"=2, "y"=4]>
sdy.mesh @grid = <["x"=2, "y"=4]>

// CHECK-LABEL: func.func @main
// CHECK-SAME: sdy.sharding = #sdy.sharding<@grid, [{"x"}, {?}]>
// PRIM-LABEL: func.func @main
func.func @main(%a: tensor<4x8xui32> {sdy.sharding = #sdy.sharding<@grid, [{"x"}, {?}]>}, %b: tensor<4x8xf32>) -> (tensor<4x8xui32>, tensor<4x8xf32>) {
  // CHECK: sdy.sharding_constraint %{{.*}} <@empty, [{}, {"x", ?}p1]> : tensor<4x8xui32>
  %0 = sdy.sharding_constraint %a <@empty, [{}, {"x", ?}p1]> : tensor<4x8xui32>
  // CHECK: sdy.reshard %{{.*}} <@grid, [{"y":(2)2}, {}], replicated={"x"}> : tensor<4x8xf32>
  %1 = sdy.reshard %b <@grid, [{"y":(2)2}, {}], replicated={"x"}> : tensor<4x8xf32>
  // CHECK: sdy.manual_computation(%{{.*}}) in_shardings=[<@one, [{"x"}, {}]>] out_shardings=[<@one, [{}, {}], unreduced={"y"}>] manual_axes={"x", "y"} (%{{.*}}: tensor<4x8xf32>) {
  // PRIM: prim.exp
  %2 = sdy.manual_computation(%1) in_shardings=[<@one, [{"x"}, {}]>] out_shardings=[<@one, [{}, {}], unreduced={"y"}>] manual_axes={"x", "y"} (%part: tensor<4x8xf32>) {
    %3 = stablehlo.exponential %part : tensor<4x8xf32>
    // CHECK: sdy.return %{{.*}} : tensor<4x8xf32>
    sdy.return %3 : tensor<4x8xf32>
  } : (tensor<4x8xf32>) -> tensor<4x8xf32>
  // PRIM: return %{{.*}}, %{{.*}} : tensor<4x8xi32>, tensor<4x8xf32>
  return %0, %2 : tensor<4x8xui32>, tensor<4x8xf32>
}
