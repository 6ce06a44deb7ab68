// How far a product may err whose order is left open: parts of it may be subnormal before the large elements come, as 2^-100 times 2^-50, or
// overflow before the small ones do.
// RUN: kiln-run %s --target=reference | FileCheck %s --check-prefix=EXACT
// RUN: kiln-run %s --target=reference,perturb=1 | FileCheck %s --check-prefix=PLUS
// RUN: kiln-run %s --target=reference,perturb=-1 | FileCheck %s --check-prefix=MINUS
// EXACT: result 0: 3xf32: 9.31322575e-10, 9.89999962, 24
// PLUS: result 0: 3xf32: {{4.65661.*e-09|-2.79396.*e-09}}, nan, {{24.00000.*|23.99999.*}}
// MINUS: result 0: 3xf32: {{4.65661.*e-09|-2.79396.*e-09}}, -3.40282347e+38, {{24.00000.*|23.99999.*}}
// PLUS: result 1: 3x4xf32: 7.88860{{.*}}e-31, {{-?[0-9.]+e-45}}, {{[^,]*}}, {{8.38190.*e-09|-6.51925.*e-09}}, {{[23].*}}e+38, nan, nan, nan, {{.*}}
// MINUS: result 1: 3x4xf32: 7.88860{{.*}}e-31, {{-?[0-9.]+e-45}}, {{[^,]*}}, {{8.38190.*e-09|-6.51925.*e-09}}, {{[23].*}}e+38, -3.40282347e+38, {{.*}}
//
// The same of tiles, whose exact scan rounds each product in order.
// RUN: kiln-run %s --target=reference --entry=tiles --grid=1 --arg=zeros:f32:3 --arg=zeros:f32:3x4 | FileCheck %s --check-prefix=TILES
// RUN: kiln-run %s --target=reference,perturb=1 --entry=tiles --grid=1 --arg=zeros:f32:3 --arg=zeros:f32:3x4 | FileCheck %s --check-prefix=NEAR
// TILES: argument 0 (y): 3xf32: 9.31322575e-10, 9.89999962, 24
// NEAR: argument 0 (y): 3xf32: {{4.65661.*e-09|-2.79396.*e-09}}, nan, {{24.00000.*|23.99999.*}}
// NEAR: argument 1 (z): 3x4xf32: 7.88860{{.*}}e-31, {{-?[0-9.]+e-45}}, {{[^,]*}}, {{4.65661.*e-09|-2.79396.*e-09}}, {{[23].*}}e+38, nan, nan, nan, {{.*}}
func.func @main() -> (tensor<3xf32>, tensor<3x4xf32>) {
  %x = prim.constant dense<[[0x0D800000, 0x26800000, 0x71800000, 0x49800000], [3.0e38, 3.0e38, 0.5e-38, 2.2e-38], [1.0, 2.0, 3.0, 4.0]]> : tensor<3x4xf32>
  %0 = prim.prod %x dims [1] : tensor<3x4xf32> -> tensor<3xf32>
  %1 = prim.scan prod %x dim 1 : tensor<3x4xf32>
  return %0, %1 : tensor<3xf32>, tensor<3x4xf32>
}
tile.kernel @tiles(%y: !tile.view<3xf32>, %z: !tile.view<3x4xf32>) {
  %c0 = arith.constant 0 : index
  %a = arith.constant dense<[[0x0D800000, 0x26800000, 0x71800000, 0x49800000], [3.0e38, 3.0e38, 0.5e-38, 2.2e-38], [1.0, 2.0, 3.0, 4.0]]> : tensor<3x4xf32>
  %p = tile.reduce %a axis 1 : tensor<3x4xf32> -> tensor<3xf32> {
  ^bb0(%l: f32, %r: f32):
    %m = arith.mulf %l, %r : f32
    tile.yield %m : f32
  }
  tile.store %p, %y[%c0] : tensor<3xf32>, !tile.view<3xf32>
  %s = tile.scan %a axis 1 : tensor<3x4xf32> -> tensor<3x4xf32> {
  ^bb0(%l: f32, %r: f32):
    %m = arith.mulf %l, %r : f32
    tile.yield %m : f32
  }
  tile.store %s, %z[%c0, %c0] : tensor<3x4xf32>, !tile.view<3x4xf32>
}
