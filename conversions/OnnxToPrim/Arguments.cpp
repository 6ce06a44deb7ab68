// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arguments that are taken apart, or become constants, before a model is
// translated.
#include "Arguments.h"

#include "kiln/Dialect/Kiln/Attributes.h"
#include "kiln/Dialect/Torch/Torch.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;

namespace kiln::onnx_to_prim {
namespace {

/// Elements of one sequence are arguments, of which no program has more.
constexpr int64_t mostElements = 4096;
/// Of a tensor that the caller gives a rank.
constexpr int64_t mostDims = 64;

/// What the caller says of one argument.
struct Given {
  StringRef value;
  bool isUsed = false;
};

using AllGiven = llvm::StringMap<Given>;

/// A name as options write it: %XX stands for the byte XX, as commas, plus
/// signs and spaces mean something there.
std::string writtenName(StringRef name) {
  std::string text;
  for (char c : name)
    if (llvm::isAlnum(c) || StringRef("_.-/:").contains(c))
      text += c;
    else
      text += "%" + llvm::toHex(StringRef(&c, 1));
  return text;
}

/// The name that an option has written.
std::string readName(StringRef text) {
  std::string name;
  while (!text.empty()) {
    uint8_t byte;
    if (text[0] == '%' && text.size() > 2 &&
        llvm::tryGetHexFromNibbles(text[1], text[2], byte)) {
      name += char(byte);
      text = text.drop_front(3);
      continue;
    }
    name += text[0];
    text = text.drop_front();
  }
  return name;
}

/// Texts NAME:VALUE; names may have colons.
LogicalResult read(ModuleOp module, StringRef option,
                   ArrayRef<std::string> texts, AllGiven &all) {
  for (StringRef text : texts) {
    auto [written, value] = text.rsplit(':');
    std::string name = readName(written);
    if (name.empty() || value.empty())
      return module.emitError("option '")
             << option << "': expected NAME:VALUE, found '" << text << "'";
    if (!all.try_emplace(name, Given{value}).second)
      return module.emitError("option '")
             << option << "': expected each argument once, found '" << name
             << "' twice";
  }
  return success();
}

/// Changes the arguments of one function.
class Specializer {
public:
  Specializer(func::FuncOp fn, AllGiven &lengths, AllGiven &fixed)
      : fn(fn), lengths(lengths), fixed(fixed), b(fn.getContext()) {
    b.setInsertionPointToStart(&fn.getBody().front());
  }

  LogicalResult run() {
    for (unsigned i = 0; i < fn.getNumArguments();) {
      FailureOr<unsigned> count = change(i);
      if (failed(count))
        return failure();
      i += *count;
    }
    return success();
  }

private:
  /// How many arguments stand where argument `i` was.
  FailureOr<unsigned> change(unsigned i) {
    auto attribute =
        target::getArgumentEntry<StringAttr>(fn, i, target::kNameEntry);
    StringRef name = attribute ? attribute.getValue() : StringRef();
    if (name.empty()) // nothing can be said of it
      return 1u;
    if (auto found = fixed.find(name); found != fixed.end()) {
      found->second.isUsed = true;
      return fix(i, name, found->second.value);
    }
    Type type = fn.getArgument(i).getType();
    auto optional = dyn_cast<torch::OptionalType>(type);
    Type inside = optional ? optional.getContained() : type;
    auto found = lengths.find(name);
    bool isGiven = found != lengths.end();
    if (isGiven)
      found->second.isUsed = true;
    if (auto list = dyn_cast<torch::ListType>(inside)) {
      if (isGiven)
        return expand(i, name, list.getContained(), found->second.value,
                      /*isList=*/true);
      return emitError(fn.getArgument(i).getLoc())
             << "unsupported: argument '" << name
             << "' is a sequence whose length is not known, "
                "--frontend=onnx,lengths="
             << writtenName(name) << ":N says it";
    }
    if (optional && isGiven)
      return expand(i, name, inside, found->second.value, /*isList=*/false);
    if (!isGiven)
      return 1u;
    return emitError(fn.getArgument(i).getLoc())
           << "expected a sequence or an optional to have a length, found "
           << type;
  }

