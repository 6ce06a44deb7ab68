// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reading and writing .npy files.
#include "kiln/Runtime/Npy.h"
#include "kiln/Runtime/Package.h"
#include <algorithm>
#include <cctype>
#include <cstring>

using namespace kiln::runtime;

namespace {

constexpr char kMagic[] = "\x93NUMPY";
constexpr size_t kMagicSize = 6;
/// Headers of real files take about a hundred bytes.
constexpr uint32_t kMaxHeader = 1 << 16;

/// What the header's dictionary says.
struct Header {
  std::string descr;
  bool fortranOrder = false;
  std::vector<int64_t> shape;
  bool hasDescr = false, hasOrder = false, hasShape = false;
};

/// Parses the Python literal {'descr': …, 'fortran_order': …, 'shape': …}.
class HeaderParser {
public:
  explicit HeaderParser(std::string_view text) : text(text) {}

  Error parse(Header &header) {
    if (!take('{'))
      return Error("its header is not a dictionary");
    while (!take('}')) {
      std::string key;
      if (!quoted(key) || !take(':'))
        return Error("its header is malformed");
      if (Error error = value(key, header))
        return error;
      if (!take(',') && peek() != '}')
        return Error("its header is malformed");
    }
    skip();
    if (at != text.size())
      return Error("its header has text behind the dictionary");
    if (!header.hasDescr || !header.hasOrder || !header.hasShape)
      return Error("its header lacks 'descr', 'fortran_order' or 'shape'");
    return Error::success();
  }

private:
  void skip() {
    while (at < text.size() &&
           std::isspace(static_cast<unsigned char>(text[at])))
      ++at;
  }
  char peek() {
    skip();
    return at < text.size() ? text[at] : '\0';
  }
  bool take(char c) {
    if (at >= text.size() || peek() != c)
      return false;
    ++at;
    return true;
  }
  bool word(std::string_view w) {
    skip();
    if (text.substr(at, w.size()) != w)
      return false;
    at += w.size();
    return true;
  }
  bool quoted(std::string &out) {
    char quote = peek();
    if (quote != '\'' && quote != '"')
      return false;
    size_t end = text.find(quote, at + 1);
    if (end == std::string_view::npos)
      return false;
    out = std::string(text.substr(at + 1, end - at - 1));
    at = end + 1;
    return true;
  }

  Error value(const std::string &key, Header &header) {
    if (key == "descr") {
      header.hasDescr = true;
      if (peek() == '[')
        return Error("unsupported: a structured element type");
      return quoted(header.descr) ? Error::success()
                                  : Error("its 'descr' is not a string");
    }
    if (key == "fortran_order") {
      header.hasOrder = true;
      header.fortranOrder = word("True");
      return header.fortranOrder || word("False")
                 ? Error::success()
                 : Error("its 'fortran_order' is neither True nor False");
    }
    if (key == "shape") {
      header.hasShape = true;
      return shape(header.shape);
    }
    return Error("its header has an unknown key '" + key + "'");
  }

  Error shape(std::vector<int64_t> &sizes) {
    const Error malformed("its 'shape' is not a tuple of sizes");
    sizes.clear();
    if (!take('('))
      return malformed;
    while (!take(')')) {
      if (!std::isdigit(static_cast<unsigned char>(peek())))
        return malformed;
      int64_t size = 0;
      while (at < text.size() &&
             std::isdigit(static_cast<unsigned char>(text[at])))
        if (__builtin_mul_overflow(size, 10, &size) ||
            __builtin_add_overflow(size, text[at++] - '0', &size))
          return Error("a size in its 'shape' is too large");
      if (at < text.size() && text[at] == 'L')
        ++at;
      sizes.push_back(size);
      if (sizes.size() > size_t(kMaxRank))
        return Error("its rank is higher than " + std::to_string(kMaxRank));
      if (!take(',') && peek() != ')')
        return malformed;
    }
    return Error::success();
  }

