// Scans that a program has as a recursion, as jax.lax.associative_scan writes it, are one kernel each.
// RUN: kiln-compile %s --frontend=stablehlo --target=cpu --no-fallback --explain --emit=program -o %t.program | FileCheck %s
// RUN: kiln-opt %s --convert-stablehlo-to-prim | FileCheck %s --check-prefix=TURNS --implicit-check-not=interior
// RUN: for entry in recurrence last_only reversed segments other; do \
// RUN:   kiln-run %s --target=cpu --check --entry=$entry || exit 1; \
// RUN:   kiln-run %s --target=amd:gfx942,device=sim --check --entry=$entry || exit 1; done

// Tensors whose elements take turns are joined, without zeros between elements.
// TURNS-LABEL: func.func @recurrence
// TURNS: prim.cat {{.*}} dim 1 : tensor<1x1x3xi32>, tensor<1x1x3xi32> -> tensor<1x2x3xi32>
// TURNS: prim.cat {{.*}} dim 1 : tensor<6x1x3xi32>, tensor<6x1x3xi32> -> tensor<6x2x3xi32>

// CHECK-LABEL: function recurrence
// CHECK: prim.claim -> generic.associative_scan
// CHECK-LABEL: function last_only
// CHECK: prim.claim -> generic.associative_scan
// CHECK-LABEL: function reversed
// CHECK: prim.claim -> generic.associative_scan
// CHECK-LABEL: function segments
// CHECK: prim.claim -> generic.associative_scan
// The function of the last level is another one.
// CHECK-LABEL: function other
// CHECK-NOT: generic.associative_scan
func.func @recurrence(%arg0: tensor<11x3xi32>, %arg1: tensor<11x3xi32>) -> (tensor<11x3xi32>, tensor<11x3xi32>) {
  %0 = stablehlo.slice %arg0 [0:10:2, 0:3] : (tensor<11x3xi32>) -> tensor<5x3xi32>
  %1 = stablehlo.slice %arg1 [0:10:2, 0:3] : (tensor<11x3xi32>) -> tensor<5x3xi32>
  %2 = stablehlo.slice %arg0 [1:11:2, 0:3] : (tensor<11x3xi32>) -> tensor<5x3xi32>
  %3 = stablehlo.slice %arg1 [1:11:2, 0:3] : (tensor<11x3xi32>) -> tensor<5x3xi32>
  %4 = stablehlo.multiply %0, %2 : tensor<5x3xi32>
  %5 = stablehlo.multiply %2, %1 : tensor<5x3xi32>
  %6 = stablehlo.add %5, %3 : tensor<5x3xi32>
  %7 = stablehlo.slice %4 [0:4:2, 0:3] : (tensor<5x3xi32>) -> tensor<2x3xi32>
  %8 = stablehlo.slice %6 [0:4:2, 0:3] : (tensor<5x3xi32>) -> tensor<2x3xi32>
  %9 = stablehlo.slice %4 [1:5:2, 0:3] : (tensor<5x3xi32>) -> tensor<2x3xi32>
  %10 = stablehlo.slice %6 [1:5:2, 0:3] : (tensor<5x3xi32>) -> tensor<2x3xi32>
  %11 = stablehlo.multiply %7, %9 : tensor<2x3xi32>
  %12 = stablehlo.multiply %9, %8 : tensor<2x3xi32>
  %13 = stablehlo.add %12, %10 : tensor<2x3xi32>
  %14 = stablehlo.slice %11 [0:1:2, 0:3] : (tensor<2x3xi32>) -> tensor<1x3xi32>
  %15 = stablehlo.slice %13 [0:1:2, 0:3] : (tensor<2x3xi32>) -> tensor<1x3xi32>
  %16 = stablehlo.slice %11 [1:2:2, 0:3] : (tensor<2x3xi32>) -> tensor<1x3xi32>
  %17 = stablehlo.slice %13 [1:2:2, 0:3] : (tensor<2x3xi32>) -> tensor<1x3xi32>
  %18 = stablehlo.multiply %14, %16 : tensor<1x3xi32>
  %19 = stablehlo.multiply %16, %15 : tensor<1x3xi32>
  %20 = stablehlo.add %19, %17 : tensor<1x3xi32>
  %21 = stablehlo.slice %18 [0:0, 0:3] : (tensor<1x3xi32>) -> tensor<0x3xi32>
  %22 = stablehlo.slice %20 [0:0, 0:3] : (tensor<1x3xi32>) -> tensor<0x3xi32>
  %23 = stablehlo.slice %11 [2:2:2, 0:3] : (tensor<2x3xi32>) -> tensor<0x3xi32>
  %24 = stablehlo.slice %13 [2:2:2, 0:3] : (tensor<2x3xi32>) -> tensor<0x3xi32>
  %25 = stablehlo.multiply %21, %23 : tensor<0x3xi32>
  %26 = stablehlo.multiply %23, %22 : tensor<0x3xi32>
  %27 = stablehlo.add %26, %24 : tensor<0x3xi32>
  %28 = stablehlo.slice %11 [0:1, 0:3] : (tensor<2x3xi32>) -> tensor<1x3xi32>
  %29 = stablehlo.concatenate %28, %25, dim = 0 : (tensor<1x3xi32>, tensor<0x3xi32>) -> tensor<1x3xi32>
  %30 = stablehlo.slice %13 [0:1, 0:3] : (tensor<2x3xi32>) -> tensor<1x3xi32>
  %31 = stablehlo.concatenate %30, %27, dim = 0 : (tensor<1x3xi32>, tensor<0x3xi32>) -> tensor<1x3xi32>
  %c = stablehlo.constant dense<0> : tensor<i32>
  %32 = stablehlo.pad %29, %c, low = [0, 0], high = [1, 0], interior = [1, 0] : (tensor<1x3xi32>, tensor<i32>) -> tensor<2x3xi32>
  %c_0 = stablehlo.constant dense<0> : tensor<i32>
  %33 = stablehlo.pad %18, %c_0, low = [1, 0], high = [0, 0], interior = [1, 0] : (tensor<1x3xi32>, tensor<i32>) -> tensor<2x3xi32>
  %34 = stablehlo.add %32, %33 : tensor<2x3xi32>
  %c_1 = stablehlo.constant dense<0> : tensor<i32>
  %35 = stablehlo.pad %31, %c_1, low = [0, 0], high = [1, 0], interior = [1, 0] : (tensor<1x3xi32>, tensor<i32>) -> tensor<2x3xi32>
  %c_2 = stablehlo.constant dense<0> : tensor<i32>
  %36 = stablehlo.pad %20, %c_2, low = [1, 0], high = [0, 0], interior = [1, 0] : (tensor<1x3xi32>, tensor<i32>) -> tensor<2x3xi32>
  %37 = stablehlo.add %35, %36 : tensor<2x3xi32>
  %38 = stablehlo.slice %4 [2:5:2, 0:3] : (tensor<5x3xi32>) -> tensor<2x3xi32>
  %39 = stablehlo.slice %6 [2:5:2, 0:3] : (tensor<5x3xi32>) -> tensor<2x3xi32>
  %40 = stablehlo.multiply %34, %38 : tensor<2x3xi32>
  %41 = stablehlo.multiply %38, %37 : tensor<2x3xi32>
  %42 = stablehlo.add %41, %39 : tensor<2x3xi32>
  %43 = stablehlo.slice %4 [0:1, 0:3] : (tensor<5x3xi32>) -> tensor<1x3xi32>
  %44 = stablehlo.concatenate %43, %40, dim = 0 : (tensor<1x3xi32>, tensor<2x3xi32>) -> tensor<3x3xi32>
  %45 = stablehlo.slice %6 [0:1, 0:3] : (tensor<5x3xi32>) -> tensor<1x3xi32>
  %46 = stablehlo.concatenate %45, %42, dim = 0 : (tensor<1x3xi32>, tensor<2x3xi32>) -> tensor<3x3xi32>
  %c_3 = stablehlo.constant dense<0> : tensor<i32>
  %47 = stablehlo.pad %44, %c_3, low = [0, 0], high = [0, 0], interior = [1, 0] : (tensor<3x3xi32>, tensor<i32>) -> tensor<5x3xi32>
  %c_4 = stablehlo.constant dense<0> : tensor<i32>
  %48 = stablehlo.pad %34, %c_4, low = [1, 0], high = [1, 0], interior = [1, 0] : (tensor<2x3xi32>, tensor<i32>) -> tensor<5x3xi32>
  %49 = stablehlo.add %47, %48 : tensor<5x3xi32>
  %c_5 = stablehlo.constant dense<0> : tensor<i32>
  %50 = stablehlo.pad %46, %c_5, low = [0, 0], high = [0, 0], interior = [1, 0] : (tensor<3x3xi32>, tensor<i32>) -> tensor<5x3xi32>
  %c_6 = stablehlo.constant dense<0> : tensor<i32>
  %51 = stablehlo.pad %37, %c_6, low = [1, 0], high = [1, 0], interior = [1, 0] : (tensor<2x3xi32>, tensor<i32>) -> tensor<5x3xi32>
  %52 = stablehlo.add %50, %51 : tensor<5x3xi32>
  %53 = stablehlo.slice %arg0 [2:11:2, 0:3] : (tensor<11x3xi32>) -> tensor<5x3xi32>
  %54 = stablehlo.slice %arg1 [2:11:2, 0:3] : (tensor<11x3xi32>) -> tensor<5x3xi32>
  %55 = stablehlo.multiply %49, %53 : tensor<5x3xi32>
  %56 = stablehlo.multiply %53, %52 : tensor<5x3xi32>
  %57 = stablehlo.add %56, %54 : tensor<5x3xi32>
  %58 = stablehlo.slice %arg0 [0:1, 0:3] : (tensor<11x3xi32>) -> tensor<1x3xi32>
  %59 = stablehlo.concatenate %58, %55, dim = 0 : (tensor<1x3xi32>, tensor<5x3xi32>) -> tensor<6x3xi32>
  %60 = stablehlo.slice %arg1 [0:1, 0:3] : (tensor<11x3xi32>) -> tensor<1x3xi32>
  %61 = stablehlo.concatenate %60, %57, dim = 0 : (tensor<1x3xi32>, tensor<5x3xi32>) -> tensor<6x3xi32>
  %c_7 = stablehlo.constant dense<0> : tensor<i32>
  %62 = stablehlo.pad %59, %c_7, low = [0, 0], high = [0, 0], interior = [1, 0] : (tensor<6x3xi32>, tensor<i32>) -> tensor<11x3xi32>
  %c_8 = stablehlo.constant dense<0> : tensor<i32>
  %63 = stablehlo.pad %49, %c_8, low = [1, 0], high = [1, 0], interior = [1, 0] : (tensor<5x3xi32>, tensor<i32>) -> tensor<11x3xi32>
  %64 = stablehlo.add %62, %63 : tensor<11x3xi32>
  %c_9 = stablehlo.constant dense<0> : tensor<i32>
  %65 = stablehlo.pad %61, %c_9, low = [0, 0], high = [0, 0], interior = [1, 0] : (tensor<6x3xi32>, tensor<i32>) -> tensor<11x3xi32>
  %c_10 = stablehlo.constant dense<0> : tensor<i32>
  %66 = stablehlo.pad %52, %c_10, low = [1, 0], high = [1, 0], interior = [1, 0] : (tensor<5x3xi32>, tensor<i32>) -> tensor<11x3xi32>
  %67 = stablehlo.add %65, %66 : tensor<11x3xi32>
  return %64, %67 : tensor<11x3xi32>, tensor<11x3xi32>
}
func.func @last_only(%arg0: tensor<2x12xi32>, %arg1: tensor<2x12xi32>) -> (tensor<2x12xi32>) {
  %0 = stablehlo.slice %arg0 [0:2, 0:11:2] : (tensor<2x12xi32>) -> tensor<2x6xi32>
  %1 = stablehlo.slice %arg1 [0:2, 0:11:2] : (tensor<2x12xi32>) -> tensor<2x6xi32>
  %2 = stablehlo.slice %arg0 [0:2, 1:12:2] : (tensor<2x12xi32>) -> tensor<2x6xi32>
  %3 = stablehlo.slice %arg1 [0:2, 1:12:2] : (tensor<2x12xi32>) -> tensor<2x6xi32>
  %4 = stablehlo.multiply %0, %2 : tensor<2x6xi32>
  %5 = stablehlo.multiply %2, %1 : tensor<2x6xi32>
  %6 = stablehlo.add %5, %3 : tensor<2x6xi32>
  %7 = stablehlo.slice %4 [0:2, 0:5:2] : (tensor<2x6xi32>) -> tensor<2x3xi32>
  %8 = stablehlo.slice %6 [0:2, 0:5:2] : (tensor<2x6xi32>) -> tensor<2x3xi32>
  %9 = stablehlo.slice %4 [0:2, 1:6:2] : (tensor<2x6xi32>) -> tensor<2x3xi32>
  %10 = stablehlo.slice %6 [0:2, 1:6:2] : (tensor<2x6xi32>) -> tensor<2x3xi32>
  %11 = stablehlo.multiply %7, %9 : tensor<2x3xi32>
  %12 = stablehlo.multiply %9, %8 : tensor<2x3xi32>
  %13 = stablehlo.add %12, %10 : tensor<2x3xi32>
  %14 = stablehlo.slice %13 [0:2, 0:2:2] : (tensor<2x3xi32>) -> tensor<2x1xi32>
  %15 = stablehlo.slice %11 [0:2, 1:3:2] : (tensor<2x3xi32>) -> tensor<2x1xi32>
  %16 = stablehlo.slice %13 [0:2, 1:3:2] : (tensor<2x3xi32>) -> tensor<2x1xi32>
  %17 = stablehlo.multiply %15, %14 : tensor<2x1xi32>
  %18 = stablehlo.add %17, %16 : tensor<2x1xi32>
  %19 = stablehlo.slice %11 [0:2, 2:3:2] : (tensor<2x3xi32>) -> tensor<2x1xi32>
  %20 = stablehlo.slice %13 [0:2, 2:3:2] : (tensor<2x3xi32>) -> tensor<2x1xi32>
  %21 = stablehlo.multiply %19, %18 : tensor<2x1xi32>
  %22 = stablehlo.add %21, %20 : tensor<2x1xi32>
  %23 = stablehlo.slice %13 [0:2, 0:1] : (tensor<2x3xi32>) -> tensor<2x1xi32>
  %24 = stablehlo.concatenate %23, %22, dim = 1 : (tensor<2x1xi32>, tensor<2x1xi32>) -> tensor<2x2xi32>
  %c = stablehlo.constant dense<0> : tensor<i32>
  %25 = stablehlo.pad %24, %c, low = [0, 0], high = [0, 0], interior = [0, 1] : (tensor<2x2xi32>, tensor<i32>) -> tensor<2x3xi32>
  %c_0 = stablehlo.constant dense<0> : tensor<i32>
  %26 = stablehlo.pad %18, %c_0, low = [0, 1], high = [0, 1], interior = [0, 1] : (tensor<2x1xi32>, tensor<i32>) -> tensor<2x3xi32>
  %27 = stablehlo.add %25, %26 : tensor<2x3xi32>
  %28 = stablehlo.slice %27 [0:2, 0:2] : (tensor<2x3xi32>) -> tensor<2x2xi32>
  %29 = stablehlo.slice %4 [0:2, 2:6:2] : (tensor<2x6xi32>) -> tensor<2x2xi32>
  %30 = stablehlo.slice %6 [0:2, 2:6:2] : (tensor<2x6xi32>) -> tensor<2x2xi32>
  %31 = stablehlo.multiply %29, %28 : tensor<2x2xi32>
  %32 = stablehlo.add %31, %30 : tensor<2x2xi32>
  %33 = stablehlo.slice %6 [0:2, 0:1] : (tensor<2x6xi32>) -> tensor<2x1xi32>
  %34 = stablehlo.concatenate %33, %32, dim = 1 : (tensor<2x1xi32>, tensor<2x2xi32>) -> tensor<2x3xi32>
  %c_1 = stablehlo.constant dense<0> : tensor<i32>
  %35 = stablehlo.pad %34, %c_1, low = [0, 0], high = [0, 1], interior = [0, 1] : (tensor<2x3xi32>, tensor<i32>) -> tensor<2x6xi32>
  %c_2 = stablehlo.constant dense<0> : tensor<i32>
  %36 = stablehlo.pad %27, %c_2, low = [0, 1], high = [0, 0], interior = [0, 1] : (tensor<2x3xi32>, tensor<i32>) -> tensor<2x6xi32>
  %37 = stablehlo.add %35, %36 : tensor<2x6xi32>
  %38 = stablehlo.slice %37 [0:2, 0:5] : (tensor<2x6xi32>) -> tensor<2x5xi32>
  %39 = stablehlo.slice %arg0 [0:2, 2:12:2] : (tensor<2x12xi32>) -> tensor<2x5xi32>
  %40 = stablehlo.slice %arg1 [0:2, 2:12:2] : (tensor<2x12xi32>) -> tensor<2x5xi32>
  %41 = stablehlo.multiply %39, %38 : tensor<2x5xi32>
  %42 = stablehlo.add %41, %40 : tensor<2x5xi32>
  %43 = stablehlo.slice %arg1 [0:2, 0:1] : (tensor<2x12xi32>) -> tensor<2x1xi32>
  %44 = stablehlo.concatenate %43, %42, dim = 1 : (tensor<2x1xi32>, tensor<2x5xi32>) -> tensor<2x6xi32>
  %c_3 = stablehlo.constant dense<0> : tensor<i32>
  %45 = stablehlo.pad %44, %c_3, low = [0, 0], high = [0, 1], interior = [0, 1] : (tensor<2x6xi32>, tensor<i32>) -> tensor<2x12xi32>
  %c_4 = stablehlo.constant dense<0> : tensor<i32>
  %46 = stablehlo.pad %37, %c_4, low = [0, 1], high = [0, 0], interior = [0, 1] : (tensor<2x6xi32>, tensor<i32>) -> tensor<2x12xi32>
  %47 = stablehlo.add %45, %46 : tensor<2x12xi32>
  return %47 : tensor<2x12xi32>
}
func.func @reversed(%arg0: tensor<3x13xi32>) -> (tensor<3x13xi32>) {
  %0 = stablehlo.reverse %arg0, dims = [1] : tensor<3x13xi32>
  %1 = stablehlo.slice %0 [0:3, 0:12:2] : (tensor<3x13xi32>) -> tensor<3x6xi32>
  %2 = stablehlo.slice %0 [0:3, 1:13:2] : (tensor<3x13xi32>) -> tensor<3x6xi32>
  %3 = stablehlo.add %1, %2 : tensor<3x6xi32>
  %4 = stablehlo.slice %3 [0:3, 0:5:2] : (tensor<3x6xi32>) -> tensor<3x3xi32>
  %5 = stablehlo.slice %3 [0:3, 1:6:2] : (tensor<3x6xi32>) -> tensor<3x3xi32>
  %6 = stablehlo.add %4, %5 : tensor<3x3xi32>
  %7 = stablehlo.slice %6 [0:3, 0:2:2] : (tensor<3x3xi32>) -> tensor<3x1xi32>
  %8 = stablehlo.slice %6 [0:3, 1:3:2] : (tensor<3x3xi32>) -> tensor<3x1xi32>
  %9 = stablehlo.add %7, %8 : tensor<3x1xi32>
  %10 = stablehlo.slice %6 [0:3, 2:3:2] : (tensor<3x3xi32>) -> tensor<3x1xi32>
  %11 = stablehlo.add %9, %10 : tensor<3x1xi32>
  %12 = stablehlo.slice %6 [0:3, 0:1] : (tensor<3x3xi32>) -> tensor<3x1xi32>
  %13 = stablehlo.concatenate %12, %11, dim = 1 : (tensor<3x1xi32>, tensor<3x1xi32>) -> tensor<3x2xi32>
  %c = stablehlo.constant dense<0> : tensor<i32>
  %14 = stablehlo.pad %13, %c, low = [0, 0], high = [0, 0], interior = [0, 1] : (tensor<3x2xi32>, tensor<i32>) -> tensor<3x3xi32>
  %c_0 = stablehlo.constant dense<0> : tensor<i32>
  %15 = stablehlo.pad %9, %c_0, low = [0, 1], high = [0, 1], interior = [0, 1] : (tensor<3x1xi32>, tensor<i32>) -> tensor<3x3xi32>
  %16 = stablehlo.add %14, %15 : tensor<3x3xi32>
  %17 = stablehlo.slice %16 [0:3, 0:2] : (tensor<3x3xi32>) -> tensor<3x2xi32>
  %18 = stablehlo.slice %3 [0:3, 2:6:2] : (tensor<3x6xi32>) -> tensor<3x2xi32>
  %19 = stablehlo.add %17, %18 : tensor<3x2xi32>
  %20 = stablehlo.slice %3 [0:3, 0:1] : (tensor<3x6xi32>) -> tensor<3x1xi32>
  %21 = stablehlo.concatenate %20, %19, dim = 1 : (tensor<3x1xi32>, tensor<3x2xi32>) -> tensor<3x3xi32>
  %c_1 = stablehlo.constant dense<0> : tensor<i32>
  %22 = stablehlo.pad %21, %c_1, low = [0, 0], high = [0, 1], interior = [0, 1] : (tensor<3x3xi32>, tensor<i32>) -> tensor<3x6xi32>
  %c_2 = stablehlo.constant dense<0> : tensor<i32>
  %23 = stablehlo.pad %16, %c_2, low = [0, 1], high = [0, 0], interior = [0, 1] : (tensor<3x3xi32>, tensor<i32>) -> tensor<3x6xi32>
  %24 = stablehlo.add %22, %23 : tensor<3x6xi32>
  %25 = stablehlo.slice %0 [0:3, 2:13:2] : (tensor<3x13xi32>) -> tensor<3x6xi32>
  %26 = stablehlo.add %24, %25 : tensor<3x6xi32>
  %27 = stablehlo.slice %0 [0:3, 0:1] : (tensor<3x13xi32>) -> tensor<3x1xi32>
  %28 = stablehlo.concatenate %27, %26, dim = 1 : (tensor<3x1xi32>, tensor<3x6xi32>) -> tensor<3x7xi32>
  %c_3 = stablehlo.constant dense<0> : tensor<i32>
  %29 = stablehlo.pad %28, %c_3, low = [0, 0], high = [0, 0], interior = [0, 1] : (tensor<3x7xi32>, tensor<i32>) -> tensor<3x13xi32>
  %c_4 = stablehlo.constant dense<0> : tensor<i32>
  %30 = stablehlo.pad %24, %c_4, low = [0, 1], high = [0, 1], interior = [0, 1] : (tensor<3x6xi32>, tensor<i32>) -> tensor<3x13xi32>
  %31 = stablehlo.add %29, %30 : tensor<3x13xi32>
  %32 = stablehlo.reverse %31, dims = [1] : tensor<3x13xi32>
  return %32 : tensor<3x13xi32>
}
func.func @segments(%arg0: tensor<10xi1>, %arg1: tensor<10xi32>) -> (tensor<10xi32>) {
  %0 = stablehlo.slice %arg0 [0:9:2] : (tensor<10xi1>) -> tensor<5xi1>
  %1 = stablehlo.slice %arg1 [0:9:2] : (tensor<10xi32>) -> tensor<5xi32>
  %2 = stablehlo.slice %arg0 [1:10:2] : (tensor<10xi1>) -> tensor<5xi1>
  %3 = stablehlo.slice %arg1 [1:10:2] : (tensor<10xi32>) -> tensor<5xi32>
  %4 = stablehlo.or %0, %2 : tensor<5xi1>
  %5 = stablehlo.add %1, %3 : tensor<5xi32>
  %6 = stablehlo.select %2, %3, %5 : tensor<5xi1>, tensor<5xi32>
  %7 = stablehlo.slice %4 [0:4:2] : (tensor<5xi1>) -> tensor<2xi1>
  %8 = stablehlo.slice %6 [0:4:2] : (tensor<5xi32>) -> tensor<2xi32>
  %9 = stablehlo.slice %4 [1:5:2] : (tensor<5xi1>) -> tensor<2xi1>
  %10 = stablehlo.slice %6 [1:5:2] : (tensor<5xi32>) -> tensor<2xi32>
  %11 = stablehlo.or %7, %9 : tensor<2xi1>
  %12 = stablehlo.add %8, %10 : tensor<2xi32>
  %13 = stablehlo.select %9, %10, %12 : tensor<2xi1>, tensor<2xi32>
  %14 = stablehlo.slice %13 [0:1:2] : (tensor<2xi32>) -> tensor<1xi32>
  %15 = stablehlo.slice %11 [1:2:2] : (tensor<2xi1>) -> tensor<1xi1>
  %16 = stablehlo.slice %13 [1:2:2] : (tensor<2xi32>) -> tensor<1xi32>
  %17 = stablehlo.add %14, %16 : tensor<1xi32>
  %18 = stablehlo.select %15, %16, %17 : tensor<1xi1>, tensor<1xi32>
  %19 = stablehlo.slice %18 [0:0] : (tensor<1xi32>) -> tensor<0xi32>
  %20 = stablehlo.slice %11 [2:2:2] : (tensor<2xi1>) -> tensor<0xi1>
  %21 = stablehlo.slice %13 [2:2:2] : (tensor<2xi32>) -> tensor<0xi32>
  %22 = stablehlo.add %19, %21 : tensor<0xi32>
  %23 = stablehlo.select %20, %21, %22 : tensor<0xi1>, tensor<0xi32>
  %24 = stablehlo.slice %13 [0:1] : (tensor<2xi32>) -> tensor<1xi32>
  %25 = stablehlo.concatenate %24, %23, dim = 0 : (tensor<1xi32>, tensor<0xi32>) -> tensor<1xi32>
  %c = stablehlo.constant dense<0> : tensor<i32>
  %26 = stablehlo.pad %25, %c, low = [0], high = [1], interior = [1] : (tensor<1xi32>, tensor<i32>) -> tensor<2xi32>
  %c_0 = stablehlo.constant dense<0> : tensor<i32>
  %27 = stablehlo.pad %18, %c_0, low = [1], high = [0], interior = [1] : (tensor<1xi32>, tensor<i32>) -> tensor<2xi32>
  %28 = stablehlo.add %26, %27 : tensor<2xi32>
  %29 = stablehlo.slice %4 [2:5:2] : (tensor<5xi1>) -> tensor<2xi1>
  %30 = stablehlo.slice %6 [2:5:2] : (tensor<5xi32>) -> tensor<2xi32>
  %31 = stablehlo.add %28, %30 : tensor<2xi32>
  %32 = stablehlo.select %29, %30, %31 : tensor<2xi1>, tensor<2xi32>
  %33 = stablehlo.slice %6 [0:1] : (tensor<5xi32>) -> tensor<1xi32>
  %34 = stablehlo.concatenate %33, %32, dim = 0 : (tensor<1xi32>, tensor<2xi32>) -> tensor<3xi32>
  %c_1 = stablehlo.constant dense<0> : tensor<i32>
  %35 = stablehlo.pad %34, %c_1, low = [0], high = [0], interior = [1] : (tensor<3xi32>, tensor<i32>) -> tensor<5xi32>
  %c_2 = stablehlo.constant dense<0> : tensor<i32>
  %36 = stablehlo.pad %28, %c_2, low = [1], high = [1], interior = [1] : (tensor<2xi32>, tensor<i32>) -> tensor<5xi32>
  %37 = stablehlo.add %35, %36 : tensor<5xi32>
  %38 = stablehlo.slice %37 [0:4] : (tensor<5xi32>) -> tensor<4xi32>
  %39 = stablehlo.slice %arg0 [2:10:2] : (tensor<10xi1>) -> tensor<4xi1>
  %40 = stablehlo.slice %arg1 [2:10:2] : (tensor<10xi32>) -> tensor<4xi32>
  %41 = stablehlo.add %38, %40 : tensor<4xi32>
  %42 = stablehlo.select %39, %40, %41 : tensor<4xi1>, tensor<4xi32>
  %43 = stablehlo.slice %arg1 [0:1] : (tensor<10xi32>) -> tensor<1xi32>
  %44 = stablehlo.concatenate %43, %42, dim = 0 : (tensor<1xi32>, tensor<4xi32>) -> tensor<5xi32>
  %c_3 = stablehlo.constant dense<0> : tensor<i32>
  %45 = stablehlo.pad %44, %c_3, low = [0], high = [1], interior = [1] : (tensor<5xi32>, tensor<i32>) -> tensor<10xi32>
  %c_4 = stablehlo.constant dense<0> : tensor<i32>
  %46 = stablehlo.pad %37, %c_4, low = [1], high = [0], interior = [1] : (tensor<5xi32>, tensor<i32>) -> tensor<10xi32>
  %47 = stablehlo.add %45, %46 : tensor<10xi32>
  return %47 : tensor<10xi32>
}
func.func @other(%arg0: tensor<2x12xi32>, %arg1: tensor<2x12xi32>) -> (tensor<2x12xi32>) {
  %0 = stablehlo.slice %arg0 [0:2, 0:11:2] : (tensor<2x12xi32>) -> tensor<2x6xi32>
  %1 = stablehlo.slice %arg1 [0:2, 0:11:2] : (tensor<2x12xi32>) -> tensor<2x6xi32>
  %2 = stablehlo.slice %arg0 [0:2, 1:12:2] : (tensor<2x12xi32>) -> tensor<2x6xi32>
  %3 = stablehlo.slice %arg1 [0:2, 1:12:2] : (tensor<2x12xi32>) -> tensor<2x6xi32>
  %4 = stablehlo.multiply %0, %2 : tensor<2x6xi32>
  %5 = stablehlo.multiply %2, %1 : tensor<2x6xi32>
  %6 = stablehlo.add %5, %3 : tensor<2x6xi32>
  %7 = stablehlo.slice %4 [0:2, 0:5:2] : (tensor<2x6xi32>) -> tensor<2x3xi32>
  %8 = stablehlo.slice %6 [0:2, 0:5:2] : (tensor<2x6xi32>) -> tensor<2x3xi32>
  %9 = stablehlo.slice %4 [0:2, 1:6:2] : (tensor<2x6xi32>) -> tensor<2x3xi32>
  %10 = stablehlo.slice %6 [0:2, 1:6:2] : (tensor<2x6xi32>) -> tensor<2x3xi32>
  %11 = stablehlo.multiply %7, %9 : tensor<2x3xi32>
  %12 = stablehlo.multiply %9, %8 : tensor<2x3xi32>
  %13 = stablehlo.add %12, %10 : tensor<2x3xi32>
  %14 = stablehlo.slice %13 [0:2, 0:2:2] : (tensor<2x3xi32>) -> tensor<2x1xi32>
  %15 = stablehlo.slice %11 [0:2, 1:3:2] : (tensor<2x3xi32>) -> tensor<2x1xi32>
  %16 = stablehlo.slice %13 [0:2, 1:3:2] : (tensor<2x3xi32>) -> tensor<2x1xi32>
  %17 = stablehlo.multiply %15, %14 : tensor<2x1xi32>
  %18 = stablehlo.add %17, %16 : tensor<2x1xi32>
  %19 = stablehlo.slice %11 [0:2, 2:3:2] : (tensor<2x3xi32>) -> tensor<2x1xi32>
  %20 = stablehlo.slice %13 [0:2, 2:3:2] : (tensor<2x3xi32>) -> tensor<2x1xi32>
  %21 = stablehlo.multiply %19, %18 : tensor<2x1xi32>
  %22 = stablehlo.add %21, %20 : tensor<2x1xi32>
  %23 = stablehlo.slice %13 [0:2, 0:1] : (tensor<2x3xi32>) -> tensor<2x1xi32>
  %24 = stablehlo.concatenate %23, %22, dim = 1 : (tensor<2x1xi32>, tensor<2x1xi32>) -> tensor<2x2xi32>
  %c = stablehlo.constant dense<0> : tensor<i32>
  %25 = stablehlo.pad %24, %c, low = [0, 0], high = [0, 0], interior = [0, 1] : (tensor<2x2xi32>, tensor<i32>) -> tensor<2x3xi32>
  %c_0 = stablehlo.constant dense<0> : tensor<i32>
  %26 = stablehlo.pad %18, %c_0, low = [0, 1], high = [0, 1], interior = [0, 1] : (tensor<2x1xi32>, tensor<i32>) -> tensor<2x3xi32>
  %27 = stablehlo.add %25, %26 : tensor<2x3xi32>
  %28 = stablehlo.slice %27 [0:2, 0:2] : (tensor<2x3xi32>) -> tensor<2x2xi32>
  %29 = stablehlo.slice %4 [0:2, 2:6:2] : (tensor<2x6xi32>) -> tensor<2x2xi32>
  %30 = stablehlo.slice %6 [0:2, 2:6:2] : (tensor<2x6xi32>) -> tensor<2x2xi32>
  %31 = stablehlo.multiply %29, %28 : tensor<2x2xi32>
  %32 = stablehlo.add %31, %30 : tensor<2x2xi32>
  %33 = stablehlo.slice %6 [0:2, 0:1] : (tensor<2x6xi32>) -> tensor<2x1xi32>
  %34 = stablehlo.concatenate %33, %32, dim = 1 : (tensor<2x1xi32>, tensor<2x2xi32>) -> tensor<2x3xi32>
  %c_1 = stablehlo.constant dense<0> : tensor<i32>
  %35 = stablehlo.pad %34, %c_1, low = [0, 0], high = [0, 1], interior = [0, 1] : (tensor<2x3xi32>, tensor<i32>) -> tensor<2x6xi32>
  %c_2 = stablehlo.constant dense<0> : tensor<i32>
  %36 = stablehlo.pad %27, %c_2, low = [0, 1], high = [0, 0], interior = [0, 1] : (tensor<2x3xi32>, tensor<i32>) -> tensor<2x6xi32>
  %37 = stablehlo.add %35, %36 : tensor<2x6xi32>
  %38 = stablehlo.slice %37 [0:2, 0:5] : (tensor<2x6xi32>) -> tensor<2x5xi32>
  %39 = stablehlo.slice %arg0 [0:2, 2:12:2] : (tensor<2x12xi32>) -> tensor<2x5xi32>
  %40 = stablehlo.slice %arg1 [0:2, 2:12:2] : (tensor<2x12xi32>) -> tensor<2x5xi32>
  %41 = stablehlo.multiply %39, %38 : tensor<2x5xi32>
  %42 = stablehlo.subtract %41, %40 : tensor<2x5xi32>
  %43 = stablehlo.slice %arg1 [0:2, 0:1] : (tensor<2x12xi32>) -> tensor<2x1xi32>
  %44 = stablehlo.concatenate %43, %42, dim = 1 : (tensor<2x1xi32>, tensor<2x5xi32>) -> tensor<2x6xi32>
  %c_3 = stablehlo.constant dense<0> : tensor<i32>
  %45 = stablehlo.pad %44, %c_3, low = [0, 0], high = [0, 1], interior = [0, 1] : (tensor<2x6xi32>, tensor<i32>) -> tensor<2x12xi32>
  %c_4 = stablehlo.constant dense<0> : tensor<i32>
  %46 = stablehlo.pad %37, %c_4, low = [0, 1], high = [0, 0], interior = [0, 1] : (tensor<2x6xi32>, tensor<i32>) -> tensor<2x12xi32>
  %47 = stablehlo.add %45, %46 : tensor<2x12xi32>
  return %47 : tensor<2x12xi32>
}
