// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A target that computes in a scratchpad, whose parts do not keep what the
// shared ones ask of them. Its instructions are constants: nothing runs.
#include "kiln/Staging/Scratchpad.h"
#include "bad.h"
#include "kiln/Staging/VectorRegions.h"
#include "kiln/Target/LinearCode.h"
#include "kiln/Target/Lowering.h"
#include "kiln/Target/TilingModel.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Pass/Pass.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::target;

namespace {

constexpr char kChip[] = R"(#kiln.target<
  name = "pad", chip = "p1",
  memories = [#kiln.memory<name = "pad", scope = core, kind = explicit, size = 65536, align = 64>,
    #kiln.memory<name = "main", scope = device, kind = cached>],
  units = [#kiln.unit<name = "queue", kind = dma, bits = 128>,
    #kiln.unit<name = "lanes", kind = vector, bits = 512, types = [f32], homes = ["pad"]>,
    #kiln.unit<name = "array", kind = matrix, types = [f32], homes = ["pad"]>],
  matrix_instructions = [#kiln.matrix_instruction<name = "mma", unit = "array", m = <16>, n = <16>, k = <16>,
    lhs = <types = [f32], home = "pad">, rhs = <types = [f32], home = "pad">, acc = <types = [f32], home = "pad">>],
  tiles = <elementwise_rows = 8, elementwise_cols = 64, reduction_elements = 2048>,
  limits = {max_tile_elements = 16384 : i64}>)";

struct Lowering : staging::ScratchpadLowering {
  using ScratchpadLowering::ScratchpadLowering;
  Value number() { return arith::ConstantIndexOp::create(b, loc, 7); }

  FailureOr<Value> beginTransfer(const staging::TransferBox &box) override {
    if (bad("transfer-null"))
      return Value();
    return number();
  }
  void wait(Value) override {}
  void makeRing(int64_t ring, int64_t base, int64_t bytes,
                int64_t depth) override {
    if (!bad("ring-make-only") && !bad("ring-slot-null"))
      ScratchpadLowering::makeRing(ring, base, bytes, depth);
  }
  Value fillSlot(int64_t ring) override {
    return bad("ring-slot-null") ? Value() : ScratchpadLowering::fillSlot(ring);
  }
  Value takeSlot(int64_t ring) override {
    return bad("ring-take-only") ? number()
                                 : ScratchpadLowering::takeSlot(ring);
  }
  Value noTransfer() override {
    return bad("ring-none") ? arith::ConstantIntOp::create(b, loc, 0, 32)
                            : number();
  }
  LogicalResult multiply(const staging::ProductBlock &) override {
    number();
    return success();
  }
  void fill(Value, int64_t, uint64_t) override { number(); }
};

struct Unit : staging::VectorUnit {
  Unit() : VectorUnit(bad("lanes-zero") ? 0 : 16) {}
  Value zeros(Type type) {
    return arith::ConstantOp::create(
        *builder, *location, cast<TypedAttr>(builder->getZeroAttr(type)));
  }
  Value load(VectorType type, Value, int64_t) override {
    return zeros(bad("load-type") ? VectorType::get(3, type.getElementType())
                                  : type);
  }
  void store(Value vector, Value, int64_t) override { zeros(vector.getType()); }
  Value splat(VectorType type, Value) override { return zeros(type); }
  Value count(VectorType type, Value, int64_t) override { return zeros(type); }
  Value slice(VectorType type, Value vector, int64_t) override {
    return bad("slice-whole") ? vector : zeros(type);
  }
  Value first(Value vector) override {
    return zeros(getElementTypeOrSelf(vector.getType()));
  }
};

struct BadConvert : PassWrapper<BadConvert, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(BadConvert)
  StringRef getArgument() const final { return "convert-stage-to-pad"; }
  StringRef getName() const final { return "BadConvert"; }
  void runOnOperation() final {
    BoundTarget bound = TargetRegistry::get().boundTarget(getOperation());
    IRRewriter rewriter(&getContext());
    for (auto kernel : getOperation().getOps<tile::KernelOp>()) {
      if (failed(Lowering(rewriter, bound).run(kernel)))
        return signalPassFailure();
      if (bad("pass-goes-on"))
        kernel.emitError("the queue is too short");
    }
  }
};

struct Writer : LinearCode {
  size_t add(ArrayRef<int64_t> operands) { return append("x", {1}, operands); }
  LogicalResult write(Operation *op) override {
    SmallVector<int64_t> operands;
    for (Value value : op->getResults())
      operands.push_back(reg(value));
    for (Value value : op->getOperands())
      if (!isa<tile::ViewType>(value.getType()))
        operands.push_back(reg(value));
    add(operands);
    return success();
  }
  void writeMove(unsigned, int64_t to, int64_t from) override {
    add({to, from});
  }
  void writeLess(int64_t to, int64_t a, int64_t b) override { add({to, a, b}); }
  void writeAdd(int64_t to, int64_t a, int64_t b) override { add({to, a, b}); }
  size_t writeJump() override {
    return bad("jump-place") ? add({0}) + 1000000 : add({0});
  }
  size_t writeJumpUnless(int64_t condition) override {
    return add({condition, 0});
  }
};

struct Model : TilingModel {
  SmallVector<Tiling> candidates(const TilingProblem &problem) const override {
    if (bad("blocks-none"))
      return {};
    Tiling tiling;
    tiling.blocks.assign(problem.dims.size() + bad("blocks-many"),
                         bad("blocks-zero") ? 0 : 16);
    return {tiling};
  }
};

class PadTarget : public Target {
public:
  StringRef name() const override { return "pad"; }
  std::vector<ChipInfo> chips() const override { return {{"p1", ""}}; }
  TargetAttr description(MLIRContext *context,
                         const TargetOptions &) const override {
    return parseDescription(kChip, context);
  }
  std::unique_ptr<TilingModel>
  tilingModel(TargetAttr, const TargetOptions &) const override {
    return std::make_unique<Model>();
  }
  bool hasPipeline() const override { return true; }
  void buildPipeline(OpPassManager &pm, const TargetOptions &) const override {
    staging::ScratchpadOptions pad;
    pad.space = bad("space") ? "pod" : "pad";
    pad.bytes = bad("bytes") ? 1 << 20 : 65536;
    pad.align = bad("align") ? 0 : 64;
    pad.slots = bad("slots") ? -1 : 2;
    staging::buildScratchpadPipeline(pm, pad);
    pm.addPass(std::make_unique<BadConvert>());
  }
  LogicalResult serialize(ModuleOp module, const TargetOptions &,
                          Executable &result) const override {
    for (auto kernel : module.getOps<tile::KernelOp>()) {
      Writer writer;
      if (failed(writer.writeBlock(kernel.getBody().front())))
        return failure();
      CompiledKernel compiled;
      compiled.name = compiled.symbol = kernel.getSymName().str();
      compiled.blob = int64_t(result.blobs.size());
      result.kernels.push_back(compiled);
      result.blobs.push_back("code");
      if (bad("serialiser-goes-on"))
        kernel.emitError("the licence has expired");
    }
    return success();
  }
};

void registerAll(TargetRegistry &registry) {
  registry.addTarget(std::make_unique<PadTarget>());
  registry.addLowering(
      {"pad.lanes", "pad", "stage.compute", 50,
       [](Operation *op, LoweringContext &base) -> LogicalResult {
         auto *ctx = base.as<staging::RegionContext>();
         if (!ctx)
           return base.decline(op, "it is no region of a scratchpad");
         if (bad("lowering-goes-on"))
           op->emitError("the lanes are out of step");
         Unit unit;
         return staging::lowerRegion(cast<stage::ComputeOp>(op), *ctx, unit);
       }});
}

} // namespace

KILN_TARGET_PLUGIN("pad", "1.0", registerAll)
