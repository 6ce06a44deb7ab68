//===- Text.h - what the text of several operations shares ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KILN_DIALECTS_STABLEHLO_TEXT_H
#define KILN_DIALECTS_STABLEHLO_TEXT_H

#include "kiln/Dialect/Stablehlo/Stablehlo.h"

namespace kiln::stablehlo {

using Operands = llvm::SmallVectorImpl<mlir::OpAsmParser::UnresolvedOperand>;

/// One type for all, or a function type. The last entry is the result.
mlir::ParseResult parseTypes(mlir::OpAsmParser &parser,
                             llvm::ArrayRef<mlir::Type *> types);
void printTypes(mlir::OpAsmPrinter &printer, llvm::ArrayRef<mlir::Type> types);

template <typename... Types>
mlir::ParseResult parseSameType(mlir::OpAsmParser &parser, Types &...types) {
  return parseTypes(parser, {&types...});
}
template <typename... Types>
void printSameType(mlir::OpAsmPrinter &printer, mlir::Operation *,
                   Types... types) {
  printTypes(printer, {mlir::Type(types)...});
}

/// The same for a list of operands.
mlir::ParseResult parseVariadicSameType(mlir::OpAsmParser &parser,
                                        Operands &operands,
                                        llvm::SmallVectorImpl<mlir::Type> &,
                                        mlir::Type &result);
void printVariadicSameType(mlir::OpAsmPrinter &printer, mlir::Operation *,
                           mlir::ValueRange, mlir::TypeRange types,
                           mlir::Type result);

/// The types of the results, which are those of the operands.
mlir::ParseResult parsePairwiseTypes(mlir::OpAsmParser &parser,
                                     llvm::SmallVectorImpl<mlir::Type> &,
                                     llvm::SmallVectorImpl<mlir::Type> &);
void printPairwiseTypes(mlir::OpAsmPrinter &printer, mlir::Operation *,
                        mlir::TypeRange operands, mlir::TypeRange results);

/// The type of a tuple, or a function type.
mlir::ParseResult parseTupleType(mlir::OpAsmParser &parser,
                                 llvm::SmallVectorImpl<mlir::Type> &operands,
                                 mlir::Type &result);
void printTupleType(mlir::OpAsmPrinter &printer, mlir::Operation *,
                    mlir::TypeRange operands, mlir::Type result);

/// The complex type, or a function type.
mlir::ParseResult parseComplexType(mlir::OpAsmParser &parser, mlir::Type &lhs,
                                   mlir::Type &rhs, mlir::Type &result);
void printComplexType(mlir::OpAsmPrinter &printer, mlir::Operation *,
                      mlir::Type lhs, mlir::Type rhs, mlir::Type result);

/// The types of the condition and of the result, or a function type.
mlir::ParseResult parseSelectType(mlir::OpAsmParser &parser, mlir::Type &pred,
                                  mlir::Type &yes, mlir::Type &no,
                                  mlir::Type &result);
void printSelectType(mlir::OpAsmPrinter &printer, mlir::Operation *,
                     mlir::Type pred, mlir::Type yes, mlir::Type no,
                     mlir::Type result);

/// Operands, each followed by a comma, before the name of an attribute.
mlir::ParseResult parseOperandsThenAttribute(mlir::OpAsmParser &parser,
                                             Operands &operands);
void printOperandsThenAttribute(mlir::OpAsmPrinter &printer, mlir::Operation *,
                                mlir::OperandRange operands);

/// [b, f, 0]x[o, i, 0]->[b, f, 0]
mlir::ParseResult parseConvolutionDimensions(mlir::AsmParser &parser,
                                             ConvDimensionNumbersAttr &attr);
void printConvolutionDimensions(mlir::AsmPrinter &printer,
                                ConvDimensionNumbersAttr attr);
inline void printConvolutionDimensions(mlir::AsmPrinter &printer,
                                       mlir::Operation *,
                                       ConvDimensionNumbersAttr attr) {
  printConvolutionDimensions(printer, attr);
}

/// stride = [..], pad = [[..]], lhs_dilate = .., rhs_dilate = .., reverse = ..
mlir::ParseResult parseWindowAttributes(mlir::OpAsmParser &parser,
                                        mlir::DenseI64ArrayAttr &strides,
                                        mlir::DenseIntElementsAttr &padding,
                                        mlir::DenseI64ArrayAttr &lhsDilation,
                                        mlir::DenseI64ArrayAttr &rhsDilation,
                                        mlir::DenseBoolArrayAttr &reversal);
void printWindowAttributes(mlir::OpAsmPrinter &printer, mlir::Operation *,
                           mlir::DenseI64ArrayAttr strides,
                           mlir::DenseIntElementsAttr padding,
                           mlir::DenseI64ArrayAttr lhsDilation,
                           mlir::DenseI64ArrayAttr rhsDilation,
                           mlir::DenseBoolArrayAttr reversal);

/// Checks that a region has one block of `count` arguments.
llvm::LogicalResult verifyArguments(mlir::Operation *op, mlir::Region &region,
                                    size_t count);

} // namespace kiln::stablehlo

#endif // KILN_DIALECTS_STABLEHLO_TEXT_H
