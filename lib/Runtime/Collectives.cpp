// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Exchanges between ranks, as instructions of the host program. Where the
// device's driver names a communication driver, they go into the device's
// queue; else they go between memory that the host sees, through a copy on the
// host where it does not see the device's.
#include "Communicator.h"
#include "Interpreter.h"
#include <algorithm>
#include <cstring>

using namespace kiln::runtime;

/// One exchange, started and not waited for.
struct Interpreter::Exchange {
  std::shared_ptr<Communicator> group;
  KilnCollective collective = {};
  std::vector<int64_t> pairs;
  KilnRequest *request = nullptr;
  BufferValue source, target;
  std::shared_ptr<Device> on;
  Tensor from, to; ///< on the host, where the device's memory is not

  /// Brings the source to where the driver finds it, and starts.
  Error start() {
    if (!group->isOnDevice()) {
      // What is queued may still write the source, or read the target.
      if (Error error = on->synchronize())
        return error;
      if (from.storage.data)
        if (Error error = on->copyOut(from.data(), *source.memory,
                                      uint64_t(source.begin), bytesOf(source)))
          return error;
      if (to.storage.data && collective.kind == KILN_COLLECTIVE_PERMUTE)
        std::memset(to.data(), 0, bytesOf(target));
      if (Error error = on->synchronize())
        return error;
    }
    Expected<KilnRequest *> started = group->start(collective);
    if (!started)
      return started.takeError();
    request = *started;
    return Error::success();
  }

  Error wait() {
    KilnRequest *which = request;
    request = nullptr;
    if (which)
      if (Error error = group->wait(which))
        return error;
    if (!to.storage.data)
      return Error::success();
    if (Error error = on->copyIn(*target.memory, uint64_t(target.begin),
                                 to.data(), bytesOf(target)))
      return error;
    return on->synchronize();
  }

  static uint64_t bytesOf(const BufferValue &value) {
    return uint64_t(value.numElements() * dtypeBytes(value.dtype));
  }
};

Error Interpreter::writeRank(const BufferValue &target) {
  if (target.dtype != DType::i32 || target.numElements() != 1)
    return Error("the number of a rank needs one element of i32");
  auto number = std::make_shared<int32_t>(
      session->world ? int32_t(session->world->rank()) : 0);
  auto copy = [on = shared(target.device), target, number] {
    on->keep(number, /*isHost=*/true);
    return on->copyIn(*target.memory, uint64_t(target.begin), number.get(),
                      sizeof(int32_t));
  };
  return perform(target.device, copy);
}

Error Interpreter::copyAlone(const BufferValue &source,
                             const BufferValue &target) {
  BufferValue flat = target;
  flat.sizes = source.sizes;
  flat.strides = source.strides;
  return transfer(source, flat);
}

Error Interpreter::zero(const BufferValue &target) {
  auto fill = [on = shared(target.device), memory = target.memory,
               begin = target.begin, bytes = Exchange::bytesOf(target)] {
    return on->fill(*memory, uint64_t(begin), bytes, 0);
  };
  return perform(target.device, fill);
}

Error Interpreter::checkSizes(const CollectiveInst &inst, int64_t n) const {
  const BufferValue &source = bufs[size_t(inst.src)];
  const BufferValue &target = bufs[size_t(inst.dst)];
  int64_t from = source.numElements(), to = target.numElements();
  bool fits = from == to;
  if (inst.kind == CollectiveKind::allGather)
    fits = to / n == from && to % n == 0;
  else if (inst.kind == CollectiveKind::reduceScatter)
    fits = from / n == to && from % n == 0;
  else if (inst.kind == CollectiveKind::allToAll)
    fits &= from % n == 0;
  if (fits && source.dtype == target.dtype && source.isContiguous() &&
      target.isContiguous())
    return Error::success();
  return Error(std::string(collectiveKindName(inst.kind)) + " of " +
               typeString(source.dtype, source.sizes) + " to " +
               typeString(target.dtype, target.sizes) + " does not fit " +
               std::to_string(n) + " ranks");
}

