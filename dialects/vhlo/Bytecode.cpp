//===- Bytecode.cpp - types and attributes in portable artifacts ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Dialect/Stablehlo/Stablehlo.h"
#include "kiln/Dialect/Vhlo/Vhlo.h"

#include "mlir/Bytecode/BytecodeImplementation.h"

using namespace mlir;
using namespace kiln;

namespace {

/// What the format calls each attribute and type.
enum AttributeCode : uint64_t {
  kArray = 1,
  kBoolean = 2,
  kComparisonDirection = 3,
  kComparisonType = 4,
  kCustomCallApiVersion = 5,
  kDictionary = 6,
  kFftType = 7,
  kFloat = 8,
  kInteger = 9,
  kOutputOperandAlias = 10,
  kPrecision = 11,
  kRngAlgorithm = 12,
  kRngDistribution = 13,
  kString = 14,
  kTensor = 15,
  kTranspose = 16,
  kType = 17,
  kTypeExtensions = 18,
  kResultAccuracyMode = 19,
  kResultAccuracy = 20,
};

enum TypeCode : uint64_t {
  kComplexType = 1,
  kFunctionType = 8,
  kRankedTensor = 20,
  kRankedTensorWithEncoding = 21,
  kTupleType = 23,
  kFutureType = 42,
};

struct BytecodeInterface : BytecodeDialectInterface {
  explicit BytecodeInterface(Dialect *dialect)
      : BytecodeDialectInterface(dialect) {}

  Attribute readAttribute(DialectBytecodeReader &reader) const override;
  Type readType(DialectBytecodeReader &reader) const override;

private:
  Attribute readDictionary(DialectBytecodeReader &reader) const;
  Attribute readNumber(DialectBytecodeReader &reader, bool isFloat) const;
  Attribute readTensor(DialectBytecodeReader &reader) const;
  Attribute readAlias(DialectBytecodeReader &reader) const;
  Attribute readAccuracy(DialectBytecodeReader &reader) const;
  Attribute readEnum(DialectBytecodeReader &reader, uint64_t code) const;
  Type simpleType(uint64_t code) const;
};

} // namespace

Attribute
BytecodeInterface::readDictionary(DialectBytecodeReader &reader) const {
  SmallVector<std::pair<Attribute, Attribute>> entries;
  auto entry = [&]() -> FailureOr<std::pair<Attribute, Attribute>> {
    Attribute name, value;
    if (failed(reader.readAttribute(name)) ||
        failed(reader.readAttribute(value)))
      return failure();
    return std::pair(name, value);
  };
  if (failed(reader.readList(entries, entry)))
    return {};
  NamedAttrList list;
  for (auto [name, value] : entries) {
    auto text = dyn_cast_or_null<StringAttr>(name);
    if (!text || text.empty() || list.get(text)) {
      reader.emitError("expected distinct names in a dictionary");
      return {};
    }
    list.append(text, value);
  }
  return list.getDictionary(getContext());
}

Attribute BytecodeInterface::readNumber(DialectBytecodeReader &reader,
                                        bool isFloat) const {
  Type type;
  if (failed(reader.readType(type)))
    return {};
  if (isFloat) {
    auto real = dyn_cast<FloatType>(type);
    if (!real)
      return reader.emitError("expected a type of floats"), Attribute();
    auto value = reader.readAPFloatWithKnownSemantics(real.getFloatSemantics());
    return failed(value) ? Attribute() : FloatAttr::get(real, *value);
  }
  if (!type.isIntOrIndex())
    return reader.emitError("expected a type of integers"), Attribute();
  unsigned width = type.isIndex() ? IndexType::kInternalStorageBitWidth
                                  : type.getIntOrFloatBitWidth();
  auto value = reader.readAPIntWithKnownWidth(width);
  return failed(value) ? Attribute() : IntegerAttr::get(type, *value);
}

