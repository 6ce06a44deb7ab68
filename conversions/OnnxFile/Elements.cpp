// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tensors of an ONNX file as attributes.
#include "Elements.h"

#include "kiln/Dialect/Torch/Torch.h"

#include "mlir/IR/AsmState.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/Path.h"

#include <cstring>

using namespace mlir;
using namespace kiln::onnx_file;

namespace {
/// Larger tensors become resources, which are not hashed and not unique.
constexpr size_t mostDenseBytes = 1024;
/// What the runtime's kernels like of memory.
constexpr size_t alignment = 64;
/// TensorProto.DataType.
constexpr int64_t typeString = 8;

/// The bits of an element in raw_data.
unsigned widthOf(Type element) {
  return element.isInteger(1) ? 8 : element.getIntOrFloatBitWidth();
}

int64_t bytesOf(Type element, int64_t count) {
  return llvm::divideCeil(uint64_t(count) * widthOf(element), 8);
}
} // namespace

Type kiln::onnx_file::elementType(MLIRContext *context, int64_t dataType) {
  auto integer = [&](unsigned width, bool isSigned) {
    return IntegerType::get(
        context, width, isSigned ? IntegerType::Signed : IntegerType::Unsigned);
  };
  switch (dataType) {
  case 1:
    return Float32Type::get(context);
  case 2:
    return integer(8, false);
  case 3:
    return integer(8, true);
  case 4:
    return integer(16, false);
  case 5:
    return integer(16, true);
  case 6:
    return integer(32, true);
  case 7:
    return integer(64, true);
  case typeString:
    return torch::StringType::get(context);
  case 9:
    return IntegerType::get(context, 1);
  case 10:
    return Float16Type::get(context);
  case 11:
    return Float64Type::get(context);
  case 12:
    return integer(32, false);
  case 13:
    return integer(64, false);
  case 14:
    return ComplexType::get(Float32Type::get(context));
  case 15:
    return ComplexType::get(Float64Type::get(context));
  case 16:
    return BFloat16Type::get(context);
  case 17:
    return Float8E4M3FNType::get(context);
  case 18:
    return Float8E4M3FNUZType::get(context);
  case 19:
    return Float8E5M2Type::get(context);
  case 20:
    return Float8E5M2FNUZType::get(context);
  case 21:
    return integer(4, false);
  case 22:
    return integer(4, true);
  case 23:
    return Float4E2M1FNType::get(context);
  case 24:
    return Float8E8M0FNUType::get(context);
  case 25:
    return integer(2, false);
  case 26:
    return integer(2, true);
  default:
    return {};
  }
}

bool Elements::collect(const TensorProto &tensor, int64_t count,
                       std::string &bytes, std::string &problem) {
  Type element = elementType(context, tensor.dataType);
  unsigned width = widthOf(element);
  auto fits = [&](size_t found, size_t expected) {
    if (found != expected)
      problem = "expected " + std::to_string(expected) + " elements, found " +
                std::to_string(found);
    return found == expected;
  };
  auto copy = [&](const auto &list) {
    bytes.assign(reinterpret_cast<const char *>(list.data()),
                 list.size() * sizeof(list[0]));
    return true;
  };
  if (element.isF32())
    return fits(tensor.floats.size(), count) && copy(tensor.floats);
  if (element.isF64())
    return fits(tensor.doubles.size(), count) && copy(tensor.doubles);
  // Integers, and the bits of narrow floats. Less than a byte: several of them
  // in one number.
  size_t stored =
      width < 8 ? llvm::divideCeil(uint64_t(count) * width, 8) : count;
  if (!fits(tensor.integers.size(), stored))
    return false;
  size_t each = std::max(width / 8, 1u);
  bytes.resize(stored * each);
  for (auto [i, number] : llvm::enumerate(tensor.integers))
    std::memcpy(bytes.data() + i * each, &number, each);
  return true;
}

/// Elements of less than 8 bits, of which a byte holds several: each of them in
/// a byte, as MLIR has them.
static std::vector<char> unpack(ArrayRef<char> bytes, Type element,
                                int64_t count) {
  unsigned width = element.getIntOrFloatBitWidth(), perByte = 8 / width;
  bool isSigned = element.isSignedInteger();
  std::vector<char> result(count);
  for (int64_t i = 0; i < count; ++i) {
    uint8_t bits = uint8_t(bytes[i / perByte]) >> (i % perByte * width);
    bits &= (1u << width) - 1;
    if (isSigned && bits >> (width - 1))
      bits |= uint8_t(0xff << width);
    result[i] = static_cast<char>(bits);
  }
  return result;
}

