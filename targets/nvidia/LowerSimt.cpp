//===- LowerSimt.cpp - Accesses with a mask, and what a launch needs ------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PTX has predicates for every access (PTX ISA, "Predicated Execution"), LLVM
// has none: they are written as assembly.
//
//===----------------------------------------------------------------------===//

#include "AtomicWords.h"
#include "LowerBarriers.h"
#include "LowerBulkCopies.h"
#include "LowerCopies.h"
#include "LowerMma.h"
#include "LowerOutput.h"
#include "Passes.h"
#include "kiln/Dialect/Simt/SimtDialect.h"
#include "kiln/Gpu/Lowering.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::nvidia;

namespace {
/// Words of an access: registers of 16, 32 or 64 bits that PTX moves at once.
struct Words {
  unsigned count, bits;

  explicit Words(Type type) {
    auto vector = dyn_cast<VectorType>(type);
    Type element = vector ? vector.getElementType() : type;
    unsigned each = isa<LLVM::LLVMPointerType>(element)
                        ? 64
                        : element.getIntOrFloatBitWidth();
    unsigned total = each * (vector ? vector.getNumElements() : 1);
    bits = std::max(8u, std::min(total, std::max(each, 32u)));
    count = total / bits;
  }
  bool isLegal() const {
    return (count == 1 || count == 2 || count == 4) && bits >= 8 &&
           bits <= 64 && count * bits <= 128;
  }
  std::string suffix() const {
    std::string text;
    if (count > 1)
      text = llvm::formatv(".v{0}", count);
    return text + llvm::formatv(".b{0}", bits).str();
  }
  /// How LLVM names a register: bytes travel in 16 bits.
  char constraint() const { return bits <= 16 ? 'h' : bits == 32 ? 'r' : 'l'; }
  Type type(OpBuilder &b) const {
    return b.getIntegerType(std::max(16u, bits));
  }
  /// A list of registers from number `first` on.
  std::string registers(unsigned first) const {
    std::string text;
    for (unsigned i = 0; i < count; ++i)
      text += llvm::formatv("{0}${1}", i ? ", " : "", first + i);
    return count > 1 ? "{" + text + "}" : text;
  }
};

std::string spaceOf(Value address) {
  auto type = cast<LLVM::LLVMPointerType>(address.getType());
  switch (type.getAddressSpace()) {
  case simt::kGlobal:
    return ".global";
  case simt::kShared:
    return ".shared";
  default:
    return "";
  }
}

/// Cache operators (PTX ISA, "Cache Operators") and eviction priorities.
std::string hintsOf(tile::CacheHint cache, tile::EvictHint evict, bool isLoad,
                    StringRef space) {
  if (space != ".global")
    return "";
  switch (cache) {
  case tile::CacheHint::all_levels:
    return isLoad ? ".ca" : ".wb";
  case tile::CacheHint::outer:
    return ".cg";
  case tile::CacheHint::write_back:
    return isLoad ? "" : ".wb";
  case tile::CacheHint::streaming:
    return ".cs";
  case tile::CacheHint::write_through:
    return isLoad ? "" : ".wt";
  case tile::CacheHint::uncached:
    return isLoad ? ".cv" : ".wt";
  case tile::CacheHint::none:
    break;
  }
  switch (evict) {
  case tile::EvictHint::first:
    return ".L1::evict_first";
  case tile::EvictHint::last:
    return ".L1::evict_last";
  case tile::EvictHint::normal:
    break;
  }
  return "";
}

class Access {
public:
  Access(Operation *op, OpBuilder &b) : op(op), b(b), loc(op->getLoc()) {}

  /// The bits of a value as words.
  SmallVector<Value> split(Value value, const Words &words) {
    Type word = b.getIntegerType(words.bits);
    SmallVector<Value> parts;
    if (isa<LLVM::LLVMPointerType>(value.getType()))
      value = LLVM::PtrToIntOp::create(b, loc, b.getI64Type(), value);
    Type list =
        words.count > 1 ? Type(VectorType::get({words.count}, word)) : word;
    if (value.getType() != list)
      value = LLVM::BitcastOp::create(b, loc, list, value);
    for (unsigned i = 0; i < words.count; ++i) {
      Value part = value;
      if (words.count > 1)
        part = LLVM::ExtractElementOp::create(
            b, loc, value,
            LLVM::ConstantOp::create(b, loc, b.getI32IntegerAttr(i)));
      if (words.bits < 16)
        part = LLVM::ZExtOp::create(b, loc, words.type(b), part);
      parts.push_back(part);
    }
    return parts;
  }

