// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attention in blocks of 128 keys, whose products overlap with exponentials. A causal mask cuts the first block that the loop goes
// through, and no other one: what masks it stands before the loop. The second product of the last block stands behind it.
// RUN: rm -rf %t && mkdir -p %t
// RUN: kiln-compile %s --entry=causal --target=nvidia:sm_90a,ptxas=none --schedule=%S/Inputs/attention-128.script --emit=tile -o %t/causal.mlir
// RUN: kiln-compile %s --entry=full --target=nvidia:sm_90a,ptxas=none --schedule=%S/Inputs/attention-128.script --emit=tile -o %t/full.mlir
// RUN: for kernel in causal full; do kiln-opt %t/$kernel.mlir -o %t/$kernel.threads --mlir-disable-threading --mlir-print-ir-after=simt-insert-barriers \
// RUN:   --pass-pipeline='builtin.module(kiln-set-target{spec=nvidia:sm_90a},gpu-pipeline{options=persistent=on})' 2> %t/$kernel.staged || exit 1; done
// RUN: FileCheck %s --check-prefixes=CAUSAL,BOTH < %t/causal.staged
// RUN: FileCheck %s --check-prefixes=BOTH < %t/full.staged
//
// Each pass keeps what is computed, with many points for an instance and with one.
// RUN: for options in '' ,persistent=on ,producer=off; do \
// RUN:   kiln-compile %s --entry=causal --target=nvidia:sm_90a,ptxas=none$options --schedule=%S/Inputs/attention-128.script --no-fallback --verify-semantics --verify-limit=0 -o %t/k.kiln || exit 1; \
// RUN:   done 2>&1 | FileCheck %s --check-prefix=SAME
// RUN: kiln-compile %s --entry=full --target=nvidia:sm_90a,ptxas=none,persistent=on --schedule=%S/Inputs/attention-128.script --no-fallback --verify-semantics --verify-limit=0 -o %t/k.kiln 2>&1 \
// RUN:   | FileCheck %s --check-prefix=SAME
// SAME-NOT: unverified
// SAME: semantics: {{[1-9][0-9]*}} comparisons, 0 changed
//
// All threads, in several orders of events. The keys are transposed in memory.
// RUN: sed 's/, strides = \[1, 128\]//' %t/causal.mlir > %t/plain.mlir
// RUN: for seed in 0 3; do kiln-run %t/plain.mlir --target=reference,threads=nvidia:sm_90a,thread_options=persistent=on,seed=$seed --grid=3,1 --inputs=random --check || exit 1; done

// A kernel becomes persistent by itself only if its points have the same to do, or are few. Here the loop over keys begins at a coordinate.
// RUN: sed 's/<1x384/<900x384/g' %s > %t/heads.prim
// RUN: kiln-compile %t/heads.prim --entry=causal --target=nvidia:sm_90a,ptxas=none --schedule=%S/Inputs/attention-128.script --emit=tile -o %t/heads.mlir
// RUN: sed -e 's/%%0 = tile.instance_id : index/%%at:2 = tile.program_id : index, index\n%%row = arith.muli %%at#1, %%c3 : index\n%%0 = arith.addi %%row, %%at#0 : index/' \
// RUN:   -e 's/\(scf.for %%[a-z0-9]* = \)%%c0 to %%[0-9]* /\1%%at#0 to %%c3 /' %t/heads.mlir > %t/uneven.mlir
// RUN: kiln-opt %t/uneven.mlir -o %t/uneven.threads --mlir-disable-threading --mlir-print-ir-after=simt-persist-rings \
// RUN:   --pass-pipeline='builtin.module(kiln-set-target{spec=nvidia:sm_90a},gpu-pipeline)' 2>&1 | FileCheck %s --check-prefix=UNEVEN
// UNEVEN-NOT: tile.num_instances
// UNEVEN: %[[AT:.*]]:2 = tile.program_id
// UNEVEN-COUNT-2: stage.ring {{.*}}barriers
// UNEVEN: scf.for %{{.*}} = %[[AT]]#0 to
// UNEVEN-NOT: tile.num_instances

// BOTH: stage.product
// CAUSAL: arith.cmpi sge
// BOTH: scf.for {{.*}} tensor<128x128xf32
// BOTH-NOT: arith.cmpi sge
// BOTH: %[[SCORES:.*]] = stage.product
// BOTH: %[[SUM:.*]] = stage.product
// BOTH: stage.wait but 1 %[[SCORES]]
// BOTH-NOT: stage.wait
// BOTH: math.exp2
// BOTH: stage.wait but 0 %[[SUM]]
// BOTH-NEXT: stage.release
// BOTH-NEXT: arith.truncf
// BOTH: scf.yield
// BOTH-NOT: scf.for
// BOTH: %[[END:.*]] = stage.product
// BOTH-NOT: stage.product
// BOTH: stage.wait but 0 %[[END]]
// BOTH-NOT: stage.product
// BOTH: tile.store
func.func @causal(%q: tensor<1x384x128xf16>, %k: tensor<1x384x128xf16>, %v: tensor<1x384x128xf16>) -> tensor<1x384x128xf16> {
  %i = prim.iota dim 0 : tensor<384x384xi32>
  %j = prim.iota dim 1 : tensor<384x384xi32>
  %c = prim.ge %i, %j : tensor<384x384xi32> -> tensor<384x384xi1>
  %z = prim.full 0.0 : f16 : tensor<384x384xf16>
  %n = prim.full 0xFC00 : f16 : tensor<384x384xf16>
  %w = prim.where %c, %z, %n : tensor<384x384xi1>, tensor<384x384xf16>
  %m = prim.broadcast_in_dim %w dims [1, 2] : tensor<384x384xf16> -> tensor<1x384x384xf16>
  %o = prim.attention %q, %k, %v mask %m scale 0.125 : tensor<1x384x128xf16>, tensor<1x384x128xf16>, tensor<1x384x128xf16>, tensor<1x384x384xf16> -> tensor<1x384x128xf16>
  return %o : tensor<1x384x128xf16>
}

// 300 keys: the last block reaches beyond them.
func.func @full(%q: tensor<2x256x128xbf16>, %k: tensor<2x300x128xbf16>, %v: tensor<2x300x128xbf16>) -> tensor<2x256x128xbf16> {
  %o = prim.attention %q, %k, %v scale 0.125 : tensor<2x256x128xbf16>, tensor<2x300x128xbf16>, tensor<2x300x128xbf16> -> tensor<2x256x128xbf16>
  return %o : tensor<2x256x128xbf16>
}
