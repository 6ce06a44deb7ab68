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
// TEMPS: input.mlir
// TEMPS: prim.mlir
// TEMPS: tile.mlir
// TEMPS: target-cpu.mlir
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
func.func @main(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = tosa.sigmoid %x : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}
