// A loop of the host that counts to a constant: no kernel computes its condition, and nothing is read from the device. A counter
// that only the condition reads is not computed either.
// RUN: kiln-opt %s --pass-pipeline='builtin.module(kiln-set-target{spec=nvidia:sm_90a},func.func(prim-fuse),convert-prim-to-tile)' | FileCheck %s
// RUN: for entry in up down unlike narrow never read wraps; do kiln-run %s --entry=$entry --target=amd:gfx942,device=sim --check --arg=random:1:f32:160x160 --arg=random:2:f32:160 || exit 1; done | FileCheck %s --check-prefix=RIGHT
// RIGHT-COUNT-7: ok: 160xf32

// CHECK-LABEL: program.func @up
// CHECK-DAG: %[[NONE:.*]] = arith.constant 0 : index
// CHECK-DAG: %[[COUNT:.*]] = arith.constant 5 : index
// CHECK: scf.for %{{.*}} = %[[NONE]] to %[[COUNT]]
// CHECK-COUNT-2: program.launch
// CHECK-NOT: program.launch
// CHECK: }
func.func @up(%w: tensor<160x160xf32>, %x: tensor<160xf32>) -> tensor<160xf32> {
  %first = prim.constant dense<2> : tensor<i32>
  %r:2 = prim.while (%first, %x) : (tensor<i32>, tensor<160xf32>) -> (tensor<i32>, tensor<160xf32>) {
  ^bb0(%k: tensor<i32>, %v: tensor<160xf32>):
    %end = prim.constant dense<15> : tensor<i32>
    %more = prim.lt %k, %end : tensor<i32> -> tensor<i1>
    prim.yield %more : tensor<i1>
  } do {
  ^bb0(%k: tensor<i32>, %v: tensor<160xf32>):
    %step = prim.constant dense<3> : tensor<i32>
    %next = prim.add %k, %step : tensor<i32>
    %y = prim.dot_general %w, %v batch [] x [] contract [1] x [0] : tensor<160x160xf32>, tensor<160xf32> -> tensor<160xf32>
    %t = prim.tanh %y : tensor<160xf32>
    prim.yield %next, %t : tensor<i32>, tensor<160xf32>
  }
  return %r#1 : tensor<160xf32>
}

// CHECK-LABEL: program.func @down
// CHECK: arith.constant 6 : index
// CHECK: scf.for
func.func @down(%w: tensor<160x160xf32>, %x: tensor<160xf32>) -> tensor<160xf32> {
  %first = prim.full 10 : i32 : tensor<i32>
  %r:2 = prim.while (%first, %x) : (tensor<i32>, tensor<160xf32>) -> (tensor<i32>, tensor<160xf32>) {
  ^bb0(%k: tensor<i32>, %v: tensor<160xf32>):
    %end = prim.full -10 : i32 : tensor<i32>
    %more = prim.ge %k, %end : tensor<i32> -> tensor<i1>
    prim.yield %more : tensor<i1>
  } do {
  ^bb0(%k: tensor<i32>, %v: tensor<160xf32>):
    %step = prim.full 4 : i32 : tensor<i32>
    %next = prim.sub %k, %step : tensor<i32>
    %y = prim.dot_general %w, %v batch [] x [] contract [1] x [0] : tensor<160x160xf32>, tensor<160xf32> -> tensor<160xf32>
    %t = prim.tanh %y : tensor<160xf32>
    prim.yield %next, %t : tensor<i32>, tensor<160xf32>
  }
  return %r#1 : tensor<160xf32>
}

// CHECK-LABEL: program.func @unlike
// CHECK: arith.constant 3 : index
// CHECK: scf.for
func.func @unlike(%w: tensor<160x160xf32>, %x: tensor<160xf32>) -> tensor<160xf32> {
  %first = prim.constant dense<0> : tensor<i64>
  %r:2 = prim.while (%first, %x) : (tensor<i64>, tensor<160xf32>) -> (tensor<i64>, tensor<160xf32>) {
  ^bb0(%k: tensor<i64>, %v: tensor<160xf32>):
    %end = prim.constant dense<12> : tensor<i64>
    %more = prim.ne %k, %end : tensor<i64> -> tensor<i1>
    prim.yield %more : tensor<i1>
  } do {
  ^bb0(%k: tensor<i64>, %v: tensor<160xf32>):
    %step = prim.constant dense<4> : tensor<i64>
    %next = prim.add %k, %step : tensor<i64>
    %y = prim.dot_general %w, %v batch [] x [] contract [1] x [0] : tensor<160x160xf32>, tensor<160xf32> -> tensor<160xf32>
    %t = prim.tanh %y : tensor<160xf32>
    prim.yield %next, %t : tensor<i64>, tensor<160xf32>
  }
  return %r#1 : tensor<160xf32>
}