/// Elements as they lie in memory; truth values as bits, as bytes, or as one
/// byte for all of them.
Attribute BytecodeInterface::readTensor(DialectBytecodeReader &reader) const {
  Type read;
  ArrayRef<char> blob;
  if (failed(reader.readType(read)) || failed(reader.readBlob(blob)))
    return {};
  auto type = dyn_cast<RankedTensorType>(read);
  if (!type || !type.hasStaticShape())
    return reader.emitError("expected a tensor type of static shape"),
           Attribute();
  if (!type.getElementType().isInteger(1)) {
    bool splat = false;
    if (!DenseElementsAttr::isValidRawBuffer(type, blob, splat))
      return reader.emitError("expected as many bytes as the type has"),
             Attribute();
    return DenseElementsAttr::getFromRawBuffer(type, blob);
  }
  size_t count = type.getNumElements(), packed = (count + 7) / 8;
  if (blob.size() == 1 && (uint8_t(blob[0]) == 0xFF || count > 8))
    return DenseElementsAttr::get(type, ArrayRef<bool>{blob[0] != 0});
  SmallVector<bool> values(count);
  if (blob.size() == packed && packed != count) {
    for (size_t i = 0; i < count; ++i)
      values[i] = (blob[i / 8] >> (i % 8)) & 1;
  } else if (blob.size() == count) {
    for (size_t i = 0; i < count; ++i)
      values[i] = blob[i] != 0;
  } else {
    return reader.emitError("expected as many bytes as the type has"),
           Attribute();
  }
  return DenseElementsAttr::get(type, ArrayRef<bool>(values));
}

Attribute BytecodeInterface::readAlias(DialectBytecodeReader &reader) const {
  SmallVector<int64_t> output, operand;
  int64_t index;
  if (failed(reader.readSignedVarInts(output)) ||
      failed(reader.readSignedVarInt(index)) ||
      failed(reader.readSignedVarInts(operand)))
    return {};
  return stablehlo::OutputOperandAliasAttr::get(getContext(), output, index,
                                                operand);
}

Attribute BytecodeInterface::readAccuracy(DialectBytecodeReader &reader) const {
  const llvm::fltSemantics &real = APFloat::IEEEdouble();
  auto atol = reader.readAPFloatWithKnownSemantics(real);
  if (failed(atol))
    return {};
  auto rtol = reader.readAPFloatWithKnownSemantics(real);
  int64_t ulps;
  Attribute mode;
  if (failed(rtol) || failed(reader.readSignedVarInt(ulps)) ||
      failed(reader.readAttribute(mode)))
    return {};
  auto known = dyn_cast_or_null<stablehlo::ResultAccuracyModeAttr>(mode);
  if (!known)
    return reader.emitError("expected a mode of accuracy"), Attribute();
  Builder b(getContext());
  return stablehlo::ResultAccuracyAttr::get(
      getContext(), FloatAttr::get(b.getF64Type(), *atol),
      FloatAttr::get(b.getF64Type(), *rtol), ulps, known);
}

Attribute BytecodeInterface::readEnum(DialectBytecodeReader &reader,
                                      uint64_t code) const {
  uint64_t value;
  if (failed(reader.readVarInt(value)))
    return {};
  MLIRContext *context = getContext();
  auto make = [&](auto symbol, auto attr) -> Attribute {
    if (!symbol)
      return reader.emitError("unknown enumerator ") << value, Attribute();
    return decltype(attr)::get(context, *symbol);
  };
  using namespace stablehlo;
  switch (code) {
  case kComparisonDirection:
    return make(symbolizeComparisonDirection(value), ComparisonDirectionAttr());
  case kComparisonType:
    return make(symbolizeComparisonType(value), ComparisonTypeAttr());
  case kFftType:
    return make(symbolizeFftType(value), FftTypeAttr());
  case kPrecision:
    return make(symbolizePrecision(value), PrecisionAttr());
  case kRngAlgorithm:
    return make(symbolizeRngAlgorithm(value), RngAlgorithmAttr());
  case kRngDistribution:
    return make(symbolizeRngDistribution(value), RngDistributionAttr());
  case kTranspose:
    return make(symbolizeTranspose(value), TransposeAttr());
  case kResultAccuracyMode:
    return make(symbolizeResultAccuracyMode(value), ResultAccuracyModeAttr());
  default:
    return Builder(context).getI32IntegerAttr(value);
  }
}

Attribute
BytecodeInterface::readAttribute(DialectBytecodeReader &reader) const {
  uint64_t code;
  if (failed(reader.readVarInt(code)))
    return {};
  Builder b(getContext());
  switch (code) {
  case kArray: {
    SmallVector<Attribute> elements;
    if (failed(reader.readAttributes(elements)))
      return {};
    return b.getArrayAttr(elements);
  }
  case kBoolean: {
    uint64_t value;
    if (failed(reader.readVarInt(value)))
      return {};
    return b.getBoolAttr(value != 0);
  }
  case kDictionary:
    return readDictionary(reader);
  case kFloat:
  case kInteger:
    return readNumber(reader, code == kFloat);
  case kString: {
    StringRef text;
    if (failed(reader.readString(text)))
      return {};
    return b.getStringAttr(text);
  }
  case kTensor:
    return readTensor(reader);
  case kType: {
    Type type;
    if (failed(reader.readType(type)))
      return {};
    return TypeAttr::get(type);
  }
  case kTypeExtensions: {
    SmallVector<int64_t> bounds;
    if (failed(reader.readSignedVarInts(bounds)))
      return {};
    return stablehlo::TypeExtensionsAttr::get(getContext(), bounds);
  }
  case kOutputOperandAlias:
    return readAlias(reader);
  case kResultAccuracy:
    return readAccuracy(reader);
  case kComparisonDirection:
  case kComparisonType:
  case kCustomCallApiVersion:
  case kFftType:
  case kPrecision:
  case kRngAlgorithm:
  case kRngDistribution:
  case kTranspose:
  case kResultAccuracyMode:
    return readEnum(reader, code);
  default:
    reader.emitError("unsupported: attribute ") << code << " of vhlo";
    return {};
  }
}

