//===- OuterProducts.cpp - Matrix instructions of SME ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The Scalable Matrix Extension adds the product of a column and a row, two
// vectors of a known length, to a square of sums: a tile of its array ZA. Its
// instructions exist in streaming mode only, whose vectors have a length of
// their own. A whole product runs in that mode, called by a function that
// enters it and does nothing else: what such a function saves has the other
// length. Arm Architecture Reference Manual, B1.4 and C9.2.
//
//===----------------------------------------------------------------------===//

#include "MatrixInstructions.h"
#include "kiln/Cpu/MatrixInstructions.h"
#include "kiln/Dialect/Kiln/Description.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace kiln;

constexpr int64_t kLeastBits = 128; ///< of a scalable vector

namespace {
/// The intrinsics of an instruction.
struct OuterInstruction {
  StringRef row, intrinsic;
};
} // namespace

const OuterInstruction kOuterInstructions[] = {
    {"fmopa.f32", "mopa"},      {"fmopa.f64", "mopa"},
    {"fmopa.f16", "mopa.wide"}, {"bfmopa", "mopa.wide"},
    {"smopa", "smopa.wide"},    {"umopa", "umopa.wide"},
    {"usmopa", "usmopa.wide"},  {"sumopa", "sumopa.wide"},
};

namespace {
/// Builds one micro-kernel. Its sums are `down` x `across` tiles of ZA, each of
/// `lanes` x `lanes` elements.
struct OuterBlockBuilder {
  OpBuilder &b;
  Location loc;
  cpu::MicroKernelOp op;
  StringRef intrinsic;
  int64_t lanes;
  int64_t down = op.getRows() / lanes, across = op.getColumns() / lanes;
  int64_t group = op.getLhsGroup();
  int64_t sumBits = op.getAccType().getIntOrFloatBitWidth();
  Type factor = floatOrSignless(op.getLhsType());
  /// A vector of factors holds a group of steps for each lane.
  VectorType factors = scalable(factor), sums = scalable(op.getAccType());
  Value allFactors = everyLane(factors), allSums = everyLane(sums);

