//===- Vocabulary.cpp - What the wire form of kernels holds ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Isolated/Vocabulary.h"
#include "Downgrades.h"
#include "kiln/Dialect/Tile/TileDialect.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace kiln::isolated;

/// Version 1, by dialect.
static constexpr StringRef kTile[] = {"assert",
                                      "assume",
                                      "atomic_cas",
                                      "atomic_rmw",
                                      "broadcast",
                                      "call_extern",
                                      "cat",
                                      "cluster_barrier",
                                      "convert_float",
                                      "dim",
                                      "dot",
                                      "dot_scaled",
                                      "exchange",
                                      "expand_dims",
                                      "extract",
                                      "gather",
                                      "grid_coordinates",
                                      "histogram",
                                      "inline_asm",
                                      "instance_id",
                                      "int_to_ptr",
                                      "iota",
                                      "join",
                                      "kernel",
                                      "load",
                                      "load_gather",
                                      "load_ptr",
                                      "make_view",
                                      "num_blocks",
                                      "num_instances",
                                      "num_programs",
                                      "print",
                                      "program_id",
                                      "ptr_add",
                                      "ptr_cast",
                                      "ptr_to_int",
                                      "reduce",
                                      "reshape",
                                      "return",
                                      "scan",
                                      "sort",
                                      "splat",
                                      "split",
                                      "store",
                                      "store_ptr",
                                      "store_scatter",
                                      "transpose",
                                      "yield"};
static constexpr StringRef kArith[] = {"addf",
                                       "addi",
                                       "addui_extended",
                                       "andi",
                                       "bitcast",
                                       "ceildivsi",
                                       "ceildivui",
                                       "cmpf",
                                       "cmpi",
                                       "constant",
                                       "divf",
                                       "divsi",
                                       "divui",
                                       "extf",
                                       "extsi",
                                       "extui",
                                       "floordivsi",
                                       "fptosi",
                                       "fptoui",
                                       "index_cast",
                                       "index_castui",
                                       "maximumf",
                                       "maxnumf",
                                       "maxsi",
                                       "maxui",
                                       "minimumf",
                                       "minnumf",
                                       "minsi",
                                       "minui",
                                       "mulf",
                                       "muli",
                                       "mulsi_extended",
                                       "mului_extended",
                                       "negf",
                                       "ori",
                                       "remf",
                                       "remsi",
                                       "remui",
                                       "scaling_extf",
                                       "scaling_truncf",
                                       "select",
                                       "shli",
                                       "shrsi",
                                       "shrui",
                                       "sitofp",
                                       "subf",
                                       "subi",
                                       "truncf",
                                       "trunci",
                                       "uitofp",
                                       "xori"};
static constexpr StringRef kMath[] = {
    "absf",  "absi",  "acos",      "acosh", "asin",   "asinh",    "atan",
    "atan2", "atanh", "cbrt",      "ceil",  "clampf", "copysign", "cos",
    "cosh",  "ctlz",  "ctpop",     "cttz",  "erf",    "erfc",     "exp",
    "exp2",  "expm1", "floor",     "fma",   "fpowi",  "ipowi",    "isfinite",
    "isinf", "isnan", "isnormal",  "log",   "log10",  "log1p",    "log2",
    "powf",  "round", "roundeven", "rsqrt", "sin",    "sincos",   "sinh",
    "sqrt",  "tan",   "tanh",      "trunc"};
static constexpr StringRef kScf[] = {"condition", "for", "if", "while",
                                     "yield"};