Attribute Elements::fromBytes(ArrayRef<char> bytes, RankedTensorType type,
                              StringRef name,
                              std::shared_ptr<llvm::MemoryBuffer> owner) {
  Type element = type.getElementType();
  int64_t count = type.getNumElements();
  if (widthOf(element) < 8) {
    std::vector<char> each = unpack(bytes, element, count);
    if (isa<FloatType>(element))
      return DenseElementsAttr::getFromRawBuffer(type, each);
    SmallVector<APInt> numbers;
    for (char one : each)
      numbers.push_back(APInt(element.getIntOrFloatBitWidth(), uint8_t(one),
                              /*isSigned=*/false, /*implicitTrunc=*/true));
    return DenseElementsAttr::get(type, numbers);
  }
  if (element.isInteger(1)) {
    SmallVector<bool> truths;
    for (char one : bytes)
      truths.push_back(one != 0);
    return DenseElementsAttr::get(type, truths);
  }
  if (bytes.size() <= mostDenseBytes)
    return DenseElementsAttr::getFromRawBuffer(type, bytes);
  StringRef key = name.empty() ? "tensor" : name;
  if (!owner)
    return DenseResourceElementsAttr::get(
        type, key,
        HeapAsmResourceBlob::allocateAndCopyWithAlign(bytes, alignment,
                                                      /*dataIsMutable=*/false));
  auto keep = [owner = std::move(owner)](void *, size_t, size_t) {};
  size_t at = reinterpret_cast<uintptr_t>(bytes.data());
  return DenseResourceElementsAttr::get(
      type, key,
      AsmResourceBlob(bytes, std::min<size_t>(at & -at, alignment),
                      std::move(keep), /*dataIsMutable=*/false));
}

std::shared_ptr<llvm::MemoryBuffer> Elements::map(StringRef location,
                                                  std::string &problem) {
  auto known = files.find(location);
  if (known != files.end())
    return known->second;
  namespace path = llvm::sys::path;
  if (location.empty() || location.contains('\0') ||
      path::is_absolute(location) ||
      llvm::is_contained(
          llvm::make_range(path::begin(location), path::end(location)), "..")) {
    problem = "expected external data in the folder of the model, found '" +
              location.str() + "'";
    return nullptr;
  }
  SmallString<128> file(path::parent_path(model));
  path::append(file, location);
  llvm::sys::fs::file_status status;
  std::error_code error = llvm::sys::fs::status(file, status);
  if (!error && !llvm::sys::fs::is_regular_file(status))
    error = std::make_error_code(std::errc::invalid_argument);
  auto buffer =
      error ? llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>>(error)
            : llvm::MemoryBuffer::getFile(file, /*IsText=*/false,
                                          /*RequiresNullTerminator=*/false);
  if (!buffer) {
    problem = "cannot read the external data '" + file.str().str() +
              "': " + buffer.getError().message();
    return nullptr;
  }
  return files[location] = std::move(*buffer);
}

Attribute Elements::external(const TensorProto &tensor, RankedTensorType type,
                             std::string &problem) {
  StringRef location;
  uint64_t offset = 0,
           length = bytesOf(type.getElementType(), type.getNumElements());
  for (auto [key, value] : tensor.external) {
    uint64_t number = 0;
    if (key == "location") {
      location = value;
    } else if (key == "offset" || key == "length") {
      if (value.getAsInteger(10, number)) {
        problem = "expected a number of bytes as " + key.str() + ", found '" +
                  value.str() + "'";
        return {};
      }
      if (key == "offset") {
        offset = number;
      } else if (number != length) {
        problem = "expected external data of " + std::to_string(length) +
                  " bytes, found a length of " + std::to_string(number);
        return {};
      }
    }
  }
  auto file = map(location, problem);
  if (!file)
    return {};
  uint64_t size = file->getBufferSize();
  if (offset > size || length > size - offset) {
    problem = "expected " + std::to_string(length) + " bytes from byte " +
              std::to_string(offset) + " on in '" + location.str() +
              "', found a file of " + std::to_string(size) + " bytes";
    return {};
  }
  ArrayRef<char> bytes(file->getBufferStart() + offset, length);
  return fromBytes(bytes, type, tensor.name, std::move(file));
}

Attribute Elements::makeStrings(const TensorProto &tensor,
                                RankedTensorType type) {
  return DenseStringElementsAttr::get(type, tensor.strings);
}

Attribute Elements::make(const TensorProto &tensor, std::string &problem) {
  Type element = elementType(context, tensor.dataType);
  if (!element || isa<ComplexType>(element)) {
    problem =
        "unsupported: elements of data type " + std::to_string(tensor.dataType);
    return {};
  }
  int64_t count = 1;
  for (int64_t size : tensor.dims)
    if (size < 0 || llvm::MulOverflow(count, size, count) ||
        count > int64_t(1) << 46) {
      problem =
          "expected sizes of a tensor that memory can hold, found one of " +
          std::to_string(size);
      return {};
    }
  auto type = RankedTensorType::get(tensor.dims, element);
  if (tensor.dataType == typeString) {
    if (tensor.strings.size() != size_t(count)) {
      problem = "expected " + std::to_string(count) + " texts, found " +
                std::to_string(tensor.strings.size());
      return {};
    }
    return makeStrings(tensor, type);
  }
  if (tensor.isExternal)
    return external(tensor, type, problem);
  std::string collected;
  StringRef bytes;
  if (tensor.raw) {
    bytes = *tensor.raw;
    if (bytes.size() != size_t(bytesOf(element, count))) {
      problem = "expected " + std::to_string(bytesOf(element, count)) +
                " bytes of elements, found " + std::to_string(bytes.size());
      return {};
    }
  } else {
    if (!collect(tensor, count, collected, problem))
      return {};
    bytes = collected;
  }
  return fromBytes(ArrayRef<char>(bytes.data(), bytes.size()), type,
                   tensor.name, nullptr);
}
