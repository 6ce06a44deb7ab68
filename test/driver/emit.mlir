// Every level can be printed; what is printed for prim, program and tile is an
// input again.
// RUN: kiln-compile %s --emit=prim | FileCheck %s --check-prefix=PRIM
// PRIM: prim.sigmoid
// RUN: kiln-compile %s --target=cpu --emit=program | FileCheck %s --check-prefix=PROGRAM
// PROGRAM: module attributes {kiln.spec = "cpu
// PROGRAM: tile.kernel private @main_0
// PROGRAM: program.func @main
// PROGRAM: program.launch
// RUN: kiln-compile %s --target=cpu --emit=tile | FileCheck %s --check-prefix=TILE --implicit-check-not=program.
// TILE: tile.kernel
// TILE: tile.store
// RUN: kiln-compile %s --target=cpu --emit=target | FileCheck %s --check-prefix=TARGET
// TARGET: llvm.func
// RUN: kiln-compile %s --target=cpu --emit=llvm | FileCheck %s --check-prefix=LLVM
// LLVM: target triple
// RUN: kiln-compile %s --target=cpu --emit=asm | FileCheck %s --check-prefix=ASM
// ASM: .text
// A target may have a word of its own for that, which another one does not have.
// RUN: not kiln-compile %s --target=cpu --emit=soup 2>&1 | FileCheck %s --check-prefix=SOUP
// SOUP: error: expected --emit=package, prim, program, tile, target, llvm, asm or binary for 'cpu', found 'soup'
// RUN: kiln-compile %s --target=cpu --emit=binary -o %t.so && %llvm_bin/llvm-readelf -h %t.so | FileCheck %s --check-prefix=ELF
// ELF: DYN
// RUN: kiln-compile %s --emit=prim -o %t.prim.mlir && kiln-run %t.prim.mlir --target=cpu --check
// RUN: kiln-compile %s --target=cpu --emit=program -o %t.program.mlir && kiln-run %t.program.mlir --target=cpu --check
//
// --save-temps has the module after every stage; --timing says what it took.
// RUN: rm -rf %t.temps && kiln-compile %s --target=cpu -o %t.kiln --save-temps=%t.temps --timing 2>&1 \
// RUN:   | FileCheck %s --check-prefix=TIMING
// TIMING: lower kernels
// TIMING: Total
// RUN: ls %t.temps | FileCheck %s --check-prefix=TEMPS
// TEMPS: 00-input.mlir
// TEMPS-NEXT: 01-prim.mlir
// TEMPS-NEXT: 02-tile.mlir
// TEMPS-NEXT: 03-target-cpu.mlir
// What is kept can be compiled again, and gives the same.
// RUN: kiln-run %t.kiln --result=0:%t.0.npy --arg=random:1
// RUN: for n in 00-input 01-prim 02-tile; do kiln-run %t.temps/$n.mlir --target=cpu --arg=random:1 --result=0:%t.1.npy && \
// RUN:   cmp %t.0.npy %t.1.npy || exit 1; done
// RUN: kiln-opt %t.temps/03-target-cpu.mlir -o /dev/null
//
// The report as JSON; alternatives in one package; the source left out.
// RUN: kiln-compile %s --target=reference --target=cpu -o %t.kiln --explain=%t.json
// RUN: %python -c "import json,sys; rows=json.load(open(sys.argv[1])); assert any(r['stage']=='placement' and r['chosen']=='cpu' for r in rows)" %t.json
// RUN: kiln-run %t.kiln --inspect | FileCheck %s --check-prefix=INSPECT
// INSPECT: source
// INSPECT: target reference
// INSPECT: target cpu
// RUN: kiln-run %t.kiln --target=reference
// RUN: kiln-compile %s --target=cpu -o %t.strip.kiln --strip && kiln-run %t.strip.kiln --inspect | FileCheck %s --check-prefix=STRIP
// STRIP: not embedded
// STRIP: target cpu
//
// A failing compilation leaves no file behind, and old ones alone.
// RUN: echo old > %t.old && not kiln-compile %S/usage.test --target=cpu -o %t.old && grep old %t.old
func.func @main(%x: tensor<16x8xf32>) -> tensor<16x8xf32> {
  %c = "tosa.const"() <{values = dense<"0x000010C100000CC1000008C1000004C1000000C10000F8C00000F0C00000E8C00000E0C00000D8C00000D0C00000C8C00000C0C00000B8C00000B0C00000A8C00000A0C0000098C0000090C0000088C0000080C0000070C0000060C0000050C0000040C0000030C0000020C0000010C0000000C00000E0BF0000C0BF0000A0BF000080BF000040BF000000BF000080BE000000000000803E0000003F0000403F0000803F0000A03F0000C03F0000E03F0000004000001040000020400000304000004040000050400000604000007040000080400000884000009040000098400000A0400000A8400000B0400000B8400000C0400000C8400000D0400000D8400000E0400000E8400000F0400000F84000000041000004410000084100000C4100001041000014410000184100001C4100002041000024410000284100002C4100003041000034410000384100003C4100004041000044410000484100004C4100005041000054410000584100005C4100006041000064410000684100006C4100007041000074410000784100007C41000080410000824100008441000086410000884100008A4100008C4100008E41000090410000924100009441000096410000984100009A4100009C4100009E410000A0410000A2410000A4410000A6410000A8410000AA410000AC410000AE410000B0410000B2410000B4410000B641"> : tensor<16x8xf32>}> : () -> tensor<16x8xf32>
  %0 = tosa.sigmoid %x : (tensor<16x8xf32>) -> tensor<16x8xf32>
  %1 = tosa.add %0, %c : (tensor<16x8xf32>, tensor<16x8xf32>) -> tensor<16x8xf32>
  return %1 : tensor<16x8xf32>
}