/// Version 2: what functions are made of, of which targets claim operations.
static constexpr StringRef kFunc[] = {"func", "return"};
static constexpr StringRef kPrim[] = {"abs",
                                      "acos",
                                      "acosh",
                                      "add",
                                      "amax",
                                      "amin",
                                      "arg_scan",
                                      "argmax",
                                      "argmin",
                                      "argsort",
                                      "asin",
                                      "asinh",
                                      "atan",
                                      "atan2",
                                      "atanh",
                                      "attention",
                                      "avg_pool",
                                      "bessel_i0",
                                      "bessel_i0e",
                                      "bessel_i1",
                                      "bessel_i1e",
                                      "bessel_j0",
                                      "bessel_j1",
                                      "bessel_y0",
                                      "bessel_y1",
                                      "bitcast",
                                      "bitcast_convert",
                                      "bitwise_and",
                                      "bitwise_not",
                                      "bitwise_or",
                                      "bitwise_xor",
                                      "broadcast",
                                      "broadcast_in_dim",
                                      "cat",
                                      "cbrt",
                                      "ceil",
                                      "cholesky",
                                      "claim",
                                      "clamp",
                                      "clz",
                                      "constant",
                                      "conv",
                                      "convert_element_type",
                                      "copysign",
                                      "cos",
                                      "cosh",
                                      "digamma",
                                      "div",
                                      "dot_general",
                                      "dynamic_slice",
                                      "dynamic_update_slice",
                                      "eig",
                                      "eigh",
                                      "eq",
                                      "erf",
                                      "erfc",
                                      "erfcx",
                                      "erfinv",
                                      "exp",
                                      "exp2",
                                      "expm1",
                                      "floor",
                                      "fma",
                                      "fmax",
                                      "fmin",
                                      "fmod",
                                      "from_index",
                                      "full",
                                      "fusion",
                                      "gather",
                                      "gather_slices",
                                      "gcd",
                                      "ge",
                                      "gelu",
                                      "gt",
                                      "householder_product",
                                      "householder_qr",
                                      "hypot",
                                      "if",
                                      "iota",
                                      "isfinite",
                                      "isinf",
                                      "isnan",
                                      "layer_norm",
                                      "le",
                                      "lgamma",
                                      "log",
                                      "log10",
                                      "log1p",
                                      "log2",
                                      "lt",
                                      "lu",
                                      "max_pool",
                                      "maximum",
                                      "minimum",
                                      "mul",
                                      "ndtri",
                                      "ne",
                                      "neg",
                                      "nextafter",
                                      "pad",
                                      "pivots_to_permutation",
                                      "polygamma",
                                      "population_count",
                                      "pow",
                                      "prod",
                                      "random_bits",
                                      "reciprocal",
                                      "reduce",
                                      "reduce_precision",
                                      "reduce_window",
                                      "relu",
                                      "remainder",
                                      "rescale",
                                      "reshape",
                                      "rev",
                                      "rms_norm",
                                      "round",
                                      "round_half_away",
                                      "rsqrt",
                                      "scan",
                                      "scatter",
                                      "select_and_scatter",
                                      "shift_left",
                                      "shift_right_arithmetic",
                                      "shift_right_logical",
                                      "sigmoid",
                                      "sign",
                                      "signbit",
                                      "silu",
                                      "sin",
                                      "sinh",
                                      "slice",
                                      "softmax",
                                      "sort",
                                      "spherical_bessel_j0",
                                      "sqrt",
                                      "sub",
                                      "sum",
                                      "sum_pool",
                                      "svd",
                                      "table",
                                      "tan",
                                      "tanh",
                                      "to_index",
                                      "top_k",
                                      "transpose",
                                      "triangular_solve",
                                      "trunc",
                                      "where",
                                      "while",
                                      "yield",
                                      "zeta"};

/// Version 3: scalars that are read of tiles, and what dialects have gained.
static constexpr StringRef kTensor[] = {"extract"};
static constexpr StringRef kLaterTile[] = {"fourier", "top_k"};
static constexpr StringRef kLaterPrim[] = {"attention_backward", "fourier"};

/// Attributes without a place in an operation's definition that are kept: facts
/// and hints that docs/hints.md and the definition of tile.kernel describe.
static constexpr StringRef kKept[] = {
    "tile.align",    "tile.constancy", "tile.contiguity", "tile.divisibility",
    "tile.launch",   "tile.loop",      "tile.noalias",    "tile.readonly",
    "tile.size_div", "tile.stride_div"};

/// Attributes of `tile.kernel` that passes set for others.
static constexpr StringRef kDecisions[] = {
    "condition",    "device", "grid_scale", "most_instances",
    "shared_bytes", "tiling", "variants",   "warps"};

/// Types that are named by more than their words.
static constexpr StringRef kTypes[] = {
    "bf16",     "f16",        "f32",      "f64",        "f4E2M1FN",
    "f6E2M3FN", "f6E3M2FN",   "f8E3M4",   "f8E4M3",     "f8E4M3B11FNUZ",
    "f8E4M3FN", "f8E4M3FNUZ", "f8E5M2",   "f8E5M2FNUZ", "f8E8M0FNU",
    "i1",       "i2",         "i4",       "i8",         "i16",
    "i32",      "i64",        "i128",     "index",      "function",
    "tensor",   "tile.ptr",   "tile.view"};

namespace {
struct Tables {
  llvm::StringMap<WireOperation> operations;
  llvm::StringMap<unsigned> attributes, types;

  Tables() {
    auto add = [&](StringRef dialect, ArrayRef<StringRef> names,
                   unsigned since = 1) {
      for (StringRef name : names) {
        auto entry = operations.try_emplace((dialect + "." + name).str()).first;
        entry->second.name = entry->first();
        entry->second.since = since;
      }
    };
    add("builtin", {"module"});
    add("tile", kTile);
    add("arith", kArith);
    add("math", kMath);
    add("scf", kScf);
    add("func", kFunc, 2);
    add("prim", kPrim, 2);
    add("tensor", kTensor, 3);
    add("tile", kLaterTile, 3);
    add("prim", kLaterPrim, 3);
    for (StringRef name : kKept)
      attributes[name] = 1;
    for (StringRef name : kTypes)
      types[name] = 1;
  }

  static Tables &get() {
    static Tables *tables = new Tables;
    return *tables;
  }
};
} // namespace

void kiln::isolated::addWireOperation(const WireOperation &operation) {
  auto entry = Tables::get()
                   .operations.insert_or_assign(operation.name, operation)
                   .first;
  entry->second.name = entry->first();
}

