//===- FunctionOps.cpp - functions and the grid ---------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//

#include "kiln/Dialect/Triton/Triton.h"

#include "mlir/Interfaces/FunctionImplementation.h"

using namespace mlir;
using namespace kiln::tt;

#define GET_OP_CLASSES
#include "kiln/Dialect/Triton/TritonFunctionOps.cpp.inc"

void TritonDialect::registerFunctionOps() {
  addOperations<
#define GET_OP_LIST
#include "kiln/Dialect/Triton/TritonFunctionOps.cpp.inc"
      >();
}

ParseResult FuncOp::parse(OpAsmParser &parser, OperationState &result) {
  auto build = [](Builder &builder, ArrayRef<Type> inputs,
                  ArrayRef<Type> results, function_interface_impl::VariadicFlag,
                  std::string &) {
    return builder.getFunctionType(inputs, results);
  };
  return function_interface_impl::parseFunctionOp(
      parser, result, /*allowVariadic=*/false,
      getFunctionTypeAttrName(result.name), build,
      getArgAttrsAttrName(result.name), getResAttrsAttrName(result.name));
}

void FuncOp::print(OpAsmPrinter &printer) {
  function_interface_impl::printFunctionOp(
      printer, *this, /*isVariadic=*/false, getFunctionTypeAttrName(),
      getArgAttrsAttrName(), getResAttrsAttrName());
}

LogicalResult CallOp::verifySymbolUses(SymbolTableCollection &symbols) {
  auto callee = symbols.lookupNearestSymbolFrom<FuncOp>(*this, getCalleeAttr());
  if (!callee)
    return emitOpError("calls the undefined function '") << getCallee() << "'";
  FunctionType type = callee.getFunctionType();
  if (TypeRange(type.getInputs()) != TypeRange(getOperands().getTypes()) ||
      TypeRange(type.getResults()) != TypeRange(getResultTypes()))
    return emitOpError("expected operands and results of type ")
           << type << " for '" << getCallee() << "'";
  return success();
}
