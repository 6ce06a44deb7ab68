// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Copies become transfers, rings counters, products blocks of the matrix unit.
// Regions are for registered lowerings.
#include "ConvertStage.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::target;
using namespace systolic;

namespace {

/// Converts the operations of one kernel in their order.
class Converter {
public:
  explicit Converter(StageContext &ctx)
      : ctx(ctx), addresses(ctx.addresses), b(ctx.rewriter) {}

  LogicalResult run(tile::KernelOp kernel) {
    if (kernel.getProgress())
      return emitUnsupported(kernel, "instances that wait for each other");
    SmallVector<Operation *> ops, done;
    kernel.getBody().walk<WalkOrder::PreOrder>([&](Operation *op) {
      ops.push_back(op);
      return isa<stage::ComputeOp>(op) ? WalkResult::skip()
                                       : WalkResult::advance();
    });
    for (Operation *op : ops) {
      // What fills a slot happens where the slot is filled.
      Operation *filling = op->getParentOfType<stage::ProduceOp>();
      b.setInsertionPoint(filling ? filling : op);
      loc = op->getLoc();
      bool isStage = isa<stage::StageDialect>(op->getDialect());
      if (isStage && !isa<stage::ComputeOp>(op))
        done.push_back(op);
      if (addresses.bind(op)) {
        if (!isStage)
          done.push_back(op);
        continue;
      }
      LogicalResult result =
          llvm::TypeSwitch<Operation *, LogicalResult>(op)
              .Case<stage::CopyOp, stage::WaitOp, stage::RingOp,
                    stage::ProduceOp, stage::CommitOp, stage::ConsumeOp,
                    stage::ReleaseOp, stage::ProductOp, stage::ComputeOp,
                    tile::NumBlocksOp>(
                  [&](auto known) { return convert(known); })
              .Default([&](Operation *) { return keep(op, filling); });
      if (failed(result))
        return failure();
    }
    for (Operation *op : llvm::reverse(done))
      op->dropAllUses(), op->erase();
    return success();
  }

private:
  LogicalResult keep(Operation *op, Operation *filling) {
    if (!isa<scf::ForOp, scf::IfOp, scf::YieldOp, tile::ReturnOp, tile::DimOp,
             tile::ProgramIdOp, tile::NumProgramsOp>(op) &&
        !isa<arith::ArithDialect>(op->getDialect()))
      return emitUnsupported(
          op, "there is no '" + op->getName().getStringRef() + "' on systolic");
    if (filling)
      op->moveBefore(filling);
    return success();
  }

  LogicalResult convert(stage::CopyOp copy) {
    std::optional<staging::TransferBox> box = addresses.transfer(copy);
    if (!box || !isa<BlockArgument>(box->view))
      return emitUnsupported(copy, "a copy that is not between an argument and "
                                   "the scratchpad");
    Type index = b.getIndexType(), element = box->padding.getType();
    Value tag = box->isIn
                    ? DmaInOp::create(b, loc, index, box->view, box->offsets,
                                      box->address, box->padding, box->counts,
                                      box->strides, element)
                          .getResult()
                    : DmaOutOp::create(b, loc, index, box->view, box->offsets,
                                       box->address, box->padding, box->counts,
                                       box->strides, element)
                          .getResult();
    if (copy.getAsync())
      tags[copy.getToken()] = tag;
    else
      WaitOp::create(b, loc, tag);
    return success();
  }
  LogicalResult convert(stage::WaitOp wait) {
    for (Value token : wait.getAwaited())
      WaitOp::create(b, loc, tags.lookup(token));
    return success();
  }

