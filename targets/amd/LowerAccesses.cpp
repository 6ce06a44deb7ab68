//===- LowerAccesses.cpp - Accesses that the hardware checks --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Raw buffers ("AMD Instinct MI300" instruction set manual, "Untyped buffer
// instructions"; LLVM's AMDGPU guide, "Buffer Resource"): the address is that
// of a descriptor in scalar registers plus an offset of 32 bits; where the
// offset is not below the descriptor's number of bytes a load gives 0 and a
// store does nothing. So a lane that takes no part needs no branch, and
// addresses take one register and not two.
//
//===----------------------------------------------------------------------===//

#include "Chips.h"
#include "LowerOps.h"
#include "Passes.h"
#include "ScalarOffsets.h"
#include "kiln/Dialect/Simt/SimtDialect.h"
#include "mlir/Analysis/DataFlow/ConstantPropagationAnalysis.h"
#include "mlir/Analysis/DataFlow/DeadCodeAnalysis.h"
#include "mlir/Analysis/DataFlow/IntegerRangeAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::amd;

/// Offsets from here on are outside of every buffer.
constexpr int64_t kOutside = int64_t(1) << 31;
constexpr int64_t kDwordBytes = 4, kMostBytes = 16;

namespace {
/// Ranges of integers, from those that parameters are annotated with on.
struct LaunchRanges : dataflow::IntegerRangeAnalysis {
  using IntegerRangeAnalysis::IntegerRangeAnalysis;

  void setToEntryState(dataflow::IntegerValueRangeLattice *lattice) override {
    auto argument = dyn_cast<BlockArgument>(lattice->getAnchor());
    auto function =
        argument
            ? dyn_cast<LLVM::LLVMFuncOp>(argument.getOwner()->getParentOp())
            : LLVM::LLVMFuncOp();
    auto range = function ? function.getArgAttrOfType<LLVM::ConstantRangeAttr>(
                                argument.getArgNumber(),
                                LLVM::LLVMDialect::getRangeAttrName())
                          : LLVM::ConstantRangeAttr();
    if (!range || !argument.getOwner()->isEntryBlock())
      return IntegerRangeAnalysis::setToEntryState(lattice);
    propagateIfChanged(
        lattice, lattice->join(IntegerValueRange(ConstantIntRanges::fromSigned(
                     range.getLower(), range.getUpper() - 1))));
  }
};

/// The ranges of extents and offsets, computed when one is asked for that is no
/// constant.
class Ranges {
public:
  explicit Ranges(ModuleOp module) : module(module) {}

  /// Whether an extent is known, and below `kOutside`.
  bool isSmall(Value extent) {
    IntegerAttr constant;
    if (matchPattern(extent, m_Constant(&constant)))
      return constant.getInt() >= 0 && constant.getInt() < kOutside;
    std::optional<ConstantIntRanges> range = rangeOf(extent);
    return range && range->smin().sge(0) && range->smax().slt(kOutside);
  }

  /// The greatest that a number may be; nothing if it may be negative.
  std::optional<int64_t> mostOf(Value number) {
    std::optional<ConstantIntRanges> range = rangeOf(number);
    if (!range || range->smin().isNegative())
      return std::nullopt;
    return range->smax().getSExtValue();
  }

private:
  std::optional<ConstantIntRanges> rangeOf(Value number) {
    if (!solver) {
      solver = std::make_unique<DataFlowSolver>();
      solver->load<dataflow::DeadCodeAnalysis>();
      solver->load<dataflow::SparseConstantPropagation>();
      solver->load<LaunchRanges>();
      isSolved = succeeded(solver->initializeAndRun(module));
    }
    auto *state =
        isSolved
            ? solver->lookupState<dataflow::IntegerValueRangeLattice>(number)
            : nullptr;
    if (!state || state->getValue().isUninitialized())
      return std::nullopt;
    return state->getValue().getValue();
  }

