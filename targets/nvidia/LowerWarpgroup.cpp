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
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SmallBitVector.h"
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
  Value low = LLVM::ZExtOp::create(b, loc, i64, place);
  Value high = constant(i64, int64_t(descriptorBits(matrix)));
  return LLVM::OrOp::create(b, loc, low, high);
}

/// Assembly that takes values in the registers that it leaves them in; those
/// that `isFresh` names it only leaves there.
static SmallVector<Value> tied(OpBuilder &b, Location loc, const Twine &text,
                               ValueRange sums, ValueRange more,
                               StringRef moreConstraints,
                               const llvm::SmallBitVector &isFresh = {}) {
  std::string constraints;
  size_t count = sums.size();
  for (size_t i = 0; i < count; ++i)
    constraints += (i ? "," : "") +
                   std::string(isa<FloatType>(sums[i].getType()) ? "=f" : "=r");
  SmallVector<Value> operands;
  for (size_t i = 0; i < count; ++i) {
    if (i < isFresh.size() && isFresh[i])
      continue;
    constraints += llvm::formatv(",{0}", i);
    operands.push_back(sums[i]);
  }
  constraints += moreConstraints;
  constraints += ",~{memory}";
  llvm::append_range(operands, more);
  Type type = sums[0].getType();
  if (count > 1)
    type = LLVM::LLVMStructType::getLiteral(b.getContext(),
                                            llvm::to_vector(sums.getTypes()));
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

/// Two numbers of 16 bits are a word of a register; other values are one each.
static SmallVector<Value> toWords(OpBuilder &b, Location loc,
                                  ValueRange values) {
  SmallVector<Value> words;
  for (size_t i = 0; i < values.size(); ++i) {
    if (!isa<FloatType>(values[i].getType()) ||
        values[i].getType().getIntOrFloatBitWidth() != 16) {
      words.push_back(values[i]);
      continue;
    }
    Value vector =
        LLVM::UndefOp::create(b, loc, VectorType::get(2, values[i].getType()));
    for (int n : {0, 1})
      vector = LLVM::InsertElementOp::create(
          b, loc, vector, values[i + n],
          LLVM::ConstantOp::create(b, loc, b.getI32IntegerAttr(n)));
    words.push_back(LLVM::BitcastOp::create(b, loc, b.getI32Type(), vector));
    ++i;
  }
  return words;
}

/// The values of types whose words these are.
static SmallVector<Value> fromWords(OpBuilder &b, Location loc,
                                    ArrayRef<Value> words, TypeRange types) {
  SmallVector<Value> values;
  for (Value word : words) {
    Type type = types[values.size()];
    if (type == word.getType()) {
      values.push_back(word);
      continue;
    }
    Value vector =
        LLVM::BitcastOp::create(b, loc, VectorType::get(2, type), word);
    for (int n : {0, 1})
      values.push_back(LLVM::ExtractElementOp::create(
          b, loc, vector,
          LLVM::ConstantOp::create(b, loc, b.getI32IntegerAttr(n))));
  }
  return values;
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
/// The instructions of one operation, and which operands of the assembly they
/// are.
struct Part {
  simt::MmaAsyncOp op;
  simt::MatrixAttr lhs, rhs;    ///< lhs null: in registers
  SmallVector<StringRef> names; ///< of the row
  StringRef factors[2];
  std::string across; ///< which factors are read across rows
  size_t firstSum = 0, place = 0;
  bool isFresh = false; ///< its sums begin as zeros

  explicit Part(simt::MmaAsyncOp op)
      : op(op), lhs(op.getLhsMatrixAttr()), rhs(op.getRhsMatrix()) {
    op.getRow().split(names, '.');
  }
  size_t count() { return op.getAcc().size(); } ///< sums of a thread
  /// The registers that have them: sums in f16 are two in each.
  size_t words() {
    return op.getAcc()[0].getType().isF16() ? count() / 2 : count();
  }
  LogicalResult check();
  std::string text();
};

/// Operations that follow each other, as one piece of assembly. In several the
/// assembler would find moves to the registers of the later ones between them,
/// and wait for the earlier ones there.
class WarpgroupMma {
public:
  WarpgroupMma(simt::MmaAsyncOp op, llvm::SmallPtrSetImpl<Operation *> &merged,
               OpBuilder &b)
      : merged(merged), b(b) {
    collect(op);
  }
  LogicalResult run();

private:
  void collect(simt::MmaAsyncOp op);
  void addOperands(Part &part);

  llvm::SmallPtrSetImpl<Operation *> &merged;
  OpBuilder &b;
  SmallVector<Part, 2> parts;
  SmallVector<Value> operands; ///< factors
  std::string constraints;     ///< of these
};

constexpr int kWords = 4; ///< of the left factor, in one step
} // namespace

LogicalResult Part::check() {
  // wgmma.m64k16.f32.bf16: shape, accumulator, factors; with .registers the
  // left one is in registers. Each of 128 threads has as many sums as columns
  // are half of.
  bool isInRegisters = names.size() == 5 && names[4] == "registers";
  if (names.size() != (isInRegisters ? 5 : 4) || names[0] != "wgmma" ||
      isInRegisters == bool(lhs) || op.getAcc().empty() ||
      !(op.getAcc()[0].getType().isF32() || op.getAcc()[0].getType().isF16() ||
        op.getAcc()[0].getType().isInteger(32)))
    return op->emitError("unsupported: matrix instruction '")
           << op.getRow() << "'";
  bool isHalf = names[3] == "f16" || names[3] == "bf16";
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
  factors[0] = factorName(names[3], lhs);
  factors[1] = factorName(names[3], rhs);
  if (factors[0].empty() || factors[1].empty())
    return op->emitError("unsupported: factors of '")
           << op.getRow() << "' whose elements are not f8E4M3FN or f8E5M2";
  int64_t words = rhs.getSteps().size() * kWords;
  if (!lhs && int64_t(op.getLhs().size()) != 2 * words)
    return op->emitError("expected ")
           << 2 * words << " values of the left factor, found "
           << op.getLhs().size();
  return success();
}

/// The name of a register is that of a factor; steps are sums of its address.
std::string Part::text() {
  StringRef rows = names[1].take_until([](char c) { return c == 'k'; }),
            depth = names[1].drop_front(rows.size()),
            acc = names[2] == "i32" ? "s32" : names[2];
  auto listed = [](size_t first, size_t count) {
    std::string list;
    for (size_t i = 0; i < count; ++i)
      list += llvm::formatv("{0}${1}", i ? "," : "", first + i);
    return "{" + list + "}";
  };
  // Integers are neither negated nor scaled.
  std::string signs = names[2] == "i32" ? "" : ", 1, 1" + across, text;
  size_t right = place + (lhs ? 1 : op.getLhs().size() / 2);
  for (int64_t i = 0, e = rhs.getSteps().size(); i < e; ++i) {
    if (lhs)
      text += llvm::formatv(" add.s64 lhs, ${0}, {1};", place,
                            lhs.getSteps()[i] >> 4);
    text += llvm::formatv(" add.s64 rhs, ${0}, {1};", right,
                          rhs.getSteps()[i] >> 4);
    text += llvm::formatv(
        " wgmma.mma_async.sync.aligned.{0}n{1}{2}.{3}.{4}.{5} {6}, {7}, rhs, "
        "{9}{8};",
        rows, 2 * count(), depth, acc, factors[0], factors[1],
        listed(firstSum, words()),
        lhs ? "lhs" : listed(place + i * kWords, kWords), signs,
        isFresh && i == 0 ? "none" : "add");
  }
  return text;
}

/// Also those behind an operation, up to the end of their group, where all that
/// is in between can stand before it.
void WarpgroupMma::collect(simt::MmaAsyncOp first) {
  parts.emplace_back(first);
  SmallVector<Operation *> between;
  for (Operation *op = first->getNextNode(); op; op = op->getNextNode()) {
    bool isLater = llvm::any_of(op->getOperands(), [&](Value operand) {
      return llvm::any_of(parts, [&](Part &part) {
        return operand.getDefiningOp() == part.op;
      });
    });
    auto next = dyn_cast<simt::MmaAsyncOp>(op);
    if (isLater || !(next || (isPure(op) && op->getNumRegions() == 0)))
      return;
    if (!next) {
      between.push_back(op);
      continue;
    }
    for (Operation *one : between)
      one->moveBefore(first);
    between.clear();
    parts.emplace_back(next);
    merged.insert(next);
  }
}

void WarpgroupMma::addOperands(Part &part) {
  auto add = [&](Value operand, StringRef constraint) {
    operands.push_back(operand);
    constraints += constraint;
  };
  Location loc = part.op.getLoc();
  if (part.lhs)
    add(descriptorOf(b, loc, part.op.getLhsAddress(), part.lhs), ",l");
  else
    for (Value word : toWords(b, loc, part.op.getLhs()))
      add(word, ",r");
  add(descriptorOf(b, loc, part.op.getRhs(), part.rhs), ",l");
}

static bool isZero(Value sum) {
  return matchPattern(sum, m_Zero()) || matchPattern(sum, m_PosZeroFloat());
}

LogicalResult WarpgroupMma::run() {
  SmallVector<Value> sums;
  for (Part &part : parts) {
    if (failed(part.check()))
      return failure();
    part.firstSum = sums.size();
    part.isFresh = llvm::all_of(part.op.getAcc(), isZero);
    llvm::append_range(sums, toWords(b, part.op.getLoc(), part.op.getAcc()));
  }
  llvm::SmallBitVector isFresh(sums.size());
  for (Part &part : parts)
    if (part.isFresh)
      isFresh.set(part.firstSum, part.firstSum + part.words());
  for (Part &part : parts) {
    part.place = 2 * sums.size() - isFresh.count() + operands.size();
    addOperands(part);
  }
  bool hasLeft = llvm::any_of(parts, [](Part &part) { return part.lhs; });
  std::string text =
      llvm::formatv("{{ .reg .pred add{1}; .reg .b64 {0}rhs; setp.ne.b32 add, "
                    "1, 0;{2} wgmma.fence.sync.aligned;",
                    hasLeft ? "lhs, " : "", isFresh.any() ? ", none" : "",
                    isFresh.any() ? " setp.ne.b32 none, 0, 0;" : "");
  for (Part &part : parts)
    text += part.text();
  SmallVector<Value> results = tied(b, parts[0].op.getLoc(), text + " }", sums,
                                    operands, constraints, isFresh);
  for (Part &part : parts)
    part.op.replaceAllUsesWith(
        fromWords(b, part.op.getLoc(),
                  ArrayRef(results).slice(part.firstSum, part.words()),
                  part.op.getResultTypes()));
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

LogicalResult nvidia::lowerWarpgroup(Operation *op,
                                     llvm::SmallPtrSetImpl<Operation *> &merged,
                                     OpBuilder &b) {
  Location loc = op->getLoc();
  if (auto mma = dyn_cast<simt::MmaAsyncOp>(op))
    return merged.contains(op) ? success() : WarpgroupMma(mma, merged, b).run();
  if (auto wait = dyn_cast<simt::WaitProductsOp>(op)) {
    std::string text =
        llvm::formatv("wgmma.wait_group.sync.aligned {0};", wait.getBut());
    if (wait.getValues().empty())
      plain(b, loc, text);
    else
      wait.replaceAllUsesWith(fromWords(
          b, loc, tied(b, loc, text, toWords(b, loc, wait.getValues()), {}, ""),
          wait.getResultTypes()));
  } else if (isa<simt::CommitProductsOp>(op)) {
    plain(b, loc, "wgmma.commit_group.sync.aligned;");
  } else {
    // Copies of threads and stores are of the generic proxy.
    plain(b, loc, "fence.proxy.async.shared::cta;");
  }
  return success();
}