  std::string_view text;
  size_t at = 0;
};

/// The letter and width of each type that files can hold.
struct FileType {
  DType dtype;
  const char *code;
};
constexpr FileType fileTypes[] = {
    {DType::i1, "b1"},  {DType::i8, "i1"},  {DType::i16, "i2"},
    {DType::i32, "i4"}, {DType::i64, "i8"}, {DType::u8, "u1"},
    {DType::u16, "u2"}, {DType::u32, "u4"}, {DType::u64, "u8"},
    {DType::f16, "f2"}, {DType::f32, "f4"}, {DType::f64, "f8"}};

Expected<DType> parseDescr(const std::string &descr) {
  char order = descr.empty() ? '\0' : descr[0];
  bool hasOrder = order == '<' || order == '>' || order == '|' || order == '=';
  std::string code = hasOrder ? descr.substr(1) : descr;
  if (!code.empty() && code[0] == 'O')
    return Error("unsupported: pickled objects");
  for (const FileType &type : fileTypes)
    if (code == type.code) {
      if (order == '>' && dtypeBytes(type.dtype) > 1)
        return Error("unsupported: big-endian elements ('" + descr + "')");
      return type.dtype;
    }
  // What numpy has no type for, ml_dtypes writes as bytes without a meaning,
  // and f8E5M2 as a float of a byte.
  if (code == "V1" || code == "f1")
    return DType::u8;
  if (code == "V2" && order != '>')
    return DType::u16;
  return Error("unsupported: elements of type '" + descr + "'");
}

Expected<Tensor> readData(const Header &header, DType dtype, const char *data,
                          size_t size) {
  std::optional<int64_t> count = checkedCount(header.shape);
  if (!count)
    return Error("its shape is too large");
  // Compare before anything is allocated.
  uint64_t wanted = uint64_t(*count) * uint64_t(dtypeBytes(dtype));
  if (wanted != size)
    return Error("its header describes " + std::to_string(wanted) +
                 " bytes of data, the file has " + std::to_string(size));
  std::vector<int64_t> shape = header.shape;
  if (header.fortranOrder)
    std::reverse(shape.begin(), shape.end());
  Expected<Tensor> tensor = Tensor::create(dtype, shape, /*zeroed=*/false);
  if (!tensor)
    return tensor;
  if (size)
    std::memcpy(tensor->data(), data, size);
  if (!header.fortranOrder)
    return tensor;
  std::reverse(tensor->shape.begin(), tensor->shape.end());
  std::reverse(tensor->strides.begin(), tensor->strides.end());
  return tensor->contiguous();
}

} // namespace

Expected<Tensor> kiln::runtime::readNpy(const void *data, size_t size) {
  auto *bytes = static_cast<const uint8_t *>(data);
  if (size < kMagicSize + 4 || std::memcmp(bytes, kMagic, kMagicSize) != 0)
    return Error("not an npy file");
  uint32_t major = bytes[6];
  if (major < 1 || major > 3)
    return Error("npy version " + std::to_string(major) +
                 " found, expected 1, 2 or 3");
  size_t start = major == 1 ? 10 : 12;
  if (size < start)
    return Error("truncated header");
  uint32_t length = bytes[8] | uint32_t(bytes[9]) << 8;
  if (major > 1)
    length |= uint32_t(bytes[10]) << 16 | uint32_t(bytes[11]) << 24;
  if (length > kMaxHeader || length > size - start)
    return Error("a header of " + std::to_string(length) +
                 " bytes does not fit the file");
  auto *text = reinterpret_cast<const char *>(bytes + start);
  Header header;
  if (Error error = HeaderParser({text, length}).parse(header))
    return error;
  Expected<DType> dtype = parseDescr(header.descr);
  if (!dtype)
    return dtype.takeError();
  return readData(header, *dtype, text + length, size - start - length);
}

