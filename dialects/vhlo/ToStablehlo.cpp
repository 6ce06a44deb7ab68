//===- ToStablehlo.cpp - from versioned operations to StableHLO -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Dialect/Stablehlo/Stablehlo.h"
#include "kiln/Dialect/Vhlo/Vhlo.h"
#include "kiln/Index/List.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Verifier.h"

using namespace mlir;
using namespace kiln;

namespace {

/// The attributes of one operation on their way.
class Attributes {
public:
  explicit Attributes(Operation *op) : op(op), list(op->getAttrs()) {}

  Attribute take(StringRef name) {
    Attribute value = list.get(name);
    if (value)
      list.erase(name);
    return value;
  }
  int64_t takeInteger(StringRef name) {
    auto number = dyn_cast_or_null<IntegerAttr>(take(name));
    good &= bool(number);
    return number ? number.getInt() : 0;
  }
  /// A list of numbers is a tensor; one that an older version lacks is empty.
  SmallVector<int64_t> takeDims(StringRef name) { return numbers(take(name)); }
  void set(StringRef name, Attribute value) { list.set(name, value); }

  SmallVector<int64_t> numbers(Attribute value) {
    auto dense = dyn_cast_or_null<DenseIntElementsAttr>(value);
    if (!dense || !dense.getElementType().isInteger(64)) {
      good &= !value;
      return {};
    }
    auto list = kiln::index::readList(dense);
    good &= list.has_value();
    return list.value_or(SmallVector<int64_t>());
  }

