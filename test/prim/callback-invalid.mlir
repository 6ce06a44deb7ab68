// RUN: kiln-opt %s --split-input-file --verify-diagnostics

func.func @callback_c1() {
  // expected-error @+1 {{expected a name of the function}}
  prim.callback ""() : () -> ()
  return
}

// -----

func.func @callback_c2() {
  // expected-error @+1 {{expected results of static sizes, found 'tensor<?xf32>'}}
  %0 = prim.callback "next"() : () -> tensor<?xf32>
  return
}