  ModuleOp module;
  bool isSolved = false;
  std::unique_ptr<DataFlowSolver> solver;
};

/// What every iteration of a loop computes alike, of the values in its body.
class Invariants {
public:
  explicit Invariants(Block *body) : body(body) {
    for (Operation &op : *body)
      if (!op.getNumRegions() && isMemoryEffectFree(&op) &&
          llvm::all_of(op.getOperands(),
                       [&](Value operand) { return contain(operand); }))
        values.insert_range(op.getResults());
  }

  bool contain(Value value) const {
    return value.getParentBlock() != body || values.contains(value);
  }

private:
  Block *body;
  llvm::DenseSet<Value> values;
};

/// The type that an access of so many bytes has in the intrinsics; null for
/// what they have no instruction for.
Type wordsOf(int64_t bytes, MLIRContext *context) {
  auto words = [&](int64_t count) -> Type {
    return VectorType::get({count}, IntegerType::get(context, 32));
  };
  switch (bytes) {
  case 1:
  case 2:
  case 4:
    return IntegerType::get(context, unsigned(bytes * 8));
  case 8:
  case 16:
    return words(bytes / 4);
  default:
    return {};
  }
}

/// Bytes of a value; 0 where its elements are not whole bytes.
int64_t bytesOf(Type type) {
  int64_t count = 1;
  if (auto vector = dyn_cast<VectorType>(type)) {
    count = vector.getNumElements();
    type = vector.getElementType();
  }
  if (!type.isIntOrFloat() || type.getIntOrFloatBitWidth() % 8)
    return 0;
  return count * type.getIntOrFloatBitWidth() / 8;
}

struct LowerAccesses : PassWrapper<LowerAccesses, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(LowerAccesses)
  StringRef getName() const final { return "AmdLowerAccesses"; }
  StringRef getArgument() const override { return "amd-lower-accesses"; }
  StringRef getDescription() const override {
    return "Turns accesses to views of known extents into buffer instructions";
  }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<LLVM::LLVMDialect, arith::ArithDialect>();
  }

  void runOnOperation() override {
    chip = chipOf(getOperation());
    if (!chip)
      return signalPassFailure();
    Ranges known(getOperation());
    ranges = &known;
    invariants.clear();
    SmallVector<Operation *> accesses;
    getOperation().walk([&](Operation *op) {
      if (auto load = dyn_cast<simt::LoadOp>(op)) {
        if (isBuffer(load, load.getType(), known))
          accesses.push_back(op);
      } else if (auto store = dyn_cast<simt::StoreOp>(op)) {
        if (isBuffer(store, store.getValue().getType(), known))
          accesses.push_back(op);
      }
    });
    for (Operation *op : accesses) {
      OpBuilder b(op);
      if (auto load = dyn_cast<simt::LoadOp>(op))
        lowerLoad(load, b);
      else
        lowerStore(cast<simt::StoreOp>(op), b);
      op->erase();
    }
    descriptors.clear();
  }

