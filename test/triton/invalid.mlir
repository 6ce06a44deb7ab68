// RUN: not kiln-opt %s --split-input-file --convert-triton-to-tile 2>&1 | FileCheck %s
// Programs that Triton would not print, each with an error at the operation.
tt.func public @scales(%p: !tt.ptr<f32>) {
  %z = arith.constant dense<0.0> : tensor<16x16xf32>
  %a = arith.constant dense<0> : tensor<16x16xi8>
  %s = arith.constant dense<0> : tensor<i8>
  // CHECK: [[#@LINE+1]]:{{[0-9]+}}: error: {{.*}}expected tensors of rank 2, found 'tensor<i8>'
  %d = tt.dot_scaled %a scale %s, %a, %z lhs = e2m1 rhs = e2m1 {fastMath = false} : tensor<16x16xi8>, tensor<i8> * tensor<16x16xi8> -> tensor<16x16xf32>
  tt.return
}

// -----
tt.func public @codes(%p: !tt.ptr<f32>) {
  %z = arith.constant dense<0.0> : tensor<16x16xf32>
  %a = arith.constant dense<0.0> : tensor<16x16xf16>
  // CHECK: [[#@LINE+1]]:{{[0-9]+}}: error: {{.*}}expected bytes of e2m3, found 'tensor<16x16xf16>'
  %d = tt.dot_scaled %a, %a, %z lhs = e2m3 rhs = fp16 {fastMath = false} : tensor<16x16xf16> * tensor<16x16xf16> -> tensor<16x16xf32>
  tt.return
}

// -----
tt.func public @packs() {
  %x = arith.constant dense<0> : tensor<4xi32>
  // CHECK: [[#@LINE+1]]:{{[0-9]+}}: error: {{.*}}expected whole packs of 3 elements, found 4
  %d = "tt.map_elementwise"(%x) <{pack = 3 : i32}> ({
  ^bb0(%a: i32, %b: i32, %c: i32):
    tt.map_elementwise.return %a, %b, %c : i32, i32, i32
  }) : (tensor<4xi32>) -> tensor<4xi32>
  tt.return
}

// -----
tt.func public @result() {
  %x = arith.constant dense<0> : tensor<4xi32>
  // CHECK: [[#@LINE+1]]:{{[0-9]+}}: error: {{.*}}expected returned values of type 'f32', found 'i32'
  %d = "tt.map_elementwise"(%x) <{pack = 1 : i32}> ({
  ^bb0(%a: i32):
    tt.map_elementwise.return %a : i32
  }) : (tensor<4xi32>) -> tensor<4xf32>
  tt.return
}

// -----
tt.func public @forever() {
  %x = arith.constant dense<0> : tensor<4xi32>
  // CHECK: [[#@LINE+1]]:{{[0-9]+}}: error: {{.*}}unsupported: a region that does not return
  %d = "tt.map_elementwise"(%x) <{pack = 1 : i32}> ({
  ^bb0(%a: i32):
    cf.br ^bb1
  ^bb1:
    cf.br ^bb1
  }) : (tensor<4xi32>) -> tensor<4xi32>
  tt.return
}

// -----
tt.func public @empty() {
  %x = arith.constant dense<0> : tensor<4xi32>
  // CHECK: [[#@LINE+1]]:{{[0-9]+}}: error: empty block: expect at least a terminator
  %d = "tt.map_elementwise"(%x) <{pack = 1 : i32}> ({
  ^bb0(%a: i32):
    cf.br ^bb1
  ^bb1:
  }) : (tensor<4xi32>) -> tensor<4xi32>
  tt.return
}

// -----
tt.func public @descriptor(%p: !tt.ptr<f32>) {
  %c = arith.constant 1 : i32
  %l = arith.constant 1 : i64
  // CHECK: [[#@LINE+1]]:{{[0-9]+}}: error: {{.*}}expected a pointer to 'f16', found '!tt.ptr<f32>'
  %d = tt.make_tensor_descriptor %p, [%c], [%l] : <f32>, <tensor<4xf16>>
  tt.return
}

// -----
tt.func public @check(%p: !tt.ptr<f32>) {
  %c = arith.constant 1 : i64
  %o = arith.constant 0 : i32
  %b = tt.make_tensor_ptr %p, [%c], [%c], [%o] {order = array<i32: 0>} : <tensor<4xf32>>
  // CHECK: [[#@LINE+1]]:{{[0-9]+}}: error: {{.*}}expected checks of dimensions below 1, found 9
  %v = tt.load %b {boundaryCheck = array<i32: 9>} : !tt.ptr<tensor<4xf32>>
  tt.return
}

// -----
tt.func public @unsplat(%q: !tt.ptr<i32>) {
  %x = arith.constant dense<0> : tensor<4xi32>
  // CHECK: [[#@LINE+1]]:{{[0-9]+}}: error: {{.*}}expected a tensor with one element, found 'tensor<4xi32>'
  %d = tt.unsplat %x : tensor<4xi32>
  tt.store %q, %d : !tt.ptr<i32>
  tt.return
}