const WireOperation *kiln::isolated::findWireOperation(StringRef name) {
  auto &all = Tables::get().operations;
  auto found = all.find(name);
  return found == all.end() ? nullptr : &found->second;
}

const WireAttribute *kiln::isolated::findLaterAttribute(Operation *op,
                                                        unsigned version) {
  auto isThere = [&](const WireAttribute &one) {
    if (one.since <= version || op->getName().getStringRef() != one.operation)
      return false;
    Attribute value = op->getInherentAttr(one.name).value_or(Attribute());
    auto number = dyn_cast_or_null<IntegerAttr>(value);
    if (one.value)
      return number && number.getInt() == *one.value;
    return value && value != defaultsOf(op->getName()).get(one.name);
  };
  ArrayRef<WireAttribute> all = laterAttributes();
  const auto *found = llvm::find_if(all, isThere);
  return found == all.end() ? nullptr : found;
}

/// The version that an attribute came with.
static unsigned attributeSince(const WireOperation &operation, StringRef name) {
  for (const WireAttribute &one : laterAttributes())
    if (one.operation == operation.name && one.name == name && !one.value)
      return one.since;
  return operation.since;
}

SmallVector<StringRef> kiln::isolated::wireOperationNames() {
  auto names = Tables::get().operations.keys();
  return {names.begin(), names.end()};
}

unsigned kiln::isolated::wireTypeSince(StringRef name) {
  return Tables::get().types.lookup(name);
}

bool kiln::isolated::keepsAttribute(StringRef name, unsigned version) {
  unsigned since = Tables::get().attributes.lookup(name);
  return since && since <= version;
}

bool kiln::isolated::isDecision(OperationName op, StringRef attribute) {
  StringRef name = op.getStringRef();
  // Passes note these.
  if (name == "tile.print")
    return attribute == "printed_types";
  if (name == "tile.inline_asm")
    return attribute == "untranslated";
  if (name == "tile.dot")
    return attribute == "split";
  return name == "tile.kernel" && llvm::is_contained(kDecisions, attribute);
}

std::string kiln::isolated::wireTypeName(Type type) {
  if (isa<RankedTensorType>(type))
    return "tensor";
  if (isa<FunctionType>(type))
    return "function";
  // Printing a type sets up a printer, and every kernel has these.
  StringRef known = type.getAbstractType().getName();
  if (isa<FloatType, IndexType>(type) && known.consume_front("builtin."))
    return known.str();
  if (isa<tile::TileDialect>(type.getDialect()))
    return known.str();
  std::string text;
  llvm::raw_string_ostream os(text);
  type.print(os);
  os.flush();
  // "!tile.view<4xf32>" is a tile.view.
  StringRef name = StringRef(text).split('<').first;
  name.consume_front("!");
  return name.str();
}

DictionaryAttr kiln::isolated::defaultsOf(OperationName name) {
  // An operation that nothing was given has them.
  OperationState state(UnknownLoc::get(name.getContext()), name);
  Operation *op = Operation::create(state);
  auto all = dyn_cast_or_null<DictionaryAttr>(op->getPropertiesAsAttribute());
  SmallVector<NamedAttribute> kept;
  if (all)
    for (NamedAttribute attr : all)
      if (!attr.getName().getValue().ends_with("SegmentSizes"))
        kept.push_back(attr);
  DictionaryAttr defaults = DictionaryAttr::get(name.getContext(), kept);
  op->destroy();
  return defaults;
}

llvm::json::Value kiln::isolated::describeWire(MLIRContext *context) {
  Tables &tables = Tables::get();
  llvm::json::Object operations, attributes, types;
  for (const auto &entry : tables.operations) {
    llvm::json::Object one{{"since", entry.second.since}};
    context->getOrLoadDialect(entry.first().split('.').first);
    OperationName name(entry.first(), context);
    llvm::json::Object own;
    if (name.isRegistered()) {
      DictionaryAttr defaults = defaultsOf(name);
      for (StringAttr attr : name.getAttributeNames()) {
        if (isDecision(name, attr))
          continue;
        llvm::json::Object facts{{"since", attributeSince(entry.second, attr)}};
        if (Attribute value = defaults.get(attr)) {
          std::string text;
          llvm::raw_string_ostream(text) << value;
          facts["default"] = text;
        }
        own[attr.str()] = std::move(facts);
      }
    }
    if (!own.empty())
      one["attributes"] = std::move(own);
    operations[entry.first()] = std::move(one);
  }
  for (const auto &entry : tables.attributes)
    attributes[entry.first()] = llvm::json::Object{{"since", entry.second}};
  for (const auto &entry : tables.types)
    types[entry.first()] = llvm::json::Object{{"since", entry.second}};
  return llvm::json::Object{{"version", kWireVersion},
                            {"operations", std::move(operations)},
                            {"attributes", std::move(attributes)},
                            {"types", std::move(types)}};
}