  Value join(ArrayRef<Value> parts, const Words &words, Type type) {
    Type word = b.getIntegerType(words.bits);
    auto narrow = [&](Value part) -> Value {
      return words.bits < 16 ? Value(LLVM::TruncOp::create(b, loc, word, part))
                             : part;
    };
    Value value;
    if (words.count == 1) {
      value = narrow(parts[0]);
    } else {
      value =
          LLVM::PoisonOp::create(b, loc, VectorType::get({words.count}, word));
      for (auto [i, part] : llvm::enumerate(parts))
        value = LLVM::InsertElementOp::create(
            b, loc, value, narrow(part),
            LLVM::ConstantOp::create(b, loc, b.getI32IntegerAttr(i)));
    }
    if (isa<LLVM::LLVMPointerType>(type))
      return LLVM::IntToPtrOp::create(b, loc, type, value);
    if (value.getType() == type)
      return value;
    return LLVM::BitcastOp::create(b, loc, type, value);
  }

  LogicalResult load(simt::LoadOp load);
  LogicalResult store(simt::StoreOp store);

private:
  Operation *op;
  OpBuilder &b;
  Location loc;
};
} // namespace

LogicalResult Access::load(simt::LoadOp load) {
  Words words(load.getType());
  if (!words.isLegal())
    return op->emitOpError("loads ") << load.getType() << " at once";
  Value address = load.getAddress();
  std::string space = spaceOf(address);
  std::string hints =
      hintsOf(load.getCache(), load.getEvict(), /*isLoad=*/true, space);
  if (!load.getMask() && hints.empty()) {
    Value value =
        LLVM::LoadOp::create(b, loc, load.getType(), address,
                             load.getAlignment(), load.getIsVolatile());
    load.replaceAllUsesWith(value);
    return success();
  }
  // mov other; @mask ld
  SmallVector<Value> operands;
  std::string text, constraints;
  unsigned next = words.count;
  char letter = words.constraint();
  for (unsigned i = 0; i < words.count; ++i)
    constraints += llvm::formatv("{0}={1}", i ? "," : "", letter);
  std::string guard;
  if (load.getMask()) {
    // Outputs are written before the address is read: not in its register.
    constraints.clear();
    for (unsigned i = 0; i < words.count; ++i)
      constraints += llvm::formatv("{0}=&{1}", i ? "," : "", letter);
    operands.push_back(address);
    constraints += ",l";
    unsigned addressAt = next++;
    operands.push_back(load.getMask());
    constraints += ",b";
    guard = llvm::formatv("@${0} ", next++);
    SmallVector<Value> others;
    if (load.getOther())
      others = split(load.getOther(), words);
    for (unsigned i = 0; i < words.count; ++i) {
      unsigned bits = std::max(16u, words.bits);
      if (others.empty()) {
        text += llvm::formatv("mov.b{0} ${1}, 0; ", bits, i);
        continue;
      }
      operands.push_back(others[i]);
      constraints += llvm::formatv(",{0}", letter);
      text += llvm::formatv("mov.b{0} ${1}, ${2}; ", bits, i, next++);
    }
    text += llvm::formatv("{0}ld{1}{2}{3}{4} {5}, [${6}];", guard,
                          load.getIsVolatile() ? ".volatile" : "", space,
                          load.getIsVolatile() ? "" : hints, words.suffix(),
                          words.registers(0), addressAt);
  } else {
    operands.push_back(address);
    constraints += ",l";
    text = llvm::formatv("ld{0}{1}{2} {3}, [${4}];", space, hints,
                         words.suffix(), words.registers(0), next);
  }
  if (space == ".shared") {
    // Addresses there have 32 bits.
    operands[0] = LLVM::PtrToIntOp::create(b, loc, b.getI32Type(), address);
    size_t at = constraints.find(",l");
    constraints.replace(at, 2, ",r");
  }
  Type word = words.type(b);
  Type result = word;
  if (words.count > 1)
    result = LLVM::LLVMStructType::getLiteral(
        b.getContext(), SmallVector<Type>(words.count, word));
  auto assembly = LLVM::InlineAsmOp::create(
      b, loc, result, operands, text, constraints, /*has_side_effects=*/true,
      /*is_align_stack=*/false, LLVM::TailCallKind::None,
      LLVM::AsmDialectAttr(), ArrayAttr());
  SmallVector<Value> parts;
  for (unsigned i = 0; i < words.count; ++i)
    parts.push_back(words.count == 1 ? assembly.getResult(0)
                                     : Value(LLVM::ExtractValueOp::create(
                                           b, loc, assembly.getResult(0),
                                           ArrayRef<int64_t>{i})));
  load.replaceAllUsesWith(join(parts, words, load.getType()));
  return success();
}