// 10, 60, 110, 160, 210: five numbers of eight bits, of which the last are negative with a sign.
// CHECK-LABEL: program.func @narrow
// CHECK: scf.while
func.func @narrow(%w: tensor<160x160xf32>, %x: tensor<160xf32>) -> tensor<160xf32> {
  %first = prim.constant dense<10> : tensor<i8>
  %r:2 = prim.while (%first, %x) : (tensor<i8>, tensor<160xf32>) -> (tensor<i8>, tensor<160xf32>) {
  ^bb0(%k: tensor<i8>, %v: tensor<160xf32>):
    %end = prim.constant dense<-56> : tensor<i8>
    %more = prim.lt %k, %end unsigned : tensor<i8> -> tensor<i1>
    prim.yield %more : tensor<i1>
  } do {
  ^bb0(%k: tensor<i8>, %v: tensor<160xf32>):
    %step = prim.constant dense<50> : tensor<i8>
    %next = prim.add %k, %step : tensor<i8>
    %y = prim.dot_general %w, %v batch [] x [] contract [1] x [0] : tensor<160x160xf32>, tensor<160xf32> -> tensor<160xf32>
    %t = prim.tanh %y : tensor<160xf32>
    prim.yield %next, %t : tensor<i8>, tensor<160xf32>
  }
  return %r#1 : tensor<160xf32>
}

// CHECK-LABEL: program.func @never
// CHECK: scf.for
func.func @never(%w: tensor<160x160xf32>, %x: tensor<160xf32>) -> tensor<160xf32> {
  %first = prim.constant dense<9> : tensor<i32>
  %r:2 = prim.while (%first, %x) : (tensor<i32>, tensor<160xf32>) -> (tensor<i32>, tensor<160xf32>) {
  ^bb0(%k: tensor<i32>, %v: tensor<160xf32>):
    %end = prim.constant dense<8> : tensor<i32>
    %more = prim.le %k, %end : tensor<i32> -> tensor<i1>
    prim.yield %more : tensor<i1>
  } do {
  ^bb0(%k: tensor<i32>, %v: tensor<160xf32>):
    %step = prim.constant dense<1> : tensor<i32>
    %next = prim.add %k, %step : tensor<i32>
    %y = prim.dot_general %w, %v batch [] x [] contract [1] x [0] : tensor<160x160xf32>, tensor<160xf32> -> tensor<160xf32>
    prim.yield %next, %y : tensor<i32>, tensor<160xf32>
  }
  return %r#1 : tensor<160xf32>
}

// The body reads the counter, which is computed then.
// CHECK-LABEL: program.func @read
// CHECK: arith.constant 4 : index
// CHECK: scf.for
// CHECK-NOT: program.read
func.func @read(%w: tensor<160x160xf32>, %x: tensor<160xf32>) -> tensor<160xf32> {
  %first = prim.constant dense<0> : tensor<i32>
  %r:2 = prim.while (%first, %x) : (tensor<i32>, tensor<160xf32>) -> (tensor<i32>, tensor<160xf32>) {
  ^bb0(%k: tensor<i32>, %v: tensor<160xf32>):
    %end = prim.constant dense<4> : tensor<i32>
    %more = prim.lt %k, %end : tensor<i32> -> tensor<i1>
    prim.yield %more : tensor<i1>
  } do {
  ^bb0(%k: tensor<i32>, %v: tensor<160xf32>):
    %step = prim.constant dense<1> : tensor<i32>
    %next = prim.add %k, %step : tensor<i32>
    %y = prim.dot_general %w, %v batch [] x [] contract [1] x [0] : tensor<160x160xf32>, tensor<160xf32> -> tensor<160xf32>
    %t = prim.tanh %y : tensor<160xf32>
    %f = prim.convert_element_type %k : tensor<i32> -> tensor<f32>
    %all = prim.broadcast_in_dim %f dims [] : tensor<f32> -> tensor<160xf32>
    %sum = prim.add %t, %all : tensor<160xf32>
    prim.yield %next, %sum : tensor<i32>, tensor<160xf32>
  }
  return %r#1 : tensor<160xf32>
}

// 88 and 50 are 138, which wraps to -118 and is below 120 again: there are eleven iterations.
// CHECK-LABEL: program.func @wraps
// CHECK: scf.while
func.func @wraps(%w: tensor<160x160xf32>, %x: tensor<160xf32>) -> tensor<160xf32> {
  %first = prim.constant dense<88> : tensor<i8>
  %r:2 = prim.while (%first, %x) : (tensor<i8>, tensor<160xf32>) -> (tensor<i8>, tensor<160xf32>) {
  ^bb0(%k: tensor<i8>, %v: tensor<160xf32>):
    %end = prim.constant dense<120> : tensor<i8>
    %more = prim.lt %k, %end : tensor<i8> -> tensor<i1>
    prim.yield %more : tensor<i1>
  } do {
  ^bb0(%k: tensor<i8>, %v: tensor<160xf32>):
    %step = prim.constant dense<50> : tensor<i8>
    %next = prim.add %k, %step : tensor<i8>
    %y = prim.dot_general %w, %v batch [] x [] contract [1] x [0] : tensor<160x160xf32>, tensor<160xf32> -> tensor<160xf32>
    %t = prim.tanh %y : tensor<160xf32>
    prim.yield %next, %t : tensor<i8>, tensor<160xf32>
  }
  return %r#1 : tensor<160xf32>
}
