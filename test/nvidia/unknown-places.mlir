// A program without locations, as some frontends write it: a call of a function that the target adds has a place all the same,
// which LLVM asks for between functions with debug information.
// RUN: kiln-compile %s --target=nvidia:sm_90a,ptxas=none --no-fallback -o %t.kiln
// RUN: kiln-run %t.kiln --inspect | FileCheck %s
// CHECK: kernel main_0_tan: symbol main_0_tan
module {
  func.func @main(%x: tensor<1000xf32> loc(unknown)) -> tensor<1000xf32> {
    %r = prim.tan %x : tensor<1000xf32> loc(unknown)
    return %r : tensor<1000xf32> loc(unknown)
  } loc(unknown)
} loc(unknown)
