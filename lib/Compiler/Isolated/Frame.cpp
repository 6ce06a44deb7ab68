//===- Frame.cpp - Messages between the compiler and a target -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Isolated/Frame.h"
#include "kiln/Text/Json.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/raw_ostream.h"

using namespace kiln::isolated;
using llvm::StringRef;
namespace endian = llvm::support::endian;

std::string kiln::isolated::quoteForeign(StringRef text, size_t most) {
  std::string line;
  for (char c : text.trim().take_front(most))
    line += llvm::isPrint(c) ? c : c == '\n' || c == '\t' ? ' ' : '?';
  if (text.trim().size() > most)
    line += "...";
  return line;
}

std::string kiln::isolated::writeFrame(const llvm::json::Object &head,
                                       StringRef body) {
  std::string text, bytes(kFrameHeaderBytes, 0);
  llvm::raw_string_ostream(text) << llvm::json::Value(llvm::json::Object(head));
  llvm::copy(kFrameMagic, bytes.begin());
  endian::write32le(&bytes[4], uint32_t(text.size()));
  endian::write64le(&bytes[8], body.size());
  return bytes.append(text).append(body.begin(), body.end());
}

uint64_t FrameReader::wantedBytes(std::string &error) const {
  StringRef begin = StringRef(pending).take_front(kFrameMagic.size());
  if (!kFrameMagic.starts_with(begin)) {
    error = "expected a frame, which begins with '" + kFrameMagic.str() +
            "', found '" +
            quoteForeign(StringRef(pending).take_front(256), 48) + "'";
    return 0;
  }
  if (pending.size() < kFrameHeaderBytes)
    return 0;
  uint64_t head = endian::read32le(&pending[4]);
  uint64_t body = endian::read64le(&pending[8]);
  if (head == 0 || head > kMostHeadBytes)
    error = "expected a head of 1 to " + std::to_string(kMostHeadBytes) +
            " bytes, found " + std::to_string(head);
  else if (body > kMostBodyBytes)
    error = "expected a body of at most " + std::to_string(kMostBodyBytes) +
            " bytes, found " + std::to_string(body);
  return error.empty() ? kFrameHeaderBytes + head + body : 0;
}

std::optional<Frame> FrameReader::next(std::string &error) {
  uint64_t wanted = wantedBytes(error);
  if (!error.empty() || wanted == 0 || pending.size() < wanted)
    return std::nullopt;
  uint64_t headBytes = endian::read32le(&pending[4]);
  StringRef text(pending.data() + kFrameHeaderBytes, headBytes);
  if (!llvm::json::isUTF8(text)) {
    error = "expected a head in UTF-8";
    return std::nullopt;
  }
  llvm::Expected<llvm::json::Value> value = kiln::target::parseJson(text);
  if (!value) {
    error = "expected a head in JSON: " +
            quoteForeign(llvm::toString(value.takeError()));
    return std::nullopt;
  }
  llvm::json::Object *object = value->getAsObject();
  if (!object) {
    error = "expected a JSON object as head, found '" + quoteForeign(text, 48) +
            "'";
    return std::nullopt;
  }
  Frame frame = {std::move(*object),
                 pending.substr(kFrameHeaderBytes + headBytes,
                                wanted - kFrameHeaderBytes - headBytes)};
  pending.erase(0, wanted);
  return frame;
}

std::string FrameReader::shortfall() const {
  std::string error;
  uint64_t wanted = wantedBytes(error);
  return (wanted ? std::to_string(wanted)
                 : "at least " + std::to_string(kFrameHeaderBytes)) +
         " bytes, found " + std::to_string(pending.size());
}
