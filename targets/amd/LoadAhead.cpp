//===- LoadAhead.cpp - Loads of the next iteration beside products --------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Software pipelining through registers: CDNA3 and RDNA have no copies from
// global memory to LDS of useful width, so that what hides the latency of a
// load is the products of the iteration before. Loads whose addresses follow
// from the induction variable and from values that need no memory are issued
// one iteration ahead; their results are carried by the loop:
//
//   for i: v = load(i); put v; barrier; get; products
//   =>
//   v = load(0); for i: put v; barrier; n = load(min(i + 1, last)); get;
//                       products; v = n
//
//===----------------------------------------------------------------------===//

#include "Chips.h"
#include "LateLoads.h"
#include "Passes.h"
#include "kiln/Dialect/Simt/SimtDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::amd;

/// 32-bit registers of a thread that carried loads may take.
constexpr int64_t kMostRegisters = 64;

static bool isBarrierOfAll(Operation *op) {
  auto barrier = dyn_cast<simt::BarrierOp>(op);
  return isa<gpu::BarrierOp>(op) ||
         (barrier && barrier.getMemories() == simt::Memories::All);
}

static bool isBarrier(Operation *op) {
  return isa<gpu::BarrierOp, simt::BarrierOp>(op);
}

namespace {
/// One loop.
class Pipeliner {
public:
  Pipeliner(scf::ForOp loop, bool hasRoom)
      : loop(loop), body(*loop.getBody()), hasRoom(hasRoom) {}

  void run() {
    if (!multiplies() || writesGlobal(loop))
      return;
    findUnits();
    if (units.empty())
      return;
    place = findPlace();
    if (place)
      rewrite();
  }

private:
  bool multiplies() {
    return llvm::any_of(body,
                        [](Operation &op) { return isa<simt::MmaOp>(op); });
  }

  /// Whether an operation may write to memory that loads read, or wait for a
  /// thread that does.
  static bool writesGlobal(Operation *root) {
    return root
        ->walk([](Operation *op) {
          if (isBarrier(op) ||
              isa<simt::WarpBarrierOp, simt::LoadOp, simt::LoadMatrixOp,
                  LLVM::LoadOp>(op) ||
              op->hasTrait<OpTrait::HasRecursiveMemoryEffects>() ||
              isMemoryEffectFree(op))
            return WalkResult::advance();
          if (auto store = dyn_cast<LLVM::StoreOp>(op))
            if (isLocal(store.getAddr()))
              return WalkResult::advance();
          if (auto store = dyn_cast<simt::StoreOp>(op))
            if (isLocal(store.getAddress()))
              return WalkResult::advance();
          return WalkResult::interrupt();
        })
        .wasInterrupted();
  }

  /// Whether the same may have happened when the loop begins.
  bool comesAfterWrites() {
    for (Operation *op = loop; op && !isa<FunctionOpInterface>(op);
         op = op->getParentOp()) {
      for (Operation &before :
           llvm::make_range(op->getBlock()->begin(), op->getIterator()))
        if (writesGlobal(&before))
          return true;
      Operation *parent = op->getParentOp();
      if (isa<LoopLikeOpInterface>(parent) && writesGlobal(parent))
        return true;
      // Blocks that are not nested may be those of a loop.
      if (!op->getParentRegion()->hasOneBlock())
        return true;
    }
    return false;
  }

  static bool isGlobalLoad(Operation *op) {
    auto load = dyn_cast<simt::LoadOp>(op);
    return load && !load.getIsVolatile() && !isLocal(load.getAddress());
  }

  /// A load, or a choice between loads.
  static bool isUnit(Operation &op) {
    if (isGlobalLoad(&op))
      return true;
    if (!isa<scf::IfOp>(op) || op.getNumResults() == 0)
      return false;
    bool loads = false;
    bool isRest = op.walk([&](Operation *inner) {
                      if (isGlobalLoad(inner)) {
                        loads = true;
                        return WalkResult::advance();
                      }
                      return inner == &op || isMemoryEffectFree(inner) ||
                                     isa<scf::IfOp>(inner)
                                 ? WalkResult::advance()
                                 : WalkResult::interrupt();
                    }).wasInterrupted();
    return loads && !isRest;
  }

