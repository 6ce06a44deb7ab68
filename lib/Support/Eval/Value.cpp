// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Values: scalars, tensors and views at evaluation.
#include "kiln/Eval/Value.h"
#include "kiln/Eval/Elements.h"
#include "kiln/Eval/Marks.h"
#include "mlir/IR/BuiltinDialect.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include <cstdlib>
#include <cstring>

using namespace mlir;

namespace kiln::eval {

/// What a view or a pointer of whichever dialect leads to: the one type that it
/// contains. Null for other types.
static mlir::Type pointee(mlir::Type type) {
  if (isa<BuiltinDialect>(type.getDialect()))
    return {};
  mlir::Type found;
  type.walkImmediateSubElements(
      [](Attribute) {}, [&](mlir::Type contained) { found = contained; });
  return found;
}

DType dtypeOf(mlir::Type type) {
  if (auto shaped = dyn_cast<ShapedType>(type)) {
    type = shaped.getElementType();
    // Tiles of pointers hold addresses.
    if (pointee(type))
      return DType::i64;
  } else if (mlir::Type element = pointee(type)) {
    type = element;
  }
  if (type.isIndex())
    return DType::index;
  if (auto integer = dyn_cast<IntegerType>(type)) {
    bool isUnsigned = integer.isUnsigned();
    switch (integer.getWidth()) {
    case 1:
      return DType::i1;
    case 4:
      return isUnsigned ? DType::none : DType::i4;
    case 8:
      return isUnsigned ? DType::u8 : DType::i8;
    case 16:
      return isUnsigned ? DType::u16 : DType::i16;
    case 32:
      return isUnsigned ? DType::u32 : DType::i32;
    case 48:
      return isUnsigned ? DType::none : DType::i48;
    case 64:
      return isUnsigned ? DType::u64 : DType::i64;
    default:
      return DType::none;
    }
  }
  if (isa<Float16Type>(type))
    return DType::f16;
  if (isa<BFloat16Type>(type))
    return DType::bf16;
  if (isa<Float32Type>(type))
    return DType::f32;
  if (isa<Float64Type>(type))
    return DType::f64;
  if (isa<Float8E4M3FNType>(type))
    return DType::f8E4M3FN;
  if (isa<Float8E5M2Type>(type))
    return DType::f8E5M2;
  if (isa<Float8E4M3FNUZType>(type))
    return DType::f8E4M3FNUZ;
  if (isa<Float8E5M2FNUZType>(type))
    return DType::f8E5M2FNUZ;
  if (isa<Float8E4M3B11FNUZType>(type))
    return DType::f8E4M3B11FNUZ;
  if (isa<Float8E4M3Type>(type))
    return DType::f8E4M3;
  if (isa<Float8E3M4Type>(type))
    return DType::f8E3M4;
  if (isa<Float8E8M0FNUType>(type))
    return DType::f8E8M0FNU;
  if (isa<Float6E2M3FNType>(type))
    return DType::f6E2M3FN;
  if (isa<Float6E3M2FNType>(type))
    return DType::f6E3M2FN;
  if (isa<Float4E2M1FNType>(type))
    return DType::f4E2M1FN;
  return DType::none;
}

int64_t countElements(ArrayRef<int64_t> shape) {
  int64_t count = 1;
  for (int64_t size : shape)
    count *= size;
  return count;
}

SmallVector<int64_t, 4> rowMajorStrides(ArrayRef<int64_t> shape) {
  SmallVector<int64_t, 4> strides(shape.size(), 1);
  for (int64_t d = static_cast<int64_t>(shape.size()) - 2; d >= 0; --d)
    strides[d] = strides[d + 1] * shape[d + 1];
  return strides;
}

Value Value::tensor(DType dtype, ArrayRef<int64_t> shape) {
  Value value;
  value.kind = Kind::tensor;
  value.type = dtype;
  value.dims.assign(shape.begin(), shape.end());
  value.count = countElements(shape);
  size_t bytes = static_cast<size_t>(value.bytes());
  // Room behind the end lets loops over chunks read whole vectors.
  void *memory = std::aligned_alloc(64, (bytes + 127) / 64 * 64);
  if (!memory)
    throw std::bad_alloc();
  value.storage = std::shared_ptr<void>(memory, std::free);
  return value;
}

Value Value::borrow(DType dtype, ArrayRef<int64_t> shape, const void *data) {
  Value value;
  value.kind = Kind::tensor;
  value.type = dtype;
  value.dims.assign(shape.begin(), shape.end());
  value.count = countElements(shape);
  value.storage =
      std::shared_ptr<void>(std::shared_ptr<void>(), const_cast<void *>(data));
  return value;
}

Value Value::scalar(DType dtype) {
  Value value;
  value.kind = Kind::scalar;
  value.type = dtype;
  value.count = 1;
  return value;
}

Value Value::ofInt(DType dtype, int64_t number) {
  Value value = scalar(dtype);
  storeInts(dtype, value.mutableData(), 0, 1, &number);
  return value;
}

Value Value::ofDouble(DType dtype, double number) {
  Value value = scalar(dtype);
  storeDoubles(dtype, value.mutableData(), 0, 1, &number);
  return value;
}

Value Value::ofView(View view) {
  Value value;
  value.kind = Kind::view;
  value.type = view.dtype;
  value.count = 1; // of poison
  value.window = std::make_shared<View>(std::move(view));
  return value;
}

Value Value::like(mlir::Type type, ArrayRef<int64_t> sizes) {
  DType dtype = dtypeOf(type);
  auto shaped = dyn_cast<ShapedType>(type);
  if (!shaped)
    return scalar(dtype);
  SmallVector<int64_t, 4> shape;
  for (int64_t size : shaped.getShape()) {
    if (ShapedType::isDynamic(size)) {
      size = sizes.empty() ? 0 : sizes.front();
      sizes = sizes.drop_front(sizes.empty() ? 0 : 1);
    }
    shape.push_back(size);
  }
  return tensor(dtype, shape);
}

int64_t Value::asInt() const {
  int64_t result;
  loadInts(type, data(), 0, 1, &result);
  return result;
}

double Value::asDouble() const {
  double result;
  loadDoubles(type, data(), 0, 1, &result);
  return result;
}

Value Value::reshaped(ArrayRef<int64_t> shape) const {
  Value value = *this;
  value.dims.assign(shape.begin(), shape.end());
  return value;
}

Value Value::element(int64_t index) const {
  Value value = scalar(type);
  int64_t width = runtime::dtypeBytes(type);
  std::memcpy(value.mutableData(), as<char>() + index * width, width);
  if (poisoned && ((*poisoned)[index] & kPoison))
    value.makePoison()[0] = kPoison;
  return value;
}

uint8_t *Value::makePoison() {
  if (!poisoned)
    poisoned = std::make_shared<std::vector<uint8_t>>(count);
  else if (poisoned.use_count() > 1)
    poisoned = std::make_shared<std::vector<uint8_t>>(*poisoned);
  return poisoned->data();
}

/// Whether the raw bytes of an attribute can be used where they lie.
static bool isRaw(DType dtype) {
  return dtype != DType::i1 && dtype != DType::i4;
}

static void storeAttribute(DType dtype, void *data, int64_t index,
                           const APInt &bits) {
  int64_t number =
      bits.getBitWidth() == 1
          ? bits.getZExtValue()
          : bits.trunc(std::min(64u, bits.getBitWidth())).getSExtValue();
  std::memcpy(static_cast<char *>(data) + index * runtime::dtypeBytes(dtype),
              &number, runtime::dtypeBytes(dtype));
}

static Value elementsValue(ElementsAttr attr, DType dtype) {
  ArrayRef<int64_t> shape = attr.getShapedType().getShape();
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(attr)) {
    AsmResourceBlob *blob = resource.getRawHandle().getBlob();
    int64_t count = countElements(shape);
    if (!blob)
      return Value();
    ArrayRef<char> bytes = blob->getData();
    int64_t width = runtime::dtypeBytes(dtype);
    if (static_cast<int64_t>(bytes.size()) == count * width) {
      if (reinterpret_cast<uintptr_t>(bytes.data()) % width == 0)
        return Value::borrow(dtype, shape, bytes.data());
      Value value = Value::tensor(dtype, shape);
      std::memcpy(value.mutableData(), bytes.data(), bytes.size());
      return value;
    }
    if (dtype == DType::i1 &&
        static_cast<int64_t>(bytes.size()) == (count + 7) / 8) {
      Value value = Value::tensor(dtype, shape);
      for (int64_t i = 0; i < count; ++i)
        value.as<uint8_t>()[i] = (bytes[i / 8] >> (i % 8)) & 1;
      return value;
    }
    return Value();
  }
  auto dense = dyn_cast<DenseElementsAttr>(attr);
  if (!dense)
    return Value();
  if (dense.isSplat()) {
    Value value = Value::tensor(dtype, shape);
    Value scalar = Value::scalar(dtype);
    if (isa<FloatType>(dense.getElementType()))
      storeAttribute(dtype, scalar.mutableData(), 0,
                     dense.getSplatValue<APFloat>().bitcastToAPInt());
    else
      storeAttribute(dtype, scalar.mutableData(), 0,
                     dense.getSplatValue<APInt>());
    fill(value, scalar);
    return value;
  }
  ArrayRef<char> raw;
  if (isRaw(dtype) && isa<DenseIntOrFPElementsAttr>(dense))
    raw = dense.getRawData();
  if (static_cast<int64_t>(raw.size()) ==
          countElements(shape) * runtime::dtypeBytes(dtype) &&
      reinterpret_cast<uintptr_t>(raw.data()) % runtime::dtypeBytes(dtype) == 0)
    return Value::borrow(dtype, shape, raw.data());
  Value value = Value::tensor(dtype, shape);
  int64_t index = 0;
  if (isa<FloatType>(dense.getElementType())) {
    for (const APFloat &element : dense.getValues<APFloat>())
      storeAttribute(dtype, value.mutableData(), index++,
                     element.bitcastToAPInt());
  } else {
    for (const APInt &element : dense.getValues<APInt>())
      storeAttribute(dtype, value.mutableData(), index++, element);
  }
  return value;
}

Value constantValue(Attribute attr) {
  auto typed = dyn_cast<TypedAttr>(attr);
  if (!typed)
    return Value();
  DType dtype = dtypeOf(typed.getType());
  if (dtype == DType::none)
    return Value();
  if (auto elements = dyn_cast<ElementsAttr>(attr))
    return elements.getShapedType().hasStaticShape()
               ? elementsValue(elements, dtype)
               : Value();
  Value value = Value::scalar(dtype);
  if (auto number = dyn_cast<FloatAttr>(attr))
    storeAttribute(dtype, value.mutableData(), 0,
                   number.getValue().bitcastToAPInt());
  else if (auto number = dyn_cast<IntegerAttr>(attr))
    storeAttribute(dtype, value.mutableData(), 0, number.getValue());
  else
    return Value();
  return value;
}

} // namespace kiln::eval
