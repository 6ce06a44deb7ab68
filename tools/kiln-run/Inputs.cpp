// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Turning --arg and --dim into tensors.
#include "Inputs.h"
#include "Values.h"
#include "kiln/Runtime/Npy.h"
#include <algorithm>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <set>
#include <unistd.h>

using namespace kiln::run;
using namespace kiln::runtime;

namespace {

/// What the program makes of invented data: " (positive)", " (0 to 7)".
std::string limitsText(const Argument &arg) {
  std::string text = domainName(arg.domain);
  if (arg.low <= arg.high)
    text += (text.empty() ? "" : ", ") + std::to_string(arg.low) + " to " +
            std::to_string(arg.high);
  return text.empty() ? "" : " (" + text + ")";
}

/// Makes the inputs of one call.
class InputMaker {
public:
  InputMaker(const Function &function, const Options &options)
      : function(function), options(options) {}

  std::optional<InputError> run(std::vector<Input> &inputs) {
    if (auto error = assignWords())
      return error;
    for (size_t i = 0; i < function.args.size(); ++i) {
      Input input;
      if (auto error = make(i, input)) {
        error->message = labelOf("argument", i, function.args[i].name) +
                         " of '" + function.name + "': " + error->message;
        return error;
      }
      inputs.push_back(std::move(input));
    }
    return checkDims();
  }

private:
  using Problem = std::optional<InputError>;

  /// Which --arg is for which argument: those with a name for the one of that
  /// name, the others in order for the rest.
  Problem assignWords() {
    words.resize(function.args.size());
    std::vector<std::string> names = argumentNames(function);
    std::vector<std::string> inOrder;
    size_t given = 0;
    for (const std::string &text : options.args) {
      std::string value;
      std::optional<size_t> named = takeName(text, '=', names, value);
      std::vector<std::string> parts;
      if (Problem problem = named ? Problem() : checkValue(text))
        return problem;
      if (Problem problem = expand(named ? value : text, parts))
        return problem;
      given += parts.size();
      if (!named) {
        inOrder.insert(inOrder.end(), parts.begin(), parts.end());
        continue;
      }
      for (size_t i = 0; i < parts.size(); ++i) {
        size_t at = *named + i;
        if (at >= words.size() || words[at])
          return InputError{"--arg=" + text +
                                (at < words.size()
                                     ? ": '" + names[at] + "' is given twice"
                                     : ": it stands for more arguments than '" +
                                           function.name + "' takes"),
                            kWrongUsage};
        words[at] = parts[i];
      }
    }
    size_t next = 0;
    for (std::optional<std::string> &word : words)
      if (!word && next < inOrder.size())
        word = inOrder[next++];
    if (next < inOrder.size())
      return InputError{"'" + function.name + "' takes " +
                            std::to_string(function.args.size()) +
                            " arguments, --arg gives " + std::to_string(given),
                        kWrongUsage};
    // An invented pointer would be one to a single element; then nothing is.
    bool hasPointers =
        std::any_of(function.args.begin(), function.args.end(),
                    [&](const Argument &arg) { return isPointer(arg); });
    for (size_t i = 0; i < words.size(); ++i)
      if (!words[i] && hasPointers)
        return InputError{"kernel '" + function.name + "' takes " +
                              std::to_string(function.args.size()) +
                              " arguments, --arg gives " +
                              std::to_string(given) + ": " +
                              labelOf("argument", i, names[i]) + " is missing",
                          kWrongUsage};
    return std::nullopt;
  }

  /// A name that nothing has is told from a file whose name has a '='.
  Problem checkValue(const std::string &text) {
    size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0 || text.find('/') < equals ||
        access(text.c_str(), F_OK) == 0 ||
        access(text.substr(0, text.rfind('+')).c_str(), F_OK) == 0)
      return std::nullopt;
    return InputError{"--arg=" + text + ": '" + function.name +
                          "' has no argument '" + text.substr(0, equals) +
                          "', it has " + listNames(argumentNames(function)),
                      kWrongUsage};
  }

