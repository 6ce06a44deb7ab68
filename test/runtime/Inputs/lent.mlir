func.func @add(%x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
  %0 = prim.add %x, %y : tensor<8xf32>
  return %0 : tensor<8xf32>
}
func.func @open(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %0 = prim.add %x, %y : tensor<?xf32>
  return %0 : tensor<?xf32>
}
func.func @both(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = prim.mul %x, %x : tensor<8xf32>
  %1 = prim.add %x, %x : tensor<8xf32>
  return %0, %1 : tensor<8xf32>, tensor<8xf32>
}
func.func @same(%x: tensor<8xf32>) -> tensor<8xf32> {
  return %x : tensor<8xf32>
}
func.func @loop(%x: tensor<8xf32>, %times: tensor<i32>) -> tensor<8xf32> {
  %zero = prim.constant dense<0> : tensor<i32>
  %one = prim.constant dense<1> : tensor<i32>
  %r, %n = prim.while (%x, %times) : (tensor<8xf32>, tensor<i32>) -> (tensor<8xf32>, tensor<i32>) {
  ^bb0(%a: tensor<8xf32>, %left: tensor<i32>):
    %more = prim.lt %zero, %left : tensor<i32> -> tensor<i1>
    prim.yield %more : tensor<i1>
  } do {
  ^bb0(%a: tensor<8xf32>, %left: tensor<i32>):
    %b = prim.add %a, %a : tensor<8xf32>
    %next = prim.sub %left, %one : tensor<i32>
    prim.yield %b, %next : tensor<8xf32>, tensor<i32>
  }
  return %r : tensor<8xf32>
}
