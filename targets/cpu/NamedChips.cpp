//===- NamedChips.cpp - Chips that have a name ----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Caches are those of one core, from the makers' technical reference manuals
// and software optimisation guides; of levels of an architecture those that its
// servers have at least.
//
//===----------------------------------------------------------------------===//

#include "Processors.h"

using namespace kiln::cpu_target;

static const NamedChip kX86Chips[] = {
    {"x86-64-v4", "", "", "", "AVX-512 (F, BW, DQ, VL)"},
    {"x86-64-v3", "", "", "", "AVX2 and FMA"},
    {"x86-64-v2", "", "", "", "SSE4.2"},
    {"x86-64", "", "", "", "the base architecture"},
};

// name, cpu, features, tune, help, L1, L2, L3, line, pipes, bits,
// registers of a group, bits in streaming mode
static const NamedChip kArmChips[] = {
    {"armv8-a", "generic", "+v8a", "neoverse-n1", "NEON", 32, 512, 8192},
    {"armv8.1-a", "generic", "+v8.1a", "neoverse-n1", "and atomics", 32, 512,
     8192},
    {"armv8.2-a", "generic", "+v8.2a", "neoverse-n1", "the next level", 64, 512,
     8192},
    {"armv8.3-a", "generic", "+v8.3a", "neoverse-n1", "the next level", 64, 512,
     8192},
    {"armv8.4-a", "generic", "+v8.4a", "neoverse-v2", "and dot products", 64,
     1024, 16384, 64, 4},
    {"armv8.5-a", "generic", "+v8.5a", "neoverse-v2", "the next level", 64,
     1024, 16384, 64, 4},
    {"armv8.6-a", "generic", "+v8.6a", "neoverse-v2",
     "and bf16 and matrix products of bytes", 64, 1024, 16384, 64, 4},
    {"armv8.7-a", "generic", "+v8.7a", "neoverse-v2", "the next level", 64,
     1024, 16384, 64, 4},
    {"armv9-a", "generic", "+v9a,+sve2", "neoverse-v2",
     "and SVE2, used with vector_bits", 64, 1024, 16384, 64, 4},
    {"armv9.1-a", "generic", "+v9.1a,+sve2", "neoverse-v2", "the next level",
     64, 1024, 16384, 64, 4},
    {"armv9.2-a", "generic", "+v9.2a,+sve2", "neoverse-v2", "the next level",
     64, 1024, 16384, 64, 4},
    {"neoverse-n1", "", "", "", "NEON", 64, 1024},
    {"neoverse-n2", "", "", "", "SVE2 of 128 bits", 64, 1024},
    {"neoverse-n3", "", "", "", "SVE2 of 128 bits", 64, 1024},
    // A factor that is loaded into all lanes takes no pipe for arithmetic.
    {"neoverse-v1", "", "-no-sve-fp-ld1r", "", "SVE of 256 bits", 64, 1024,
     32768, 64, 2, 256},
    {"neoverse-v2", "", "", "", "SVE2 of 128 bits", 64, 2048, 32768, 64, 4},
    {"neoverse-v3", "", "", "", "SVE2 of 128 bits", 64, 2048, 32768, 64, 4},
    {"cortex-a53", "", "", "", "NEON", 32, 512, 512, 64, 1},
    {"cortex-a55", "", "", "", "NEON", 32, 128, 1024},
    {"cortex-a76", "", "", "", "NEON", 64, 256, 2048},
    {"cortex-a720", "", "", "", "SVE2 of 128 bits", 64, 512, 8192},
    {"cortex-a725", "", "", "", "SVE2 of 128 bits", 64, 1024, 8192},
    {"cortex-x1", "", "", "", "NEON", 64, 1024, 8192, 64, 4},
    {"cortex-x4", "", "", "neoverse-v2", "SVE2 of 128 bits", 64, 2048, 8192, 64,
     4},
    {"cortex-x925", "", "", "", "SVE2 of 128 bits", 64, 2048, 16384, 64, 6},
    {"a64fx", "", "", "", "SVE of 512 bits", 64, 8192, 8192, 256, 2, 512},
    {"apple-m1", "", "", "", "NEON", 128, 12288, 12288, 128, 4},
    {"apple-m2", "", "", "", "NEON", 128, 16384, 16384, 128, 4},
    {"apple-m3", "", "", "", "NEON", 128, 16384, 16384, 128, 4},
    {"apple-m4", "", "", "", "NEON, and SME of 512 bits", 128, 16384, 16384,
     128, 4, 0, 1, 512},
};

static const NamedChip kRiscvChips[] = {
    {"rva22", "generic-rv64", "+rva22u64", "", "without vectors", 32, 512,
     2048},
    {"rva22-v", "generic-rv64", "+rva22u64,+v", "sifive-p670",
     "vectors of 128 bits and more", 32, 512, 2048},
    {"rva23", "generic-rv64", "+rva23u64", "sifive-p670",
     "vectors of 128 bits and more", 32, 512, 2048},
    {"spacemit-x60", "", "", "", "vectors of 256 bits", 32, 512, 512, 64, 1,
     256, 4},
    {"sifive-x280", "", "", "", "vectors of 512 bits", 32, 512, 2048, 64, 1,
     512, 4},
    {"sifive-p670", "", "", "", "vectors of 128 bits", 32, 2048, 16384},
    {"sifive-p870", "", "", "", "vectors of 128 bits", 64, 2048, 16384},
};

static const Architecture kArchitectures[] = {
    {llvm::Triple::x86_64, "x86_64", "x86_64-unknown-linux-gnu", kX86Chips},
    {llvm::Triple::aarch64, "aarch64", "aarch64-unknown-linux-gnu", kArmChips},
    {llvm::Triple::riscv64, "riscv64", "riscv64-unknown-linux-gnu",
     kRiscvChips},
};

llvm::ArrayRef<Architecture> kiln::cpu_target::architectures() {
  return kArchitectures;
}
