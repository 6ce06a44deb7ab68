// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Machine.h"
#include "Isa.h"
#include <algorithm>
#include <cmath>
#include <cstring>
#include <stdexcept>

using namespace @name@;

bool @name@::readPrograms(const void *bytes, uint64_t size,
                         std::map<std::string, Program> &programs,
                         std::string &problem) {
  if (size < 8 || size % 8 || std::memcmp(bytes, kMagic, 8) != 0) {
    problem = "this is no code for @name@";
    return false;
  }
  std::vector<int64_t> words((size - 8) / 8);
  std::memcpy(words.data(), static_cast<const char *>(bytes) + 8, size - 8);
  problem = "its code is damaged";
  for (size_t at = 0; at < words.size();) {
    Program program;
    uint64_t nameWords = uint64_t(words[at++]);
    if (nameWords > 64 || words.size() - at < nameWords + 3)
      return false;
    std::string name(reinterpret_cast<const char *>(&words[at]), nameWords * 8);
    at += nameWords;
    program.numScalars = words[at++];
    program.numTiles = words[at++];
    uint64_t length = uint64_t(words[at++]);
    if (length > words.size() - at || program.numScalars < 0 ||
        program.numScalars > 65536 || program.numTiles < 0 ||
        program.numTiles > 65536)
      return false;
    program.code.assign(words.begin() + long(at),
                        words.begin() + long(at + length));
    at += length;
    programs[name.c_str()] = std::move(program);
  }
  return true;
}

namespace {

float larger(float a, float b) {
  if (std::isnan(a) || std::isnan(b))
    return a + b;
  return a == b ? (std::signbit(a) ? b : a) : std::max(a, b);
}

float compute(int64_t code, float a, float b) {
  switch (code) {
  case VectorAdd:
    return a + b;
  case VectorSub:
    return a - b;
  case VectorMul:
    return a * b;
  case VectorDiv:
    return a / b;
  case VectorMax:
    return larger(a, b);
  case VectorMin:
    return -larger(-a, -b);
  case VectorNeg:
    return -a;
  default:
    return std::exp(a);
  }
}

/// One instance. Registers and parameters that do not exist throw.
class Instance {
public:
  Instance(const Program &program, const std::vector<Argument> &arguments,
           const int64_t *id, const int64_t *grid)
      : arguments(arguments), id(id), grid(grid), scalars(size_t(program.numScalars)),
        tiles(size_t(program.numTiles)), code(program.code) {}

  void run() {
    for (size_t at = 0; at < code.size();) {
      int64_t op = code[at++];
      if (op < 0 || op >= NumCodes || at >= code.size())
        throw std::runtime_error("an instruction that does not exist");
      int64_t count = kOpcodes[op].operands;
      if (count < 0)
        count = code[at++];
      if (count < 2 || count > int64_t(code.size() - at))
        throw std::runtime_error("an instruction that ends too early");
      step(op, &code[at], count);
      at += size_t(count);
    }
  }

private:
  int64_t &scalar(int64_t n) { return scalars.at(size_t(n)); }
  std::vector<float> &tile(int64_t n) { return tiles.at(size_t(n)); }

  void step(int64_t op, const int64_t *x, int64_t count) {
    switch (op) {
    case Const:
      scalar(x[0]) = x[1];
      return;
    case Pid:
      scalar(x[0]) = id[x[1] & 3];
      return;
    case Programs:
      scalar(x[0]) = grid[x[1] & 3];
      return;
    case Dim:
      scalar(x[0]) = arguments.at(size_t(x[1])).sizes.at(size_t(x[2]));
      return;
    case Param:
      if (arguments.at(size_t(x[1])).memory)
        throw std::runtime_error("an argument that is no number");
      scalar(x[0]) = arguments[size_t(x[1])].bits;
      return;
    case ScalarAdd:
      scalar(x[0]) = scalar(x[1]) + scalar(x[2]);
      return;
    case ScalarSub:
      scalar(x[0]) = scalar(x[1]) - scalar(x[2]);
      return;
    case ScalarMul:
      scalar(x[0]) = scalar(x[1]) * scalar(x[2]);
      return;
    case ScalarMin:
      scalar(x[0]) = std::min(scalar(x[1]), scalar(x[2]));
      return;
    case ScalarMax:
      scalar(x[0]) = std::max(scalar(x[1]), scalar(x[2]));
      return;
    case Fill:
      tile(x[0]).assign(size_t(checkSize(x[1])), number(x[2]));
      return;
    case Splat:
      tile(x[0]).assign(size_t(checkSize(x[1])), number(scalar(x[2])));
      return;
    case Load:
      if (count < 4)
        throw std::runtime_error("a load without operands");
      return access(x, x + 4, (count - 4) / 3, number(x[3]), true);
    case Store:
      if (count < 3)
        throw std::runtime_error("a store without operands");
      return access(x, x + 3, (count - 3) / 3, 0, false);
    default:
      return elementwise(op, x);
    }
  }