Type BytecodeInterface::simpleType(uint64_t code) const {
  MLIRContext *c = getContext();
  auto integer = [&](unsigned width, bool isUnsigned = false) -> Type {
    return IntegerType::get(
        c, width, isUnsigned ? IntegerType::Unsigned : IntegerType::Signless);
  };
  switch (code) {
  case 0:
    return integer(1);
  case 2:
    return BFloat16Type::get(c);
  case 3:
    return Float16Type::get(c);
  case 4:
    return Float32Type::get(c);
  case 5:
    return Float64Type::get(c);
  case 6:
    return Float8E4M3FNType::get(c);
  case 7:
    return Float8E5M2Type::get(c);
  case 9:
    return IndexType::get(c);
  case 10:
    return integer(4);
  case 11:
    return integer(8);
  case 12:
    return integer(16);
  case 13:
    return integer(32);
  case 14:
    return integer(64);
  case 15:
    return integer(4, true);
  case 16:
    return integer(8, true);
  case 17:
    return integer(16, true);
  case 18:
    return integer(32, true);
  case 19:
    return integer(64, true);
  case 22:
    return stablehlo::TokenType::get(c);
  case 27:
    return Float8E4M3FNUZType::get(c);
  case 28:
    return Float8E5M2FNUZType::get(c);
  case 29:
    return Float8E4M3B11FNUZType::get(c);
  case 31:
    return integer(2);
  case 32:
    return integer(2, true);
  case 33:
    return NoneType::get(c);
  case 34:
    return FloatTF32Type::get(c);
  case 35:
    return Float8E4M3Type::get(c);
  case 36:
    return Float8E3M4Type::get(c);
  case 37:
    return Float4E2M1FNType::get(c);
  case 38:
    return Float6E2M3FNType::get(c);
  case 39:
    return Float6E3M2FNType::get(c);
  case 40:
    return Float8E8M0FNUType::get(c);
  default:
    return {};
  }
}

Type BytecodeInterface::readType(DialectBytecodeReader &reader) const {
  uint64_t code;
  if (failed(reader.readVarInt(code)))
    return {};
  switch (code) {
  case kComplexType: {
    Type element;
    if (failed(reader.readType(element)))
      return {};
    if (!isa<FloatType>(element))
      return reader.emitError("expected complex numbers of floats"), Type();
    return ComplexType::get(element);
  }
  case kFunctionType: {
    SmallVector<Type> inputs, outputs;
    if (failed(reader.readTypes(inputs)) || failed(reader.readTypes(outputs)))
      return {};
    return FunctionType::get(getContext(), inputs, outputs);
  }
  case kRankedTensor:
  case kRankedTensorWithEncoding: {
    Attribute encoding;
    SmallVector<int64_t> shape;
    Type element;
    if ((code == kRankedTensorWithEncoding &&
         failed(reader.readAttribute(encoding))) ||
        failed(reader.readSignedVarInts(shape)) ||
        failed(reader.readType(element)))
      return {};
    for (int64_t size : shape)
      if (size < 0 && !ShapedType::isDynamic(size))
        return reader.emitError("expected sizes of 0 and more"), Type();
    if (!RankedTensorType::isValidElementType(element))
      return reader.emitError("expected elements that tensors can have"),
             Type();
    return RankedTensorType::get(shape, element, encoding);
  }
  case kTupleType:
  case kFutureType: {
    SmallVector<Type> types;
    if (failed(reader.readTypes(types)))
      return {};
    if (code == kFutureType)
      return stablehlo::FutureType::get(getContext(), types);
    return TupleType::get(getContext(), types);
  }
  default:
    if (Type type = simpleType(code))
      return type;
    reader.emitError("unsupported: type ") << code << " of vhlo";
    return {};
  }
}

void vhlo::addBytecodeInterface(VhloDialect &dialect) {
  dialect.addInterfaces<BytecodeInterface>();
}
