//===- Models.cpp - Interfaces of the operations of prim ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The interfaces are attached rather than part of the definitions: a change of
// one compiles the passes that ask it again, and not all users of the dialect.
//
//===----------------------------------------------------------------------===//

#include "Models.h"
#include "kiln/Dialect/Prim/Prim.h"
#include "kiln/Dialect/Prim/TensorInterfaces.h"
#include "kiln/Interfaces/Movement.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::prim;

#include "kiln/Dialect/Prim/TensorInterfaces.cpp.inc"

//===----------------------------------------------------------------------===//
// Movements
//===----------------------------------------------------------------------===//

namespace {

struct Permutation
    : PermutationOpInterface::ExternalModel<Permutation, TransposeOp> {
  ArrayRef<int64_t> getPermutation(Operation *op) const {
    return cast<TransposeOp>(op).getPermutation();
  }
};

struct Reshape : ReshapeOpInterface::ExternalModel<Reshape, ReshapeOp> {};

struct Repeat : RepeatOpInterface::ExternalModel<Repeat, BroadcastInDimOp> {
  SmallVector<int64_t> getKeptDims(Operation *op) const {
    return llvm::to_vector(cast<BroadcastInDimOp>(op).getDims());
  }
};

struct Slice : SliceOpInterface::ExternalModel<Slice, SliceOp> {
  ArrayRef<int64_t> getStarts(Operation *op) const {
    return cast<SliceOp>(op).getStarts();
  }
  ArrayRef<int64_t> getStrides(Operation *op) const {
    return cast<SliceOp>(op).getStrides();
  }
};

struct Reversal : ReversalOpInterface::ExternalModel<Reversal, RevOp> {
  ArrayRef<int64_t> getReversedDims(Operation *op) const {
    return cast<RevOp>(op).getDims();
  }
};

struct Padding : PaddingOpInterface::ExternalModel<Padding, PadOp> {
  ArrayRef<int64_t> getLow(Operation *op) const {
    return cast<PadOp>(op).getLow();
  }
  ArrayRef<int64_t> getHigh(Operation *op) const {
    return cast<PadOp>(op).getHigh();
  }
  TypedAttr getPadding(Operation *op) const {
    return cast<TypedAttr>(cast<PadOp>(op).getValueAttr());
  }
};

struct Concatenation
    : ConcatenationOpInterface::ExternalModel<Concatenation, CatOp> {
  int64_t getJoinedDim(Operation *op) const { return cast<CatOp>(op).getDim(); }
};

} // namespace

static void attachMovements(MLIRContext &context) {
  TransposeOp::attachInterface<Permutation>(context);
  ReshapeOp::attachInterface<Reshape>(context);
  BroadcastInDimOp::attachInterface<Repeat>(context);
  SliceOp::attachInterface<Slice>(context);
  RevOp::attachInterface<Reversal>(context);
  PadOp::attachInterface<Padding>(context);
  CatOp::attachInterface<Concatenation>(context);
}

//===----------------------------------------------------------------------===//
// Creations and reductions
//===----------------------------------------------------------------------===//

namespace {

struct Full : CreationOpInterface::ExternalModel<Full, FullOp> {
  TypedAttr getSplatValue(Operation *op) const {
    return cast<TypedAttr>(cast<FullOp>(op).getValueAttr());
  }
};

struct Constant : CreationOpInterface::ExternalModel<Constant, ConstantOp> {
  TypedAttr getSplatValue(Operation *op) const {
    auto dense = dyn_cast<DenseElementsAttr>(cast<ConstantOp>(op).getValue());
    if (!dense || !dense.isSplat())
      return {};
    return cast<TypedAttr>(dense.getSplatValue<Attribute>());
  }
};

struct Iota : CreationOpInterface::ExternalModel<Iota, IotaOp> {
  std::optional<int64_t> getCountedDim(Operation *op) const {
    return cast<IotaOp>(op).getDim();
  }
};

template <typename OpT, ReductionFunction function>
struct Reduction
    : TensorReductionOpInterface::ExternalModel<Reduction<OpT, function>, OpT> {
  SmallVector<int64_t> getReducedDims(Operation *op) const {
    if constexpr (function == ReductionFunction::PlaceOfMaximum) {
      return {static_cast<int64_t>(cast<OpT>(op).getDim())};
    } else {
      SmallVector<int64_t> dims(cast<OpT>(op).getDims());
      llvm::sort(dims);
      return dims;
    }
  }
  ReductionFunction getReductionFunction(Operation *) const { return function; }
  bool ignoresNan(Operation *op) const {
    if constexpr (function == ReductionFunction::PlaceOfMaximum)
      return cast<OpT>(op).getIgnoreNan();
    return false;
  }
};

template <typename OpT, ReductionFunction function>
struct Window : WindowOpInterface::ExternalModel<Window<OpT, function>, OpT> {
  Value getWindowFilter(Operation *op) const {
    if constexpr (std::is_same_v<OpT, ConvOp>)
      return cast<ConvOp>(op).getFilter();
    return {};
  }
  ReductionFunction getWindowFunction(Operation *) const { return function; }
};

template <typename OpT, ReductionFunction function>
void attachReduction(MLIRContext &context) {
  OpT::template attachInterface<Reduction<OpT, function>>(context);
}

template <typename OpT, ReductionFunction function>
void attachWindow(MLIRContext &context) {
  OpT::template attachInterface<Window<OpT, function>>(context);
}

} // namespace

