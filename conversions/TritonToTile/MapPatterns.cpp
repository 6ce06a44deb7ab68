// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Maps of elements: the region runs on all elements of a tile at once.
#include "Patterns.h"

#include "kiln/Dialect/Tile/ReduceOps.h"
#include "kiln/Dialect/Tile/ShapeOps.h"
#include "kiln/Dialect/Tile/TileDialect.h"
#include "kiln/Dialect/Triton/Triton.h"
#include "kiln/Interfaces/Loops.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/UB/IR/UBOps.h"

using namespace mlir;

namespace kiln::triton_to_tile {
namespace {

/// Writes a region of scalars as operations on tiles. Choices execute all
/// sides and select; loops go on until they have ended for every element, and
/// keep the values of those that have.
class MapLowering {
public:
  MapLowering(OpBuilder &builder, Location loc, ArrayRef<int64_t> shape)
      : b(builder), loc(loc), shape(shape) {}

  void map(Value scalar, Value tile) { mapping.map(scalar, tile); }

  /// The tile of what a scalar of the region is for each element.
  Value get(Value scalar) {
    Value mapped = mapping.lookupOrDefault(scalar);
    if (isa<RankedTensorType>(mapped.getType()))
      return mapped;
    return tt::SplatOp::create(b, loc, tileOf(mapped.getType()), mapped);
  }
  SmallVector<Value> get(ValueRange scalars) {
    SmallVector<Value> tiles;
    for (Value scalar : scalars)
      tiles.push_back(get(scalar));
    return tiles;
  }

  /// Emits all but the terminator for the elements that `active` enables.
  LogicalResult emit(Block &block, Value active) {
    for (Operation &op : block.without_terminator())
      if (failed(emit(&op, active)))
        return failure();
    return success();
  }

  Value allActive() {
    RankedTensorType type = tileOf(b.getI1Type());
    return arith::ConstantOp::create(b, loc,
                                     DenseElementsAttr::get(type, true));
  }

private:
  RankedTensorType tileOf(Type element) {
    return RankedTensorType::get(shape, element);
  }
  Value zero(Type element) {
    if (isa<tt::PointerType>(element))
      return tt::IntToPtrOp::create(b, loc, tileOf(element),
                                    zero(b.getI64Type()));
    return arith::ConstantOp::create(b, loc, b.getZeroAttr(tileOf(element)));
  }
  Value both(Value x, Value y) { return arith::AndIOp::create(b, loc, x, y); }
  Value without(Value x, Value y) {
    return both(x, arith::XOrIOp::create(b, loc, y, allActive()));
  }
  Value select(Value which, Value yes, Value no) {
    return arith::SelectOp::create(b, loc, which, yes, no);
  }

  /// Whether any element is true.
  Value any(Value condition) {
    auto vector = RankedTensorType::get(
        {tileOf(b.getI1Type()).getNumElements()}, b.getI1Type());
    Value flat = tile::ReshapeOp::create(b, loc, vector, condition);
    auto reduce = tile::ReduceOp::create(
        b, loc, TypeRange{RankedTensorType::get({}, b.getI1Type())},
        ValueRange{flat}, 0, /*ordered=*/false);
    OpBuilder::InsertionGuard guard(b);
    Block *block = b.createBlock(&reduce.getCombiner(), {},
                                 {b.getI1Type(), b.getI1Type()}, {loc, loc});
    Value either = arith::OrIOp::create(b, loc, block->getArgument(0),
                                        block->getArgument(1));
    tile::YieldOp::create(b, loc, either);
    b.setInsertionPointAfter(reduce);
    return tensor::ExtractOp::create(b, loc, reduce.getResults().front(),
                                     ValueRange());
  }

  LogicalResult emit(Operation *op, Value active) {
    if (auto choice = dyn_cast<scf::IfOp>(op))
      return emitIf(choice, active);
    if (auto loop = dyn_cast<scf::WhileOp>(op))
      return emitWhile(loop, active);
    if (auto loop = dyn_cast<scf::ForOp>(op))
      return emitFor(loop, active);
    if (auto load = dyn_cast<tt::LoadOp>(op))
      return emitLoad(load, active);
    if (auto store = dyn_cast<tt::StoreOp>(op)) {
      Value mask =
          store.getMask() ? both(active, get(store.getMask())) : active;
      tt::StoreOp::create(b, op->getLoc(), get(store.getPtr()),
                          get(store.getValue()), mask, store.getBoundaryCheck(),
                          store.getCache(), store.getEvict());
      return success();
    }
    if (isa<arith::ConstantOp>(op)) {
      mapping.map(op->getResult(0), b.clone(*op)->getResult(0));
      return success();
    }
    // What is assumed of elements that are not active need not hold.
    if (isa<LLVM::AssumeOp>(op))
      return success();
    if (isa<ub::PoisonOp>(op)) {
      Type type = op->getResult(0).getType();
      if (!isa<tt::PointerType>(type) && !b.getZeroAttr(type))
        return op->emitOpError("unsupported: in a map of elements");
      mapping.map(op->getResult(0), zero(type));
      return success();
    }
    if (!OpTrait::hasElementwiseMappableTraits(op) &&
        !isa<tt::FpToFpOp, tt::ClampFOp, tt::PreciseSqrtOp, tt::PreciseDivFOp,
             tt::MulhiUIOp, tt::BitcastOp, tt::ExternElementwiseOp,
             tt::AddPtrOp, tt::IntToPtrOp, tt::PtrToIntOp>(op))
      return op->emitOpError("unsupported: in a map of elements");
    SmallVector<Type> types;
    for (Type type : op->getResultTypes())
      types.push_back(tileOf(type));
    OperationState state(op->getLoc(), op->getName(), get(op->getOperands()),
                         types, op->getAttrs());
    mapping.map(op->getResults(), b.create(state)->getResults());
    return success();
  }

