//===- ScheduleProducts.cpp - Order and priority of products --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a SIMD does beside a matrix instruction is decided twice. Among the
// instructions of one wave LLVM's scheduler decides, which takes the order of
// groups of them from `rocdl.sched.group.barrier`. Among the waves of a SIMD
// the hardware decides, by their priorities ("AMD Instinct MI300" instruction
// set manual, S_SETPRIO): the wave that multiplies goes first, so that the
// others fetch their operands meanwhile, and the waves get out of step.
//
//===----------------------------------------------------------------------===//

#include "Chips.h"
#include "Passes.h"
#include "kiln/Dialect/Simt/SimtDialect.h"
#include "kiln/Dialect/Simt/ThreadCode.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::amd;

namespace {
/// Matrix instructions of a block with nothing between them that waits for
/// other waves, or computes for long.
struct Run {
  Operation *begin = nullptr; ///< the first of them, and of reads for them
  SmallVector<simt::MmaOp> products;
  int64_t cycles = 0;
  int64_t reads = 0; ///< instructions that read LDS before the last product
};

/// Bits of the mask of a group (LLVM's AMDGPU guide, "sched_group_barrier").
constexpr int kMatrix = 0x8, kLdsRead = 0x100;

struct ScheduleProducts
    : PassWrapper<ScheduleProducts, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ScheduleProducts)
  ScheduleProducts() = default;
  ScheduleProducts(const ScheduleProducts &other) : PassWrapper(other) {}
  StringRef getName() const final { return "AmdScheduleProducts"; }
  StringRef getArgument() const override { return "amd-schedule-products"; }
  StringRef getDescription() const override {
    return "Sets priorities of waves that multiply, and the order of LDS reads "
           "among matrix instructions";
  }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<ROCDL::ROCDLDialect>();
  }

  Option<bool> priorities{*this, "priorities",
                          llvm::cl::desc("set priorities of waves"),
                          llvm::cl::init(true)};
  Option<bool> groups{*this, "groups",
                      llvm::cl::desc("order reads of LDS among products"),
                      llvm::cl::init(true)};
  Option<int64_t> waves{*this, "waves",
                        llvm::cl::desc("the most waves of a SIMD that the "
                                       "registers of kernels are chosen for"),
                        llvm::cl::init(0)};

  void runOnOperation() override {
    ModuleOp module = getOperation();
    const Chip *chip = chipOf(module);
    if (!chip)
      return signalPassFailure();
    for (target::MatrixInstructionAttr row :
         target::getDescription(module).getMatrixInstructions())
      cyclesOf[row.getName()] = row.getCycles();
    for (auto function : module.getOps<LLVM::LLVMFuncOp>())
      if (simt::getThreadBlock(function))
        schedule(function, *chip);
  }