  LogicalResult convert(stage::RingOp ring) {
    int64_t number = rings.size();
    rings[ring] = number;
    RingOp::create(b, loc, number, ring.getOffset().value_or(0),
                   staging::Addresses::slotBytes(ring),
                   ring.getRing().getType().getDepth());
    return success();
  }
  LogicalResult convert(stage::ProduceOp produce) {
    auto ring = produce.getRing().getDefiningOp<stage::RingOp>();
    addresses.bindSlot(
        ring, produce.getBody().getArguments(),
        SlotFillOp::create(b, loc, b.getIndexType(), rings[ring]));
    return success();
  }
  LogicalResult convert(stage::CommitOp commit) {
    SmallVector<Value> filling;
    for (Value token : commit.getTokens())
      filling.push_back(tags.lookup(token));
    auto produce = cast<stage::ProduceOp>(commit->getParentOp());
    SlotCommitOp::create(b, loc, rings[produce.getRing()], filling);
    return success();
  }
  LogicalResult convert(stage::ConsumeOp consume) {
    auto ring = consume.getRing().getDefiningOp<stage::RingOp>();
    addresses.bindSlot(
        ring, consume.getParts(),
        SlotTakeOp::create(b, loc, b.getIndexType(), rings[ring]));
    return success();
  }
  LogicalResult convert(stage::ReleaseOp release) {
    SlotFreeOp::create(b, loc, rings[release.getRing()]);
    return success();
  }

  LogicalResult convert(stage::ProductOp product) {
    if (!product.getRow() || product.getAsync() || product.getMinus() ||
        product.getInputPrecision() == tile::InputPrecision::tf32)
      return emitUnsupported(product, "a product of this form on systolic");
    Value operands[] = {product.getLhs(), product.getRhs(), product.getAcc()};
    ValueRange origins[] = {product.getLhsOrigin(), product.getRhsOrigin(),
                            product.getAccOrigin()};
    Value counts[] = {product.getRows(), product.getColumns(),
                      product.getDepth()};
    SmallVector<Value> at, sizes;
    SmallVector<int64_t> rows;
    for (int i = 0; i < 3; ++i) {
      at.push_back(addresses.at(loc, operands[i], origins[i]));
      sizes.push_back(counts[i]
                          ? counts[i]
                          : addresses.constant(loc, product.getSizes()[i]));
      auto strides = staging::Addresses::byteStrides(operands[i].getType());
      rows.push_back(strides[strides.size() - 2]);
    }
    MmaOp::create(b, loc, at[0], at[1], at[2], sizes[0], sizes[1], sizes[2],
                  getElementTypeOrSelf(operands[0]), rows);
    return success();
  }

  LogicalResult convert(stage::ComputeOp region) {
    if (auto filling = staging::getFilling(region)) {
      FillOp::create(b, loc, addresses.at(loc, filling->storage),
                     filling->bytes, filling->word);
      b.eraseOp(region);
      return success();
    }
    if (failed(LoweringRegistry::get().apply(region, ctx)))
      return emitUnsupported(region, "a computation that systolic lacks");
    return success();
  }

  LogicalResult convert(tile::NumBlocksOp count) {
    Value size = tile::DimOp::create(b, loc, count.getView(), count.getDim());
    b.replaceOpWithNewOp<arith::CeilDivSIOp>(
        count, size, addresses.constant(loc, count.getBlock()));
    return success();
  }

  StageContext &ctx;
  staging::Addresses &addresses;
  RewriterBase &b;
  Location loc = UnknownLoc::get(b.getContext());
  DenseMap<Value, Value> tags;    ///< of tokens
  DenseMap<Value, int64_t> rings; ///< numbers
};

struct ConvertStageToSystolic
    : PassWrapper<ConvertStageToSystolic, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ConvertStageToSystolic)
  StringRef getArgument() const final { return "convert-stage-to-systolic"; }
  void getDependentDialects(DialectRegistry &registry) const final {
    registry.insert<SystolicDialect, arith::ArithDialect, scf::SCFDialect>();
  }
  void runOnOperation() override {
    BoundTarget bound = TargetRegistry::get().boundTarget(getOperation());
    IRRewriter rewriter(&getContext());
    for (auto kernel : getOperation().getOps<tile::KernelOp>()) {
      StageContext ctx(rewriter, bound);
      if (failed(Converter(ctx).run(kernel)))
        return signalPassFailure();
    }
  }
};

} // namespace

std::unique_ptr<Pass> systolic::createConvertStageToSystolic() {
  return std::make_unique<ConvertStageToSystolic>();
}
