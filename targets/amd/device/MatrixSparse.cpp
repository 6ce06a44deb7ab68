// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Matrix instructions whose first operand has two of each four elements
// (SMFMAC of CDNA, SWMMAC of RDNA4): two bits of an index say which ("Sparse
// Matrices" in the CDNA3 and CDNA4 manuals, "Wave Matrix Multiply Accumulate"
// in that of RDNA4).
#include "MatrixValues.h"

using namespace kiln::amd::sim;

namespace {
const MatrixRow kRows[] = {
    {"v_smfmac_f32_16x16x32_f16", 16, 16, 32, 1, Element::F16, Element::F16,
     false},
    {"v_smfmac_f32_32x32x16_f16", 32, 32, 16, 1, Element::F16, Element::F16,
     false},
    {"v_smfmac_f32_16x16x32_bf16", 16, 16, 32, 1, Element::BF16, Element::BF16,
     false},
    {"v_smfmac_f32_32x32x16_bf16", 32, 32, 16, 1, Element::BF16, Element::BF16,
     false},
    {"v_smfmac_f32_16x16x64_f16", 16, 16, 64, 1, Element::F16, Element::F16,
     false},
    {"v_smfmac_f32_32x32x32_f16", 32, 32, 32, 1, Element::F16, Element::F16,
     false},
    {"v_smfmac_f32_16x16x64_bf16", 16, 16, 64, 1, Element::BF16, Element::BF16,
     false},
    {"v_smfmac_f32_32x32x32_bf16", 32, 32, 32, 1, Element::BF16, Element::BF16,
     false},
    {"v_smfmac_i32_16x16x64_i8", 16, 16, 64, 1, Element::I8, Element::I8, true},
    {"v_smfmac_i32_32x32x32_i8", 32, 32, 32, 1, Element::I8, Element::I8, true},
    {"v_smfmac_i32_16x16x128_i8", 16, 16, 128, 1, Element::I8, Element::I8,
     true},
    {"v_smfmac_i32_32x32x64_i8", 32, 32, 64, 1, Element::I8, Element::I8, true},
};
/// RDNA4's.
const MatrixRow kWmma[] = {
    {"v_swmmac_f32_16x16x32_f16", 16, 16, 32, 1, Element::F16, Element::F16,
     false},
    {"v_swmmac_f32_16x16x32_bf16", 16, 16, 32, 1, Element::BF16, Element::BF16,
     false},
    {"v_swmmac_f16_16x16x32_f16", 16, 16, 32, 1, Element::F16, Element::F16,
     false, Element::F16},
    {"v_swmmac_bf16_16x16x32_bf16", 16, 16, 32, 1, Element::BF16, Element::BF16,
     false, Element::BF16},
    {"v_swmmac_i32_16x16x32_iu8", 16, 16, 32, 1, Element::I8, Element::I8,
     true},
    {"v_swmmac_i32_16x16x32_iu4", 16, 16, 32, 1, Element::I4, Element::I4,
     true},
    {"v_swmmac_i32_16x16x64_iu4", 16, 16, 64, 1, Element::I4, Element::I4,
     true},
    {"v_swmmac_f32_16x16x32_fp8_fp8", 16, 16, 32, 1, Element::Fp8, Element::Fp8,
     false},
    {"v_swmmac_f32_16x16x32_fp8_bf8", 16, 16, 32, 1, Element::Fp8, Element::Bf8,
     false},
    {"v_swmmac_f32_16x16x32_bf8_fp8", 16, 16, 32, 1, Element::Bf8, Element::Fp8,
     false},
    {"v_swmmac_f32_16x16x32_bf8_bf8", 16, 16, 32, 1, Element::Bf8, Element::Bf8,
     false},
};
/// Those of CDNA of 8-bit floats, whose operands have a format each.
struct Size {
  const char *name;
  uint16_t m, k;
};
constexpr Size kSizes[] = {{"16x16x64", 16, 64},
                           {"32x32x32", 32, 32},
                           {"16x16x128", 16, 128},
                           {"32x32x64", 32, 64}};

MatrixRow rowOf(const Inst &inst) {
  if (inst.stride < std::size(kRows))
    return kRows[inst.stride];
  unsigned at = inst.stride - unsigned(std::size(kRows));
  const Size &size = kSizes[at / 4];
  return {"",
          size.m,
          size.m,
          size.k,
          1,
          at & 2 ? Element::Bf8 : Element::Fp8,
          at & 1 ? Element::Bf8 : Element::Fp8,
          false};
}

/// The operands of a product, of which `lanes` lanes have `each` elements of
/// the first one and twice as many of the second. The indices of a lane's
/// elements begin at bit `shift` of a register.
void spreadOperands(Wave &wave, const Inst &inst, const MatrixRow &row,
                    unsigned lanes, unsigned each, unsigned shift,
                    const Elements &lhs, const Elements &rhs,
                    Product &product) {
  unsigned dense = 2 * each;
  alignas(64) uint32_t space[kMaxLanes];
  const uint32_t *indices =
      words(wave, inst, inst.ops[3], 0, space, /*isFirst=*/false);
  for (unsigned i = 0; i < row.m; ++i)
    std::fill_n(product.lhs[i], row.k, 0.0);
  for (unsigned lane = 0; lane < lanes; ++lane) {
    unsigned i = lane % row.m, first = lane / row.m * dense;
    for (unsigned e = 0; e < dense; ++e)
      product.rhs[first + e][i] = rhs.v[e][lane];
    for (unsigned e = 0; e < each; ++e) {
      unsigned which = (indices[lane] >> (shift + 2 * e)) & 3;
      product.lhs[i][first + e / 2 * 4 + which] += lhs.v[e][lane];
    }
  }
}

/// v_smfmac acc, lhs, rhs, index: acc += lhs * rhs. The indices of a lane's
/// elements are in the part of the register that abid chooses, or in the first
/// one (cbsz).
void runSparse(Wave &wave, const Inst &inst) {
  MatrixRow row = rowOf(inst);
  wave.sourceMask = ~uint64_t(0);
  unsigned parts = kMaxLanes / row.m, dense = row.k / parts, each = dense / 2;
  unsigned results = row.m * row.n / kMaxLanes;
  static thread_local Elements lhs, rhs;
  static thread_local Product product;
  lhs.read(wave, inst.ops[1], each, row.lhs);
  rhs.read(wave, inst.ops[2], dense, row.rhs);
  unsigned bits = 2 * each, sets = 32 / bits;
  unsigned set = inst.flags & 0xff ? 0 : ((inst.flags >> 8) & 0xff) % sets;
  touchAccumulator(wave, inst.ops[0], results);
  spreadOperands(wave, inst, row, kMaxLanes, each, set * bits, lhs, rhs,
                 product);
  unsigned lane, reg;
  alignas(64) uint32_t out[16][kMaxLanes];
  for (unsigned i = 0; i < row.m; ++i)
    for (unsigned j = 0; j < row.n; ++j) {
      placeOf(row, 0, i, j, lane, reg);
      product.sums[i][j] = decode(wave, inst.ops[0], lane, reg, row);
    }
  product.multiply(row.m, row.n, row.k);
  for (unsigned i = 0; i < row.m; ++i)
    for (unsigned j = 0; j < row.n; ++j) {
      placeOf(row, 0, i, j, lane, reg);
      out[reg][lane] = uint32_t(encode(product.sums[i][j], row, false));
    }
  wave.sourceMask = ~uint64_t(0);
  for (unsigned i = 0; i < results; ++i)
    writeWord(wave, inst.ops[0].reg + i, out[i], ~uint64_t(0));
}

/// Gives the first 32 lanes the elements of the others behind their own.
void joinHalves(Elements &elements, unsigned each) {
  constexpr unsigned kHalf = kMaxLanes / 2;
  for (unsigned e = 0; e < each; ++e)
    for (unsigned lane = 0; lane < kHalf; ++lane)
      elements.v[each + e][lane] = elements.v[e][kHalf + lane];
}

/// v_swmmac acc, lhs, rhs, index. index_key chooses the part of the register
/// that has the indices of a lane's elements. Of a lhs with 16 elements of 4
/// bits in a row, waves of 64 lanes use 32 lanes; the rhs has all of them.
void runSparseWmma(Wave &wave, const Inst &inst) {
  const MatrixRow &row = kWmma[inst.stride];
  constexpr unsigned kSide = 16, kNarrowest = 32;
  unsigned lanes = wave.lanes, dense = row.k / (lanes / kSide);
  bool isJoined = dense / 2 * bitsOf(row.lhs) < 32;
  WmmaResult place = {false, row.result != Element::F32, lanes, 0};
  wave.sourceMask = ~uint64_t(0);
  static thread_local Elements lhs, rhs;
  static thread_local Product product;
  // Of integers neg_lo says which operand has a sign.
  rhs.read(wave, inst.ops[2], dense, row.rhs,
           row.isInteger && !(inst.negLo & 2));
  if (isJoined) {
    joinHalves(rhs, dense);
    lanes = kNarrowest;
    dense *= 2;
  }
  unsigned each = dense / 2;
  lhs.read(wave, inst.ops[1], each, row.lhs,
           row.isInteger && !(inst.negLo & 1));
  negateHalves(lhs, inst, 0, each, row);
  negateHalves(rhs, inst, 1, dense, row);
  unsigned bits = 2 * each, part = (inst.flags & 0xff) % (32 / bits);
  spreadOperands(wave, inst, row, lanes, each, bits * part, lhs, rhs, product);
  place.read(wave, inst, inst.ops[0], row, product);
  product.multiply(row.m, row.n, row.k);
  place.write(wave, inst, row, product);
}
} // namespace

void kiln::amd::sim::addSparseMatrix(Table &t) {
  Entry entry;
  entry.kind = Class::Matrix;
  entry.run = runSparse;
  unsigned number = 0;
  for (const MatrixRow &row : kRows) {
    entry.row = uint8_t(number++);
    t.add(row.name, entry);
  }
  for (const Size &size : kSizes)
    for (const char *lhs : {"fp8", "bf8"})
      for (const char *rhs : {"fp8", "bf8"}) {
        entry.row = uint8_t(number++);
        t.add(std::string("v_smfmac_f32_") + size.name + "_" + lhs + "_" + rhs,
              entry);
      }
  entry.run = runSparseWmma;
  for (unsigned i = 0; i < std::size(kWmma); ++i) {
    entry.row = uint8_t(i);
    t.add(kWmma[i].name, entry);
  }
}