  /// Finds the values of the body that do not follow from the induction
  /// variable and from what is there before the loop: those of memory and of
  /// products, and what depends on them, through carried values, too.
  void findOthers() {
    bool changes = true;
    while (changes) {
      changes = false;
      for (Operation &op : body)
        if (!isMemoryEffectFree(&op) || isa<simt::MmaOp>(op) ||
            !areFollowing(&op))
          for (Value result : op.getResults())
            changes |= others.insert(result).second;
      for (BlockArgument argument : body.getArguments().drop_front())
        if (others.contains(yieldOf(argument)))
          changes |= others.insert(argument).second;
    }
  }

  bool areFollowing(Operation *op) {
    bool all = true;
    forEachOperand(op,
                   [&](Value operand) { all &= !others.contains(operand); });
    return all;
  }

  /// The operands of an operation and what its regions take from outside.
  static void forEachOperand(Operation *op, function_ref<void(Value)> action) {
    for (Value operand : op->getOperands())
      action(operand);
    llvm::SetVector<Value> above;
    getUsedValuesDefinedAbove(op->getRegions(), above);
    for (Value value : above)
      action(value);
  }

  Value yieldOf(BlockArgument argument) {
    return body.getTerminator()->getOperand(argument.getArgNumber() - 1);
  }

  void findUnits() {
    findOthers();
    int64_t registers = 0;
    for (Operation &op : body) {
      if (!isUnit(op) || !areFollowing(&op))
        continue;
      for (Type type : op.getResultTypes()) {
        int64_t count = 1;
        if (auto vector = dyn_cast<VectorType>(type)) {
          count = vector.getNumElements();
          type = vector.getElementType();
        }
        registers += (count * type.getIntOrFloatBitWidth() + 31) / 32;
      }
      units.push_back(&op);
    }
    if (registers > kMostRegisters)
      units.clear();
  }

  /// Behind which operation loads are issued: the last one that puts loaded
  /// values into LDS, and every barrier that orders global memory that was
  /// written, where all that comes before products; a barrier that follows goes
  /// first. Null: where loads are now they come late enough.
  Operation *findPlace() {
    Operation *product = &*llvm::find_if(
        body, [](Operation &op) { return isa<simt::MmaOp>(op); });
    llvm::SmallPtrSet<Operation *, 32> seen;
    SmallVector<Operation *> work(units);
    // What is loaded behind the first product, for a second one, takes
    // registers beside both.
    if (!hasRoom && !units.back()->isBeforeInBlock(product))
      return nullptr;
    Operation *last = nullptr;
    for (Operation *unit : units)
      if (unit->isBeforeInBlock(product))
        last = unit;
    if (!last)
      return nullptr;
    auto put = [&](Operation *op) {
      if (last->isBeforeInBlock(op))
        last = op;
    };
    while (!work.empty()) {
      Operation *op = work.pop_back_val();
      for (Operation *user : op->getUsers()) {
        Operation *top = body.findAncestorOpInBlock(*user);
        if (!top || !seen.insert(top).second)
          continue;
        if (top->getNumResults())
          work.push_back(top);
        else if (top != body.getTerminator() && top->isBeforeInBlock(product))
          put(top);
      }
    }
    // Without a write before, a barrier of all memory only keeps what is
    // written behind it from loads.
    if (comesAfterWrites())
      for (Operation &op : body)
        if (isBarrierOfAll(&op))
          put(&op);
    if (!last->isBeforeInBlock(product))
      return isBarrierOfAll(last) ? last : nullptr;
    for (Operation *op = last; op != product; op = op->getNextNode())
      if (isBarrier(op))
        return op;
    return last;
  }

  //===--------------------------------------------------------------------===//
  // Values of other iterations
  //===--------------------------------------------------------------------===//

