//===- SemanticsValues.cpp - Arguments of entries -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "SemanticsValues.h"
#include "kiln/Dialect/Kiln/Attributes.h"
#include "kiln/Dialect/Simt/SimtDialect.h"
#include "kiln/Dialect/Simt/ThreadCode.h"
#include "kiln/Dialect/Tile/Facts.h"
#include "kiln/Dialect/Tile/Kernel.h"
#include "kiln/Dialect/Tile/TileDialect.h"
#include "kiln/Eval/Elements.h"
#include "kiln/Runtime/Npy.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>
#include <cstring>
#include <random>

using namespace mlir;
using namespace kiln;
using namespace kiln::driver;
using Evaluated = eval::Value;

/// What a pointer points to.
static constexpr int64_t kPointerElements = 1 << 16;
/// More bytes of one argument are not worth the time.
static constexpr int64_t kMostBytes = int64_t(1) << 30;

static SmallVector<int64_t> sizesOf(ArrayRef<int64_t> shape, int64_t size) {
  SmallVector<int64_t> sizes(shape);
  llvm::replace(sizes, ShapedType::kDynamic, size);
  return sizes;
}

namespace {
/// Invents elements that keep to what an argument demands.
class Inventor {
public:
  Inventor(FunctionOpInterface entry, int64_t size)
      : entry(entry), size(size) {}

  std::optional<Arguments> run() {
    std::optional<SmallVector<Type>> types = parametersOf(entry);
    if (!types)
      return std::nullopt;
    bool isKernel = isa<tile::Kernel, LLVM::LLVMFuncOp>(entry.getOperation());
    for (auto [i, type] : llvm::enumerate(*types)) {
      // Thread code has other parameters, which demand nothing.
      if (!isa<LLVM::LLVMFuncOp>(entry)) {
        domain = target::getArgumentEntry<StringAttr>(entry, i,
                                                      target::kDomainEntry);
        range = target::getArgumentEntry<DenseI64ArrayAttr>(
            entry, i, target::kRangeEntry);
        sizeDivs =
            tile::getFact<DenseI64ArrayAttr>(entry, i, tile::kSizeDivFact);
        strideDivs =
            tile::getFact<DenseI64ArrayAttr>(entry, i, tile::kStrideDivFact);
        divisor = tile::getFact<IntegerAttr>(entry, i, tile::kDivisibilityFact);
      }
      if (!(isKernel ? addMemory(type) : addTensor(type)) && !addScalar(type))
        return std::nullopt;
    }
    return std::move(arguments);
  }

private:
  bool addTensor(Type type) {
    auto shaped = dyn_cast<ShapedType>(type);
    if (!isa<RankedTensorType, MemRefType>(type) ||
        eval::dtypeOf(type) == eval::DType::none)
      return false;
    Given given;
    given.kind = Given::Tensor;
    auto sizes = sizesOf(shaped.getShape(), size);
    if (!fits(eval::dtypeOf(type), eval::countElements(sizes)))
      return false;
    given.value = make(eval::dtypeOf(type), sizes);
    arguments.list.push_back(std::move(given));
    return true;
  }

  bool addMemory(Type type) {
    Given given;
    given.kind = Given::Memory;
    Type element;
    int64_t count = 1;
    if (auto view = dyn_cast<tile::ViewType>(type)) {
      element = view.getElementType();
      auto sizes = sizesOf(view.getShape(), size);
      for (auto [d, extent] : llvm::enumerate(sizes))
        if (ShapedType::isDynamic(view.getShape()[d]))
          extent = roundUp(extent, sizeDivs, d);
      given.sizes.assign(sizes.begin(), sizes.end());
      given.strides.assign(sizes.size(), 1);
      // Neighbours along the dimension that is known to have stride 1 follow
      // each other, else along the last.
      SmallVector<size_t> order;
      for (size_t d = sizes.size(); d-- > 0;)
        if (!view.getStrides().empty() && view.getStrides()[d] == 1)
          order.insert(order.begin(), d);
        else
          order.push_back(d);
      int64_t next = 1;
      for (auto [i, d] : llvm::enumerate(order)) {
        int64_t known = view.getStrides().empty() ? ShapedType::kDynamic
                                                  : view.getStrides()[d];
        given.strides[d] =
            !ShapedType::isDynamic(known)
                ? known
                : roundUp(next, i ? strideDivs : DenseI64ArrayAttr(), d);
        next = given.strides[d] * sizes[d];
      }
    } else if (auto pointer = dyn_cast<tile::PtrType>(type)) {
      element = pointer.getElementType();
      count = kPointerElements;
    } else {
      return false;
    }
    given.dtype = eval::dtypeOf(element);
    for (auto [extent, stride] : llvm::zip(given.sizes, given.strides)) {
      if (stride < 0)
        return false;
      count += std::max<int64_t>(extent - 1, 0) * stride;
    }
    if (given.dtype == eval::DType::none || !fits(given.dtype, count))
      return false;
    Evaluated contents = make(given.dtype, count);
    auto buffer = std::make_shared<eval::Buffer>(contents.bytes());
    std::memcpy(buffer->data(), contents.data(), contents.bytes());
    buffer->markWritten(0, buffer->bytes);
    given.storage = arguments.storages.size();
    arguments.storages.push_back(std::move(buffer));
    arguments.list.push_back(std::move(given));
    return true;
  }

