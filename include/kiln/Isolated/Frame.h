//===- Frame.h - Messages between the compiler and a target -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A frame is `KTP1`, the size of its head (4 bytes), the size of its body
// (8 bytes), both little-endian, then the head, which is one JSON object, and
// the body, which is any bytes. docs/isolated-targets.md is the specification.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_ISOLATED_FRAME_H
#define KILN_ISOLATED_FRAME_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/JSON.h"
#include <optional>
#include <string>

namespace kiln::isolated {

inline constexpr llvm::StringLiteral kFrameMagic = "KTP1";
constexpr size_t kFrameHeaderBytes = 16;
/// Larger frames break the protocol, whichever side sends them.
constexpr uint64_t kMostHeadBytes = uint64_t(16) << 20;
constexpr uint64_t kMostBodyBytes = uint64_t(1) << 30;

/// One message.
struct Frame {
  llvm::json::Object head;
  std::string body;
};

/// Returns the bytes of a frame.
std::string writeFrame(const llvm::json::Object &head,
                       llvm::StringRef body = "");

/// Assembles frames from bytes as they arrive. It allocates memory for bytes
/// that have arrived, not for those that a header announces.
class FrameReader {
public:
  void take(llvm::StringRef bytes) { pending += bytes; }

  /// Returns the next frame; nothing while it is incomplete. If the bytes are
  /// no frame, sets `error` and returns nothing; the reader is unusable then.
  std::optional<Frame> next(std::string &error);

  /// Returns true if some, but not all bytes of a frame have arrived.
  bool isInside() const { return !pending.empty(); }
  /// Describes a frame that ended early: "48 bytes, found 13".
  std::string shortfall() const;

private:
  /// Bytes of the frame that begins at the front; 0 while not known.
  uint64_t wantedBytes(std::string &error) const;
  std::string pending;
};

/// Text from another program, fit for one line of a message: printable, and
/// cut to `most` characters.
std::string quoteForeign(llvm::StringRef text, size_t most = 160);

} // namespace kiln::isolated

#endif // KILN_ISOLATED_FRAME_H
