// RUN: kiln-run %s --target=cpu --check --entry=max_with_index
// RUN: kiln-run %s --target=cpu --check --entry=product

func.func @max_with_index(%x: tensor<5x300xf32>) -> (tensor<5xf32>, tensor<5xi32>) {
  %i = prim.iota dim 1 : tensor<5x300xi32>
  %z = prim.constant dense<0xFF800000> : tensor<f32>
  %c = prim.constant dense<2147483647> : tensor<i32>
  %r:2 = prim.reduce (%x, %i) inits (%z, %c) dims [1] : (tensor<5x300xf32>, tensor<5x300xi32>, tensor<f32>, tensor<i32>) -> (tensor<5xf32>, tensor<5xi32>) {
  ^bb0(%a: tensor<f32>, %ai: tensor<i32>, %b: tensor<f32>, %bi: tensor<i32>):
    %gt = prim.gt %a, %b : tensor<f32> -> tensor<i1>
    %eq = prim.eq %a, %b : tensor<f32> -> tensor<i1>
    %lt = prim.lt %ai, %bi : tensor<i32> -> tensor<i1>
    %both = prim.bitwise_and %eq, %lt : tensor<i1>
    %take = prim.bitwise_or %gt, %both : tensor<i1>
    %v = prim.where %take, %a, %b : tensor<i1>, tensor<f32>
    %w = prim.where %take, %ai, %bi : tensor<i1>, tensor<i32>
    prim.yield %v, %w : tensor<f32>, tensor<i32>
  }
  return %r#0, %r#1 : tensor<5xf32>, tensor<5xi32>
}
func.func @product(%x: tensor<6x7x5xi32>) -> (tensor<5xi32>, tensor<6x5xi32>, tensor<i32>) {
  %one = prim.constant dense<1> : tensor<i32>
  %r = prim.reduce (%x) inits (%one) dims [0, 1] : (tensor<6x7x5xi32>, tensor<i32>) -> tensor<5xi32> {
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %0 = prim.mul %a, %b : tensor<i32>
    prim.yield %0 : tensor<i32>
  }
  %s = prim.reduce (%x) inits (%one) dims [1] : (tensor<6x7x5xi32>, tensor<i32>) -> tensor<6x5xi32> {
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %0 = prim.mul %a, %b : tensor<i32>
    prim.yield %0 : tensor<i32>
  }
  %t = prim.reduce (%x) inits (%one) dims [0, 1, 2] : (tensor<6x7x5xi32>, tensor<i32>) -> tensor<i32> {
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %0 = prim.mul %a, %b : tensor<i32>
    prim.yield %0 : tensor<i32>
  }
  return %r, %s, %t : tensor<5xi32>, tensor<6x5xi32>, tensor<i32>
}