  bool addScalar(Type type) {
    runtime::DType dtype = eval::dtypeOf(type);
    if (isa<ShapedType>(type) || dtype == eval::DType::none)
      return false;
    Given given;
    int64_t number = size;
    if (divisor && divisor.getInt() > 0)
      number =
          int64_t(llvm::alignTo(uint64_t(size), uint64_t(divisor.getInt())));
    given.value = runtime::isFloat(dtype) ? Evaluated::ofDouble(dtype, 1.5)
                                          : Evaluated::ofInt(dtype, number);
    arguments.list.push_back(std::move(given));
    return true;
  }

  /// A size or stride that keeps to what the kernel is told of it.
  static int64_t roundUp(int64_t extent, DenseI64ArrayAttr divisors, size_t d) {
    int64_t by = divisors && d < size_t(divisors.size()) ? divisors[d] : 1;
    return by > 1 ? int64_t(llvm::alignTo(uint64_t(extent), uint64_t(by)))
                  : extent;
  }

  static bool fits(runtime::DType dtype, int64_t count) {
    return count <= kMostBytes / std::max(1, int(runtime::dtypeBytes(dtype)));
  }

  Evaluated make(runtime::DType dtype, ArrayRef<int64_t> shape) {
    Evaluated value = Evaluated::tensor(dtype, shape);
    StringRef wanted = domain ? domain.getValue() : "";
    // Small, so that they may be indices.
    int64_t low = 0, high = 7;
    if (range && range.size() == 2) {
      low = range[0];
      high = std::min(range[1], low + 7);
    }
    if (wanted == "nonzero" || wanted == "positive")
      low = std::max<int64_t>(low, 1);
    std::uniform_real_distribution<double> reals(-2, 2);
    std::uniform_int_distribution<int64_t> integers(low, std::max(low, high));
    for (int64_t i = 0; i < value.size(); ++i) {
      if (runtime::isFloat(dtype)) {
        double x = reals(generator);
        if (wanted == "nonnegative" || wanted == "positive")
          x = std::fabs(x);
        if (wanted == "nonzero" || wanted == "positive")
          x += x < 0 ? -0.25 : 0.25;
        eval::storeDoubles(dtype, value.mutableData(), i, 1, &x);
      } else {
        int64_t x = integers(generator);
        eval::storeInts(dtype, value.mutableData(), i, 1, &x);
      }
    }
    return value;
  }

  FunctionOpInterface entry;
  int64_t size;
  Arguments arguments;
  std::mt19937_64 generator{42};
  StringAttr domain;
  DenseI64ArrayAttr range, sizeDivs, strideDivs;
  IntegerAttr divisor;
};
} // namespace

bool kiln::driver::isThreadCode(Operation *op) {
  return isa<LLVM::LLVMFuncOp>(op) && simt::getKernelParameters(op);
}

std::optional<SmallVector<Type>>
kiln::driver::parametersOf(FunctionOpInterface entry) {
  if (!isa<LLVM::LLVMFuncOp>(entry.getOperation()))
    return SmallVector<Type>(entry.getArgumentTypes());
  return simt::getKernelParameters(entry);
}