  static Type floatOrSignless(Type type) {
    return isa<FloatType>(type)
               ? type
               : IntegerType::get(type.getContext(),
                                  type.getIntOrFloatBitWidth());
  }
  static VectorType scalable(Type element) {
    return VectorType::get({kLeastBits / element.getIntOrFloatBitWidth()},
                           element, {true});
  }
  Value everyLane(VectorType type) {
    VectorType mask = type.clone(b.getI1Type());
    return arith::ConstantOp::create(b, loc,
                                     DenseElementsAttr::get(mask, true));
  }
  Value c64(int64_t value) {
    return arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(value));
  }
  Value c32(int64_t value) {
    return arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(value));
  }
  void call(const Twine &name, ValueRange operands) {
    LLVM::CallIntrinsicOp::create(
        b, loc, b.getStringAttr("llvm.aarch64.sme." + name), operands);
  }
  Value at(Value base, Value elements, Type element) {
    return LLVM::GEPOp::create(b, loc, base.getType(), element, base,
                               ValueRange{elements});
  }
  Value loadFactors(Value base, int64_t number) {
    Value place = at(base, c64(number * lanes * group), factor);
    return LLVM::LoadOp::create(b, loc, factors, place,
                                factor.getIntOrFloatBitWidth() / 8);
  }

  /// Moves the sums between ZA and memory, row by row.
  void moveSums(StringRef direction) {
    auto loop = scf::ForOp::create(b, loc, c64(0), c64(lanes), c64(1));
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Value row = loop.getInductionVar();
    Value slice = arith::TruncIOp::create(b, loc, b.getI32Type(), row);
    std::string name =
        (direction + (sumBits == 64 ? "d" : "w") + ".horiz").str();
    for (int64_t i = 0; i < down; ++i) {
      Value number = arith::AddIOp::create(b, loc, row, c64(i * lanes));
      Value place = at(op.getAcc(),
                       arith::MulIOp::create(b, loc, number, op.getAccStride()),
                       op.getAccType());
      for (int64_t j = 0; j < across; ++j)
        call(name, {allSums, at(place, c64(j * lanes), op.getAccType()),
                    c32(i * across + j), slice});
    }
  }

  /// What the sums are at first.
  void start() {
    constexpr int64_t kAllTiles = 255;
    if (!op.getFresh())
      return moveSums("ld1");
    auto choice =
        scf::IfOp::create(b, loc, TypeRange{}, op.getFresh(), true, true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(choice.thenBlock());
    call("zero", {c32(kAllTiles)});
    scf::YieldOp::create(b, loc);
    b.setInsertionPointToStart(choice.elseBlock());
    moveSums("ld1");
    scf::YieldOp::create(b, loc);
  }

  /// One group of steps.
  void step(Value left, Value right) {
    std::string name = intrinsic.str() + "." + suffix();
    SmallVector<Value> columns;
    for (int64_t j = 0; j < across; ++j)
      columns.push_back(loadFactors(right, j));
    for (int64_t i = 0; i < down; ++i) {
      Value rows = loadFactors(left, i);
      for (int64_t j = 0; j < across; ++j)
        call(name, {c32(i * across + j), allFactors, allFactors, rows,
                    columns[size_t(j)]});
    }
  }

  /// How LLVM writes the type of factors.
  std::string suffix() const {
    std::string kind = factor.isBF16()          ? "bf"
                       : isa<FloatType>(factor) ? "f"
                                                : "i";
    return "nxv" + std::to_string(factors.getNumElements()) + kind +
           std::to_string(factor.getIntOrFloatBitWidth());
  }

  void build() {
    start();
    Value groups = op.getDepth();
    if (group > 1)
      groups = arith::DivUIOp::create(b, loc, groups, c64(group));
    auto loop = scf::ForOp::create(b, loc, c64(0), groups, c64(1),
                                   ValueRange{op.getLhs(), op.getRhs()});
    {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToEnd(loop.getBody());
      Value left = loop.getRegionIterArg(0), right = loop.getRegionIterArg(1);
      step(left, right);
      scf::YieldOp::create(
          b, loc,
          ValueRange{at(left, c64(op.getRows() * group), factor),
                     at(right, op.getRhsStride(), factor)});
    }
    moveSums("st1");
  }
};
} // namespace

/// Lowers a micro-kernel by an instruction.
static LogicalResult lowerOuter(const OuterInstruction &instruction,
                                cpu::MicroKernelOp op, RewriterBase &b) {
  auto row = target::getDescription(op).getMatrixInstruction(instruction.row);
  int64_t lanes = row.getN().getMin();
  int64_t sumBits = op.getAccType().getIntOrFloatBitWidth();
  int64_t factorBits = op.getLhsType().getIntOrFloatBitWidth();
  int64_t tiles = sumBits / 8;
  int64_t down = op.getRows() / lanes, across = op.getColumns() / lanes;
  if (op.getRows() % lanes || op.getColumns() % lanes ||
      down * across > tiles || op.getMinus() ||
      int64_t(op.getLhsGroup()) * factorBits != sumBits ||
      op.getRhsGroup() != op.getLhsGroup())
    return op.emitOpError()
           << "unsupported: matrix instruction '" << instruction.row
           << "' with a block of " << op.getRows() << " x " << op.getColumns()
           << " and groups of " << op.getLhsGroup() << " and "
           << op.getRhsGroup();
  b.setInsertionPoint(op);
  OuterBlockBuilder{b, op.getLoc(), op, instruction.intrinsic, lanes}.build();
  b.eraseOp(op);
  return success();
}

void cpu_target::addOuterInstructions() {
  for (const OuterInstruction &instruction : kOuterInstructions) {
    cpu::MatrixInstruction code;
    code.name = instruction.row.str();
    code.lower = [&](cpu::MicroKernelOp op, RewriterBase &b) {
      return lowerOuter(instruction, op, b);
    };
    // LLVM, docs/AArch64SME.rst.
    code.entryAttributes = {"aarch64_pstate_sm_body", "aarch64_new_za"};
    code.insideAttributes = {"aarch64_pstate_sm_enabled", "aarch64_inout_za"};
    cpu::addMatrixInstruction(std::move(code));
  }
}