private:
  template <typename Access>
  static bool isBuffer(Access op, Type type, Ranges &extents) {
    int64_t bytes = bytesOf(type);
    bool fits = bytes <= kMostBytes ? bool(wordsOf(bytes, type.getContext()))
                                    : bytes % kMostBytes == 0;
    return op.getBase() && !op.getIsVolatile() && fits &&
           int64_t(op.getAlignment()) >= std::min(bytes, kDwordBytes) &&
           extents.isSmall(op.getExtent());
  }

  static Value constant(OpBuilder &b, Location loc, unsigned bits,
                        int64_t value) {
    return arith::ConstantIntOp::create(b, loc, b.getIntegerType(bits), value);
  }

  /// The bytes that the descriptor of a view states.
  static int64_t recordsOf(Value extent) {
    IntegerAttr constantExtent;
    return matchPattern(extent, m_Constant(&constantExtent))
               ? constantExtent.getInt()
               : kOutside - 1;
  }

  /// The descriptor of a view. Of an extent that is computed only the limit is
  /// in it: masks keep accesses inside, and one descriptor serves more of them.
  Value descriptorOf(Value base, Value extent, Location loc) {
    int64_t bytes = recordsOf(extent);
    Value &found = descriptors[{base, bytes}];
    if (found)
      return found;
    OpBuilder b(base.getContext());
    if (Operation *op = base.getDefiningOp())
      b.setInsertionPointAfter(op);
    else
      b.setInsertionPointToStart(base.getParentBlock());
    auto type = LLVM::LLVMPointerType::get(b.getContext(), 8);
    // The last word: formats that instructions without types do not read, and
    // on RDNA that offsets are checked as those of bytes (as upstream's
    // amdgpu.fat_raw_buffer_cast has it).
    int64_t flags = chip->isCdna() ? 0x00027000 : 0x31027000;
    found = LLVM::CallIntrinsicOp::create(
                b, loc, type, b.getStringAttr("llvm.amdgcn.make.buffer.rsrc"),
                ValueRange{base, constant(b, loc, 16, 0),
                           constant(b, loc, 64, bytes),
                           constant(b, loc, 32, flags)})
                .getResult(0);
    return found;
  }

  static bool multiplies(Block *block) {
    return !block->getOps<simt::MmaOp>().empty();
  }

  /// The part of an offset that goes into a scalar register. Of a lane that
  /// takes no part it may be anything: with it even an offset that is outside
  /// could be inside. So what has a mask moves by what its loop counts alone,
  /// which is known to stay inside; then the mask is one of the loop, and the
  /// choice that it makes comes before it.
  std::optional<SplitOffset> splitOf(Value offset, Value extent, Value mask,
                                     OpBuilder &b, Location loc) {
    auto mostOf = [&](Value value) { return ranges->mostOf(value); };
    ScalarOffsets parts(mostOf, b, loc);
    if (!mask)
      return parts.split(offset);
    Block *body = b.getBlock();
    if (!isa<scf::ForOp>(body->getParentOp()))
      return std::nullopt;
    const Invariants &alike = invariants.try_emplace(body, body).first->second;
    if (!alike.contain(mask))
      return std::nullopt;
    auto split =
        parts.split(offset, [&](Value value) { return alike.contain(value); });
    bool isInside = split && split->mostScalar <= uint64_t(recordsOf(extent));
    return isInside ? split : std::nullopt;
  }

  /// The operands behind the value: descriptor, offset of the lane, that of all
  /// lanes, no hints.
  SmallVector<Value> placeOf(Value base, Value offset, Value extent, Value mask,
                             int64_t more, OpBuilder &b, Location loc) {
    Value zero = constant(b, loc, 32, 0);
    Value at, scalar = zero;
    // LLVM unrolls loops that do not multiply: there the constants of scalars
    // go into the instructions.
    if (multiplies(b.getBlock())) {
      if (auto split = splitOf(offset, extent, mask, b, loc)) {
        at = split->lane;
        scalar = split->scalar;
      }
    }
    if (!at)
      at = arith::TruncIOp::create(b, loc, b.getI32Type(), offset);
    if (more)
      at = arith::AddIOp::create(b, loc, at, constant(b, loc, 32, more));
    if (mask)
      at = arith::SelectOp::create(b, loc, mask, at,
                                   constant(b, loc, 32, -kOutside));
    return {descriptorOf(base, extent, loc), at, scalar, zero};
  }

  void lowerLoad(simt::LoadOp op, OpBuilder &b) {
    Location loc = op.getLoc();
    int64_t bytes = bytesOf(op.getType());
    auto load = [&](int64_t more, int64_t count) -> Value {
      SmallVector<Value> place =
          placeOf(op.getBase(), op.getOffset(), op.getExtent(), op.getMask(),
                  more, b, loc);
      return LLVM::CallIntrinsicOp::create(
                 b, loc, wordsOf(count, b.getContext()),
                 b.getStringAttr("llvm.amdgcn.raw.ptr.buffer.load"), place)
          .getResult(0);
    };
    Value words;
    if (bytes <= kMostBytes) {
      words = load(0, bytes);
    } else {
      auto all = VectorType::get({bytes / 4}, b.getI32Type());
      words = LLVM::PoisonOp::create(b, loc, all);
      for (int64_t more = 0; more < bytes; more += kMostBytes) {
        Value part = load(more, kMostBytes);
        for (int64_t i = 0; i < kMostBytes / 4; ++i) {
          Value word = LLVM::ExtractElementOp::create(b, loc, part,
                                                      constant(b, loc, 32, i));
          words = LLVM::InsertElementOp::create(
              b, loc, words, word, constant(b, loc, 32, more / 4 + i));
        }
      }
    }
    Value result =
        words.getType() == op.getType()
            ? words
            : LLVM::BitcastOp::create(b, loc, op.getType(), words).getResult();
    // What is outside is 0 already.
    Value other = op.getOther();
    if (op.getMask() && other && !isZero(other))
      result = arith::SelectOp::create(b, loc, op.getMask(), result, other);
    op.replaceAllUsesWith(result);
  }

  static bool isZero(Value value) {
    // A vector that is put together from zeros.
    while (auto insert = value.getDefiningOp<LLVM::InsertElementOp>()) {
      if (!isZero(insert.getValue()))
        return false;
      value = insert.getVector();
    }
    if (value.getDefiningOp<LLVM::PoisonOp>())
      return true;
    Attribute constant;
    if (!matchPattern(value, m_Constant(&constant)))
      return false;
    if (auto elements = dyn_cast<DenseElementsAttr>(constant)) {
      if (!elements.isSplat())
        return false;
      constant = elements.getSplatValue<Attribute>();
    }
    if (auto number = dyn_cast<FloatAttr>(constant))
      return number.getValue().isPosZero();
    auto number = dyn_cast<IntegerAttr>(constant);
    return number && number.getValue().isZero();
  }

  void lowerStore(simt::StoreOp op, OpBuilder &b) {
    Location loc = op.getLoc();
    int64_t bytes = bytesOf(op.getValue().getType());
    auto store = [&](Value words, int64_t more) {
      SmallVector<Value> operands{words};
      llvm::append_range(operands,
                         placeOf(op.getBase(), op.getOffset(), op.getExtent(),
                                 op.getMask(), more, b, loc));
      LLVM::CallIntrinsicOp::create(
          b, loc, b.getStringAttr("llvm.amdgcn.raw.ptr.buffer.store"),
          operands);
    };
    auto cast = [&](Type type) -> Value {
      return op.getValue().getType() == type
                 ? op.getValue()
                 : LLVM::BitcastOp::create(b, loc, type, op.getValue())
                       .getResult();
    };
    if (bytes <= kMostBytes)
      return store(cast(wordsOf(bytes, b.getContext())), 0);
    Value words = cast(VectorType::get({bytes / 4}, b.getI32Type()));
    for (int64_t more = 0; more < bytes; more += kMostBytes) {
      Type type = wordsOf(kMostBytes, b.getContext());
      Value part = LLVM::PoisonOp::create(b, loc, type);
      for (int64_t i = 0; i < kMostBytes / 4; ++i) {
        Value word = LLVM::ExtractElementOp::create(
            b, loc, words, constant(b, loc, 32, more / 4 + i));
        part = LLVM::InsertElementOp::create(b, loc, part, word,
                                             constant(b, loc, 32, i));
      }
      store(part, more);
    }
  }

  const Chip *chip = nullptr;
  Ranges *ranges = nullptr;
  llvm::DenseMap<Block *, Invariants> invariants; ///< of bodies of loops
  llvm::DenseMap<std::pair<Value, int64_t>, Value> descriptors;
};
} // namespace

std::unique_ptr<Pass> amd::createLowerAccessesPass() {
  return std::make_unique<LowerAccesses>();
}
