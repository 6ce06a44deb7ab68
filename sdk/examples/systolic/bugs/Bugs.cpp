// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Mistakes that compilers for such machines make, each by a name of its own,
// put into the instructions of every kernel: --target=systolic,bug=NAME. Knows
// the dialect by the names of its operations alone, as any plug-in might.
#include "kiln/Dialect/Tile/Tile.h"
#include "kiln/Target/Plugin.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Pass/Pass.h"
#include <map>

using namespace mlir;
using namespace kiln;
using namespace kiln::target;

namespace {

using Seed = void (*)(Operation *);

int64_t number(Operation *op, StringRef name) {
  return op->getAttrOfType<IntegerAttr>(name).getInt();
}
void setNumber(Operation *op, StringRef name, int64_t value) {
  op->setAttr(name, Builder(op->getContext()).getI64IntegerAttr(value));
}
/// Changes one of several numbers.
void change(Operation *op, StringRef name, size_t which, int64_t by) {
  auto array = op->getAttrOfType<DenseI64ArrayAttr>(name);
  SmallVector<int64_t> values(array.asArrayRef());
  values[which < values.size() ? which : values.size() - 1] += by;
  op->setAttr(name, Builder(op->getContext()).getDenseI64ArrayAttr(values));
}
Value constant(Operation *op, int64_t value) {
  OpBuilder b(op);
  return arith::ConstantIndexOp::create(b, op->getLoc(), value);
}
Value plus(Operation *op, Value a, int64_t value) {
  OpBuilder b(op);
  return arith::AddIOp::create(b, op->getLoc(), a, constant(op, value));
}

/// Whose operation a seed is for.
struct Bug {
  const char *op;
  Seed seed;
};

const std::map<std::string, Bug> kBugs = {
    // Transfers.
    {"missing-wait",
     {"systolic.wait",
      [](Operation *op) {
        // What is waited for last still hides what came before it.
        auto tag = op->getOperand(0).getDefiningOp();
        if (tag && tag->getName().getStringRef() == "systolic.dma_in")
          op->erase();
      }}},
    {"missing-last-wait",
     {"systolic.wait",
      [](Operation *op) {
        auto tag = op->getOperand(0).getDefiningOp();
        if (tag && tag->getName().getStringRef() == "systolic.dma_out")
          op->erase();
      }}},
    {"edge-column-is-lost",
     {"systolic.dma_out",
      [](Operation *op) {
        auto counts = op->getAttrOfType<DenseI64ArrayAttr>("counts");
        if (!counts.empty() && counts[counts.size() - 1] > 1)
          change(op, "counts", counts.size() - 1, -1);
      }}},
    {"padding-is-one",
     {"systolic.dma_in",
      [](Operation *op) {
        Value padding = op->getOperands().back();
        if (!padding.getType().isF32())
          return;
        OpBuilder b(op);
        Value one =
            arith::ConstantOp::create(b, op->getLoc(), b.getF32FloatAttr(1));
        op->setOperand(op->getNumOperands() - 1, one);
      }}},
    {"transfer-one-off",
     {"systolic.dma_in",
      [](Operation *op) {
        if (op->getNumOperands() > 3)
          op->setOperand(1, plus(op, op->getOperand(1), 1));
      }}},
    {"rows-too-near",
     {"systolic.dma_in",
      [](Operation *op) {
        auto strides = op->getAttrOfType<DenseI64ArrayAttr>("strides");
        if (strides.size() > 1 && strides[strides.size() - 2] > 4)
          change(op, "strides", strides.size() - 2, -4);
      }}},
    // Rings.
    {"slot-full-too-early",
     {"systolic.slot_commit",
      [](Operation *op) { op->eraseOperands(0, op->getNumOperands()); }}},
    {"race-of-slots",
     {"systolic.ring",
      [](Operation *op) { setNumber(op, "bytes", number(op, "bytes") / 2); }}},
    {"slot-never-freed",
     {"systolic.slot_free", [](Operation *op) { op->erase(); }}},
    {"freed-before-taken",
     {"systolic.slot_free",
      [](Operation *op) { op->moveBefore(&op->getBlock()->front()); }}},
    // Products.
    {"transposed-operand",
     {"systolic.mma",
      [](Operation *op) {
        Value a = op->getOperand(0);
        op->setOperand(0, op->getOperand(1));
        op->setOperand(1, a);
      }}},
    {"depth-one-short",
     {"systolic.mma",
      [](Operation *op) {
        op->setOperand(5, plus(op, op->getOperand(5), -1));
      }}},
    {"accumulator-not-cleared",
     {"systolic.fill", [](Operation *op) { op->erase(); }}},
    {"rows-of-the-other-matrix",
     {"systolic.mma",
      [](Operation *op) {
        auto strides = op->getAttrOfType<DenseI64ArrayAttr>("strides");
        change(op, "strides", 1, strides[0] - strides[1]);
      }}},
    // Lanes.
    {"fold-takes-a-lane-twice",
     {"systolic.slice", [](Operation *op) { setNumber(op, "first", 0); }}},
    {"lanes-too-far-apart",
     {"systolic.store",
      [](Operation *op) {
        setNumber(op, "stride", 2 * number(op, "stride"));
      }}},
    {"last-lanes-not-stored",
     {"systolic.store",
      [](Operation *op) {
        // The rest behind the whole vectors.
        auto lanes = cast<VectorType>(op->getOperand(0).getType());
        if (lanes.getNumElements() < 64)
          op->erase();
      }}},
    {"counts-by-two",
     {"systolic.count",
      [](Operation *op) { setNumber(op, "step", 2 * number(op, "step")); }}},
    {"difference-swapped",
     {"arith.subf",
      [](Operation *op) {
        Value a = op->getOperand(0);
        op->setOperand(0, op->getOperand(1));
        op->setOperand(1, a);
      }}},
    {"maximum-drops-nan",
     {"arith.maximumf",
      [](Operation *op) {
        OpBuilder b(op);
        op->getResult(0).replaceAllUsesWith(arith::MaxNumFOp::create(
            b, op->getLoc(), op->getOperand(0), op->getOperand(1)));
        op->erase();
      }}},
};

struct SeedBug : PassWrapper<SeedBug, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(SeedBug)
  explicit SeedBug(std::string name) : name(std::move(name)) {}
  StringRef getArgument() const final { return "systolic-seed-bug"; }
  void getDependentDialects(DialectRegistry &registry) const final {
    registry.insert<arith::ArithDialect>();
  }
  void runOnOperation() override {
    auto bug = kBugs.find(name);
    if (bug == kBugs.end()) {
      getOperation().emitError("there is no bug '") << name << "'";
      return signalPassFailure();
    }
    SmallVector<Operation *> places;
    getOperation().walk([&](Operation *op) {
      if (op->getName().getStringRef() == bug->second.op)
        places.push_back(op);
    });
    for (Operation *op : places)
      bug->second.seed(op);
  }
  std::string name;
};

void registerAll(TargetRegistry &registry) {
  registry.addOption("systolic", {"bug", "NAME", "a mistake to be found"});
  registry.addPass("systolic.machine", "systolic-seed-bug",
                   [](OpPassManager &pm, const TargetOptions &options) {
                     std::string name = options.get("bug", "").str();
                     if (!name.empty())
                       pm.addPass(std::make_unique<SeedBug>(name));
                   });
}

} // namespace

KILN_TARGET_PLUGIN("systolicbugs", "0.1", registerAll)
