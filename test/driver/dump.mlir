// The IR around passes, on the standard error, in the order in which they run.
// RUN: kiln-compile %s --target=cpu -o %t.kiln --print-ir-after-all 2>&1 | FileCheck %s --check-prefix=ALL
// ALL: IR Dump After TosaToPrim (convert-tosa-to-prim)
// ALL: prim.constant dense_resource<__elided__>
// ALL: IR Dump After PrimFuse (prim-fuse)
// ALL: func.func @one
// ALL: IR Dump After PrimFuse (prim-fuse)
// ALL: func.func @two
// ALL: IR Dump After {{.*}} (convert-cpu-to-llvm)
// ALL: llvm.func
//
// Named passes only; upstream's spelling; the whole module though the pass is for functions.
// RUN: kiln-compile %s --target=cpu -o %t.kiln --print-ir-before=prim-decompose --mlir-print-ir-after=convert-prim-to-tile \
// RUN:   2>&1 | grep 'IR Dump' | FileCheck %s --check-prefix=NAMED
// NAMED: IR Dump Before {{.*}} (prim-decompose)
// NAMED-NEXT: IR Dump Before {{.*}} (prim-decompose)
// NAMED-NEXT: IR Dump After {{.*}} (convert-prim-to-tile)
// NAMED-NOT: IR Dump
// RUN: kiln-compile %s --target=cpu -o %t.kiln --print-ir-after=prim-fuse --print-ir-module-scope 2>&1 \
// RUN:   | FileCheck %s --check-prefix=MODULE
// MODULE: IR Dump After {{.*}} (prim-fuse) ('func.func' operation: @one)
// MODULE-NEXT: module
// MODULE: func.func @one
// MODULE: func.func @two
//
// All that are printed can be named.
// RUN: kiln-compile %s --target=cpu -o %t.kiln --print-ir-before-all 2>&1 | sed -n 's/.*IR Dump Before .*(\(.*\)).*/\1/p' | sort -u > %t.names
// RUN: kiln-compile %s --target=cpu -o %t.kiln --print-ir-after=$(paste -sd, %t.names) 2>&1 | grep -c 'IR Dump After' > %t.count
// RUN: kiln-compile %s --target=cpu -o %t.kiln --print-ir-after-all 2>&1 | grep -c 'IR Dump After' | cmp - %t.count
//
// Only what changes: there is nothing to claim here.
// RUN: kiln-compile %s --target=cpu -o %t.kiln --print-ir-after-change 2>&1 \
// RUN:   | FileCheck %s --check-prefix=CHANGE --implicit-check-not=prim-claim
// CHANGE: (convert-tosa-to-prim)
// CHANGE: (prim-fuse)
//
// Only what fails.
// RUN: echo 'func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> { %0 = tosa.custom %x {domain_name = "d", implementation_attrs = "", operator_name = "o"} : (tensor<4xf32>) -> tensor<4xf32> return %0 : tensor<4xf32> }' > %t.custom.mlir
// RUN: not kiln-compile %t.custom.mlir --target=cpu -o %t.kiln --print-ir-after-failure 2>&1 \
// RUN:   | FileCheck %s --check-prefix=FAILS
// FAILS: IR Dump After TosaToPrim Failed (convert-tosa-to-prim)
// FAILS-NOT: IR Dump
//
// Files, in folders by stage.
// RUN: rm -rf %t.tree && kiln-compile %s --target=cpu -o %t.kiln --print-ir-tree-dir=%t.tree 2>&1 | count 0
// RUN: cd %t.tree && ls -d */* | FileCheck %s --check-prefix=TREE
// TREE: 00-input/0000-kiln-keep-entries.mlir
// TREE: 01-frontend/0002-convert-tosa-to-prim.mlir
// TREE: 04-prim/{{[0-9]+}}-prim-raise-composites.one.mlir
// TREE: 04-prim/{{[0-9]+}}-prim-raise-composites.two.mlir
// TREE: 05-tile/{{[0-9]+}}-convert-prim-to-tile.mlir
// TREE: 08-target-cpu/{{[0-9]+}}-convert-cpu-to-llvm.mlir
// RUN: not kiln-compile %s --target=cpu -o %t.kiln --print-ir-tree-dir=/dev/null/x 2>&1 | FileCheck %s --check-prefix=NODIR
// NODIR: error: /dev/null/x/{{.*}}: cannot be created: Not a directory
//
// kiln-run passes them on. A pass that exists and does not run is a warning, a name that is wrong
// is wrong usage.
// RUN: kiln-run %s --target=cpu --entry=one -X --print-ir-after=prim-fuse 2>&1 | FileCheck %s --check-prefix=PASSED
// PASSED: IR Dump After {{.*}} (prim-fuse)
// RUN: kiln-compile %s --target=reference -o %t.kiln --print-ir-after=prim-fuse 2>&1 | FileCheck %s --check-prefix=NEVER
// NEVER: warning: the pass 'prim-fuse' of --print-ir-after did not run
// RUN: for flag in after=prim-fus before=fuse after=soup after= after-all=1 sideways tree-dir; do \
// RUN:   kiln-compile %s --target=cpu -o %t.kiln --print-ir-$flag > %t.log 2>&1; echo "exit $?"; cat %t.log; done | FileCheck %s --check-prefix=WRONG
// WRONG: exit 2
// WRONG-NEXT: error: no pass is named 'prim-fus', did you mean 'prim-fuse'
// WRONG-NEXT: exit 2
// WRONG-NEXT: error: no pass is named 'fuse', did you mean 'prim-fuse'
// WRONG-NEXT: exit 2
// WRONG-NEXT: error: no pass is named 'soup'; --print-ir-after-all shows the names of all that run
// WRONG-NEXT: exit 2
// WRONG-NEXT: error: expected --print-ir-after=PASS[,PASS...]
// WRONG-NEXT: exit 2
// WRONG-NEXT: error: expected --print-ir-after-all without a value, found '1'
// WRONG-NEXT: exit 2
// WRONG-NEXT: error: unknown flag '--print-ir-sideways'
// WRONG-NEXT: exit 2
// WRONG-NEXT: error: expected --print-ir-tree-dir=DIR
func.func @one(%x: tensor<8x16xf32>) -> tensor<8x16xf32> {
  %w = "tosa.const"() <{values = dense<"0x0000803F0000004000004040000080400000A0400000C0400000E0400000004100001041000020410000304100004041000050410000604100007041000080410000803F0000004000004040000080400000A0400000C0400000E0400000004100001041000020410000304100004041000050410000604100007041000080410000803F0000004000004040000080400000A0400000C0400000E0400000004100001041000020410000304100004041000050410000604100007041000080410000803F0000004000004040000080400000A0400000C0400000E0400000004100001041000020410000304100004041000050410000604100007041000080410000803F0000004000004040000080400000A0400000C0400000E040000000410000104100002041000030410000404100005041000060410000704100008041"> : tensor<5x16xf32>}> : () -> tensor<5x16xf32>
  %s = tosa.const_shape {values = dense<[1, 16]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %f = tosa.const_shape {values = dense<[2, 0]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %r = tosa.slice %w, %f, %s : (tensor<5x16xf32>, !tosa.shape<2>, !tosa.shape<2>) -> tensor<1x16xf32>
  %0 = tosa.add %x, %r : (tensor<8x16xf32>, tensor<1x16xf32>) -> tensor<8x16xf32>
  return %0 : tensor<8x16xf32>
}
func.func @two(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = tosa.tanh %x : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
