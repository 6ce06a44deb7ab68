//===- LowerWarpgroup.cpp - wgmma.mma_async -------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PTX ISA 8.8, "Asynchronous warpgroup-level matrix instructions". Written as
// assembly: the sums of a group must be tied to what waits for it, or code that
// uses them may move in front of the wait.
//
//===----------------------------------------------------------------------===//

#include "LowerMma.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::nvidia;

/// "Matrix descriptor format": fields that hold bytes leave out the lowest four
/// bits. What remains is the address, in bits 0 to 13.
uint64_t nvidia::descriptorBits(simt::MatrixAttr matrix) {
  // Rows that run along the sum need no distance between pieces, as each
  // instruction reads within one; the manual wants a one there.
  uint64_t leading = matrix.getSummed() ? 1 : matrix.getPanel() >> 4,
           stride = matrix.getGroup() >> 4,
           mode = matrix.getRow() == 128  ? 1
                  : matrix.getRow() == 64 ? 2
                                          : 3;
  return leading << 16 | stride << 32 | mode << 62;
}

static Value descriptorOf(OpBuilder &b, Location loc, Value address,
                          simt::MatrixAttr matrix) {
  Type i32 = b.getI32Type(), i64 = b.getI64Type();
  auto constant = [&](Type type, int64_t value) {
    return LLVM::ConstantOp::create(b, loc, b.getIntegerAttr(type, value));
  };
  Value place = LLVM::PtrToIntOp::create(b, loc, i32, address);
  place = LLVM::AndOp::create(b, loc, place, constant(i32, 0x3ffff));
  place = LLVM::LShrOp::create(b, loc, place, constant(i32, 4));
  return LLVM::OrOp::create(b, loc, LLVM::ZExtOp::create(b, loc, i64, place),
                            constant(i64, int64_t(descriptorBits(matrix))));
}

/// Assembly that takes sums in the registers that it leaves them in.
static SmallVector<Value> tied(OpBuilder &b, Location loc, const Twine &text,
                               ValueRange sums, ValueRange more,
                               StringRef moreConstraints) {
  std::string constraints;
  size_t count = sums.size();
  StringRef kind = isa<FloatType>(sums[0].getType()) ? "=f" : "=r";
  for (size_t i = 0; i < count; ++i)
    constraints += (i ? "," : "") + kind.str();
  for (size_t i = 0; i < count; ++i)
    constraints += llvm::formatv(",{0}", i);
  constraints += moreConstraints;
  constraints += ",~{memory}";
  SmallVector<Value> operands(sums);
  llvm::append_range(operands, more);
  Type type = sums[0].getType();
  if (count > 1)
    type = LLVM::LLVMStructType::getLiteral(b.getContext(),
                                            SmallVector<Type>(count, type));
  auto assembly = LLVM::InlineAsmOp::create(
      b, loc, type, operands, text.str(), constraints,
      /*has_side_effects=*/true, /*is_align_stack=*/false,
      LLVM::TailCallKind::None, LLVM::AsmDialectAttr(), ArrayAttr());
  if (count == 1)
    return {assembly.getResult(0)};
  SmallVector<Value> results;
  for (size_t i = 0; i < count; ++i)
    results.push_back(LLVM::ExtractValueOp::create(
        b, loc, assembly.getResult(0), ArrayRef<int64_t>{int64_t(i)}));
  return results;
}

/// The instruction's name of a factor's type; empty where it has none.
static StringRef factorName(StringRef factors, simt::MatrixAttr matrix) {
  Type element = matrix ? matrix.getElement() : Type();
  if (factors == "i8")
    return element && element.isUnsignedInteger() ? "u8" : "s8";
  if (factors == "f8")
    return isa_and_nonnull<Float8E4M3FNType>(element) ? "e4m3"
           : isa_and_nonnull<Float8E5M2Type>(element) ? "e5m2"
                                                      : "";
  return factors;
}

