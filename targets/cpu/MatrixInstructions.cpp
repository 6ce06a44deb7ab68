//===- MatrixInstructions.cpp - Matrix instructions on vectors ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "MatrixInstructions.h"
#include "kiln/Cpu/MatrixInstructions.h"
#include "kiln/Dialect/Kiln/Description.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace kiln;

/// A call of one of LLVM's functions for an instruction.
static Value call(OpBuilder &b, Location loc, Type type, StringRef name,
                  ValueRange operands) {
  return LLVM::CallIntrinsicOp::create(b, loc, type, b.getStringAttr(name),
                                       operands)
      .getResult(0);
}

static int64_t bitsOf(Value value) {
  auto type = cast<VectorType>(value.getType());
  return type.getNumElements() * type.getElementTypeBitWidth();
}

/// The name of the function for registers as wide as those of `sum`.
static std::string sized(StringRef stem, Value sum) {
  return (stem + Twine(bitsOf(sum))).str();
}

static Value multiplyBf16(OpBuilder &b, Location loc, Value x, Value y,
                          Value sum) {
  auto type = VectorType::get({bitsOf(x) / 16}, b.getBF16Type());
  x = LLVM::BitcastOp::create(b, loc, type, x);
  y = LLVM::BitcastOp::create(b, loc, type, y);
  return call(b, loc, sum.getType(),
              sized("llvm.x86.avx512bf16.dpbf16ps.", sum), {sum, x, y});
}

/// `vpmaddwd` and an addition; that of the widest registers is named otherwise.
static Value multiplyPairs(OpBuilder &b, Location loc, Value x, Value y,
                           Value sum) {
  StringRef name = bitsOf(sum) == 512 ? "llvm.x86.avx512.pmaddw.d.512"
                                      : "llvm.x86.avx2.pmadd.wd";
  return arith::AddIOp::create(b, loc, sum,
                               call(b, loc, sum.getType(), name, {x, y}));
}

/// `vpmaddubsw` of bytes `x` without and `y` with signs, whose sums of two are
/// added by `vpmaddwd` with ones, and an addition.
static Value multiplyQuads(OpBuilder &b, Location loc, Value x, Value y,
                           Value sum) {
  bool isWide = bitsOf(sum) == 512;
  auto pairs = VectorType::get({bitsOf(sum) / 16}, b.getI16Type());
  Value twos = call(b, loc, pairs,
                    isWide ? "llvm.x86.avx512.pmaddubs.w.512"
                           : "llvm.x86.avx2.pmadd.ub.sw",
                    {x, y});
  Value ones = arith::ConstantOp::create(
      b, loc, DenseElementsAttr::get(pairs, APInt(16, 1)));
  return multiplyPairs(b, loc, twos, ones, sum);
}

/// Sums of products of four bytes, of which both are signed or neither.
static Value multiplyAlike(OpBuilder &b, Location loc, StringRef instruction,
                           Value x, Value y, Value sum) {
  StringRef family = bitsOf(sum) == 512 ? "avx10" : "avx2";
  std::string name = ("llvm.x86." + family + "." + instruction + ".").str();
  return call(b, loc, sum.getType(), sized(name, sum), {sum, x, y});
}

void cpu_target::addMatrixInstructions() {
  using Step = Value (*)(OpBuilder &, Location, Value, Value, Value);
  auto add = [](StringRef name, Step step, int64_t unroll = 4) {
    cpu::addMatrixInstruction(
        {name.str(),
         [step, unroll](cpu::MicroKernelOp op,
                        RewriterBase &b) -> LogicalResult {
           target::TargetAttr description = target::getDescription(op);
           int64_t lanes =
               description.getMatrixInstruction(*op.getRow()).getN().getMin();
           int64_t bits = 32 * lanes;
           if (bits != 256 && bits != 512)
             return op.emitOpError()
                    << "unsupported: matrix instruction '" << *op.getRow()
                    << "' with " << lanes << " columns, expected 8 or 16";
           return cpu::lowerToRegisterBlock(op, b, lanes, step, unroll);
         },
         nullptr, nullptr,
         /*entryAttributes=*/{},
         /*insideAttributes=*/{},
         /*takesRows=*/true});
  };
  add("vdpbf16ps", multiplyBf16);
  add("vpmaddwd", multiplyPairs, /*unroll=*/1);
  auto swappedQuads = [](OpBuilder &b, Location loc, Value x, Value y,
                         Value sum) {
    return multiplyQuads(b, loc, y, x, sum);
  };
  for (StringRef name : {"vpmaddubsw", "vpmaddubsw.lhs7"})
    add(name, multiplyQuads, /*unroll=*/1);
  for (StringRef name : {"vpmaddubsw.swapped", "vpmaddubsw.swapped.rhs7"})
    add(name, swappedQuads, /*unroll=*/1);
  add("vpdpbusd", [](OpBuilder &b, Location loc, Value x, Value y, Value sum) {
    return call(b, loc, sum.getType(), sized("llvm.x86.avx512.vpdpbusd.", sum),
                {sum, x, y});
  });
  add("vpdpbusd.swapped",
      [](OpBuilder &b, Location loc, Value x, Value y, Value sum) {
        return call(b, loc, sum.getType(),
                    sized("llvm.x86.avx512.vpdpbusd.", sum), {sum, y, x});
      });
  add("vpdpbssd", [](OpBuilder &b, Location loc, Value x, Value y, Value sum) {
    return multiplyAlike(b, loc, "vpdpbssd", x, y, sum);
  });
  add("vpdpbuud", [](OpBuilder &b, Location loc, Value x, Value y, Value sum) {
    return multiplyAlike(b, loc, "vpdpbuud", x, y, sum);
  });
  add("vpdpwssd", [](OpBuilder &b, Location loc, Value x, Value y, Value sum) {
    return call(b, loc, sum.getType(), sized("llvm.x86.avx512.vpdpwssd.", sum),
                {sum, x, y});
  });
  addTileInstructions();
  addArmInstructions();
  addOuterInstructions();
  addRiscvInstructions();
}