  LogicalResult emitLoad(tt::LoadOp op, Value active) {
    Value mask = op.getMask() ? both(active, get(op.getMask())) : active;
    Value other = op.getOther() ? get(op.getOther()) : Value();
    map(op.getResult(),
        tt::LoadOp::create(
            b, op.getLoc(), tileOf(op.getType()), get(op.getPtr()), mask, other,
            op.getBoundaryCheckAttr(), op.getPaddingAttr(), op.getCacheAttr(),
            op.getEvictAttr(), op.getIsVolatileAttr()));
    return success();
  }

  LogicalResult emitIf(scf::IfOp op, Value active) {
    Value condition = get(op.getCondition());
    Block &yes = op.getThenRegion().front();
    if (failed(emit(yes, both(active, condition))))
      return failure();
    if (op.getElseRegion().empty())
      return success();
    Block &no = op.getElseRegion().front();
    if (failed(emit(no, without(active, condition))))
      return failure();
    for (auto [result, x, y] :
         llvm::zip(op.getResults(), yes.getTerminator()->getOperands(),
                   no.getTerminator()->getOperands()))
      map(result, select(condition, get(x), get(y)));
    return success();
  }

  using Values = SmallVector<Value>;

  /// A loop on tiles. `test` maps the state to a condition and the results of
  /// elements that end there, `step` to the next state; both get the elements
  /// that are in the loop.
  LogicalResult
  emitLoop(Value active, Values state, TypeRange resultTypes, Values &results,
           function_ref<FailureOr<Value>(ValueRange, Value, Values &)> test,
           function_ref<LogicalResult(ValueRange, ValueRange, Value, Values &)>
               step) {
    Values inits = {active};
    llvm::append_range(inits, state);
    for (Type type : resultTypes)
      inits.push_back(zero(type));
    SmallVector<Type> types(ValueRange(inits).getTypes());
    SmallVector<Location> locations(types.size(), loc);
    auto loop = scf::WhileOp::create(b, loc, types, inits);
    OpBuilder::InsertionGuard guard(b);
    Block *before = b.createBlock(&loop.getBefore(), {}, types, locations);
    ValueRange arguments = before->getArguments();
    Value running = arguments.front();
    ValueRange old = arguments.drop_front(1 + state.size());
    arguments = arguments.slice(1, state.size());
    Values found;
    FailureOr<Value> condition = test(arguments, running, found);
    if (failed(condition))
      return failure();
    Values forwarded = {both(running, *condition)};
    llvm::append_range(forwarded, arguments);
    for (auto [value, kept] : llvm::zip(found, old))
      forwarded.push_back(select(running, value, kept));
    scf::ConditionOp::create(b, loc, any(forwarded.front()), forwarded);

    Block *after = b.createBlock(&loop.getAfter(), {}, types, locations);
    arguments = after->getArguments();
    running = arguments.front();
    ValueRange known = arguments.drop_front(1 + state.size());
    arguments = arguments.slice(1, state.size());
    Values next;
    if (failed(step(arguments, known, running, next)))
      return failure();
    Values yielded = {running};
    for (auto [value, kept] : llvm::zip(next, arguments))
      yielded.push_back(select(running, value, kept));
    llvm::append_range(yielded, known);
    scf::YieldOp::create(b, loc, yielded);
    results.assign(loop.getResults().begin() + 1 + state.size(),
                   loop.getResults().end());
    return success();
  }

  LogicalResult emitWhile(scf::WhileOp op, Value active) {
    auto test = [&](ValueRange state, Value running,
                    Values &found) -> FailureOr<Value> {
      mapping.map(op.getBeforeArguments(), state);
      if (failed(emit(*op.getBeforeBody(), running)))
        return failure();
      found = get(op.getConditionOp().getArgs());
      return get(op.getConditionOp().getCondition());
    };
    auto step = [&](ValueRange, ValueRange known, Value running, Values &next) {
      mapping.map(op.getAfterArguments(), known);
      if (failed(emit(*op.getAfterBody(), running)))
        return failure();
      next = get(op.getYieldOp().getOperands());
      return success();
    };
    Values results;
    if (failed(emitLoop(active, get(op.getInits()), op.getResultTypes(),
                        results, test, step)))
      return failure();
    mapping.map(op.getResults(), results);
    return success();
  }