namespace {
/// The instructions of one operation.
class WarpgroupMma {
public:
  WarpgroupMma(simt::MmaAsyncOp op, OpBuilder &b)
      : op(op), b(b), lhs(op.getLhsMatrixAttr()), rhs(op.getRhsMatrix()),
        count(op.getAcc().size()) {}

  LogicalResult run();

private:
  LogicalResult checkMatrices();
  void packLeft();
  std::string text();
  /// The operands of the left factor, for one step.
  std::string leftText(int64_t step);

  simt::MmaAsyncOp op;
  OpBuilder &b;
  simt::MatrixAttr lhs, rhs;    ///< null: in registers
  size_t count;                 ///< sums of a thread
  SmallVector<StringRef> parts; ///< of the name
  StringRef factors[2];
  std::string across;              ///< which factors are read across rows
  SmallVector<Value> left;         ///< words of the left factor
  static constexpr int kWords = 4; ///< of these in one step
};
} // namespace

LogicalResult WarpgroupMma::checkMatrices() {
  bool isHalf = parts[3] == "f16" || parts[3] == "bf16";
  for (simt::MatrixAttr matrix : {lhs, rhs}) {
    if (!matrix)
      continue;
    // The swizzles of "Matrix descriptor format".
    if (int64_t row = matrix.getRow(); row != 32 && row != 64 && row != 128)
      return op->emitError("unsupported: factors of '")
             << op.getRow() << "' in rows of " << row << " bytes";
    // Numbers of 16 bits alone are read across rows.
    if (isHalf)
      across += matrix.getSummed() ? ", 0" : ", 1";
    else if (!matrix.getSummed())
      return op->emitError("unsupported: factors of '")
             << op.getRow() << "' whose rows are not along the sum";
  }
  factors[0] = factorName(parts[3], lhs);
  factors[1] = factorName(parts[3], rhs);
  if (factors[0].empty() || factors[1].empty())
    return op->emitError("unsupported: factors of '")
           << op.getRow() << "' whose elements are not f8E4M3FN or f8E5M2";
  return success();
}

/// Two numbers of 16 bits are a word of a register.
void WarpgroupMma::packLeft() {
  Location loc = op.getLoc();
  for (size_t i = 0; i + 1 < op.getLhs().size(); i += 2) {
    Value low = op.getLhs()[i], high = op.getLhs()[i + 1];
    Type pair = VectorType::get(2, low.getType());
    Value vector = LLVM::UndefOp::create(b, loc, pair);
    for (auto [n, value] : {std::pair(0, low), std::pair(1, high)})
      vector = LLVM::InsertElementOp::create(
          b, loc, vector, value,
          LLVM::ConstantOp::create(b, loc, b.getI32IntegerAttr(n)));
    left.push_back(LLVM::BitcastOp::create(b, loc, b.getI32Type(), vector));
  }
}

std::string WarpgroupMma::leftText(int64_t step) {
  if (lhs)
    return "lhs";
  std::string words;
  for (int64_t i = 0; i < kWords; ++i)
    words +=
        llvm::formatv("{0}${1}", i ? "," : "", 2 * count + step * kWords + i);
  return "{" + words + "}";
}

