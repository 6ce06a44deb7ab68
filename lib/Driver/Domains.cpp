//===- Domains.cpp - Which inputs a program can use -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Domains.h"
#include "kiln/Dialect/Kiln/Attributes.h"
#include "kiln/Dialect/Prim/Prim.h"
#include "kiln/Dialect/Tile/Kernel.h"
#include "kiln/Dialect/Tile/MemoryOps.h"
#include "kiln/Dialect/Tile/PointerOps.h"
#include "kiln/Index/List.h"
#include "kiln/Interfaces/OpTable.h"
#include "kiln/Runtime/Program.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::driver;
using runtime::Domain;

namespace {
/// What is demanded of every element of a value.
struct Demand {
  Domain domain = Domain::any;
  /// Integers only; low > high: any.
  int64_t low = 0, high = -1;

  bool hasRange() const { return low <= high; }
  bool isNothing() const { return domain == Domain::any && !hasRange(); }
  bool operator==(const Demand &other) const {
    return domain == other.domain && low == other.low && high == other.high;
  }
  /// Both demands at once; of ranges that exclude each other the first.
  void join(const Demand &other) {
    bool zero = domain == Domain::nonzero || domain == Domain::positive ||
                other.domain == Domain::nonzero ||
                other.domain == Domain::positive;
    bool sign = domain == Domain::nonnegative || domain == Domain::positive ||
                other.domain == Domain::nonnegative ||
                other.domain == Domain::positive;
    domain = zero && sign ? Domain::positive
             : zero       ? Domain::nonzero
             : sign       ? Domain::nonnegative
                          : Domain::any;
    if (!other.hasRange())
      return;
    int64_t lower = hasRange() ? std::max(low, other.low) : other.low;
    int64_t upper = hasRange() ? std::min(high, other.high) : other.high;
    if (lower <= upper) {
      low = lower;
      high = upper;
    }
  }
};

Type elementOf(Value value) { return getElementTypeOrSelf(value.getType()); }

/// The operand that an operation demands something of.
struct OperandDemand {
  unsigned operand = 0;
  Demand demand;
};

const OpTable<OperandDemand> &operandDemands() {
  static const OpTable<OperandDemand> demands =
      OpTable<OperandDemand>()
          .add<prim::DivOp, prim::RemainderOp, prim::FmodOp, arith::DivSIOp,
               arith::DivUIOp, arith::RemSIOp, arith::RemUIOp,
               arith::FloorDivSIOp, arith::CeilDivSIOp, arith::CeilDivUIOp,
               arith::DivFOp, arith::RemFOp>({1, {Domain::nonzero}})
          .add<prim::ReciprocalOp>({0, {Domain::nonzero}})
          .add<prim::LogOp, prim::Log2Op, prim::Log10Op, prim::RsqrtOp,
               math::LogOp, math::Log2Op, math::Log10Op, math::RsqrtOp>(
              {0, {Domain::positive}})
          .add<prim::SqrtOp, math::SqrtOp>({0, {Domain::nonnegative}});
  return demands;
}

/// How an operation hands a demand of its result on to its operands.
enum class Handing {
  None,
  First,     ///< elements of the first operand stay what they are
  All,       ///< those of all operands
  ButFirst,  ///< those of all but the first operand
  Magnitude, ///< only zero has the result zero, and no result is negative
  Zero,      ///< only zero has the result zero
  Factors,   ///< a result has a sign if both operands have
  Terms,     ///< a result is positive, or not negative, if all operands are
};

const OpTable<Handing> &handings() {
  static const OpTable<Handing> handings =
      OpTable<Handing>()
          .add<prim::ReshapeOp, prim::TransposeOp, prim::SliceOp,
               prim::BroadcastInDimOp, prim::RevOp, prim::PadOp, prim::GatherOp,
               tile::LoadPtrOp, tile::PtrAddOp, tile::MakeViewOp,
               arith::ExtSIOp, arith::ExtUIOp, arith::ExtFOp, arith::SIToFPOp,
               arith::IndexCastOp>(Handing::First)
          .add<prim::CatOp>(Handing::All)
          .add<prim::WhereOp>(Handing::ButFirst)
          .add<prim::AbsOp>(Handing::Magnitude)
          .add<prim::NegOp>(Handing::Zero)
          .add<prim::MulOp, prim::DivOp, arith::MulFOp, arith::DivFOp>(
              Handing::Factors)
          .add<prim::AddOp, prim::SumOp, prim::ProdOp, prim::AvgPoolOp,
               prim::SumPoolOp, prim::AmaxOp, prim::AminOp, prim::MaxPoolOp,
               prim::SqrtOp, arith::AddFOp>(Handing::Terms);
  return handings;
}

/// Demands of one function or kernel.
class Inference {
public:
  explicit Inference(FunctionOpInterface function) : function(function) {}

  void run() {
    function->walk([&](Operation *op) { seed(op); });
    for (unsigned i = 0; i < function.getNumArguments(); ++i) {
      auto found = demands.find(function.getArgument(i));
      if (found != demands.end())
        attach(i, found->second);
    }
  }

private:
  static bool isFloatLike(Value value) {
    return isa<FloatType>(elementOf(value));
  }