  /// What --dim gives has to be for something.
  Problem checkDims() {
    if (options.dims.size() > 1 ? nextDim < options.dims.size()
                                : !options.dims.empty() && !nextDim)
      return InputError{"--dim gives " + std::to_string(options.dims.size()) +
                            (options.dims.size() == 1 ? " size" : " sizes") +
                            ", the invented arguments have " +
                            (nextDim ? std::to_string(nextDim) : "no") +
                            " dynamic dimensions" +
                            (options.namedDims.empty() ? "" : " besides"),
                        kWrongUsage};
    for (const auto &[name, size] : options.namedDims)
      if (!usedDims.count(name))
        return InputError{
            "--dim=" + name + "=" + std::to_string(size) +
                ": the invented arguments have no dynamic "
                "dimension of that name" +
                (dimNames.empty() ? "" : ", they have " + listNames(dimNames)),
            kWrongUsage};
    return std::nullopt;
  }

  /// `desc:ARRAY` is the array, then its sizes and all strides but the last.
  Problem expand(const std::string &text, std::vector<std::string> &parts) {
    if (text.compare(0, 5, "desc:") != 0) {
      parts.push_back(text);
      return std::nullopt;
    }
    std::string array = text.substr(5);
    std::vector<std::string> fields = split(array, ':');
    std::vector<int64_t> shape;
    if (fields[0] == "random" || fields[0] == "zeros") {
      size_t count = fields[0] == "random" ? 4 : 3;
      if (fields.size() != count || !parseShape(fields.back(), shape))
        return InputError{"'" + text +
                              "': expected desc:FILE.npy, "
                              "desc:random:SEED:DTYPE:SHAPE or "
                              "desc:zeros:DTYPE:SHAPE",
                          kWrongUsage};
    } else {
      Tensor tensor;
      if (Problem problem = read(array, tensor))
        return problem;
      if (!tensor.isContiguous())
        return InputError{array + ": expected a row-major array"};
      shape = tensor.shape;
    }
    parts.push_back(array);
    for (int64_t size : shape)
      parts.push_back("i32:" + std::to_string(size));
    std::vector<int64_t> strides = rowMajor(shape);
    for (size_t d = 0; d + 1 < shape.size(); ++d)
      parts.push_back("i64:" + std::to_string(strides[d]));
    return std::nullopt;
  }

  Problem make(size_t index, Input &input) {
    const Argument &arg = function.args[index];
    bool isInvented = !words[index];
    std::string text =
        isInvented ? (options.hurt && isFloat(arg.dtype) && !arg.isScalar
                          ? "hurt:"
                          : "random:") +
                         std::to_string(index + 1)
                   : *words[index];
    std::vector<std::string> parts = split(text, ':');
    Problem problem;
    if (parts[0] == "random" || parts[0] == "zeros" || parts[0] == "hurt")
      problem = generate(parts, text, arg, input);
    else if (parts.size() == 2 && parseDType(parts[0]) != DType::none)
      problem = value(parseDType(parts[0]), parts[1], arg, input);
    else
      problem = file(text, arg, input);
    if (problem)
      return problem;
    // A kernel's pointer takes an array of any shape: it points to the first
    // element, of an empty array to an element of its own, which no result
    // shows.
    if (isPointer(arg)) {
      if (input.tensor.numElements() == 0) {
        Expected<Tensor> element = Tensor::create(input.tensor.dtype, {});
        if (!element)
          return InputError{element.message()};
        input.base.storage = input.tensor.storage = element->storage;
        input.base.offset = input.tensor.offset = 0;
      }
      input.tensor.shape.clear();
      input.tensor.strides.clear();
    }
    if (isInvented)
      std::printf(
          "%s: not given, --arg=%s:%zu:%s:%s%s\n",
          labelOf("argument", index, arg.name).c_str(), parts[0].c_str(),
          index + 1, std::string(dtypeName(input.tensor.dtype)).c_str(),
          shapeText(input.tensor.shape).c_str(), limitsText(arg).c_str());
    return std::nullopt;
  }