LogicalResult Access::store(simt::StoreOp store) {
  Words words(store.getValue().getType());
  if (!words.isLegal())
    return op->emitOpError("stores ")
           << store.getValue().getType() << " at once";
  Value address = store.getAddress();
  std::string space = spaceOf(address);
  std::string hints =
      hintsOf(store.getCache(), store.getEvict(), /*isLoad=*/false, space);
  if (!store.getMask() && hints.empty()) {
    LLVM::StoreOp::create(b, loc, store.getValue(), address,
                          store.getAlignment(), store.getIsVolatile());
    return success();
  }
  SmallVector<Value> operands = {address};
  bool isShared = space == ".shared";
  if (isShared)
    operands[0] = LLVM::PtrToIntOp::create(b, loc, b.getI32Type(), address);
  std::string constraints = isShared ? "r" : "l";
  unsigned next = 1;
  std::string guard;
  if (store.getMask()) {
    operands.push_back(store.getMask());
    constraints += ",b";
    guard = llvm::formatv("@${0} ", next++);
  }
  llvm::append_range(operands, split(store.getValue(), words));
  for (unsigned i = 0; i < words.count; ++i)
    constraints += llvm::formatv(",{0}", words.constraint());
  std::string text = llvm::formatv("{0}st{1}{2}{3}{4} [$0], {5};", guard,
                                   store.getIsVolatile() ? ".volatile" : "",
                                   space, store.getIsVolatile() ? "" : hints,
                                   words.suffix(), words.registers(next));
  LLVM::InlineAsmOp::create(
      b, loc, TypeRange(), operands, text, constraints + ",~{memory}",
      /*has_side_effects=*/true, /*is_align_stack=*/false,
      LLVM::TailCallKind::None, LLVM::AsmDialectAttr(), ArrayAttr());
  return success();
}

/// The first lane's number goes to all lanes: ptxas knows then that they have
/// it alike, and keeps what is computed from it in uniform registers. Other
/// values stay as they are.
static LogicalResult lowerUniform(simt::UniformOp op, OpBuilder &b) {
  Value value = op.getValue();
  if (value.getType().isInteger(32)) {
    Location loc = op.getLoc();
    auto number = [&](int64_t n) -> Value {
      return LLVM::ConstantOp::create(b, loc, b.getI32IntegerAttr(int32_t(n)));
    };
    value = NVVM::ShflOp::create(b, loc, value.getType(), number(-1), value,
                                 number(0), number(31), NVVM::ShflKind::idx,
                                 UnitAttr());
  }
  op.replaceAllUsesWith(value);
  return success();
}