static void attachReductions(MLIRContext &context) {
  FullOp::attachInterface<Full>(context);
  ConstantOp::attachInterface<Constant>(context);
  IotaOp::attachInterface<Iota>(context);
  attachReduction<SumOp, ReductionFunction::Sum>(context);
  attachReduction<ProdOp, ReductionFunction::Product>(context);
  attachReduction<AmaxOp, ReductionFunction::Maximum>(context);
  attachReduction<AminOp, ReductionFunction::Minimum>(context);
  attachReduction<ArgmaxOp, ReductionFunction::PlaceOfMaximum>(context);
  attachWindow<ConvOp, ReductionFunction::Sum>(context);
  attachWindow<MaxPoolOp, ReductionFunction::Maximum>(context);
  attachWindow<SumPoolOp, ReductionFunction::Sum>(context);
}

//===----------------------------------------------------------------------===//
// Functions of elements, and groups
//===----------------------------------------------------------------------===//

namespace {

template <typename OpT, ElementFunction function>
struct Function
    : ElementFunctionOpInterface::ExternalModel<Function<OpT, function>, OpT> {
  ElementFunction getElementFunction(Operation *) const { return function; }
};

/// A comparison by order, which says whether integers are unsigned.
template <typename OpT, ElementFunction function>
struct Order
    : ElementFunctionOpInterface::ExternalModel<Order<OpT, function>, OpT> {
  ElementFunction getElementFunction(Operation *) const { return function; }
  bool isOfUnsigned(Operation *op) const {
    return cast<OpT>(op).getIsUnsigned();
  }
};

struct Conversion
    : ElementConversionOpInterface::ExternalModel<Conversion,
                                                  ConvertElementTypeOp> {
  bool getFromUnsigned(Operation *op) const {
    return cast<ConvertElementTypeOp>(op).getFromUnsigned();
  }
  bool getToUnsigned(Operation *op) const {
    return cast<ConvertElementTypeOp>(op).getToUnsigned();
  }
};

struct Fusion : GroupOpInterface::ExternalModel<Fusion, FusionOp> {
  StringRef getGroupName(Operation *op) const {
    return stringifyGroupKind(cast<FusionOp>(op).getKind());
  }
};

struct Claim : GroupOpInterface::ExternalModel<Claim, ClaimOp> {
  StringRef getGroupName(Operation *op) const {
    return cast<ClaimOp>(op).getName();
  }
  bool isClaim(Operation *) const { return true; }
};

template <typename OpT, ElementFunction function>
void attachFunction(MLIRContext &context) {
  OpT::template attachInterface<Function<OpT, function>>(context);
}

template <typename OpT, ElementFunction function>
void attachOrder(MLIRContext &context) {
  OpT::template attachInterface<Order<OpT, function>>(context);
}

} // namespace

static void attachFunctions(MLIRContext &context) {
  attachFunction<AddOp, ElementFunction::Add>(context);
  attachFunction<SubOp, ElementFunction::Subtract>(context);
  attachFunction<MulOp, ElementFunction::Multiply>(context);
  attachFunction<ExpOp, ElementFunction::Exponential>(context);
  attachFunction<WhereOp, ElementFunction::Select>(context);
  attachFunction<BitwiseAndOp, ElementFunction::And>(context);
  attachFunction<BitwiseOrOp, ElementFunction::Or>(context);
  attachFunction<BitwiseNotOp, ElementFunction::Not>(context);
  attachFunction<EqOp, ElementFunction::Equal>(context);
  attachFunction<NeOp, ElementFunction::NotEqual>(context);
  attachOrder<LtOp, ElementFunction::Less>(context);
  attachOrder<LeOp, ElementFunction::LessOrEqual>(context);
  attachOrder<GtOp, ElementFunction::Greater>(context);
  attachOrder<GeOp, ElementFunction::GreaterOrEqual>(context);
}

void prim::attachTensorModels(MLIRContext *context) {
  attachMovements(*context);
  attachReductions(*context);
  attachFunctions(*context);
  ConvertElementTypeOp::attachInterface<Conversion>(*context);
  FusionOp::attachInterface<Fusion>(*context);
  ClaimOp::attachInterface<Claim>(*context);
}
