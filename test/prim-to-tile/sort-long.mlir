// RUN: kiln-run %s --target=cpu --check --entry=line
// RUN: kiln-run %s --target=cpu --check --entry=columns
// RUN: kiln-run %s --target=cpu --check --entry=open --dim=3
// RUN: kiln-run %s --target=cpu --check --entry=open --dim=0
// RUN: kiln-run %s --target=cpu --check --entry=length --dim=0
// RUN: kiln-run %s --target=cpu --check --entry=length --dim=1
// RUN: kiln-run %s --target=cpu --check --entry=length --dim=700
// RUN: kiln-run %s --target=cpu --check --entry=few
// RUN: kiln-run %s --target=cpu --check --entry=many
// RUN: kiln-run %s --target=cpu --check --entry=most
// Who is asked next finds the parts of the group, not what is left of it.
// RUN: kiln-run %s --target=cpu,without=generic.select --check --entry=rows --dim=5
// RUN: kiln-run %s --target=cpu --check --entry=rows --dim=5
// RUN: kiln-run %s --target=cpu --check --entry=some --dim=100
// RUN: kiln-run %s --target=cpu --check --entry=some --dim=3000
// RUN: kiln-compile %s --target=cpu --entry=line --emit=tile | FileCheck %s --check-prefix=RADIX
// RUN: kiln-compile %s --target=cpu --entry=few --emit=tile | FileCheck %s --check-prefix=SELECT

// Two runs of places, the counts of digits, and of keys no more than half.
// RADIX: tile.kernel @line_0_argsort
// RADIX-NOT: tile.kernel
// RADIX: tensor<256xi32>
// RADIX: arith.trunci {{.*}} : tensor<1xi32> to tensor<1xi16>
// RADIX: arith.trunci {{.*}} : tensor<1xi16> to tensor<1xi8>

// What is kept has as many elements as are wanted; nothing is sorted whole.
// SELECT: tile.kernel @few_0_argsort
// SELECT-NOT: tensor<256xi32>
// SELECT: scf.while

func.func @line(%x: tensor<3000xf32>, %v: tensor<3000xi8>) -> (tensor<3000xf32>, tensor<3000xi8>) {
  %r:2 = prim.sort %x, %v dim 0 keys 1 : tensor<3000xf32>, tensor<3000xi8>
  return %r#0, %r#1 : tensor<3000xf32>, tensor<3000xi8>
}
func.func @columns(%x: tensor<300x5xi8>, %v: tensor<300x5xf16>, %w: tensor<300x5xi64>) -> (tensor<300x5xi32>, tensor<300x5xi64>) {
  %r = prim.argsort %x, %v, %w dim 0 descending : tensor<300x5xi8>, tensor<300x5xf16>, tensor<300x5xi64> -> tensor<300x5xi32>
  %s = prim.argsort %w, %x dim 0 unsigned : tensor<300x5xi64>, tensor<300x5xi8> -> tensor<300x5xi64>
  return %r, %s : tensor<300x5xi32>, tensor<300x5xi64>
}
func.func @open(%x: tensor<?x40x200xbf16>, %y: tensor<2x129xi1>) -> (tensor<?x40x200xi64>, tensor<2x129xi32>) {
  %r = prim.argsort %x dim 2 total_order : tensor<?x40x200xbf16> -> tensor<?x40x200xi64>
  %s = prim.argsort %y dim 1 : tensor<2x129xi1> -> tensor<2x129xi32>
  return %r, %s : tensor<?x40x200xi64>, tensor<2x129xi32>
}
func.func @length(%x: tensor<3x?xf64>) -> tensor<3x?xi32> {
  %r = prim.argsort %x dim 1 : tensor<3x?xf64> -> tensor<3x?xi32>
  return %r : tensor<3x?xi32>
}
func.func @few(%x: tensor<4x3000xf32>) -> (tensor<4x5xf32>, tensor<4x5xi32>) {
  %v, %i = prim.top_k %x k 5 dim 1 : tensor<4x3000xf32> -> tensor<4x5xf32>, tensor<4x5xi32>
  return %v, %i : tensor<4x5xf32>, tensor<4x5xi32>
}
func.func @many(%x: tensor<4000x3xi8>, %y: tensor<2x5000xf16>) -> (tensor<70x3xi8>, tensor<70x3xi64>, tensor<2x300xf16>, tensor<2x300xi32>) {
  %v, %i = prim.top_k %x k 70 dim 0 smallest : tensor<4000x3xi8> -> tensor<70x3xi8>, tensor<70x3xi64>
  %w, %j = prim.top_k %y k 300 dim 1 : tensor<2x5000xf16> -> tensor<2x300xf16>, tensor<2x300xi32>
  return %v, %i, %w, %j : tensor<70x3xi8>, tensor<70x3xi64>, tensor<2x300xf16>, tensor<2x300xi32>
}
func.func @most(%x: tensor<2x300xi32>, %y: tensor<2x9xi32>) -> (tensor<2x250xi32>, tensor<2x250xi32>, tensor<2x0xi32>, tensor<2x0xi32>) {
  %v, %i = prim.top_k %x k 250 dim 1 unsigned : tensor<2x300xi32> -> tensor<2x250xi32>, tensor<2x250xi32>
  %w, %j = prim.top_k %y k 0 dim 1 : tensor<2x9xi32> -> tensor<2x0xi32>, tensor<2x0xi32>
  return %v, %i, %w, %j : tensor<2x250xi32>, tensor<2x250xi32>, tensor<2x0xi32>, tensor<2x0xi32>
}
func.func @some(%x: tensor<?xi64>) -> (tensor<100xi64>, tensor<100xi64>) {
  %v, %i = prim.top_k %x k 100 dim 0 : tensor<?xi64> -> tensor<100xi64>, tensor<100xi64>
  return %v, %i : tensor<100xi64>, tensor<100xi64>
}
func.func @rows(%x: tensor<?x3xf32>) -> (tensor<?x2xf32>, tensor<?x2xi64>) {
  %v, %i = prim.top_k %x k 2 dim 1 : tensor<?x3xf32> -> tensor<?x2xf32>, tensor<?x2xi64>
  return %v, %i : tensor<?x2xf32>, tensor<?x2xi64>
}
