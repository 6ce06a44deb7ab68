//===- DimensionNumbers.cpp - which dimensions are what -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Dialect/Stablehlo/Stablehlo.h"

using namespace mlir;
using namespace kiln::stablehlo;

namespace {

/// One field of an attribute: a list of dimensions, or a number.
struct Field {
  StringRef name;
  SmallVector<int64_t> *dims = nullptr;
  int64_t *number = nullptr;
};

/// `<name = value, ...>`: each field once at most, in any order. A comma may
/// stand behind the last one.
ParseResult parseFields(AsmParser &parser, ArrayRef<Field> fields) {
  if (parser.parseLess())
    return failure();
  llvm::SmallPtrSet<const Field *, 8> seen;
  while (failed(parser.parseOptionalGreater())) {
    SMLoc location = parser.getCurrentLocation();
    StringRef name;
    if (parser.parseKeyword(&name))
      return failure();
    const Field *field = llvm::find_if(
        fields, [&](const Field &other) { return other.name == name; });
    if (field == fields.end())
      return parser.emitError(location, "unknown field '") << name << "'";
    if (!seen.insert(field).second)
      return parser.emitError(location, "field '") << name << "' stands twice";
    if (parser.parseEqual())
      return failure();
    if (field->number) {
      if (parser.parseInteger(*field->number))
        return failure();
    } else {
      auto dims = parseDims(parser);
      if (failed(dims))
        return failure();
      *field->dims = *dims;
    }
    if (failed(parser.parseOptionalComma()))
      return parser.parseGreater();
  }
  return success();
}

/// What is empty, or 0, is left out.
class FieldPrinter {
public:
  explicit FieldPrinter(AsmPrinter &printer) : printer(printer) {
    printer << "<";
  }
  ~FieldPrinter() { printer << ">"; }

  void add(StringRef name, ArrayRef<int64_t> dims) {
    if (dims.empty())
      return;
    begin(name);
    printDims(printer, dims);
  }
  void add(StringRef name, int64_t number) {
    if (number == 0)
      return;
    begin(name);
    printer << number;
  }

private:
  void begin(StringRef name) {
    printer << (first ? "" : ", ") << name << " = ";
    first = false;
  }
  AsmPrinter &printer;
  bool first = true;
};

} // namespace

Attribute GatherDimensionNumbersAttr::parse(AsmParser &parser, Type) {
  SmallVector<int64_t> offset, collapsed, batch, indexBatch, starts;
  int64_t vector = 0;
  if (parseFields(parser, {{"offset_dims", &offset},
                           {"collapsed_slice_dims", &collapsed},
                           {"operand_batching_dims", &batch},
                           {"start_indices_batching_dims", &indexBatch},
                           {"start_index_map", &starts},
                           {"index_vector_dim", nullptr, &vector}}))
    return {};
  return get(parser.getContext(), offset, collapsed, batch, indexBatch, starts,
             vector);
}

void GatherDimensionNumbersAttr::print(AsmPrinter &printer) const {
  FieldPrinter fields(printer);
  fields.add("offset_dims", getOffsetDims());
  fields.add("collapsed_slice_dims", getCollapsedSliceDims());
  fields.add("operand_batching_dims", getOperandBatchingDims());
  fields.add("start_indices_batching_dims", getStartIndicesBatchingDims());
  fields.add("start_index_map", getStartIndexMap());
  fields.add("index_vector_dim", getIndexVectorDim());
}

Attribute ScatterDimensionNumbersAttr::parse(AsmParser &parser, Type) {
  SmallVector<int64_t> window, inserted, batch, indexBatch, operand;
  int64_t vector = 0;
  if (parseFields(parser, {{"update_window_dims", &window},
                           {"inserted_window_dims", &inserted},
                           {"input_batching_dims", &batch},
                           {"scatter_indices_batching_dims", &indexBatch},
                           {"scatter_dims_to_operand_dims", &operand},
                           {"index_vector_dim", nullptr, &vector}}))
    return {};
  return get(parser.getContext(), window, inserted, batch, indexBatch, operand,
             vector);
}

void ScatterDimensionNumbersAttr::print(AsmPrinter &printer) const {
  FieldPrinter fields(printer);
  fields.add("update_window_dims", getUpdateWindowDims());
  fields.add("inserted_window_dims", getInsertedWindowDims());
  fields.add("input_batching_dims", getInputBatchingDims());
  fields.add("scatter_indices_batching_dims", getScatterIndicesBatchingDims());
  fields.add("scatter_dims_to_operand_dims", getScatterDimsToOperandDims());
  fields.add("index_vector_dim", getIndexVectorDim());
}

Attribute DotDimensionNumbersAttr::parse(AsmParser &parser, Type) {
  SmallVector<int64_t> lhsBatch, rhsBatch, lhs, rhs;
  if (parseFields(parser, {{"lhs_batching_dimensions", &lhsBatch},
                           {"rhs_batching_dimensions", &rhsBatch},
                           {"lhs_contracting_dimensions", &lhs},
                           {"rhs_contracting_dimensions", &rhs}}))
    return {};
  return get(parser.getContext(), lhsBatch, rhsBatch, lhs, rhs);
}

void DotDimensionNumbersAttr::print(AsmPrinter &printer) const {
  FieldPrinter fields(printer);
  fields.add("lhs_batching_dimensions", getLhsBatchingDimensions());
  fields.add("rhs_batching_dimensions", getRhsBatchingDimensions());
  fields.add("lhs_contracting_dimensions", getLhsContractingDimensions());
  fields.add("rhs_contracting_dimensions", getRhsContractingDimensions());
}
