// convert-cpu-to-llvm leaves LLVM's dialect alone: loops become branches, vectors instructions.
// RUN: kiln-opt %s --pass-pipeline='builtin.module(kiln-set-target{spec=cpu:x86-64-v3},tile.kernel(tile-decide-storage,convert-tile-to-stage,stage-place,stage-allocate),convert-stage-to-cpu,convert-cpu-to-llvm)' \
// RUN:   | FileCheck %s --implicit-check-not='scf.' --implicit-check-not=' vector.' --implicit-check-not=' arith.'

// CHECK: llvm.func @double(
// CHECK: llvm.fadd {{.*}} : vector<8xf32>
// CHECK: llvm.return
tile.kernel @double(%x: !tile.view<?xf32> {tile.readonly}, %y: !tile.view<?xf32> {tile.noalias}) {
  %i = tile.program_id : index
  %a = tile.load %x[%i] : !tile.view<?xf32> -> tensor<128xf32>
  %e = arith.addf %a, %a : tensor<128xf32>
  tile.store %e, %y[%i] : tensor<128xf32>, !tile.view<?xf32>
}
