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
  for (size_t i = 0; i < count; ++i)
    constraints += i ? ",=f" : "=f";
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

static LogicalResult lowerMma(simt::MmaAsyncOp op, OpBuilder &b) {
  // wgmma.m64k16.f32.bf16: shape, accumulator, factors. Each of 128 threads has
  // as many sums as columns are half of.
  SmallVector<StringRef> parts;
  op.getRow().split(parts, '.');
  if (parts.size() != 4 || parts[0] != "wgmma" || op.getAcc().empty() ||
      !op.getAcc()[0].getType().isF32())
    return op->emitError("unsupported: matrix instruction '")
           << op.getRow() << "'";
  StringRef rows = parts[1].take_until([](char c) { return c == 'k'; }),
            depth = parts[1].drop_front(rows.size());
  size_t count = op.getAcc().size();
  std::string sums;
  for (size_t i = 0; i < count; ++i)
    sums += llvm::formatv("{0}${1}", i ? "," : "", i);
  simt::MatrixAttr matrices[] = {op.getLhsMatrix(), op.getRhsMatrix()};
  // The swizzles of "Matrix descriptor format".
  for (simt::MatrixAttr matrix : matrices)
    if (int64_t row = matrix.getRow(); row != 32 && row != 64 && row != 128)
      return op->emitError("unsupported: factors of '")
             << op.getRow() << "' in rows of " << row << " bytes";
  // Numbers of 16 bits alone are read across rows.
  std::string across;
  if (parts[3] == "f16" || parts[3] == "bf16")
    for (simt::MatrixAttr matrix : matrices)
      across += matrix.getSummed() ? ", 0" : ", 1";
  else if (!matrices[0].getSummed() || !matrices[1].getSummed())
    return op->emitError("unsupported: factors of '")
           << op.getRow() << "' whose rows are not along the sum";
  // The name of a register is that of a factor; steps are sums of its address.
  std::string text = "{ .reg .pred add; .reg .b64 lhs, rhs; setp.ne.b32 add, "
                     "1, 0; wgmma.fence.sync.aligned;";
  for (int64_t i = 0, e = matrices[0].getSteps().size(); i < e; ++i) {
    for (auto [which, name] : {std::pair(0, "lhs"), std::pair(1, "rhs")})
      text += llvm::formatv(" add.s64 {0}, ${1}, {2};", name, 2 * count + which,
                            matrices[which].getSteps()[i] >> 4);
    text +=
        llvm::formatv(" wgmma.mma_async.sync.aligned.{0}n{1}{2}.{3}.{4}.{4}"
                      " {{{5}}, lhs, rhs, add, 1, 1{6};",
                      rows, 2 * count, depth, parts[2], parts[3], sums, across);
  }
  text += " }";
  Value descriptors[] = {
      descriptorOf(b, op.getLoc(), op.getLhs(), matrices[0]),
      descriptorOf(b, op.getLoc(), op.getRhs(), matrices[1])};
  op.replaceAllUsesWith(
      tied(b, op.getLoc(), text, op.getAcc(), descriptors, ",l,l"));
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
    return ::lowerMma(mma, b);
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
