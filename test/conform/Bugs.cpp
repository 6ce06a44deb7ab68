// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A pass at an extension point that seeds the bug which an option names:
// --target=cpu,bug=NAME.
#include "Bugs.h"
#include "kiln/Target/Plugin.h"
#include "mlir/Pass/Pass.h"

using namespace bugs;
using namespace kiln::target;

std::map<std::string, Bug> &bugs::all() {
  static std::map<std::string, Bug> table;
  return table;
}

Type Site::like(Type shape, Type element) {
  auto tile = dyn_cast<RankedTensorType>(shape);
  return tile ? Type(tile.clone(element)) : element;
}

Value Site::constant(Type type, double value) {
  Type element = getElementTypeOrSelf(type);
  TypedAttr attr = isa<FloatType>(element)
                       ? TypedAttr(b.getFloatAttr(element, value))
                       : TypedAttr(b.getIntegerAttr(element, int64_t(value)));
  if (auto tile = dyn_cast<RankedTensorType>(type))
    attr = DenseElementsAttr::get(tile, Attribute(attr));
  return arith::ConstantOp::create(b, loc, type, attr);
}

void bugs::replace(Operation *op, Value with) {
  op->getResult(0).replaceAllUsesWith(with);
  op->erase();
}

void bugs::replaceExcept(Operation *op, Value with,
                         ArrayRef<Operation *> made) {
  op->getResult(0).replaceUsesWithIf(with, [&](OpOperand &use) {
    return !llvm::is_contained(made, use.getOwner());
  });
}

namespace {
struct SeedBug : PassWrapper<SeedBug, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(SeedBug)
  explicit SeedBug(std::string name) : name(std::move(name)) {}
  StringRef getArgument() const final { return "conform-seed-bug"; }
  StringRef getDescription() const final { return "Seeds a bug by its name"; }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<arith::ArithDialect, math::MathDialect, scf::SCFDialect,
                    kiln::tile::TileDialect>();
  }
  void runOnOperation() override {
    auto found = all().find(name);
    if (found == all().end()) {
      getOperation().emitError() << "no bug is called '" << name << "'";
      return signalPassFailure();
    }
    SmallVector<Operation *> sites;
    getOperation().walk([&](Operation *op) {
      if (op->getName().getStringRef() == found->second.op)
        sites.push_back(op);
    });
    for (Operation *op : sites)
      found->second.seed(op);
  }
  std::string name;
};

void registerAll(TargetRegistry &registry) {
  addMemoryBugs();
  addComputeBugs();
  addRelationBugs();
  registry.addOption("cpu", {"bug", "NAME", "seed this bug into kernels"});
  registry.addPass("cpu.tile", "conform-seed-bug",
                   [](OpPassManager &pm, const TargetOptions &options) {
                     std::string name = options.get("bug", "").str();
                     if (!name.empty())
                       pm.addPass(std::make_unique<SeedBug>(name));
                   });
}
} // namespace

KILN_TARGET_PLUGIN("conform-bugs", "1.0", registerAll)