std::optional<Arguments>
kiln::driver::inventArguments(FunctionOpInterface entry, int64_t size) {
  return Inventor(entry, size).run();
}

static std::shared_ptr<eval::Buffer> copyOf(const eval::Buffer &buffer) {
  auto copy = std::make_shared<eval::Buffer>(buffer.bytes);
  std::memcpy(copy->data(), buffer.data(), buffer.bytes);
  copy->name = buffer.name;
  const uint8_t *written = buffer.written();
  for (int64_t i = 0; i < buffer.bytes;) {
    int64_t begin = i;
    bool is = !written || written[i];
    while (i < buffer.bytes && (!written || bool(written[i]) == is))
      ++i;
    if (is)
      copy->markWritten(begin, i);
  }
  return copy;
}

Arguments kiln::driver::captureArguments(ArrayRef<Evaluated> values,
                                         std::array<int64_t, 3> grid) {
  Arguments result;
  result.grid = grid;
  llvm::DenseMap<eval::Buffer *, size_t> known;
  for (const Evaluated &value : values) {
    Given given;
    if (value.isView()) {
      const eval::View &view = value.view();
      auto [at, isNew] =
          known.try_emplace(view.buffer.get(), result.storages.size());
      if (isNew)
        result.storages.push_back(copyOf(*view.buffer));
      given.kind = Given::Memory;
      given.storage = at->second;
      given.dtype = view.dtype;
      given.byteOffset = view.byteOffset;
      given.sizes = view.sizes;
      given.strides = view.strides;
    } else {
      given.value = value;
    }
    result.list.push_back(std::move(given));
  }
  return result;
}

std::optional<SmallVector<Evaluated>>
kiln::driver::formArguments(const Arguments &arguments,
                            FunctionOpInterface entry) {
  std::optional<SmallVector<Type>> types = parametersOf(entry);
  if (!types || types->size() != arguments.list.size())
    return std::nullopt;
  std::vector<std::shared_ptr<eval::Buffer>> storages;
  for (const auto &storage : arguments.storages)
    storages.push_back(copyOf(*storage));
  SmallVector<Evaluated> values;
  for (auto [type, given] : llvm::zip(*types, arguments.list)) {
    if (given.kind == Given::Memory) {
      Type element;
      if (auto view = dyn_cast<tile::ViewType>(type))
        element = view.getElementType();
      else if (auto pointer = dyn_cast<tile::PtrType>(type))
        element = pointer.getElementType();
      // Threads know floats that they have no type for by their bits.
      eval::DType dtype = element ? eval::dtypeOf(element) : given.dtype;
      if (!element ||
          (dtype != given.dtype &&
           !(isThreadCode(entry) &&
             runtime::dtypeBytes(dtype) == runtime::dtypeBytes(given.dtype))))
        return std::nullopt;
      eval::View view;
      view.buffer = storages[given.storage];
      view.dtype = given.dtype;
      view.byteOffset = given.byteOffset;
      view.sizes = given.sizes;
      view.strides = given.strides;
      values.push_back(Evaluated::ofView(std::move(view)));
      continue;
    }
    if (eval::dtypeOf(type) != given.value.dtype())
      return std::nullopt;
    auto shaped = dyn_cast<ShapedType>(type);
    if (bool(shaped) != (given.kind == Given::Tensor))
      return std::nullopt;
    if (shaped &&
        failed(verifyCompatibleShape(shaped.getShape(), given.value.shape())))
      return std::nullopt;
    // What a host program is given it never writes.
    values.push_back(isa<MemRefType>(type)
                         ? Evaluated::ofView(eval::viewOf(given.value))
                         : given.value);
  }
  return values;
}

Evaluated kiln::driver::contentsOf(const eval::Buffer &buffer,
                                   runtime::DType dtype) {
  Evaluated value = Evaluated::tensor(
      dtype, {buffer.bytes / std::max(1, int(runtime::dtypeBytes(dtype)))});
  std::memcpy(value.mutableData(), buffer.data(), value.bytes());
  return value;
}

