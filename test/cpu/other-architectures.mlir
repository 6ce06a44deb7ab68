// Code for processors of other architectures: attributes that tell LLVM of their registers, masks without
// branches, conversions of one instruction, and matrix instructions.
// REQUIRES: lld
// RUN: kiln-compile %s --entry=tail --target=cpu:cortex-a76 --emit=llvm -o - | FileCheck %s --check-prefix=NEON
// RUN: kiln-compile %s --entry=tail --target=cpu:cortex-a76 --emit=asm -o - | FileCheck %s --check-prefix=BRANCHES
// RUN: kiln-compile %s --entry=tail --target=cpu:neoverse-n2 --emit=asm -o - | FileCheck %s --check-prefix=SVE2
// RUN: kiln-compile %s --entry=tail --target=cpu:armv9-a,vector_bits=256 --emit=llvm -o - | FileCheck %s --check-prefix=LONG
// RUN: kiln-compile %s --entry=larger --target=cpu:armv8-a --emit=llvm -o - | FileCheck %s --check-prefix=LARGER
// RUN: for chip in armv8.4-a neoverse-v2 neoverse-v1 sifive-x280 spacemit-x60; do echo "chip $chip"; \
// RUN:   kiln-compile %s --entry=f32 --entry=bf16 --entry=bytes --target=cpu:$chip --emit=asm -o - \
// RUN:   | grep -oE '(fmla|bfmmla|smmla|sdot)[[:space:]]+[vz]|vfmacc.vf|vsetvli.*m4|kiln_micro_kernel[a-z0-9_]*:' | awk '!seen[$0]++'; done \
// RUN:   | FileCheck %s --check-prefix=ROWS

// RUN: kiln-compile %s --entry=bf16 --target=cpu:tt-ascalon-d8 --emit=asm -o - | FileCheck %s --check-prefix=WIDENS

// WIDENS: vfwmaccbf16.vf
// NEON-NOT: llvm.masked
// NEON: select i1 {{.*}}, ptr
// BRANCHES-NOT: umov {{.*}}v{{[0-9]+}}.b[0]
// BRANCHES: st1{{.}}{ v{{[0-9]+}}.h }[3]
// SVE2: ld1w{{.}}{ z{{[0-9]+}}.s }, p
// SVE2: bfcvtn
// LONG: attributes #{{[0-9]+}} = { {{.*}}vscale_range(2,2){{.*}} "tune-cpu"="neoverse-v2"
// LARGER: @llvm.maximumnum.v4f32
// Long registers have no operation for it, and are not taken apart.
// RUN: kiln-compile %s --entry=larger --target=cpu:neoverse-v1 --emit=asm -o - | FileCheck %s --check-prefix=QUIET --implicit-check-not='[sp'
// QUIET: fmaxnm{{.}}z{{[0-9]+}}.s
// Rows become columns by the instructions that exchange elements across all of a register, without memory between.
// RUN: kiln-compile %s --entry=f32 --target=cpu:a64fx --emit=asm -o - | sed -n '/^f32:/,/size/p' | FileCheck %s --check-prefix=COLUMNS --implicit-check-not='str{{.}}s'
// COLUMNS: zip1{{.}}z{{[0-9]+}}.s
// COLUMNS: zip2{{.}}z{{[0-9]+}}.s
// ROWS: chip armv8.4-a
// ROWS: sdot{{.}}v
// ROWS: chip neoverse-v2
// ROWS: bfmmla{{.}}v
// ROWS: smmla{{.}}v
// ROWS: chip neoverse-v1
// ROWS: fmla{{.}}z
// ROWS: bfmmla{{.}}z
// ROWS: smmla{{.}}z
// ROWS: chip sifive-x280
// ROWS: kiln_micro_kernel_fma_f32_6x64
// ROWS: m4
// ROWS: vfmacc.vf
// ROWS: chip spacemit-x60
// ROWS: kiln_micro_kernel_fma_f32_6x32

// Lanes that are apart and fill a part of a long register only: LLVM merges no extension into such a gather.
// RUN: kiln-compile %s --entry=apart --target=cpu:armv9-a,vector_bits=256 --emit=asm -o - | FileCheck %s --check-prefix=APART
// APART: ld1b{{.}}{ z{{[0-9]+}}.d }, p
// APART: ucvtf{{.}}z{{[0-9]+}}.d

