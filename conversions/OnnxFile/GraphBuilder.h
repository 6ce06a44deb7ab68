// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Graphs of an ONNX file as operations. Private to the reader.
#ifndef KILN_CONVERSIONS_ONNXFILE_GRAPHBUILDER_H
#define KILN_CONVERSIONS_ONNXFILE_GRAPHBUILDER_H

#include "Elements.h"

#include "kiln/Dialect/Torch/Torch.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/MemoryBufferRef.h"

namespace kiln::onnx_file {

/// A place in a file that has no lines: `FILE: PLACE`.
mlir::Location placeIn(mlir::MLIRContext *context, StringRef file,
                       const llvm::Twine &place);

/// The type of a value; null after `problem` was set.
mlir::Type typeOf(mlir::MLIRContext *context, const TypeProto &type,
                  std::string &problem);

/// Builds the operations of a model's graph, of the graphs in its nodes, and of
/// the local functions that they call, at the insertion point of a builder.
class GraphBuilder {
public:
  GraphBuilder(const ModelProto &model, llvm::MemoryBufferRef file,
               mlir::OpBuilder &builder);

  /// The values of the graph's outputs; a failure was reported.
  mlir::FailureOr<llvm::SmallVector<mlir::Value>>
  build(ArrayRef<StringRef> inputs, mlir::ValueRange arguments);

private:
  using Attributes = llvm::StringMap<const AttributeProto *>;

  /// The values that names stand for in a graph. A graph in a node sees those
  /// of the graphs around it, a local function only its own.
  struct Scope {
    const Scope *outer = nullptr;
    llvm::StringMap<mlir::Value> values;
    llvm::StringMap<const ValueInfoProto *> declared;
    /// What attributes of a local function stand for in this call.
    const Attributes *attributes = nullptr;
    std::string path; ///< of the nodes around it, for messages

    mlir::Value find(StringRef name) const;
  };

  mlir::Location at(const llvm::Twine &place) {
    return placeIn(context, file.getBufferIdentifier(), place);
  }
  static void declare(ArrayRef<ValueInfoProto> values, Scope &scope);
  llvm::LogicalResult buildInitializers(const GraphProto &graph, Scope &scope);
  llvm::LogicalResult buildNodes(ArrayRef<NodeProto> nodes, Scope &scope);
  llvm::LogicalResult buildNode(const NodeProto &node, Scope &scope,
                                const std::string &place);
  llvm::LogicalResult buildOperator(const NodeProto &node,
                                    mlir::ValueRange inputs, Scope &scope,
                                    mlir::Location loc,
                                    const std::string &place);
  llvm::LogicalResult buildCall(const FunctionProto &function,
                                const NodeProto &node, mlir::ValueRange inputs,
                                Scope &scope, mlir::Location loc,
                                const std::string &place);
  llvm::LogicalResult buildRegion(const GraphProto &graph, mlir::Region &region,
                                  const Scope &outer, mlir::Location loc,
                                  std::string path);
  mlir::FailureOr<mlir::Attribute>
  makeAttribute(const AttributeProto &attribute, StringRef name,
                mlir::Location loc);
  llvm::LogicalResult define(StringRef name, mlir::Value value, Scope &scope,
                             mlir::Location loc);
  mlir::FailureOr<llvm::SmallVector<mlir::Value>>
  findAll(ArrayRef<ValueInfoProto> outputs, const Scope &scope,
          mlir::Location loc);
  mlir::Type resultType(StringRef name, const Scope &scope);
  mlir::Value none();
  /// The attribute that a reference in a local function stands for, null where
  /// the call gives none.
  const AttributeProto *resolve(const AttributeProto &attribute,
                                const Scope &scope);

  const ModelProto &model;
  llvm::MemoryBufferRef file;
  mlir::OpBuilder &builder;
  mlir::MLIRContext *context;
  Elements elements;
  llvm::StringMap<const FunctionProto *> functions; ///< "domain:name:overload"
  llvm::SmallVector<const FunctionProto *> calls;   ///< those around this place
  int64_t most;   ///< nodes that a file of this size may stand for
  int64_t budget; ///< nodes that may still be built
  int depth = 0;  ///< of graphs and calls around this place
  mlir::Block *entry = nullptr;
  mlir::Value noValue;
};

} // namespace kiln::onnx_file

#endif // KILN_CONVERSIONS_ONNXFILE_GRAPHBUILDER_H