  static int64_t checkSize(int64_t size) {
    if (size < 0 || size > kMaxTile)
      throw std::runtime_error("a tile that is too large");
    return size;
  }
  static float number(int64_t bits) {
    uint32_t word = uint32_t(bits);
    float value;
    std::memcpy(&value, &word, 4);
    return value;
  }

  void elementwise(int64_t op, const int64_t *x) {
    bool isUnary = op == VectorNeg || op == VectorExp;
    const std::vector<float> a = tile(x[1]), b = isUnary ? a : tile(x[2]);
    if (int64_t(a.size()) != x[isUnary ? 2 : 3] || a.size() != b.size())
      throw std::runtime_error("tiles of different sizes");
    std::vector<float> &result = tile(x[0]);
    result.resize(a.size());
    for (size_t i = 0; i < a.size(); ++i)
      result[i] = compute(op, a[i], b[i]);
  }

  /// Moves a tile between a register and memory; x: tile param rank.
  void access(const int64_t *x, const int64_t *dims, int64_t numDims,
              float outside, bool isLoad) {
    const Argument &view = arguments.at(size_t(x[1]));
    if (!view.memory)
      throw std::runtime_error("an argument that is no view");
    int64_t rank = x[2], size = 1;
    if (rank != int64_t(view.sizes.size()) || rank != numDims)
      throw std::runtime_error("an access of the wrong rank");
    for (int64_t d = 0; d < rank; ++d)
      size = checkSize(size * checkSize(dims[3 * d]));
    std::vector<float> &data = tile(x[0]);
    if (isLoad)
      data.resize(size_t(size));
    else if (int64_t(data.size()) != size)
      throw std::runtime_error("a tile of the wrong size");
    for (int64_t i = 0; i < size; ++i) {
      int64_t rest = i, element = 0;
      bool isInside = true;
      for (int64_t d = rank - 1; d >= 0; --d) {
        int64_t at =
            scalar(dims[3 * d + 1]) + rest % dims[3 * d] * dims[3 * d + 2];
        rest /= dims[3 * d];
        isInside &= at >= 0 && at < view.sizes[size_t(d)];
        element += at * view.strides[size_t(d)];
      }
      if (!isInside) {
        if (isLoad)
          data[size_t(i)] = outside;
        continue;
      }
      uint64_t byte = view.byteOffset + uint64_t(element) * 4;
      if (byte > view.memory->size() || view.memory->size() - byte < 4)
        throw std::runtime_error("an access outside of its buffer");
      if (isLoad)
        std::memcpy(&data[size_t(i)], view.memory->data() + byte, 4);
      else
        std::memcpy(view.memory->data() + byte, &data[size_t(i)], 4);
    }
  }

  const std::vector<Argument> &arguments;
  const int64_t *id, *grid;
  std::vector<int64_t> scalars;
  std::vector<std::vector<float>> tiles;
  const std::vector<int64_t> &code;
};

} // namespace

bool @name@::runInstance(const Program &program,
                        const std::vector<Argument> &arguments,
                        const int64_t *id, const int64_t *grid,
                        std::string &problem) {
  try {
    Instance(program, arguments, id, grid).run();
    return true;
  } catch (const std::exception &e) {
    problem = e.what();
    return false;
  }
}