  Operation *op;
  NamedAttrList list;
  bool good = true;
};

void convertGather(Attributes &a) {
  auto offset = a.takeDims("offset_dims"),
       collapsed = a.takeDims("collapsed_slice_dims"),
       batching = a.takeDims("operand_batching_dims"),
       indices = a.takeDims("start_indices_batching_dims"),
       map = a.takeDims("start_index_map");
  a.set("dimension_numbers",
        stablehlo::GatherDimensionNumbersAttr::get(
            a.op->getContext(), offset, collapsed, batching, indices, map,
            a.takeInteger("index_vector_dim")));
}

void convertScatter(Attributes &a) {
  auto window = a.takeDims("update_window_dims"),
       inserted = a.takeDims("inserted_window_dims"),
       batching = a.takeDims("input_batching_dims"),
       indices = a.takeDims("scatter_indices_batching_dims"),
       map = a.takeDims("scatter_dims_to_operand_dims");
  a.set("scatter_dimension_numbers",
        stablehlo::ScatterDimensionNumbersAttr::get(
            a.op->getContext(), window, inserted, batching, indices, map,
            a.takeInteger("index_vector_dim")));
}

void convertDot(Attributes &a) {
  auto lhsBatch = a.takeDims("lhs_batching_dimensions"),
       rhsBatch = a.takeDims("rhs_batching_dimensions"),
       lhs = a.takeDims("lhs_contracting_dimensions"),
       rhs = a.takeDims("rhs_contracting_dimensions");
  a.set("dot_dimension_numbers",
        stablehlo::DotDimensionNumbersAttr::get(a.op->getContext(), lhsBatch,
                                                rhsBatch, lhs, rhs));
  // How it is to be computed is a wish that Kiln's own accuracy meets.
  for (StringRef name :
       {"lhs_precision_type", "rhs_precision_type", "accumulation_type",
        "lhs_component_count", "rhs_component_count",
        "num_primitive_operations", "allow_imprecise_accumulation"})
    a.take(name);
}

void convertConvolution(Attributes &a) {
  int64_t numbers[6];
  SmallVector<int64_t> spatial[3];
  constexpr StringRef names[] = {
      "input_batch_dimension",          "input_feature_dimension",
      "kernel_input_feature_dimension", "kernel_output_feature_dimension",
      "output_batch_dimension",         "output_feature_dimension"};
  constexpr StringRef lists[] = {"input_spatial_dimensions",
                                 "kernel_spatial_dimensions",
                                 "output_spatial_dimensions"};
  for (int i = 0; i < 6; ++i)
    numbers[i] = a.takeInteger(names[i]);
  for (int i = 0; i < 3; ++i)
    spatial[i] = a.takeDims(lists[i]);
  a.set("dimension_numbers",
        stablehlo::ConvDimensionNumbersAttr::get(
            a.op->getContext(), numbers[0], numbers[1], spatial[0], numbers[2],
            numbers[3], spatial[1], numbers[4], numbers[5], spatial[2]));
  if (auto reversal =
          dyn_cast_or_null<DenseIntElementsAttr>(a.take("window_reversal"))) {
    a.good &= reversal.getElementType().isInteger(1) &&
              kiln::index::isShort(reversal);
    if (a.good)
      a.set(
          "window_reversal",
          DenseBoolArrayAttr::get(a.op->getContext(),
                                  llvm::to_vector(reversal.getValues<bool>())));
  }
}

void convertFunction(Attributes &a) {
  auto visibility = dyn_cast_or_null<StringAttr>(a.list.get("sym_visibility"));
  if (visibility && visibility.empty())
    a.take("sym_visibility");
  for (StringRef name : {"arg_attrs", "res_attrs"}) {
    auto array = dyn_cast_or_null<ArrayAttr>(a.list.get(name));
    if (!array || array.empty())
      a.take(name);
  }
}

void symbol(Attributes &a, StringRef name) {
  if (auto text = dyn_cast_or_null<StringAttr>(a.list.get(name)))
    a.set(name, FlatSymbolRefAttr::get(text));
}

/// What every operation has in the same form.
void convertCommon(Attributes &a) {
  constexpr StringRef dims[] = {"broadcast_dimensions",
                                "broadcast_sizes",
                                "dimensions",
                                "permutation",
                                "slice_sizes",
                                "start_indices",
                                "limit_indices",
                                "strides",
                                "edge_padding_low",
                                "edge_padding_high",
                                "interior_padding",
                                "window_dimensions",
                                "window_strides",
                                "base_dilations",
                                "window_dilations",
                                "lhs_dilation",
                                "rhs_dilation",
                                "fft_length",
                                "known_expanding_dimensions",
                                "known_nonexpanding_dimensions"};
  for (StringRef name : dims)
    if (Attribute value = a.list.get(name))
      a.set(name, DenseI64ArrayAttr::get(a.op->getContext(), a.numbers(value)));
  for (StringRef name : {"use_global_device_ids", "has_dynamic_root"})
    if (auto flag = dyn_cast_or_null<BoolAttr>(a.take(name)))
      if (flag.getValue())
        a.set(name, UnitAttr::get(a.op->getContext()));
  a.take("result_accuracy");
  auto kind = dyn_cast_or_null<stablehlo::ComparisonTypeAttr>(
      a.list.get("compare_type"));
  if (kind && kind.getValue() == stablehlo::ComparisonType::NOTYPE)
    a.take("compare_type");
  if (auto channel = dyn_cast_or_null<IntegerAttr>(a.take("channel_id"))) {
    auto type = dyn_cast_or_null<IntegerAttr>(a.take("channel_type"));
    if (channel.getInt() != 0 || type)
      a.set("channel_handle", stablehlo::ChannelHandleAttr::get(
                                  a.op->getContext(), channel.getInt(),
                                  type ? type.getInt() : 0));
  }
  symbol(a, "decomposition");
  symbol(a, "callee");
  if (auto calls =
          dyn_cast_or_null<ArrayAttr>(a.list.get("called_computations"))) {
    SmallVector<Attribute> symbols;
    for (Attribute call : calls)
      if (auto text = dyn_cast<StringAttr>(call))
        symbols.push_back(FlatSymbolRefAttr::get(text));
    a.set("called_computations", ArrayAttr::get(a.op->getContext(), symbols));
  }
}

LogicalResult convert(Operation *op) {
  StringRef name = op->getName().stripDialect();
  name = name.take_front(name.rfind("_v"));
  Attributes a(op);
  std::string target = ("stablehlo." + name).str();
  if (name == "func") {
    target = "func.func";
    convertFunction(a);
  } else if (name == "call") {
    target = "func.call";
  } else if (name == "return" &&
             isa_and_nonnull<func::FuncOp>(op->getParentOp())) {
    target = "func.return";
  } else if (name == "gather" || name == "dynamic_gather") {
    convertGather(a);
  } else if (name == "scatter") {
    convertScatter(a);
  } else if (name == "dot_general") {
    convertDot(a);
  } else if (name == "convolution" || name == "dynamic_conv") {
    convertConvolution(a);
  }
  convertCommon(a);
  OperationState state(op->getLoc(), target);
  if (!state.name.isRegistered())
    return op->emitError("unsupported: ") << op->getName();
  if (!a.good)
    return op->emitError("expected lists of numbers among the attributes of ")
           << op->getName();
  state.addOperands(op->getOperands());
  state.addTypes(op->getResultTypes());
  state.addAttributes(a.list);
  for (Region &region : op->getRegions())
    state.addRegion()->takeBody(region);
  OpBuilder b(op);
  Operation *made = b.create(state);
  op->replaceAllUsesWith(made);
  op->erase();
  return success();
}

} // namespace

LogicalResult vhlo::convertToStablehlo(ModuleOp module) {
  // Outer operations first: what is inside moves with its region.
  SmallVector<Operation *> list;
  module.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isa_and_nonnull<VhloDialect>(op->getDialect()))
      list.push_back(op);
  });
  for (Operation *op : list)
    if (failed(convert(op)))
      return failure();
  // Types of the format are read as what operations beside these take.
  SmallVector<UnrealizedConversionCastOp> casts;
  module.walk([&](UnrealizedConversionCastOp op) {
    if (op.getInputs().getTypes() == op.getResultTypes())
      casts.push_back(op);
  });
  for (UnrealizedConversionCastOp op : casts) {
    op.replaceAllUsesWith(op.getInputs());
    op.erase();
  }
  // What follows relies on what operations say of themselves.
  return list.empty() ? success() : verify(module);
}
