// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Element types and tensors of an ONNX file as attributes. Private to the
// reader.
#ifndef KILN_CONVERSIONS_ONNXFILE_ELEMENTS_H
#define KILN_CONVERSIONS_ONNXFILE_ELEMENTS_H

#include "Messages.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/MemoryBuffer.h"

namespace kiln::onnx_file {

/// The element type with this number among TensorProto.DataType, null if there
/// is none in MLIR's types or in the torch dialect.
mlir::Type elementType(mlir::MLIRContext *context, int64_t dataType);

/// Makes attributes of tensors. Elements in other files are mapped, and stay so
/// while an attribute uses them; elements in the model are copied.
class Elements {
public:
  /// `model` is the path of the file that is read.
  Elements(mlir::MLIRContext *context, StringRef model)
      : context(context), model(model) {}

  /// The attribute of a tensor; null after `problem` was set.
  mlir::Attribute make(const TensorProto &tensor, std::string &problem);

private:
  mlir::Attribute makeStrings(const TensorProto &tensor,
                              mlir::RankedTensorType type);
  /// The bytes of typed fields as raw_data would have them.
  bool collect(const TensorProto &tensor, int64_t count, std::string &bytes,
               std::string &problem);
  std::shared_ptr<llvm::MemoryBuffer> map(StringRef location,
                                          std::string &problem);
  mlir::Attribute external(const TensorProto &tensor,
                           mlir::RankedTensorType type, std::string &problem);
  mlir::Attribute fromBytes(ArrayRef<char> bytes, mlir::RankedTensorType type,
                            StringRef name,
                            std::shared_ptr<llvm::MemoryBuffer> owner);

  mlir::MLIRContext *context;
  StringRef model;
  llvm::StringMap<std::shared_ptr<llvm::MemoryBuffer>> files;
};

} // namespace kiln::onnx_file

#endif // KILN_CONVERSIONS_ONNXFILE_ELEMENTS_H