  /// A value of this iteration, where the builder stands.
  Value now(Value value, OpBuilder &b) {
    Operation *op = value.getDefiningOp();
    if (!op || op->getBlock() != &body || !insertion->isBeforeInBlock(op))
      return value;
    return copy(value, nowValues, b, [&](Value v) { return now(v, b); });
  }

  /// A value of the next iteration, or of the last one again.
  Value next(Value value, OpBuilder &b) {
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      if (argument.getOwner() != &body)
        return value;
      if (Value known = nextValues.lookupOrNull(value))
        return known;
      Value result =
          argument.getArgNumber() == 0
              ? advanced
              : arith::SelectOp::create(b, loop.getLoc(), isNotLast,
                                        now(yieldOf(argument), b), argument)
                    .getResult();
      nextValues.map(value, result);
      return result;
    }
    if (value.getDefiningOp()->getBlock() != &body)
      return value;
    return copy(value, nextValues, b, [&](Value v) { return next(v, b); });
  }

  /// A value of the first iteration, before the loop.
  Value first(Value value, OpBuilder &b) {
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      if (argument.getOwner() != &body)
        return value;
      return argument.getArgNumber() == 0
                 ? loop.getLowerBound()
                 : loop.getInitArgs()[argument.getArgNumber() - 1];
    }
    if (value.getDefiningOp()->getBlock() != &body)
      return value;
    return copy(value, firstValues, b, [&](Value v) { return first(v, b); });
  }

  /// Copies the operation that defines a value, after what that needs.
  static Value copy(Value value, IRMapping &values, OpBuilder &b,
                    function_ref<Value(Value)> of) {
    if (Value known = values.lookupOrNull(value))
      return known;
    copyOp(value.getDefiningOp(), values, b, of);
    return values.lookup(value);
  }

  static Operation *copyOp(Operation *op, IRMapping &values, OpBuilder &b,
                           function_ref<Value(Value)> of) {
    IRMapping own;
    forEachOperand(op, [&](Value operand) { own.map(operand, of(operand)); });
    Operation *made = b.clone(*op, own);
    for (auto [from, to] : llvm::zip(op->getResults(), made->getResults()))
      values.map(from, to);
    return made;
  }

  /// The loads of the first iteration, where there is one.
  SmallVector<Value> loadFirst() {
    OpBuilder b(loop);
    Location loc = loop.getLoc();
    SmallVector<Type> types;
    for (Operation *unit : units)
      llvm::append_range(types, unit->getResultTypes());
    Value isAny =
        arith::CmpIOp::create(b, loc,
                              loop.getUnsignedCmp() ? arith::CmpIPredicate::ult
                                                    : arith::CmpIPredicate::slt,
                              loop.getLowerBound(), loop.getUpperBound());
    auto choice = scf::IfOp::create(b, loc, types, isAny, true, true);
    b.setInsertionPointToEnd(choice.thenBlock());
    SmallVector<Value> loaded;
    for (Operation *unit : units) {
      Operation *made =
          copyOp(unit, firstValues, b, [&](Value v) { return first(v, b); });
      llvm::append_range(loaded, made->getResults());
    }
    scf::YieldOp::create(b, loc, loaded);
    b.setInsertionPointToEnd(choice.elseBlock());
    SmallVector<Value> none;
    for (Type type : types)
      none.push_back(LLVM::PoisonOp::create(b, loc, type));
    scf::YieldOp::create(b, loc, none);
    return choice.getResults();
  }

  SmallVector<Value> loadUnits(OpBuilder &b) {
    SmallVector<Value> loaded;
    for (Operation *unit : units) {
      Operation *made =
          copyOp(unit, nextValues, b, [&](Value v) { return next(v, b); });
      llvm::append_range(loaded, made->getResults());
    }
    return loaded;
  }

  /// Whether a load becomes a branch, as no hardware masks its lanes.
  static bool isBranch(Operation *unit) {
    auto load = dyn_cast<simt::LoadOp>(unit);
    return load && load.getMask() && !load.getBase();
  }

  /// Loads that are worth a branch around them in the last iteration.
  SmallVector<Value> loadUnlessLast(OpBuilder &b) {
    Location loc = loop.getLoc();
    SmallVector<Type> types;
    for (Operation *unit : units)
      llvm::append_range(types, unit->getResultTypes());
    auto choice = scf::IfOp::create(b, loc, types, isNotLast, true, true);
    OpBuilder inner = OpBuilder::atBlockEnd(choice.thenBlock());
    scf::YieldOp::create(inner, loc, loadUnits(inner));
    inner.setInsertionPointToEnd(choice.elseBlock());
    SmallVector<Value> none;
    for (Type type : types)
      none.push_back(LLVM::PoisonOp::create(inner, loc, type));
    scf::YieldOp::create(inner, loc, none);
    return choice.getResults();
  }

  /// The loads of the next iteration, in this one.
  SmallVector<Value> loadNext() {
    insertion = place;
    OpBuilder b(body.getParentOp()->getContext());
    b.setInsertionPointAfter(place);
    Location loc = loop.getLoc();
    Value iv = loop.getInductionVar();
    // Positive, and so exact without sign.
    Value left = arith::SubIOp::create(b, loc, loop.getUpperBound(), iv);
    isNotLast = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ugt, left,
                                      loop.getStep());
    Value sum = arith::AddIOp::create(b, loc, iv, loop.getStep());
    advanced = arith::SelectOp::create(b, loc, isNotLast, sum, iv);
    SmallVector<Value> loaded;
    if (llvm::any_of(units, isBranch))
      loaded = loadUnlessLast(b);
    else
      loaded = loadUnits(b);
    // LLVM would sink them behind the products, to save registers.
    addSchedulingFence(b, loc, 0);
    postponeLoads(body, place, units, loaded);
    return loaded;
  }

  void rewrite() {
    SmallVector<Value> inits = loadFirst(), loaded = loadNext();
    IRRewriter rewriter(loop.getContext());
    rewriter.setInsertionPoint(loop);
    unsigned before = loop.getNumRegionIterArgs();
    auto made = cast<scf::ForOp>(*loop.replaceWithAdditionalYields(
        rewriter, inits, /*replaceInitOperandUsesInLoop=*/false,
        [&](OpBuilder &, Location, ArrayRef<BlockArgument>) {
          return loaded;
        }));
    unsigned at = before;
    for (Operation *unit : units) {
      for (Value result : unit->getResults())
        result.replaceAllUsesWith(made.getRegionIterArg(at++));
      unit->erase();
    }
  }

  scf::ForOp loop;
  Block &body;
  bool hasRoom; ///< registers for loads ahead of the second of two products
  SmallVector<Operation *> units;
  llvm::DenseSet<Value> others;
  Operation *place = nullptr, *insertion = nullptr;
  Value isNotLast, advanced;
  IRMapping nowValues, nextValues, firstValues;
};

struct LoadAhead : PassWrapper<LoadAhead, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(LoadAhead)
  StringRef getName() const final { return "AmdLoadAhead"; }
  StringRef getArgument() const override { return "amd-load-ahead"; }
  StringRef getDescription() const override {
    return "Issues loads of loops with matmuls one iteration ahead";
  }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<LLVM::LLVMDialect, arith::ArithDialect, scf::SCFDialect>();
  }

  void runOnOperation() override {
    // Threads of CDNA chips have twice as many registers as those of RDNA ones.
    target::TargetAttr description = target::getDescription(getOperation());
    const Chip *chip = description ? findChip(description.getCpu()) : nullptr;
    bool hasRoom = !chip || chip->isCdna();
    SmallVector<scf::ForOp> loops;
    getOperation().walk([&](scf::ForOp loop) { loops.push_back(loop); });
    for (scf::ForOp loop : loops)
      Pipeliner(loop, hasRoom).run();
  }
};
} // namespace

std::unique_ptr<Pass> amd::createLoadAheadPass() {
  return std::make_unique<LoadAhead>();
}