  /// A pointer tells nothing about the array that it points into.
  bool isPointer(const Argument &arg) const {
    return !arg.isScalar && arg.writable && arg.shape.empty() &&
           function.kind == Function::Kind::kernel;
  }

  /// Static sizes of the argument, dynamic ones from --dim.
  Problem bindShape(const Argument &arg, std::vector<int64_t> &shape) {
    shape = arg.shape;
    size_t index = size_t(&arg - function.args.data());
    for (size_t d = 0; d < shape.size(); ++d) {
      if (shape[d] != kDynamic)
        continue;
      if (std::optional<int64_t> size = namedDim(arg, index, d)) {
        shape[d] = *size;
        continue;
      }
      // A single size is meant for all of them.
      size_t at = options.dims.size() == 1 ? 0 : nextDim;
      ++nextDim;
      if (at >= options.dims.size())
        return InputError{"the size of dimension " + std::to_string(d) +
                              " of " + typeString(arg.dtype, arg.shape) +
                              " is dynamic: give it by --dim or --arg",
                          kWrongUsage};
      shape[d] = options.dims[at];
    }
    return std::nullopt;
  }

  Problem generate(const std::vector<std::string> &parts,
                   const std::string &text, const Argument &arg, Input &input) {
    bool isHurt = parts[0] == "hurt", isRandom = parts[0] == "random" || isHurt;
    size_t plain = isRandom ? 2 : 1;
    uint64_t seed = 0;
    DType dtype = arg.dtype;
    std::vector<int64_t> shape;
    bool isGood = parts.size() == plain || parts.size() == plain + 2;
    if (isGood && isRandom)
      isGood = parseCount(parts[1], seed);
    if (isGood && parts.size() > plain) {
      dtype = parseDType(parts[plain]);
      isGood = dtype != DType::none && parseShape(parts[plain + 1], shape);
    } else if (isGood && isPointer(arg)) {
      return InputError{"'" + text +
                            "': a pointer needs a type and a shape, as "
                            "in zeros:f32:1000",
                        kWrongUsage};
    } else if (isGood) {
      if (Problem problem = bindShape(arg, shape))
        return problem;
    }
    if (!isGood)
      return InputError{"'" + text + "': expected " +
                            (isRandom ? parts[0] + ":SEED[:DTYPE:SHAPE]"
                                      : "zeros[:DTYPE:SHAPE]"),
                        kWrongUsage};
    Expected<Tensor> tensor = Tensor::create(dtype, shape);
    if (!tensor)
      return InputError{tensor.message()};
    if (isRandom)
      fillRandom(*tensor, seed, arg);
    if (isHurt)
      addHurt(*tensor, seed);
    input.tensor = input.base = *tensor;
    return std::nullopt;
  }

  /// The size that --dim gives for "batch", "x.0" or "2.0".
  std::optional<int64_t> namedDim(const Argument &arg, size_t index, size_t d) {
    std::string number = "." + std::to_string(d);
    std::vector<std::string> spellings = {std::to_string(index) + number};
    if (!arg.name.empty())
      spellings.push_back(arg.name + number);
    if (d < arg.dims.size() && !arg.dims[d].empty())
      spellings.push_back(arg.dims[d]);
    dimNames.push_back(spellings.back());
    // The last one counts, as with any flag.
    std::optional<int64_t> found;
    for (const auto &[name, size] : options.namedDims)
      for (const std::string &spelling : spellings)
        if (name == spelling) {
          usedDims.insert(name);
          found = size;
        }
    return found;
  }

  Problem value(DType dtype, const std::string &text, const Argument &arg,
                Input &input) {
    if (!arg.isScalar && !arg.shape.empty())
      return InputError{"expected a tensor of type " +
                            typeString(arg.dtype, arg.shape) +
                            ", found a scalar",
                        kWrongUsage};
    Expected<Tensor> tensor = Tensor::create(dtype, {});
    if (!tensor)
      return InputError{tensor.message()};
    if (!parseValue(dtype, text, *tensor))
      return InputError{"'" + text + "' is no value of type " +
                            std::string(dtypeName(dtype)),
                        kWrongUsage};
    // An index of the source is an i64 in a host program.
    if ((dtype == DType::i64 && arg.dtype == DType::index) ||
        (dtype == DType::index && arg.dtype == DType::i64))
      tensor->dtype = arg.dtype;
    input.tensor = input.base = *tensor;
    return std::nullopt;
  }

