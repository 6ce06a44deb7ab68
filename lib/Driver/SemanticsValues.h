//===- SemanticsValues.h - Arguments and outcomes of entries ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_LIB_DRIVER_SEMANTICSVALUES_H
#define KILN_LIB_DRIVER_SEMANTICSVALUES_H

#include "kiln/Eval/Memory.h"
#include "kiln/Runtime/Tensor.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include <array>
#include <optional>
#include <string>
#include <vector>

namespace kiln::driver {

/// One argument of an entry, at whatever level the entry is.
struct Given {
  enum Kind { Tensor, Memory, Scalar } kind = Scalar;
  eval::Value value; ///< a tensor's elements, or the scalar
  /// Of memory: a window of one of the storages.
  size_t storage = 0;
  runtime::DType dtype = runtime::DType::none;
  int64_t byteOffset = 0;
  llvm::SmallVector<int64_t, 4> sizes, strides;
};

/// What an entry is called with. Kept through all passes: a prim function and
/// the host program that it becomes get the same.
struct Arguments {
  std::vector<Given> list;
  /// Memory that the entry may write: every call gets copies.
  std::vector<std::shared_ptr<eval::Buffer>> storages;
  std::array<int64_t, 3> grid = {2, 2, 1}; ///< of a kernel
};

/// Whether a function is the thread code of a kernel.
bool isThreadCode(mlir::Operation *op);

/// The types of an entry's parameters as its caller has them: those of the
/// kernel where the entry is its thread code. Nothing for other functions of
/// llvm.
std::optional<llvm::SmallVector<mlir::Type>>
parametersOf(mlir::FunctionOpInterface entry);

/// Invents arguments, the same for the same types: dimensions that are not
/// known, and integers, are `size`. Elements keep to `domain` and
/// `range`. Nothing where a type has no elements that can be invented.
std::optional<Arguments> inventArguments(mlir::FunctionOpInterface entry,
                                         int64_t size);

/// Arguments as the command line gives them: FILE.npy[+N] or TYPE:VALUE each,
/// and a grid. Reports what is wrong at the entry.
mlir::FailureOr<Arguments> readArguments(mlir::FunctionOpInterface entry,
                                         const std::vector<std::string> &words,
                                         llvm::StringRef grid);

/// Copies of what a host program launches a kernel with.
Arguments captureArguments(llvm::ArrayRef<eval::Value> values,
                           std::array<int64_t, 3> grid);

/// The arguments in the form that the entry wants now, with copies of what it
/// may write; nothing where its types are others.
std::optional<llvm::SmallVector<eval::Value>>
formArguments(const Arguments &arguments, mlir::FunctionOpInterface entry);

/// The same for a device.
runtime::Expected<std::vector<runtime::Tensor>>
tensorsOf(const Arguments &arguments);

/// The whole of a storage as a tensor of the type by which an argument has it.
eval::Value contentsOf(const eval::Buffer &buffer, runtime::DType dtype);

} // namespace kiln::driver

#endif // KILN_LIB_DRIVER_SEMANTICSVALUES_H