private:
  void schedule(LLVM::LLVMFuncOp function, const Chip &chip) {
    SmallVector<Run> runs;
    function.walk([&](scf::ForOp loop) { findRuns(*loop.getBody(), runs); });
    if (runs.empty())
      return;
    if (waves > 0)
      limitWaves(function);
    bool takeTurns = priorities && wavesOf(function, chip) > 1;
    for (const Run &run : runs) {
      // Setting and taking back a priority are two instructions.
      constexpr int64_t kLeastCycles = 128;
      if (groups)
        order(run);
      if (takeTurns && run.cycles >= kLeastCycles)
        prefer(run);
    }
  }

  /// Waves of a SIMD, as far as LDS and their number in a workgroup say.
  static int64_t wavesOf(LLVM::LLVMFuncOp function, const Chip &chip) {
    constexpr int64_t kSimds = 4;
    simt::ThreadBlockAttr block = simt::getThreadBlock(function);
    int64_t inGroup = llvm::divideCeil(block.getThreads(), chip.lanes),
            bytes = block.getSharedBytes();
    int64_t most = chip.waves / (chip.isCdna() ? 4 : 2) * kSimds;
    int64_t room = bytes ? (chip.ldsKiB << 10) / bytes : most;
    return std::min(most, inGroup * std::max<int64_t>(room, 1)) / kSimds;
  }

  void findRuns(Block &block, SmallVectorImpl<Run> &runs) {
    Run run;
    int64_t reads = 0;
    auto close = [&] {
      if (!run.products.empty())
        runs.push_back(std::move(run));
      run = Run();
      reads = 0;
    };
    for (Operation &op : block) {
      auto product = dyn_cast<simt::MmaOp>(op);
      int64_t read = readsOf(&op);
      if ((product || read) && !run.begin)
        run.begin = &op;
      if (product) {
        run.reads += reads;
        reads = 0;
        run.products.push_back(product);
        run.cycles += cyclesOf.lookup(product.getRow());
      } else if (isEnd(&op)) {
        close();
      }
      reads += read;
    }
    close();
  }

  /// What parts runs of products: barriers, branches, and functions that take
  /// as long as a product.
  static bool isEnd(Operation *op) {
    return op->getNumRegions() ||
           isa<gpu::BarrierOp, simt::BarrierOp, simt::WarpBarrierOp,
               gpu::ShuffleOp, math::ExpOp, math::Exp2Op>(op);
  }

  /// Instructions that read LDS for an operation.
  static int64_t readsOf(Operation *op) {
    constexpr int64_t kMostBits = 128;
    if (isa<simt::LoadMatrixOp>(op))
      return 1;
    auto load = dyn_cast<LLVM::LoadOp>(op);
    if (!load || cast<LLVM::LLVMPointerType>(load.getAddr().getType())
                         .getAddressSpace() != simt::kShared)
      return 0;
    Type type = load.getType();
    int64_t count = 1;
    if (auto vector = dyn_cast<VectorType>(type)) {
      count = vector.getNumElements();
      type = vector.getElementType();
    }
    return type.isIntOrFloat()
               ? llvm::divideCeil(count * type.getIntOrFloatBitWidth(),
                                  kMostBits)
               : 1;
  }

  /// Instructions that read LDS for the first product.
  static int64_t readsFor(simt::MmaOp product) {
    llvm::SetVector<Operation *> needed;
    needed.insert(product);
    int64_t reads = 0;
    for (size_t i = 0; i < needed.size(); ++i)
      for (Value operand : needed[i]->getOperands())
        if (Operation *made = operand.getDefiningOp();
            made && made->getBlock() == product->getBlock() &&
            needed.insert(made))
          reads += readsOf(made);
    return reads;
  }

  /// What the first product needs is read first; other reads are spread evenly
  /// among the products.
  static void order(const Run &run) {
    int64_t lead = readsFor(run.products.front()), rest = run.reads - lead;
    if (rest <= 0)
      return;
    OpBuilder b(run.products.back());
    b.setInsertionPointAfter(run.products.back());
    Location loc = run.products.back()->getLoc();
    auto group = [&](int kind, int64_t count) {
      if (count)
        ROCDL::SchedGroupBarrier::create(b, loc, kind, int32_t(count), 0);
    };
    auto products = int64_t(run.products.size()), done = int64_t(0);
    group(kLdsRead, lead);
    for (int64_t i = 0; i < rest; ++i) {
      int64_t until = products * (i + 1) / (rest + 1);
      group(kMatrix, until - done);
      group(kLdsRead, 1);
      done = until;
    }
    group(kMatrix, products - done);
  }

  /// From the first read on: in between, the scheduler moves nothing over the
  /// change of a priority.
  static void prefer(const Run &run) {
    OpBuilder b(run.begin);
    Location loc = run.products.front()->getLoc();
    ROCDL::SetPrioOp::create(b, loc, 1);
    Operation *last = run.products.back();
    while (isa<ROCDL::SchedGroupBarrier>(last->getNextNode()))
      last = last->getNextNode();
    b.setInsertionPointAfter(last);
    ROCDL::SetPrioOp::create(b, loc, 0);
  }

  /// Registers are shared out among the waves of a SIMD.
  void limitWaves(LLVM::LLVMFuncOp function) {
    OpBuilder b(function.getContext());
    SmallVector<Attribute> all;
    if (auto given = function.getPassthrough())
      llvm::append_range(all, *given);
    std::string range = "1," + std::to_string(waves);
    all.push_back(b.getArrayAttr(
        {b.getStringAttr("amdgpu-waves-per-eu"), b.getStringAttr(range)}));
    function.setPassthroughAttr(b.getArrayAttr(all));
  }

  llvm::StringMap<int64_t> cyclesOf;
};
} // namespace

std::unique_ptr<Pass>
amd::createScheduleProductsPass(bool priorities, bool groups, int64_t waves) {
  auto pass = std::make_unique<ScheduleProducts>();
  pass->priorities = priorities;
  pass->groups = groups;
  pass->waves = waves;
  return pass;
}