  /// A file, read once however often it is named.
  Problem read(const std::string &path, Tensor &tensor) {
    char real[PATH_MAX];
    std::string key = realpath(path.c_str(), real) ? real : path;
    auto known = files.find(key);
    if (known == files.end()) {
      Expected<Tensor> loaded = readNpyFile(path);
      if (!loaded)
        return InputError{loaded.message()};
      known = files.emplace(key, *loaded).first;
    }
    tensor = known->second;
    return std::nullopt;
  }

  Problem file(const std::string &text, const Argument &arg, Input &input) {
    constexpr std::string_view suffix = ".npy";
    if (arg.isScalar &&
        (text.size() < suffix.size() ||
         text.compare(text.size() - suffix.size(), suffix.size(), suffix) != 0))
      return InputError{"expected TYPE:VALUE such as " +
                            std::string(dtypeName(arg.dtype)) + ":1, found '" +
                            text + "'",
                        kWrongUsage};
    size_t plus = text.rfind('+');
    uint64_t offset = 0;
    bool hasOffset =
        plus != std::string::npos && parseCount(text.substr(plus + 1), offset);
    Tensor tensor;
    if (Problem problem = read(hasOffset ? text.substr(0, plus) : text, tensor))
      return problem;
    input.fileType = tensor.dtype;
    Expected<Tensor> typed = npyAs(tensor, arg.dtype);
    if (!typed)
      return InputError{text + ": " + typed.message()};
    input.tensor = input.base = *typed;
    return hasOffset ? shift(int64_t(offset), text, arg, input) : std::nullopt;
  }

  /// A window of the argument's type, `offset` elements into the file.
  Problem shift(int64_t offset, const std::string &text, const Argument &arg,
                Input &input) {
    int64_t total = input.base.numElements();
    if (offset > total)
      return InputError{text + ": the file has only " + std::to_string(total) +
                        " elements"};
    std::vector<int64_t> shape = arg.shape;
    if (shape.size() == 1 && shape[0] == kDynamic)
      shape[0] = total - offset;
    std::optional<int64_t> count = checkedCount(shape);
    if (!count)
      return InputError{"unsupported: an offset into a file for type " +
                        typeString(arg.dtype, arg.shape)};
    if (*count > total - offset)
      return InputError{text + ": " + std::to_string(total - offset) +
                        " elements are left, expected " +
                        std::to_string(*count)};
    input.tensor.shape = shape;
    input.tensor.strides = rowMajor(shape);
    input.tensor.offset = offset;
    return std::nullopt;
  }

  const Function &function;
  const Options &options;
  std::vector<std::optional<std::string>> words; ///< one for each argument
  size_t nextDim = 0;
  std::set<std::string> usedDims;
  std::vector<std::string> dimNames; ///< of the dynamic ones
  std::map<std::string, Tensor> files;
};

} // namespace

std::optional<InputError> kiln::run::makeInputs(const Function &function,
                                                const Options &options,
                                                std::vector<Input> &inputs) {
  return InputMaker(function, options).run(inputs);
}

Expected<std::vector<Input>>
kiln::run::copyInputs(const std::vector<Input> &inputs) {
  std::map<void *, Storage> copies;
  std::vector<Input> result = inputs;
  for (Input &input : result) {
    Storage &storage = copies[input.base.storage.data];
    if (!storage.data) {
      Expected<Storage> fresh =
          Storage::allocate(input.base.storage.bytes, /*zeroed=*/false);
      if (!fresh)
        return fresh.takeError();
      storage = *fresh;
      std::memcpy(storage.data, input.base.storage.data, storage.bytes);
    }
    input.base.storage = input.tensor.storage = storage;
  }
  return result;
}