/// The name of a register is that of a factor; steps are sums of its address.
std::string WarpgroupMma::text() {
  StringRef rows = parts[1].take_until([](char c) { return c == 'k'; }),
            depth = parts[1].drop_front(rows.size()),
            acc = parts[2] == "i32" ? "s32" : parts[2];
  std::string sums;
  for (size_t i = 0; i < count; ++i)
    sums += llvm::formatv("{0}${1}", i ? "," : "", i);
  // Integers are neither negated nor scaled.
  std::string signs = parts[2] == "i32" ? "" : ", 1, 1" + across;
  std::string text =
      llvm::formatv("{ .reg .pred add; .reg .b64 {0}rhs; setp.ne.b32 add, 1, "
                    "0; wgmma.fence.sync.aligned;",
                    lhs ? "lhs, " : "");
  size_t place = 2 * count + (lhs ? 1 : left.size());
  for (int64_t i = 0, e = rhs.getSteps().size(); i < e; ++i) {
    if (lhs)
      text += llvm::formatv(" add.s64 lhs, ${0}, {1};", 2 * count,
                            lhs.getSteps()[i] >> 4);
    text += llvm::formatv(" add.s64 rhs, ${0}, {1};", place,
                          rhs.getSteps()[i] >> 4);
    text += llvm::formatv(" wgmma.mma_async.sync.aligned.{0}n{1}{2}.{3}.{4}.{5}"
                          " {{{6}}, {7}, rhs, add{8};",
                          rows, 2 * count, depth, acc, factors[0], factors[1],
                          sums, leftText(i), signs);
  }
  return text + " }";
}

LogicalResult WarpgroupMma::run() {
  // wgmma.m64k16.f32.bf16: shape, accumulator, factors; with .registers the
  // left one is in registers. Each of 128 threads has as many sums as columns
  // are half of.
  op.getRow().split(parts, '.');
  bool isInRegisters = parts.size() == 5 && parts[4] == "registers";
  if (parts.size() != (isInRegisters ? 5 : 4) || parts[0] != "wgmma" ||
      isInRegisters == bool(lhs) || op.getAcc().empty() ||
      !(op.getAcc()[0].getType().isF32() ||
        op.getAcc()[0].getType().isInteger(32)))
    return op->emitError("unsupported: matrix instruction '")
           << op.getRow() << "'";
  if (failed(checkMatrices()))
    return failure();
  SmallVector<Value> operands;
  std::string constraints;
  if (lhs) {
    operands.push_back(descriptorOf(b, op.getLoc(), op.getLhsAddress(), lhs));
    constraints = ",l";
  } else {
    packLeft();
    if (int64_t(left.size()) != rhs.getSteps().size() * kWords)
      return op->emitError("expected ")
             << rhs.getSteps().size() * kWords
             << " words of the left factor, found " << left.size();
    operands = left;
    for (size_t i = 0; i < left.size(); ++i)
      constraints += ",r";
  }
  operands.push_back(descriptorOf(b, op.getLoc(), op.getRhs(), rhs));
  constraints += ",l";
  op.replaceAllUsesWith(
      tied(b, op.getLoc(), text(), op.getAcc(), operands, constraints));
  return success();
}

static void plain(OpBuilder &b, Location loc, StringRef text) {
  LLVM::InlineAsmOp::create(b, loc, TypeRange(), ValueRange(), text,
                            "~{memory}", /*has_side_effects=*/true,
                            /*is_align_stack=*/false, LLVM::TailCallKind::None,
                            LLVM::AsmDialectAttr(), ArrayAttr());
}

bool nvidia::isOfWarpgroups(Operation *op) {
  return isa<simt::PublishOp, simt::MmaAsyncOp, simt::CommitProductsOp,
             simt::WaitProductsOp>(op);
}

LogicalResult nvidia::lowerWarpgroup(Operation *op, OpBuilder &b) {
  Location loc = op->getLoc();
  if (auto mma = dyn_cast<simt::MmaAsyncOp>(op))
    return WarpgroupMma(mma, b).run();
  if (auto wait = dyn_cast<simt::WaitProductsOp>(op)) {
    std::string text =
        llvm::formatv("wgmma.wait_group.sync.aligned {0};", wait.getBut());
    if (wait.getValues().empty())
      plain(b, loc, text);
    else
      wait.replaceAllUsesWith(tied(b, loc, text, wait.getValues(), {}, ""));
  } else if (isa<simt::CommitProductsOp>(op)) {
    plain(b, loc, "wgmma.commit_group.sync.aligned;");
  } else {
    // Copies of threads and stores are of the generic proxy.
    plain(b, loc, "fence.proxy.async.shared::cta;");
  }
  return success();
}