runtime::Expected<std::vector<runtime::Tensor>>
kiln::driver::tensorsOf(const Arguments &arguments) {
  std::vector<runtime::Storage> storages;
  auto copy = [&](const void *data,
                  int64_t bytes) -> runtime::Expected<runtime::Storage> {
    auto storage = runtime::Storage::allocate(std::max<int64_t>(bytes, 1));
    if (storage && bytes)
      std::memcpy(storage->data, data, bytes);
    return storage;
  };
  for (const auto &buffer : arguments.storages) {
    auto storage = copy(buffer->data(), buffer->bytes);
    if (!storage)
      return storage.takeError();
    storages.push_back(*storage);
  }
  std::vector<runtime::Tensor> tensors;
  for (const Given &given : arguments.list) {
    runtime::Tensor tensor;
    if (given.kind == Given::Memory) {
      int64_t width = runtime::dtypeBytes(given.dtype);
      tensor.dtype = given.dtype;
      tensor.storage = storages[given.storage];
      tensor.offset = given.byteOffset / width;
      tensor.shape.assign(given.sizes.begin(), given.sizes.end());
      tensor.strides.assign(given.strides.begin(), given.strides.end());
    } else {
      auto storage = copy(given.value.data(), given.value.bytes());
      if (!storage)
        return storage.takeError();
      tensor.dtype = given.value.dtype();
      tensor.storage = *storage;
      if (given.kind == Given::Tensor)
        tensor.shape.assign(given.value.shape().begin(),
                            given.value.shape().end());
      tensor.strides = runtime::rowMajor(tensor.shape);
    }
    tensors.push_back(std::move(tensor));
  }
  return tensors;
}

FailureOr<Arguments>
kiln::driver::readArguments(FunctionOpInterface entry,
                            const std::vector<std::string> &words,
                            StringRef grid) {
  auto fail = [&](const Twine &what) -> LogicalResult {
    return entry.emitError("--verify-arg: ") << what;
  };
  SmallVector<Type> types = parametersOf(entry).value_or(SmallVector<Type>());
  if (words.size() != types.size())
    return fail("expected " + Twine(types.size()) + " arguments for '" +
                entry.getName() + "', found " + Twine(words.size()));
  Arguments result;
  llvm::StringMap<size_t> files;
  for (auto [type, word] : llvm::zip(types, words)) {
    Given given;
    auto pointer = dyn_cast<tile::PtrType>(type);
    if (!pointer) {
      runtime::DType dtype = eval::dtypeOf(type);
      StringRef text = StringRef(word).split(':').second;
      double real = 0;
      int64_t integer = 0;
      if (dtype == eval::DType::none || isa<ShapedType>(type) ||
          (runtime::isFloat(dtype) ? text.getAsDouble(real)
                                   : text.getAsInteger(10, integer)))
        return fail("expected TYPE:VALUE, found '" + word + "'");
      given.value = runtime::isFloat(dtype) ? Evaluated::ofDouble(dtype, real)
                                            : Evaluated::ofInt(dtype, integer);
      result.list.push_back(std::move(given));
      continue;
    }
    auto [path, offset] = StringRef(word).rsplit(".npy");
    int64_t first = 0;
    if ((offset.consume_front("+") && offset.getAsInteger(10, first)) ||
        first < 0)
      return fail("expected FILE.npy or FILE.npy+N, found '" + word + "'");
    given.kind = Given::Memory;
    given.dtype = eval::dtypeOf(pointer.getElementType());
    given.byteOffset = first * runtime::dtypeBytes(given.dtype);
    auto [at, isNew] = files.try_emplace(path, result.storages.size());
    if (isNew) {
      auto tensor = runtime::readNpyFile((path + ".npy").str());
      if (!tensor)
        return fail(tensor.message());
      auto buffer = std::make_shared<eval::Buffer>(
          tensor->numElements() * runtime::dtypeBytes(tensor->dtype));
      std::memcpy(buffer->data(), tensor->data(), buffer->bytes);
      buffer->markWritten(0, buffer->bytes);
      result.storages.push_back(std::move(buffer));
    }
    given.storage = at->second;
    result.list.push_back(std::move(given));
  }
  result.grid = {1, 1, 1};
  SmallVector<StringRef> parts;
  grid.split(parts, ',');
  for (auto [d, part] : llvm::enumerate(parts))
    if (d > 2 || part.getAsInteger(10, result.grid[d]) || result.grid[d] < 1)
      return fail("expected a grid X[,Y[,Z]], found '" + grid + "'");
  return result;
}
