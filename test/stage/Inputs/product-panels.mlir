// relu(a * b) in bf16 on a machine with vector registers: panels of the operands in caches, sums in registers.
// Panels round up to whole granules with zeros; the fragment's store clips. For up to 512 columns of a.
!V = !tile.view<?x?xbf16>
!A = memref<64x512xbf16, affine_map<(r, k) -> (r floordiv 8, k floordiv 2, r mod 8, k mod 2)>, #stage.space<"l2">>
!B = memref<512x32xbf16, affine_map<(k, c) -> (c floordiv 32, k floordiv 2, c mod 32, k mod 2)>, #stage.space<"l1">>
!F = tensor<8x32xf32, {registers = {lanes = 16 : i64}}>
!O = tensor<8x32xbf16, {registers = {lanes = 16 : i64}}>
tile.kernel @matmul_relu(%a: !V, %b: !V, %c: !V) {
  %i, %j = tile.program_id : index, index
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %c32 = arith.constant 32 : index
  %zero = arith.constant dense<0.0> : !F
  %M = tile.dim %a[0] : !V
  %K = tile.dim %a[1] : !V
  %N = tile.dim %b[1] : !V
  %m = affine.min affine_map<(i)[M] -> (64, M - 64 * i)>(%i)[%M]
  %n = affine.min affine_map<(j)[N] -> (128, N - 128 * j)>(%j)[%N]
  %m8 = affine.apply affine_map<(m) -> ((m ceildiv 8) * 8)>(%m)
  %k2 = affine.apply affine_map<(k) -> ((k ceildiv 2) * 2)>(%K)
  %pa = stage.alloc {align = 64 : i64} : !A
  %pb = stage.alloc {align = 64 : i64} : !B
  stage.compute [64, 512] to [%m8, %k2] safe [%m, %K] {
    %x = tile.load %a[%i, %c0] : !V -> tensor<64x512xbf16>
    stage.write %x, %pa : tensor<64x512xbf16>, !A
  }
  scf.for %q = %c0 to %n step %c32 {
    %col = affine.apply affine_map<(j, q) -> (128 * j + q)>(%j, %q)
    %w = affine.min affine_map<(q)[n] -> (32, n - q)>(%q)[%n]
    stage.compute [512, 32] to [%k2, %c32] safe [%K, %w] {
      %y = tile.load %b at [%c0, %col] : !V -> tensor<512x32xbf16>
      stage.write %y, %pb : tensor<512x32xbf16>, !B
    }
    scf.for %p = %c0 to %m step %c8 {
      %row = affine.apply affine_map<(i, p) -> (64 * i + p)>(%i, %p)
      %s = stage.product %pa[%p, %c0], %pb, %zero depth %k2 block [8, 32, 512] by @bf16_pairs : !A, !B, !F
      %r = arith.maximumf %s, %zero : !F
      %o = arith.truncf %r : !F to !O
      tile.store %o, %c at [%row, %col] : !O, !V
    }
  }
}