  /// A loop over the trips of each lane.
  LogicalResult emitFor(scf::ForOp op, Value active) {
    Value from = get(op.getLowerBound()), by = get(op.getStep());
    Value trips = countTrips(b, loc, from, get(op.getUpperBound()), by,
                             op.getUnsignedCmp());
    auto number = [&](int64_t value) -> Value {
      return arith::ConstantOp::create(
          b, loc,
          DenseElementsAttr::get(
              cast<ShapedType>(trips.getType()),
              b.getIntegerAttr(getElementTypeOrSelf(trips), value)));
    };
    Values state = {number(0)};
    llvm::append_range(state, get(op.getInitArgs()));
    auto test = [&](ValueRange state, Value,
                    Values &found) -> FailureOr<Value> {
      llvm::append_range(found, state.drop_front());
      return Value(arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult,
                                         state.front(), trips));
    };
    auto step = [&](ValueRange state, ValueRange, Value running, Values &next) {
      map(op.getInductionVar(), numberOfTrip(b, loc, from, state.front(), by));
      mapping.map(op.getRegionIterArgs(), state.drop_front());
      if (failed(emit(*op.getBody(), running)))
        return failure();
      next.push_back(arith::AddIOp::create(b, loc, state.front(), number(1)));
      llvm::append_range(next, get(op.getYieldedValues()));
      return success();
    };
    Values results;
    if (failed(
            emitLoop(active, state, op.getResultTypes(), results, test, step)))
      return failure();
    mapping.map(op.getResults(), results);
    return success();
  }

  OpBuilder &b;
  Location loc;
  ArrayRef<int64_t> shape;
  IRMapping mapping;
};

/// With packs of k elements, the region takes and returns k consecutive
/// elements of every tile.
struct ConvertMapElementwise : OpConversionPattern<tt::MapElementwiseOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(tt::MapElementwiseOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    int64_t pack = op.getPack();
    Block &body = op.getScalarOp().front();
    if (!isa<tt::MapElementwiseReturnOp>(body.getTerminator()))
      return op.emitOpError("unsupported: a region that does not return");
    ValueRange yielded = body.getTerminator()->getOperands();
    if (pack > 1 && llvm::any_of(op->getOperandTypes(), [](Type type) {
          return isa<tt::PointerType>(getElementTypeOrSelf(type));
        }))
      return op.emitOpError("unsupported: packs of pointers");
    auto first = cast<RankedTensorType>(op.getSrcs().front().getType());
    SmallVector<int64_t> shape(first.getShape());
    if (pack > 1)
      shape.assign(1, first.getNumElements() / pack);
    MapLowering emitter(rewriter, loc, shape);
    // What this makes is of tt where pointers may be, and converted in turn.
    for (auto [k, source] : llvm::enumerate(op.getSrcs())) {
      for (int64_t i = 0; i < pack; ++i)
        emitter.map(body.getArgument(k * pack + i),
                    pack == 1 ? source
                              : elementOfPacks(rewriter, loc, source, pack, i));
    }
    if (failed(emitter.emit(body, emitter.allActive())))
      return failure();
    SmallVector<Value> results;
    for (unsigned k = 0; k < op->getNumResults(); ++k) {
      SmallVector<Value> parts = emitter.get(yielded.slice(k * pack, pack));
      results.push_back(
          pack == 1 ? parts.front()
                    : joinPacks(rewriter, loc, parts, first.getShape()));
    }
    rewriter.replaceOp(op, results);
    return success();
  }

private:
  /// Element `index` of every pack.
  static Value elementOfPacks(OpBuilder &b, Location loc, Value source,
                              int64_t pack, int64_t index) {
    auto type = cast<RankedTensorType>(source.getType());
    int64_t packs = type.getNumElements() / pack;
    Value table = tile::ReshapeOp::create(
        b, loc, RankedTensorType::get({packs, pack}, type.getElementType()),
        source);
    Value zero = arith::ConstantIndexOp::create(b, loc, 0);
    Value at = arith::ConstantIndexOp::create(b, loc, index);
    Value column = tile::ExtractOp::create(
        b, loc, RankedTensorType::get({packs, 1}, type.getElementType()), table,
        ValueRange{zero, at});
    return tile::ReshapeOp::create(
        b, loc, RankedTensorType::get({packs}, type.getElementType()), column);
  }

  static Value joinPacks(OpBuilder &b, Location loc, ArrayRef<Value> parts,
                         ArrayRef<int64_t> shape) {
    auto type = cast<RankedTensorType>(parts.front().getType());
    int64_t packs = type.getNumElements(), pack = parts.size();
    SmallVector<Value> columns;
    for (Value part : parts)
      columns.push_back(tile::ReshapeOp::create(
          b, loc, type.clone(ArrayRef<int64_t>{packs, 1}), part));
    Value table = tile::CatOp::create(
        b, loc, type.clone(ArrayRef<int64_t>{packs, pack}), columns, 1);
    return tile::ReshapeOp::create(b, loc, type.clone(shape), table);
  }
};

} // namespace

void populateMapPatterns(const TypeConverter &converter,
                         RewritePatternSet &patterns) {
  patterns.add<ConvertMapElementwise>(converter, patterns.getContext());
}

} // namespace kiln::triton_to_tile
