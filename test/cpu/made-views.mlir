// A view that an operation chooses is refused where it stands.
// RUN: not kiln-compile %s --entry=chosen_view --target=cpu --no-fallback -o %t.kiln 2>&1 | FileCheck %s --check-prefix=SELECT
// RUN: not kiln-compile %s --entry=branches --target=cpu --no-fallback -o %t.kiln 2>&1 | FileCheck %s --check-prefix=BRANCH

tile.kernel @chosen_view(%x: !tile.view<128xf32>, %y: !tile.view<128xf32> {tile.noalias}, %first: i1) {
  %c0 = arith.constant 0 : index
  // SELECT: made-views.mlir:[[@LINE+1]]:{{[0-9]+}}: error: unsupported: a view that 'arith.select' makes
  %v = arith.select %first, %x, %y : !tile.view<128xf32>
  %a = tile.load %v[%c0] : !tile.view<128xf32> -> tensor<128xf32>
  tile.store %a, %y[%c0] : tensor<128xf32>, !tile.view<128xf32>
}

tile.kernel @branches(%x: !tile.view<128xf32>, %y: !tile.view<128xf32> {tile.noalias}, %first: i1) {
  %c0 = arith.constant 0 : index
  // BRANCH: made-views.mlir:[[@LINE+1]]:{{[0-9]+}}: error: unsupported: a view that 'scf.if' makes
  %v = scf.if %first -> (!tile.view<128xf32>) {
    scf.yield %x : !tile.view<128xf32>
  } else {
    scf.yield %y : !tile.view<128xf32>
  }
  %a = tile.load %v[%c0] : !tile.view<128xf32> -> tensor<128xf32>
  tile.store %a, %y[%c0] : tensor<128xf32>, !tile.view<128xf32>
}
