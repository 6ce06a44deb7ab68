// RUN: kiln-opt %s --split-input-file --verify-diagnostics

func.func @if_c1(%p: tensor<1xi1>) {
  // expected-error @+1 {{expected a condition of rank 0, found 'tensor<1xi1>'}}
  prim.if %p : tensor<1xi1> {
    prim.yield
  } else {
    prim.yield
  }
  return
}

// -----

func.func @if_c2(%p: tensor<i1>, %x: tensor<?xf32>) {
  // expected-error @+1 {{expected 1 sizes for the '?' of the results, found 0}}
  %r = prim.if %p : tensor<i1> -> (tensor<?xf32>) {
    prim.yield %x : tensor<?xf32>
  } else {
    prim.yield %x : tensor<?xf32>
  }
  return
}

// -----

func.func @if_c3(%p: tensor<i1>) {
  // expected-error @+1 {{expected regions without arguments, found 1}}
  prim.if %p : tensor<i1> {
  ^bb0(%a: tensor<i1>):
    prim.yield
  } else {
    prim.yield
  }
  return
}

// -----

func.func @if_c4(%p: tensor<i1>, %x: tensor<4xf32>) {
  // expected-error @+1 {{expected the regions to yield values of the types ('tensor<4xf32>')}}
  %r = prim.if %p : tensor<i1> -> (tensor<4xf32>) {
    prim.yield %x : tensor<4xf32>
  } else {
    // expected-note @+1 {{terminator is here}}
    prim.yield
  }
  return
}

// -----

func.func @while_c1(%x: tensor<4xf32>, %p: tensor<i1>) {
  // expected-error @+1 {{expected block arguments of the types of the inits ('tensor<4xf32>'), found ('tensor<5xf32>')}}
  %r = prim.while (%x) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    prim.yield %p : tensor<i1>
  } do {
  ^bb0(%a: tensor<5xf32>):
    prim.yield %x : tensor<4xf32>
  }
  return
}

// -----

func.func @while_c2(%x: tensor<4xf32>) {
  // expected-error @+1 {{expected the condition to yield values of the types ('tensor<i1>')}}
  %r = prim.while (%x) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    // expected-note @+1 {{terminator is here}}
    prim.yield %a : tensor<4xf32>
  } do {
  ^bb0(%a: tensor<4xf32>):
    prim.yield %a : tensor<4xf32>
  }
  return
}

// -----

func.func @while_c3(%x: tensor<4xf32>, %p: tensor<i1>) {
  // expected-error @+1 {{expected the body to yield values of the types ('tensor<4xf32>')}}
  %r = prim.while (%x) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    prim.yield %p : tensor<i1>
  } do {
  ^bb0(%a: tensor<4xf32>):
    // expected-note @+1 {{terminator is here}}
    prim.yield %p : tensor<i1>
  }
  return
}
