// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
tile.kernel @arctangent(%x: !tile.view<?xf64> {tile.readonly}, %y: !tile.view<?xf64> {tile.noalias}) {
  %i = tile.program_id : index
  %v = tile.load %x[%i] : !tile.view<?xf64> -> tensor<256xf64>
  %w = math.atan %v : tensor<256xf64>
  tile.store %w, %y[%i] : tensor<256xf64>, !tile.view<?xf64>
}
