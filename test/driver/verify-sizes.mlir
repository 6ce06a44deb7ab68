// kiln-verify-sizes refuses values that no memory holds, and takes the largest that is allowed.
// RUN: kiln-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(kiln-verify-sizes)'

func.func @largest(%a: tensor<70368744177664xi8>) -> tensor<70368744177664xi8> {
  return %a : tensor<70368744177664xi8>
}

// -----

// expected-error @below {{elements}}
func.func @larger(%a: tensor<70368744177665xi8>) {
  return
}
