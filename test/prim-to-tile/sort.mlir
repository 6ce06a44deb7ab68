// RUN: kiln-run %s --target=cpu --check --entry=line
// RUN: kiln-run %s --target=cpu --check --entry=columns
// RUN: kiln-run %s --target=cpu --check --entry=order --dim=6
// RUN: kiln-run %s --target=cpu --check --entry=order --dim=0
// RUN: kiln-run %s --target=cpu --check --entry=best

func.func @line(%x: tensor<1000xf32>, %v: tensor<1000xi8>) -> (tensor<1000xf32>, tensor<1000xi8>) {
  %r:2 = prim.sort %x, %v dim 0 keys 1 : tensor<1000xf32>, tensor<1000xi8>
  return %r#0, %r#1 : tensor<1000xf32>, tensor<1000xi8>
}
func.func @columns(%x: tensor<37x5xi8>, %v: tensor<37x5xf16>) -> (tensor<37x5xi8>, tensor<37x5xf16>) {
  %r:2 = prim.sort %x, %v dim 0 keys 2 descending : tensor<37x5xi8>, tensor<37x5xf16>
  return %r#0, %r#1 : tensor<37x5xi8>, tensor<37x5xf16>
}
func.func @order(%x: tensor<?x9xbf16>, %y: tensor<5x13xi1>, %z: tensor<70xi64>) -> (tensor<?x9xi64>, tensor<5x13xi32>, tensor<70xi32>) {
  %r = prim.argsort %x dim 1 total_order : tensor<?x9xbf16> -> tensor<?x9xi64>
  %s = prim.argsort %y dim 1 : tensor<5x13xi1> -> tensor<5x13xi32>
  %t = prim.argsort %z dim 0 unsigned : tensor<70xi64> -> tensor<70xi32>
  return %r, %s, %t : tensor<?x9xi64>, tensor<5x13xi32>, tensor<70xi32>
}
func.func @best(%x: tensor<4x100xf32>, %y: tensor<20x3xi32>) -> (tensor<4x5xf32>, tensor<4x5xi32>, tensor<2x3xi32>, tensor<2x3xi64>) {
  %v, %i = prim.top_k %x k 5 dim 1 : tensor<4x100xf32> -> tensor<4x5xf32>, tensor<4x5xi32>
  %w, %j = prim.top_k %y k 2 dim 0 smallest : tensor<20x3xi32> -> tensor<2x3xi32>, tensor<2x3xi64>
  return %v, %i, %w, %j : tensor<4x5xf32>, tensor<4x5xi32>, tensor<2x3xi32>, tensor<2x3xi64>
}
