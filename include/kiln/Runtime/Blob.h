// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bytes that may be shared, mapped or owned.
#ifndef KILN_RUNTIME_BLOB_H
#define KILN_RUNTIME_BLOB_H

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace kiln::runtime {

/// A read-only range of bytes that keeps its storage alive.
struct Blob {
  std::shared_ptr<const void> owner;
  const uint8_t *data = nullptr;
  size_t size = 0;

  /// Takes the vector over.
  static Blob own(std::vector<uint8_t> bytes) {
    auto held = std::make_shared<const std::vector<uint8_t>>(std::move(bytes));
    return {held, held->data(), held->size()};
  }
  /// Copies the bytes.
  static Blob copy(const void *bytes, size_t count) {
    auto *first = static_cast<const uint8_t *>(bytes);
    return own(std::vector<uint8_t>(first, first + count));
  }
  static Blob copy(std::string_view text) {
    return copy(text.data(), text.size());
  }
  /// Refers to bytes that outlive every use of the blob.
  static Blob borrow(const void *bytes, size_t count) {
    return {nullptr, static_cast<const uint8_t *>(bytes), count};
  }
  std::string_view str() const {
    return {reinterpret_cast<const char *>(data), size};
  }
};

} // namespace kiln::runtime

#endif
