//===- Constants.cpp - The constants of a package -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "HostProgram.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::driver;

/// Constants expand to at most this many bytes each.
static constexpr int64_t kMaxBytes = int64_t(1) << 36;

runtime::DType kiln::driver::dtypeOf(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return runtime::parseDType(text);
}

/// Puts one element's bits into memory.
static void putBits(const APInt &bits, bool isSigned, int64_t width,
                    uint8_t *out) {
  APInt wide =
      isSigned ? bits.sextOrTrunc(width * 8) : bits.zextOrTrunc(width * 8);
  for (int64_t i = 0; i < width; ++i)
    out[i] = wide.extractBitsAsZExtValue(8, i * 8);
}

/// Whether one element says all, and there are several.
static bool isSplat(ElementsAttr value) {
  auto dense = dyn_cast<DenseElementsAttr>(value);
  return dense && dense.isSplat() && dense.getNumElements() > 1;
}

/// The elements in row-major order, each in the runtime's width; of a splat the
/// one.
static std::optional<std::vector<uint8_t>> toBytes(ElementsAttr value,
                                                   runtime::DType dtype) {
  int64_t width = runtime::dtypeBytes(dtype);
  int64_t count = isSplat(value) ? 1 : value.getNumElements();
  Type element = value.getElementType();
  if (count > kMaxBytes / width)
    return std::nullopt;
  std::vector<uint8_t> bytes(count * width);
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(value)) {
    AsmResourceBlob *blob = resource.getRawHandle().getBlob();
    if (!blob || static_cast<int64_t>(blob->getData().size()) != count * width)
      return std::nullopt;
    std::memcpy(bytes.data(), blob->getData().data(), bytes.size());
    return bytes;
  }
  auto dense = dyn_cast<DenseElementsAttr>(value);
  if (!dense)
    return std::nullopt;
  ArrayRef<char> raw = dense.getRawData();
  if (!dense.isSplat() && !element.isInteger(1) &&
      static_cast<int64_t>(raw.size()) == count * width) {
    std::memcpy(bytes.data(), raw.data(), bytes.size());
    return bytes;
  }
  bool isSigned = isa<IntegerType>(element) && !element.isInteger(1) &&
                  !element.isUnsignedInteger();
  auto put = [&](const APInt &bits, int64_t index) {
    putBits(bits, isSigned, width, bytes.data() + index * width);
  };
  int64_t index = 0;
  if (isa<FloatType>(element)) {
    if (dense.isSplat()) {
      APInt bits = dense.getSplatValue<APFloat>().bitcastToAPInt();
      for (; index < count; ++index)
        put(bits, index);
    } else {
      for (const APFloat &number : dense.getValues<APFloat>())
        put(number.bitcastToAPInt(), index++);
    }
    return bytes;
  }
  if (!element.isIntOrIndex())
    return std::nullopt;
  if (dense.isSplat()) {
    APInt bits = dense.getSplatValue<APInt>();
    for (; index < count; ++index)
      put(bits, index);
  } else {
    for (const APInt &bits : dense.getValues<APInt>())
      put(bits, index++);
  }
  return bytes;
}

FailureOr<std::string> ConstantPool::add(ElementsAttr value, Operation *op) {
  auto known = names.find(value);
  if (known != names.end())
    return known->second;
  runtime::DType dtype = dtypeOf(value.getElementType());
  if (dtype == runtime::DType::none)
    return op->emitError() << "unsupported: a constant with elements of type "
                           << value.getElementType();
  std::optional<std::vector<uint8_t>> bytes = toBytes(value, dtype);
  if (!bytes)
    return op->emitError()
           << "unsupported: a constant of type " << value.getShapedType()
           << " whose bytes are not in the module, do not fit its type or "
              "are more than 64 GiB";
  runtime::Constant constant;
  constant.name = "c" + std::to_string(constants.size());
  constant.dtype = dtype;
  ArrayRef<int64_t> shape = value.getShapedType().getShape();
  constant.shape.assign(shape.begin(), shape.end());
  constant.bytes = runtime::Blob::own(std::move(*bytes));
  constant.isSplat = isSplat(value);
  names[value] = constant.name;
  constants.push_back(std::move(constant));
  return constants.back().name;
}