  /// The elements of a sequence as arguments, or what an optional holds.
  FailureOr<unsigned> expand(unsigned i, StringRef name, Type element,
                             StringRef value, bool isList) {
    Location loc = fn.getArgument(i).getLoc();
    int64_t most = isList ? mostElements : 1, length = 0, rank = 0;
    auto [count, dims] = value.split('x');
    if (count.getAsInteger(10, length) || length < 0 || length > most)
      return emitError(loc)
             << "expected a length from 0 to " << most << " for argument '"
             << name << "', found '" << value << "'";
    auto open = dyn_cast<torch::VTensorType>(element);
    if (length && open && !open.getRanked()) {
      if (dims.getAsInteger(10, rank) || rank < 0 || rank > mostDims)
        return emitError(loc)
               << "unsupported: elements of argument '" << name
               << "' have a rank that is not known, --frontend=onnx,lengths="
               << writtenName(name) << ":" << length << "xRANK says it";
      element = torch::VTensorType::get(
          b.getContext(), SmallVector<int64_t>(rank, ShapedType::kDynamic),
          /*ranked=*/true, open.getElement());
    }
    bool isUnsigned = false;
    if (auto tensor = dyn_cast<torch::VTensorType>(element))
      isUnsigned =
          tensor.getElement() && tensor.getElement().isUnsignedInteger();
    for (int64_t k = 0; k < length; ++k) {
      if (failed(fn.insertArgument(
              i + k, element, DictionaryAttr(),
              NameLoc::get(b.getStringAttr(name + "." + Twine(k)), loc))))
        return failure();
      target::setArgumentEntry(
          fn, i + k, target::kNameEntry,
          b.getStringAttr(isList ? name + "." + Twine(k) : name));
      if (isUnsigned)
        target::setArgumentEntry(fn, i + k, target::kUnsignedEntry,
                                 b.getUnitAttr());
    }
    Value whole;
    if (isList)
      whole = torch::OperatorOp::create(
                  b, loc, torch::ListType::get(b.getContext(), element),
                  length ? "onnx.SequenceConstruct" : "onnx.SequenceEmpty",
                  ValueRange(fn.getArguments().slice(i, length)),
                  /*regionsCount=*/0)
                  ->getResult(0);
    else
      whole = length ? Value(fn.getArgument(i))
                     : torch::ConstantNoneOp::create(b, loc).getResult();
    fn.getArgument(i + length).replaceAllUsesWith(whole);
    if (failed(fn.eraseArgument(i + length)))
      return failure();
    return unsigned(length);
  }

  /// A constant in the place of an argument.
  FailureOr<unsigned> fix(unsigned i, StringRef name, StringRef value) {
    BlockArgument argument = fn.getArgument(i);
    auto fail = [&](const Twine &what) -> InFlightDiagnostic {
      return emitError(argument.getLoc()) << what << " for argument '" << name
                                          << "', found '" << value << "'";
    };
    ArrayRef<int64_t> sizes;
    Type element;
    if (auto tensor = dyn_cast<torch::VTensorType>(argument.getType());
        tensor && tensor.getRanked()) {
      sizes = tensor.getShape();
      element = tensor.getElement();
    } else if (auto ranked = dyn_cast<RankedTensorType>(argument.getType())) {
      sizes = ranked.getShape();
      element = ranked.getElementType();
    }
    auto integer = dyn_cast_or_null<IntegerType>(element);
    if (!integer || sizes.size() > 1)
      return emitError(argument.getLoc())
             << "expected integers of rank 0 or 1 to be fixed, found "
             << argument.getType() << " for argument '" << name << "'";
    SmallVector<APInt> numbers;
    for (StringRef part : llvm::split(value, 'x')) {
      int64_t number = 0;
      if (part.getAsInteger(10, number) ||
          (integer.getWidth() < 64 &&
           !(integer.isUnsigned() || integer.getWidth() == 1
                 ? llvm::isUIntN(integer.getWidth(), number)
                 : llvm::isIntN(integer.getWidth(), number))))
        return fail("expected integers of its type with 'x' between them");
      numbers.push_back(APInt(integer.getWidth(), number, /*isSigned=*/true,
                              /*implicitTrunc=*/true));
    }
    int64_t count = sizes.empty() ? 1 : sizes.front();
    if (!ShapedType::isDynamic(count) && count != int64_t(numbers.size()))
      return fail("expected " + Twine(count) + " numbers");
    SmallVector<int64_t> shape;
    if (!sizes.empty())
      shape.push_back(numbers.size());
    auto held =
        DenseElementsAttr::get(RankedTensorType::get(shape, element), numbers);
    argument.replaceAllUsesWith(torch::LiteralOp::create(
        b, argument.getLoc(),
        torch::VTensorType::get(b.getContext(), shape, /*ranked=*/true,
                                element),
        held));
    if (failed(fn.eraseArgument(i)))
      return failure();
    return 0u;
  }

  func::FuncOp fn;
  AllGiven &lengths, &fixed;
  OpBuilder b;
};

/// What no argument has taken.
LogicalResult checkUsed(ModuleOp module, StringRef option,
                        const AllGiven &all) {
  SmallVector<StringRef> left;
  for (const auto &one : all)
    if (!one.second.isUsed)
      left.push_back(one.first());
  if (left.empty())
    return success();
  llvm::sort(left);
  return module.emitError("option '") << option << "': no function has an "
                                      << "argument '" << left.front() << "'";
}

} // namespace

LogicalResult specialize(ModuleOp module, ArrayRef<std::string> lengths,
                         ArrayRef<std::string> fixed) {
  AllGiven allLengths, allFixed;
  if (failed(read(module, "lengths", lengths, allLengths)) ||
      failed(read(module, "fixed", fixed, allFixed)))
    return failure();
  for (auto fn : module.getOps<func::FuncOp>())
    if (!fn.isExternal() && failed(Specializer(fn, allLengths, allFixed).run()))
      return failure();
  if (failed(checkUsed(module, "lengths", allLengths)))
    return failure();
  return checkUsed(module, "fixed", allFixed);
}

} // namespace kiln::onnx_to_prim