namespace {
struct LowerSimt : PassWrapper<LowerSimt, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(LowerSimt)
  StringRef getName() const final { return "NvidiaLowerSimt"; }
  StringRef getArgument() const override { return "nvidia-lower-simt"; }
  StringRef getDescription() const override {
    return "Lowers simt operations to PTX instructions, and sets the launch "
           "attributes of kernels";
  }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<arith::ArithDialect, LLVM::LLVMDialect, NVVM::NVVMDialect,
                    scf::SCFDialect>();
  }

  void runOnOperation() override {
    OpBuilder b(&getContext());
    for (auto function : getOperation().getOps<LLVM::LLVMFuncOp>())
      lowerAttributes(function, b);
    llvm::SmallPtrSet<Operation *, 4> manyLimits;
    for (auto function : getOperation().getOps<LLVM::LLVMFuncOp>())
      if (hasManyLimits(function))
        manyLimits.insert(function);
    auto functionOf = [](Operation *op) -> Operation * {
      return op->getParentOfType<LLVM::LLVMFuncOp>();
    };
    SmallVector<Operation *> ops;
    getOperation().walk([&](Operation *op) {
      if (isa_and_nonnull<simt::SimtDialect>(op->getDialect()) ||
          isa<tile::ClusterBarrierOp>(op))
        ops.push_back(op);
    });
    BulkCopies bulkCopies;
    llvm::SmallPtrSet<Operation *, 8> merged; ///< products of several
    for (Operation *op : ops) {
      b.setInsertionPoint(op);
      if (lowerAtomicWords(op, b))
        continue;
      if (simt::lowerAtomic(op, nameOf))
        continue;
      LogicalResult lowered = failure();
      if (auto load = dyn_cast<simt::LoadOp>(op))
        lowered = Access(op, b).load(load);
      else if (auto store = dyn_cast<simt::StoreOp>(op))
        lowered = Access(op, b).store(store);
      else if (auto mma = dyn_cast<simt::MmaOp>(op))
        lowered = lowerMma(mma, b);
      else if (auto same = dyn_cast<simt::UniformOp>(op))
        lowered = lowerUniform(same, b);
      else if (isa<simt::BarrierOp>(op))
        lowered = (NVVM::Barrier0Op::create(b, op->getLoc()), success());
      else if (isOfSplitBarriers(op))
        lowered = lowerSplitBarrier(op, b);
      else if (auto barrier = dyn_cast<tile::ClusterBarrierOp>(op))
        lowered = lowerClusterBarrier(barrier, b);
      else if (BulkCopies::isOne(op))
        lowered = bulkCopies.lower(op, b);
      else if (isa<simt::WarpBarrierOp>(op))
        lowered = (lowerWarpBarrier(op, b), success());
      else if (auto load = dyn_cast<simt::LoadMatrixOp>(op))
        lowered = (lowerLoadMatrix(load, b), success());
      else if (auto store = dyn_cast<simt::StoreMatrixOp>(op))
        lowered = (lowerStoreMatrix(store, b), success());
      else if (isa<simt::CopyAsyncOp, simt::CommitCopiesOp, simt::WaitCopiesOp>(
                   op))
        lowered = (lowerCopies(op, b, manyLimits.contains(functionOf(op))),
                   success());
      else if (isOfWarpgroups(op))
        lowered = lowerWarpgroup(op, merged, b);
      else if (auto output = dyn_cast<simt::OutputOp>(op))
        lowered = lowerOutput(output, b);
      else if (auto stop = dyn_cast<simt::StopOp>(op))
        lowered = lowerStop(stop, b);
      else if (auto assembly = dyn_cast<simt::InlineAsmOp>(op))
        lowered = nvidia::lowerInlineAsm(assembly, b);
      else
        op->emitError("unsupported: ") << op->getName();
      if (failed(lowered))
        return signalPassFailure();
      op->erase();
    }
    bulkCopies.finish(b);
    for (auto function : getOperation().getOps<LLVM::LLVMFuncOp>())
      function->removeAttr(simt::kBlockAttr);
  }

  static StringRef nameOf(tile::MemoryScope scope) {
    switch (scope) {
    case tile::MemoryScope::instance:
      return "block";
    case tile::MemoryScope::device:
      return "device";
    case tile::MemoryScope::system:
      return "";
    }
    llvm_unreachable("unknown scope");
  }

  static void lowerWarpBarrier(Operation *op, OpBuilder &b) {
    constexpr int32_t kAllLanes = -1;
    Value mask = LLVM::ConstantOp::create(b, op->getLoc(),
                                          b.getI32IntegerAttr(kAllLanes));
    NVVM::SyncWarpOp::create(b, op->getLoc(), mask);
  }

  static void lowerAttributes(LLVM::LLVMFuncOp function, OpBuilder &b) {
    simt::ThreadBlockAttr block = simt::getThreadBlock(function);
    if (!block)
      return;
    function->setAttr("nvvm.kernel", b.getUnitAttr());
    function->setAttr("nvvm.reqntid", b.getDenseI32ArrayAttr(
                                          {int32_t(block.getThreads()), 1, 1}));
    function->setAttr("gpu.shared_bytes",
                      b.getI64IntegerAttr(block.getSharedBytes()));
    if (block.getCooperative())
      function->setAttr("gpu.cooperative", b.getUnitAttr());
    if (block.getPersistent())
      function->setAttr("gpu.persistent", b.getUnitAttr());
    if (block.getNumerics())
      function->setAttr("gpu.numerics", block.getNumerics());
  }
};
} // namespace

std::unique_ptr<Pass> nvidia::createLowerSimtPass() {
  return std::make_unique<LowerSimt>();
}