Expected<std::shared_ptr<Interpreter::Exchange>>
Interpreter::prepare(const CollectiveInst &inst,
                     const std::vector<int64_t> &group) {
  auto made = std::make_shared<Exchange>();
  made->source = bufs[size_t(inst.src)];
  made->target = bufs[size_t(inst.dst)];
  made->on = shared(made->target.device);
  if (made->source.device != made->target.device)
    return Error("an exchange between buffers on two devices");
  bool isDirect = made->on->exchanges();
  Expected<std::shared_ptr<Communicator>> connected =
      session->world->group(group, isDirect ? made->on : nullptr);
  if (!connected)
    return connected.takeError();
  made->group = *connected;
  KilnCollective &c = made->collective;
  c.structSize = sizeof c;
  c.kind = uint32_t(inst.kind);
  c.combiner = uint32_t(inst.combiner);
  c.dtype = uint32_t(made->source.dtype);
  c.count = uint64_t(made->source.numElements());
  if (inst.kind == CollectiveKind::permute) {
    for (const std::vector<int64_t> &pair :
         target.program.groups[size_t(inst.groups)])
      for (int64_t rank : pair)
        made->pairs.push_back(std::find(group.begin(), group.end(), rank) -
                              group.begin());
    c.pairs = made->pairs.data();
    c.numPairs = uint32_t(made->pairs.size() / 2);
  }
  auto place = [&](BufferValue &value, Tensor &staged) -> Expected<char *> {
    if (made->group->isOnDevice()) {
      Expected<uint64_t> address = made->on->exportAddress(*value.memory);
      if (!address)
        return address.takeError();
      return reinterpret_cast<char *>(uintptr_t(*address)) + value.begin;
    }
    if (value.memory->address)
      return static_cast<char *>(value.memory->address) + value.begin;
    Expected<Tensor> tensor =
        Tensor::create(value.dtype, value.sizes, /*zeroed=*/false);
    if (!tensor)
      return tensor.takeError();
    staged = *tensor;
    return static_cast<char *>(staged.data());
  };
  Expected<char *> from = place(made->source, made->from);
  if (!from)
    return from.takeError();
  Expected<char *> to = place(made->target, made->to);
  if (!to)
    return to.takeError();
  c.source = *from;
  c.target = *to;
  if (made->group->isOnDevice()) {
    Expected<void *> queue = made->on->exportQueue();
    if (!queue)
      return queue.takeError();
    c.queue = *queue;
  }
  return made;
}

Error Interpreter::run(const CollectiveInst &inst) {
  if (isDry())
    return Error::success();
  if (exchanges.count(inst.dst))
    return Error("an exchange into b" + std::to_string(inst.dst) +
                 " is in flight already");
  Expected<const BufferValue *> target = ready(inst.dst);
  if (!target)
    return target.takeError();
  exchanges[inst.dst] = nullptr;
  if (inst.kind == CollectiveKind::rank)
    return writeRank(**target);
  Expected<const BufferValue *> source = ready(inst.src);
  if (!source)
    return source.takeError();
  int64_t rank = session->world ? session->world->rank() : 0;
  int64_t numRanks = session->world ? session->world->size() : 1;
  const RankLists &lists = this->target.program.groups[size_t(inst.groups)];
  std::vector<int64_t> group;
  bool isPermute = inst.kind == CollectiveKind::permute, receives = false;
  for (const std::vector<int64_t> &list : lists) {
    bool isMine = std::find(list.begin(), list.end(), rank) != list.end();
    if (isPermute || isMine)
      group.insert(group.end(), list.begin(), list.end());
    receives |= isPermute && list[1] == rank;
  }
  if (isPermute) {
    std::sort(group.begin(), group.end());
    group.erase(std::unique(group.begin(), group.end()), group.end());
  }
  for (int64_t member : group)
    if (member >= numRanks)
      return Error("the program needs rank " + std::to_string(member) +
                   ", and runs on " + std::to_string(numRanks) +
                   (numRanks == 1 ? " rank" : " ranks"));
  bool isIn = std::find(group.begin(), group.end(), rank) != group.end();
  if (!isPermute && !isIn)
    return Error("rank " + std::to_string(rank) + " is in no group of " +
                 collectiveKindName(inst.kind));
  if (Error error = checkSizes(inst, isPermute ? 1 : int64_t(group.size())))
    return error;
  if (!(*source)->numElements())
    return Error::success();
  if (isPermute && !receives)
    if (Error error = zero(**target))
      return error;
  if (!isIn)
    return Error::success();
  if (group.size() == 1)
    return copyAlone(**source, **target);
  // Exchanges are prepared with the addresses of their memory.
  if (tape && tape->isDeferred)
    return Error("unsupported: preparing a call with an exchange of ranks");
  Expected<std::shared_ptr<Exchange>> exchange = prepare(inst, group);
  if (!exchange)
    return exchange.takeError();
  exchangesInQueue |= (*exchange)->group->isOnDevice();
  if (tape) {
    // Of a recording start and end are one step.
    auto step = [exchange = *exchange]() -> Error {
      if (Error error = exchange->start())
        return error;
      return exchange->wait();
    };
    return perform((*exchange)->group->isOnDevice() ? (*target)->device
                                                    : Tape::kHost,
                   step);
  }
  exchanges[inst.dst] = *exchange;
  return (*exchange)->start();
}

Error Interpreter::run(const WaitInst &inst) {
  if (isDry())
    return Error::success();
  auto found = exchanges.find(inst.dst);
  if (found == exchanges.end())
    return Error("no exchange into b" + std::to_string(inst.dst) +
                 " is in flight");
  std::shared_ptr<Exchange> exchange = std::move(found->second);
  exchanges.erase(found);
  return exchange ? exchange->wait() : Error::success();
}

void Interpreter::abandonExchanges(const std::string &reason) {
  if (!session || !session->world || session->world->size() == 1 ||
      target.program.groups.empty())
    return;
  session->world->abort(reason);
  for (auto &[target, exchange] : exchanges)
    if (exchange)
      if (Error error = exchange->wait())
        continue; // the first failure is the one that counts
  exchanges.clear();
}
