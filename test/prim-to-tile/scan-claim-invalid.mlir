// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Claims of scans whose attributes are wrong are refused with a reason, and their bodies are compiled.
// RUN: kiln-compile %s --target=cpu --explain --emit=program -o %t.program | FileCheck %s
// CHECK-LABEL: function scan1
// CHECK: declined by generic.associative_scan: {{.*}}does not say what it scans
// CHECK-LABEL: function scan2
// CHECK: declined by generic.associative_scan: {{.*}}scans a dimension that its operands do not have
// CHECK-LABEL: function scan3
// CHECK: declined by generic.associative_scan: {{.*}}is no scan of one of its operands
// CHECK-LABEL: function scan4
// CHECK: declined by generic.associative_scan: {{.*}}scans an operand that it does not have
// CHECK-LABEL: function scan5
// CHECK: declined by generic.associative_scan: {{.*}}does not say how it combines
// CHECK-LABEL: function scan6
// CHECK: declined by generic.associative_scan: {{.*}}does not say how it combines
// CHECK-LABEL: function scan7
// CHECK: declined by generic.associative_scan: {{.*}}does not say how it combines

func.func @scan1(%x: tensor<8xi32>) -> tensor<8xi32> {
  %0 = prim.claim "cpu" "associative_scan"(%x) attributes {config = {adds_zero = false, function = {steps = [{attributes = {}, op = "prim.add", operands = array<i64: 0, 1>, type = i32}], yields = array<i64: 2>}, inputs = array<i64: 0>, results = array<i64: 0>, reverse = false}} : (tensor<8xi32>) -> tensor<8xi32> {
  ^bb0(%y: tensor<8xi32>):
    prim.yield %y : tensor<8xi32>
  }
  return %0 : tensor<8xi32>
}

func.func @scan2(%x: tensor<8xi32>) -> tensor<8xi32> {
  %0 = prim.claim "cpu" "associative_scan"(%x) attributes {config = {adds_zero = false, dim = 5 : i64, function = {steps = [{attributes = {}, op = "prim.add", operands = array<i64: 0, 1>, type = i32}], yields = array<i64: 2>}, inputs = array<i64: 0>, results = array<i64: 0>, reverse = false}} : (tensor<8xi32>) -> tensor<8xi32> {
  ^bb0(%y: tensor<8xi32>):
    prim.yield %y : tensor<8xi32>
  }
  return %0 : tensor<8xi32>
}

func.func @scan3(%x: tensor<8xi32>) -> tensor<8xi32> {
  %0 = prim.claim "cpu" "associative_scan"(%x) attributes {config = {adds_zero = false, dim = 0 : i64, function = {steps = [{attributes = {}, op = "prim.add", operands = array<i64: 0, 1>, type = i32}], yields = array<i64: 2>}, inputs = array<i64: 0>, results = array<i64: 7>, reverse = false}} : (tensor<8xi32>) -> tensor<8xi32> {
  ^bb0(%y: tensor<8xi32>):
    prim.yield %y : tensor<8xi32>
  }
  return %0 : tensor<8xi32>
}

func.func @scan4(%x: tensor<8xi32>) -> tensor<8xi32> {
  %0 = prim.claim "cpu" "associative_scan"(%x) attributes {config = {adds_zero = false, dim = 0 : i64, function = {steps = [{attributes = {}, op = "prim.add", operands = array<i64: 0, 1>, type = i32}], yields = array<i64: 2>}, inputs = array<i64: 3>, results = array<i64: 0>, reverse = false}} : (tensor<8xi32>) -> tensor<8xi32> {
  ^bb0(%y: tensor<8xi32>):
    prim.yield %y : tensor<8xi32>
  }
  return %0 : tensor<8xi32>
}

func.func @scan5(%x: tensor<8xi32>) -> tensor<8xi32> {
  %0 = prim.claim "cpu" "associative_scan"(%x) attributes {config = {adds_zero = false, dim = 0 : i64, function = {steps = [{attributes = {}, op = "prim.add", operands = array<i64: 0>, type = i32}], yields = array<i64: 2>}, inputs = array<i64: 0>, results = array<i64: 0>, reverse = false}} : (tensor<8xi32>) -> tensor<8xi32> {
  ^bb0(%y: tensor<8xi32>):
    prim.yield %y : tensor<8xi32>
  }
  return %0 : tensor<8xi32>
}

func.func @scan6(%x: tensor<8xi32>) -> tensor<8xi32> {
  %0 = prim.claim "cpu" "associative_scan"(%x) attributes {config = {adds_zero = false, dim = 0 : i64, function = {steps = [{attributes = {}, op = "prim.nothing", operands = array<i64: 0, 1>, type = i32}], yields = array<i64: 2>}, inputs = array<i64: 0>, results = array<i64: 0>, reverse = false}} : (tensor<8xi32>) -> tensor<8xi32> {
  ^bb0(%y: tensor<8xi32>):
    prim.yield %y : tensor<8xi32>
  }
  return %0 : tensor<8xi32>
}

func.func @scan7(%x: tensor<8xi32>) -> tensor<8xi32> {
  %0 = prim.claim "cpu" "associative_scan"(%x) attributes {config = {adds_zero = false, dim = 0 : i64, function = {steps = [{attributes = {}, op = "prim.add", operands = array<i64: 0, 1>, type = f32}], yields = array<i64: 2>}, inputs = array<i64: 0>, results = array<i64: 0>, reverse = false}} : (tensor<8xi32>) -> tensor<8xi32> {
  ^bb0(%y: tensor<8xi32>):
    prim.yield %y : tensor<8xi32>
  }
  return %0 : tensor<8xi32>
}
