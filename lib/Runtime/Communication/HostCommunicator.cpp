// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "HostCommunicator.h"
#include "../ErrorText.h"
#include "Combine.h"
#include <algorithm>
#include <cstring>
#include <sys/random.h>

using namespace kiln::communication;

/// Exchanges of so many bytes are carried out by whoever starts them: to hand
/// them to the thread takes longer.
constexpr uint64_t kSmallBytes = 32 * 1024;

int kiln::communication::fillError(KilnError *error,
                                   const std::string &message) {
  if (error)
    kiln::runtime::copyErrorText(message, error->message,
                                 sizeof(error->message));
  return 1;
}

void kiln::communication::setKey(const KilnCommunicatorDescription &description,
                                 const std::string &key,
                                 const std::string &value) {
  KilnError error = {};
  const KilnStore &store = *description.store;
  if (store.set(store.user, (description.name + ("/" + key)).c_str(),
                value.data(), value.size(), &error))
    throw Failure(error.message);
}

std::string
kiln::communication::getKey(const KilnCommunicatorDescription &description,
                            const std::string &key) {
  KilnError error = {};
  std::string value(4096, 0);
  size_t length = 0;
  const KilnStore &store = *description.store;
  if (store.get(store.user, (description.name + ("/" + key)).c_str(),
                value.data(), value.size(), &length, description.seconds,
                &error))
    throw Failure(error.message);
  value.resize(std::min(length, value.size()));
  return value;
}

std::string kiln::communication::randomText() {
  unsigned char bytes[16];
  if (getrandom(bytes, sizeof bytes, 0) != sizeof bytes)
    throw Failure("the system has no random bytes");
  std::string text;
  for (unsigned char byte : bytes) {
    text += "0123456789abcdef"[byte >> 4];
    text += "0123456789abcdef"[byte & 15];
  }
  return text;
}

KilnCommunicator::KilnCommunicator(
    const KilnCommunicatorDescription &description)
    : rank(description.rank), size(description.size),
      ranks(description.ranks, description.ranks + description.size) {
  worker = std::thread([this] { work(); });
}

KilnCommunicator::~KilnCommunicator() { finish(); }

void KilnCommunicator::finish() {
  {
    std::lock_guard<std::mutex> lock(mutex);
    isEnding = true;
  }
  changed.notify_all();
  if (worker.joinable())
    worker.join();
}

Failure KilnCommunicator::gone(int64_t position) const {
  return Failure(nameOf(position) + " is gone: its process has ended");
}

uint64_t KilnCommunicator::signatureOf(const KilnCollective &c) {
  uint64_t hash = c.count;
  for (uint64_t part : {c.kind, c.combiner, c.dtype}) {
    hash = (hash ^ part) * 0x9e3779b97f4a7c15;
    hash ^= hash >> 29;
  }
  // All ones say that a rank has left.
  return hash >> 1;
}

void KilnCommunicator::checkAborted() {
  if (!isAborted)
    return;
  std::lock_guard<std::mutex> lock(mutex);
  throw Failure(reason);
}

void KilnCommunicator::abort(const std::string &why) {
  {
    std::lock_guard<std::mutex> lock(mutex);
    if (isAborted)
      return;
    reason = why.empty() ? "the exchange was ended" : why;
    isAborted = true;
  }
  tellAbort(reason);
}

int KilnCommunicator::check(KilnError *error) {
  try {
    checkAborted();
    checkRanks();
    return 0;
  } catch (const std::exception &failure) {
    return fillError(error, failure.what());
  }
}

void KilnCommunicator::run(KilnRequest &request) {
  try {
    checkAborted();
    execute(request.collective);
  } catch (const std::exception &failure) {
    request.failure = failure.what();
  }
}

void KilnCommunicator::work() {
  std::unique_lock<std::mutex> lock(mutex);
  while (true) {
    waitUntil(lock, [&] { return isEnding || !queued.empty(); });
    if (queued.empty())
      return;
    KilnRequest *request = queued.front();
    isBusy = true;
    lock.unlock();
    run(*request);
    lock.lock();
    isBusy = false;
    queued.pop_front();
    request->isDone = true;
    changed.notify_all();
  }
}

int KilnCommunicator::start(const KilnCollective &collective,
                            KilnRequest **request, KilnError *error) {
  bool combines = collective.kind == KILN_COLLECTIVE_ALL_REDUCE ||
                  collective.kind == KILN_COLLECTIVE_REDUCE_SCATTER;
  uint64_t bytes = elementBytes(collective.dtype);
  if (!bytes || collective.kind > KILN_COLLECTIVE_PERMUTE ||
      (combines && !canCombine(collective.combiner, collective.dtype)))
    return fillError(
        error, "unsupported: exchange " + std::to_string(collective.kind) +
                   " of elements of type " + std::to_string(collective.dtype));
  auto *made = new KilnRequest();
  std::memcpy(&made->collective, &collective,
              std::min(collective.structSize, sizeof collective));
  made->pairs.assign(collective.pairs,
                     collective.pairs + 2 * uint64_t(collective.numPairs));
  made->collective.pairs = made->pairs.data();
  *request = made;
  {
    std::lock_guard<std::mutex> lock(mutex);
    bool isSmall = bytes * collective.count <= kSmallBytes;
    if (!isSmall || !queued.empty() || isBusy) {
      queued.push_back(made);
      changed.notify_all();
      return 0;
    }
  }
  run(*made);
  made->isDone = true;
  return 0;
}

int KilnCommunicator::wait(KilnRequest *request, KilnError *error) {
  {
    std::unique_lock<std::mutex> lock(mutex);
    waitUntil(lock, [&] { return request->isDone; });
  }
  std::string failure = request->failure;
  delete request;
  return failure.empty() ? 0 : fillError(error, failure);
}
