// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What drivers that exchange memory of the host have in common: a thread that
// carries out exchanges one after the other, and their table.
#ifndef KILN_LIB_COMMUNICATION_HOSTCOMMUNICATOR_H
#define KILN_LIB_COMMUNICATION_HOSTCOMMUNICATOR_H

#include "kiln-c/Communication.h"
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace kiln::communication {

/// Thrown by what a driver does; becomes the text of a KilnError.
struct Failure : std::runtime_error {
  using runtime_error::runtime_error;
};

int fillError(KilnError *error, const std::string &message);

} // namespace kiln::communication

struct KilnRequest {
  KilnCollective collective;
  std::vector<int64_t> pairs;
  bool isDone = false;
  std::string failure;
};

/// One group. A driver derives from it.
struct KilnCommunicator {
  explicit KilnCommunicator(const KilnCommunicatorDescription &description);
  virtual ~KilnCommunicator();
  KilnCommunicator(const KilnCommunicator &) = delete;

  int start(const KilnCollective &collective, KilnRequest **request,
            KilnError *error);
  int wait(KilnRequest *request, KilnError *error);
  int check(KilnError *error);
  void abort(const std::string &why);

protected:
  using Failure = kiln::communication::Failure;

  /// Carries out an exchange of at least one element, of known type and kind.
  virtual void execute(const KilnCollective &collective) = 0;
  /// Throws where a rank is gone.
  virtual void checkRanks() = 0;
  /// Tells the others that this rank gives up, and wakes what waits.
  virtual void tellAbort(const std::string &why) = 0;

  /// Throws when somebody has called abort.
  void checkAborted();
  /// The end of the thread; for destructors, before what it uses goes.
  void finish();
  std::string nameOf(int64_t position) const {
    return "rank " + std::to_string(ranks[size_t(position)]);
  }
  Failure gone(int64_t position) const;
  /// What identifies an exchange: equal on all ranks.
  static uint64_t signatureOf(const KilnCollective &collective);

  const int64_t rank, size;
  const std::vector<int64_t> ranks;

private:
  void run(KilnRequest &request);
  void work();

  std::mutex mutex;
  std::condition_variable changed;

  /// In turns: a wait without an end needs a newer C++ library than the oldest
  /// systems that are supported have.
  template <typename Condition>
  void waitUntil(std::unique_lock<std::mutex> &lock, Condition condition) {
    while (!condition())
      changed.wait_for(lock, std::chrono::hours(1));
  }
  std::deque<KilnRequest *> queued;
  bool isBusy = false, isEnding = false;
  std::atomic<bool> isAborted = false;
  std::string reason;
  std::thread worker;
};

namespace kiln::communication {

/// A table whose `open` makes a Communicator from a description.
template <typename Communicator>
KilnCommunicationDriver hostTable(const char *name) {
  KilnCommunicationDriver table = {};
  table.structSize = sizeof table;
  table.apiMajor = KILN_COMMUNICATION_API_MAJOR;
  table.apiMinor = KILN_COMMUNICATION_API_MINOR;
  table.name = name;
  table.open = [](const KilnCommunicatorDescription *description,
                  KilnCommunicator **communicator, KilnError *error) {
    try {
      *communicator = new Communicator(*description);
      return 0;
    } catch (const std::exception &failure) {
      return fillError(error, failure.what());
    }
  };
  table.close = [](KilnCommunicator *communicator) { delete communicator; };
  table.start = [](KilnCommunicator *communicator,
                   const KilnCollective *collective, KilnRequest **request,
                   KilnError *error) {
    return communicator->start(*collective, request, error);
  };
  table.wait = [](KilnCommunicator *communicator, KilnRequest *request,
                  KilnError *error) {
    return communicator->wait(request, error);
  };
  table.check = [](KilnCommunicator *communicator, KilnError *error) {
    return communicator->check(error);
  };
  table.abort = [](KilnCommunicator *communicator, const char *reason) {
    communicator->abort(reason ? reason : "");
  };
  return table;
}

/// Of the store of a description.
void setKey(const KilnCommunicatorDescription &description,
            const std::string &key, const std::string &value);
std::string getKey(const KilnCommunicatorDescription &description,
                   const std::string &key);
/// Bytes that nobody can guess, as hexadecimal text.
std::string randomText();

} // namespace kiln::communication

#endif