Expected<Tensor> kiln::runtime::readNpyFile(const std::string &path) {
  Expected<Blob> file = mapFile(path);
  if (!file)
    return file.takeError();
  Expected<Tensor> tensor = readNpy(file->data, file->size);
  if (!tensor)
    return Error(path + ": " + tensor.message());
  return tensor;
}

DType kiln::runtime::npyStorageType(DType dtype) {
  for (const FileType &type : fileTypes)
    if (type.dtype == dtype)
      return dtype;
  if (dtype == DType::i48 || dtype == DType::index)
    return DType::i64;
  switch (dtypeBytes(dtype)) {
  case 1:
    return DType::u8;
  case 2:
    return DType::u16;
  case 4:
    return DType::u32;
  default:
    return DType::u64;
  }
}

Error kiln::runtime::writeNpyFile(const std::string &path,
                                  const Tensor &tensor) {
  Expected<Tensor> packed = tensor.contiguous();
  if (!packed)
    return packed.takeError();
  DType stored = npyStorageType(tensor.dtype);
  std::string code;
  for (const FileType &type : fileTypes)
    if (type.dtype == stored)
      code = std::string(dtypeBytes(stored) == 1 ? "|" : "<") + type.code;
  std::string shape;
  for (int64_t size : tensor.shape)
    shape += std::to_string(size) + ", ";
  if (tensor.shape.size() > 1)
    shape.resize(shape.size() - 2);
  else if (!shape.empty())
    shape.pop_back(); // "(3,)"
  std::string dict = "{'descr': '" + code +
                     "', 'fortran_order': False, 'shape': (" + shape + "), }";
  // The data begins at a multiple of 64.
  size_t total = (kMagicSize + 4 + dict.size() + 1 + 63) / 64 * 64;
  dict.resize(total - kMagicSize - 4 - 1, ' ');
  dict += '\n';
  std::vector<uint8_t> bytes(kMagic, kMagic + kMagicSize);
  bytes.insert(bytes.end(),
               {1, 0, uint8_t(dict.size() & 0xff), uint8_t(dict.size() >> 8)});
  bytes.insert(bytes.end(), dict.begin(), dict.end());
  auto *data = static_cast<const uint8_t *>(packed->data());
  bytes.insert(bytes.end(), data,
               data + packed->numElements() * dtypeBytes(stored));
  return writeFile(path, bytes.data(), bytes.size());
}

Expected<Tensor> kiln::runtime::npyAs(Tensor tensor, DType wanted) {
  DType found = tensor.dtype;
  if (found == wanted)
    return tensor;
  bool sameWidth = dtypeBytes(found) == dtypeBytes(wanted);
  bool bitsAgree = isInteger(found) &&
                   (isInteger(wanted) || npyStorageType(wanted) != wanted);
  if (!sameWidth || !bitsAgree) {
    std::string expected(dtypeName(wanted));
    if (DType stored = npyStorageType(wanted); stored != wanted)
      expected += " (as " + std::string(dtypeName(stored)) + ")";
    return Error("expected elements of type " + expected + ", found " +
                 std::string(dtypeName(found)));
  }
  tensor.dtype = wanted;
  int bits = dtypeBits(wanted);
  if (bits >= 8)
    return tensor;
  // One byte per element: what does not fit the type is a mistake.
  for (int64_t i = 0, n = tensor.numElements(); i < n; ++i) {
    uint8_t byte = static_cast<const uint8_t *>(tensor.data())[i];
    bool isNegative = wanted == DType::i4 && byte >= 0xf8;
    if (byte >> bits && !isNegative)
      return Error("element " + std::to_string(i) + " is " +
                   std::to_string(byte) + ", which does not fit " +
                   std::string(dtypeName(wanted)));
    if (isNegative)
      static_cast<uint8_t *>(tensor.data())[i] = byte & 0xf;
  }
  return tensor;
}
