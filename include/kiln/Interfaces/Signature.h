// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KILN_INTERFACES_SIGNATURE_H
#define KILN_INTERFACES_SIGNATURE_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/STLExtras.h"

namespace kiln {

/// Returns true if the arguments and results of `function` may be asked for:
/// bytecode that no verifier has seen may lack the type, or have attributes of
/// another number of arguments.
inline bool hasSignature(mlir::FunctionOpInterface function) {
  auto attr = function->getAttrOfType<mlir::TypeAttr>("function_type");
  if (!attr)
    return false;
  auto type = mlir::dyn_cast<mlir::FunctionType>(attr.getValue());
  auto fits = [](mlir::ArrayAttr said, unsigned count) {
    return !said || (said.size() == count &&
                     llvm::all_of(said, llvm::IsaPred<mlir::DictionaryAttr>));
  };
  return type && fits(function.getArgAttrsAttr(), type.getNumInputs()) &&
         fits(function.getResAttrsAttr(), type.getNumResults());
}

} // namespace kiln

#endif // KILN_INTERFACES_SIGNATURE_H
