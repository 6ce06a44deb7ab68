//===- Domains.cpp - Which inputs a program can use -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Domains.h"
#include "kiln/Dialect/Kiln/Attributes.h"
#include "kiln/Dialect/Prim/Prim.h"
#include "kiln/Dialect/Tile/Kernel.h"
#include "kiln/Dialect/Tile/MemoryOps.h"
#include "kiln/Dialect/Tile/PointerOps.h"
#include "kiln/Index/List.h"
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
    Demand nonzero{Domain::nonzero}, positive{Domain::positive},
        nonnegative{Domain::nonnegative};
    llvm::TypeSwitch<Operation *>(op)
        .Case<prim::DivOp, prim::RemainderOp, prim::FmodOp>(
            [&](auto) { demand(op->getOperand(1), nonzero); })
        .Case<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp,
              arith::FloorDivSIOp, arith::CeilDivSIOp, arith::CeilDivUIOp,
              arith::DivFOp, arith::RemFOp>(
            [&](auto) { demand(op->getOperand(1), nonzero); })
        .Case<prim::ReciprocalOp>(
            [&](auto) { demand(op->getOperand(0), nonzero); })
        .Case<prim::LogOp, prim::Log2Op, prim::Log10Op, prim::RsqrtOp,
              math::LogOp, math::Log2Op, math::Log10Op, math::RsqrtOp>(
            [&](auto) { demand(op->getOperand(0), positive); })
        .Case<prim::SqrtOp, math::SqrtOp>(
            [&](auto) { demand(op->getOperand(0), nonnegative); })
        .Case([&](prim::PowOp pow) {
          // A whole exponent takes any base.
          if (isFloatLike(pow.getResult()) && !isWhole(op->getOperand(1)))
            demand(op->getOperand(0), positive);
        })
        .Case([&](math::PowFOp) {
          if (!isWhole(op->getOperand(1)))
            demand(op->getOperand(0), positive);
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

  void handOn(Operation *op, Demand wanted) {
    Demand sign{wanted.domain}; // without a range
    bool isSigned = wanted.domain == Domain::nonnegative ||
                    wanted.domain == Domain::positive;
    llvm::TypeSwitch<Operation *>(op)
        // Elements stay what they are.
        .Case<prim::ReshapeOp, prim::TransposeOp, prim::SliceOp,
              prim::BroadcastInDimOp, prim::RevOp, prim::PadOp, prim::GatherOp>(
            [&](auto) { demand(op->getOperand(0), wanted); })
        .Case<prim::CatOp>([&](auto) { demandAll(op->getOperands(), wanted); })
        .Case<prim::WhereOp>(
            [&](auto) { demandAll(op->getOperands().drop_front(), wanted); })
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
        .Case<tile::LoadPtrOp, tile::PtrAddOp, tile::MakeViewOp>(
            [&](auto) { demand(op->getOperand(0), wanted); })
        .Case<arith::ExtSIOp, arith::ExtUIOp, arith::ExtFOp, arith::SIToFPOp,
              arith::IndexCastOp>(
            [&](auto) { demand(op->getOperand(0), wanted); })
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
        // Signs that the operands must have for the result to have one.
        .Case<prim::AbsOp, prim::NegOp>([&](auto) {
          if (wanted.domain == Domain::nonzero ||
              (wanted.domain == Domain::positive && isa<prim::AbsOp>(op)))
            demand(op->getOperand(0), {Domain::nonzero});
        })
        .Case<prim::MulOp, prim::DivOp, arith::MulFOp, arith::DivFOp>(
            [&](auto) {
              bool isSquare = op->getOperand(0) == op->getOperand(1);
              if (isSquare && wanted.domain == Domain::positive)
                demand(op->getOperand(0), {Domain::nonzero});
              else if (!isSquare)
                demandAll(op->getOperands(), sign);
            })
        .Case<prim::AddOp, prim::SumOp, prim::ProdOp, prim::AvgPoolOp,
              prim::SumPoolOp, prim::AmaxOp, prim::AminOp, prim::MaxPoolOp,
              prim::SqrtOp, arith::AddFOp>([&](auto) {
          if (isSigned)
            demandAll(op->getOperands(), sign);
        });
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