tile.kernel @tail(%x: !tile.view<?xf32> {tile.readonly}, %y: !tile.view<?xbf16>) {
  %i = tile.program_id : index
  %a = tile.load %x[%i] : !tile.view<?xf32> -> tensor<64xf32>
  %o = arith.truncf %a : tensor<64xf32> to tensor<64xbf16>
  tile.store %o, %y[%i] : tensor<64xbf16>, !tile.view<?xbf16>
}

tile.kernel @larger(%x: !tile.view<64xf32> {tile.readonly}, %y: !tile.view<64xf32>) {
  %i = tile.program_id : index
  %a = tile.load %x[%i] : !tile.view<64xf32> -> tensor<64xf32>
  %b = tile.load %y[%i] : !tile.view<64xf32> -> tensor<64xf32>
  %o = arith.maxnumf %a, %b : tensor<64xf32>
  tile.store %o, %y[%i] : tensor<64xf32>, !tile.view<64xf32>
}

tile.kernel @f32(%x: !tile.view<84x64xf32> {tile.readonly}, %y: !tile.view<64x192xf32> {tile.readonly}, %z: !tile.view<84x192xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<84x192xf32>
  %a = tile.load %x[%c0, %c0] : !tile.view<84x64xf32> -> tensor<84x64xf32>
  %b = tile.load %y[%c0, %c0] : !tile.view<64x192xf32> -> tensor<64x192xf32>
  %d = tile.dot %a, %b, %zero : tensor<84x64xf32>, tensor<64x192xf32>, tensor<84x192xf32>
  tile.store %d, %z[%c0, %c0] : tensor<84x192xf32>, !tile.view<84x192xf32>
}

tile.kernel @bf16(%x: !tile.view<96x64xbf16> {tile.readonly}, %y: !tile.view<64x96xbf16> {tile.readonly}, %z: !tile.view<96x96xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<96x96xf32>
  %a = tile.load %x[%c0, %c0] : !tile.view<96x64xbf16> -> tensor<96x64xbf16>
  %b = tile.load %y[%c0, %c0] : !tile.view<64x96xbf16> -> tensor<64x96xbf16>
  %d = tile.dot %a, %b, %zero : tensor<96x64xbf16>, tensor<64x96xbf16>, tensor<96x96xf32>
  tile.store %d, %z[%c0, %c0] : tensor<96x96xf32>, !tile.view<96x96xf32>
}

tile.kernel @bytes(%x: !tile.view<96x64xi8> {tile.readonly}, %y: !tile.view<64x96xi8> {tile.readonly}, %z: !tile.view<96x96xi32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0> : tensor<96x96xi32>
  %a = tile.load %x[%c0, %c0] : !tile.view<96x64xi8> -> tensor<96x64xi8>
  %b = tile.load %y[%c0, %c0] : !tile.view<64x96xi8> -> tensor<64x96xi8>
  %d = tile.dot %a, %b, %zero : tensor<96x64xi8>, tensor<64x96xi8>, tensor<96x96xi32>
  tile.store %d, %z[%c0, %c0] : tensor<96x96xi32>, !tile.view<96x96xi32>
}

tile.kernel @apart(%x: !tile.view<40xi8, strides = [3]> {tile.readonly}, %y: !tile.view<40xf64> {tile.noalias}, %z: !tile.view<40xf8E5M2, strides = [3]> {tile.readonly}, %w: !tile.view<40xf64> {tile.noalias}) {
  %c0 = arith.constant 0 : index
  %a = tile.load %x[%c0] : !tile.view<40xi8, strides = [3]> -> tensor<40xi8>
  %b = arith.uitofp %a : tensor<40xi8> to tensor<40xf64>
  tile.store %b, %y[%c0] : tensor<40xf64>, !tile.view<40xf64>
  %c = tile.load %z[%c0] : !tile.view<40xf8E5M2, strides = [3]> -> tensor<40xf8E5M2>
  %d = arith.extf %c : tensor<40xf8E5M2> to tensor<40xf64>
  tile.store %d, %w[%c0] : tensor<40xf64>, !tile.view<40xf64>
}