  /// What an operation demands of its operands by itself.
  void seed(Operation *op) {
    if (operandDemands().has(op)) {
      auto [operand, wanted] = operandDemands().find(op);
      demand(op->getOperand(operand), wanted);
      return;
    }
    llvm::TypeSwitch<Operation *>(op)
        .Case([&](prim::PowOp pow) {
          // A whole exponent takes any base.
          if (isFloatLike(pow.getResult()) && !isWhole(op->getOperand(1)))
            demand(op->getOperand(0), {Domain::positive});
        })
        .Case([&](math::PowFOp) {
          if (!isWhole(op->getOperand(1)))
            demand(op->getOperand(0), {Domain::positive});
        })
        .Case<prim::ShiftLeftOp, prim::ShiftRightArithmeticOp,
              prim::ShiftRightLogicalOp, arith::ShLIOp, arith::ShRSIOp,
              arith::ShRUIOp>([&](auto) {
          if (auto type = dyn_cast<IntegerType>(elementOf(op->getOperand(1))))
            demand(op->getOperand(1), {Domain::any, 0, type.getWidth() - 1});
        })
        .Case([&](prim::GatherOp gather) {
          auto type = cast<ShapedType>(gather.getOperand().getType());
          int64_t size = type.getDimSize(gather.getDim());
          if (!ShapedType::isDynamic(size) && size > 0)
            demand(gather.getIndices(), {Domain::any, 0, size - 1});
        });
  }

  /// Whether a float is a constant without a fraction.
  static bool isWhole(Value value) {
    FloatAttr splat;
    DenseElementsAttr dense;
    if (matchPattern(value, m_Constant(&splat)))
      return splat.getValue().isInteger();
    return matchPattern(value, m_Constant(&dense)) &&
           kiln::index::allElements<APFloat>(
               dense, [](const APFloat &v) { return v.isInteger(); });
  }

  /// Notes a demand and hands it on to where the elements come from.
  void demand(Value value, Demand wanted) {
    if (wanted.isNothing())
      return;
    Demand &known = demands[value];
    Demand joined = known;
    joined.join(wanted);
    if (joined == known)
      return;
    known = joined;
    if (Operation *op = value.getDefiningOp())
      handOn(op, joined);
  }

  void demandAll(ValueRange values, Demand wanted) {
    for (Value value : values)
      if (isa<ShapedType>(value.getType()) || value.getType().isIntOrFloat())
        demand(value, wanted);
  }

  /// Hands a demand on to operands of an operation that the table lists.
  void handOn(Operation *op, Handing handing, Demand wanted) {
    bool isSigned = wanted.domain == Domain::nonnegative ||
                    wanted.domain == Domain::positive;
    bool isSquare =
        op->getNumOperands() == 2 && op->getOperand(0) == op->getOperand(1);
    Demand sign{wanted.domain}; // without a range
    switch (handing) {
    case Handing::None:
      return;
    case Handing::First:
      return demand(op->getOperand(0), wanted);
    case Handing::All:
      return demandAll(op->getOperands(), wanted);
    case Handing::ButFirst:
      return demandAll(op->getOperands().drop_front(), wanted);
    case Handing::Magnitude:
      if (wanted.domain == Domain::positive)
        return demand(op->getOperand(0), {Domain::nonzero});
      [[fallthrough]];
    case Handing::Zero:
      if (wanted.domain == Domain::nonzero)
        demand(op->getOperand(0), {Domain::nonzero});
      return;
    case Handing::Factors:
      if (!isSquare)
        demandAll(op->getOperands(), sign);
      else if (wanted.domain == Domain::positive)
        demand(op->getOperand(0), {Domain::nonzero});
      return;
    case Handing::Terms:
      if (isSigned)
        demandAll(op->getOperands(), sign);
      return;
    }
  }

  void handOn(Operation *op, Demand wanted) {
    llvm::TypeSwitch<Operation *>(op)
        .Case<ViewAccessOpInterface>([&](auto access) {
          if (access.isRead())
            demand(access.getAccessedView(), wanted);
        })
        .Case<IndexMapOpInterface>([&](auto mapped) {
          if (Value fill = getFillValue(op))
            demand(fill, wanted);
          else if (mapped.movesElements())
            for (OpOperand &operand : op->getOpOperands())
              if (isa<RankedTensorType>(operand.get().getType()))
                demand(operand.get(), wanted);
        })
        .Case([&](prim::ConvertElementTypeOp convert) {
          // Fractions become 0, and so may what is cut off.
          Type from = elementOf(convert.getOperand());
          Type to = elementOf(convert.getResult());
          bool cuts = isa<FloatType>(from) && !isa<FloatType>(to);
          bool narrows =
              isa<IntegerType>(from) && isa<IntegerType>(to) &&
              to.getIntOrFloatBitWidth() < from.getIntOrFloatBitWidth();
          if (!cuts && !narrows)
            demand(convert.getOperand(), wanted);
        })
        .Default([&](Operation *) { handOn(op, handings().find(op), wanted); });
  }

  void attach(unsigned index, Demand wanted) {
    MLIRContext *context = function->getContext();
    if (wanted.domain != Domain::any)
      target::setArgumentEntry(
          function, index, target::kDomainEntry,
          StringAttr::get(context, runtime::domainName(wanted.domain)));
    if (!wanted.hasRange())
      return;
    // A conversion may have said more already.
    if (auto known = target::getArgumentEntry<DenseI64ArrayAttr>(
            function, index, target::kRangeEntry))
      if (known.size() == 2) {
        Demand both{Domain::any, known[0], known[1]};
        both.join(wanted);
        wanted = both;
      }
    target::setArgumentEntry(
        function, index, target::kRangeEntry,
        DenseI64ArrayAttr::get(context, {wanted.low, wanted.high}));
  }

  FunctionOpInterface function;
  llvm::DenseMap<Value, Demand> demands;
};
} // namespace

void kiln::driver::inferDomains(ModuleOp module) {
  for (auto function : module.getOps<FunctionOpInterface>())
    if (isa<func::FuncOp, tile::Kernel>(function.getOperation()) &&
        !function.isExternal())
      Inference(function).run();
}
