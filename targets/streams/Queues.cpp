// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Queues are streams, recordings graphs; what waits without a queue.
#include "StreamDevice.h"
#include <algorithm>
#include <iterator>

using namespace kiln::streams;
using kiln::runtime::failDriver;

namespace {

/// ", after kernel 'a', argument 2 (…), kernel 'b'": what ran last.
std::string afterKernels(const KilnQueue::Launched *launched) {
  std::string text;
  for (unsigned i = 0; i < KilnQueue::kRemembered; ++i) {
    if (!launched[i].symbol)
      break;
    text += (i ? ", " : ", after ") + ("kernel '" + *launched[i].symbol + "'");
    if (launched[i].argument >= 0)
      text += ", argument " + std::to_string(launched[i].argument) +
              " (it reaches behind its buffer)";
  }
  return text;
}

int createQueue(KilnDevice *device, KilnQueue **queue, KilnError *error) {
  device->enter();
  auto created = std::make_unique<KilnQueue>();
  if (check(device, device->api->createStream(&created->stream),
            "creating a stream", error))
    return 1;
  *queue = created.release();
  return 0;
}

int importQueue(KilnDevice *, void *native, KilnQueue **queue, KilnError *) {
  auto created = std::make_unique<KilnQueue>();
  created->stream = native;
  created->isOwned = false;
  *queue = created.release();
  return 0;
}

int exportQueue(KilnDevice *device, KilnQueue *queue, void **native,
                KilnError *) {
  *native = streamOf(device, queue);
  return 0;
}

void destroyQueue(KilnDevice *device, KilnQueue *queue) {
  device->enter();
  if (queue->isOwned)
    device->api->destroyStream(queue->stream);
  {
    std::lock_guard<std::mutex> lock(device->outputMutex);
    for (KilnOutput *output : device->outputs)
      output->queues.erase(queue);
  }
  delete queue;
}

int synchronize(KilnDevice *device, KilnQueue *queue, KilnError *error) {
  device->enter();
  int status = device->api->synchronize(streamOf(device, queue));
  std::string what = "waiting for the queue";
  if (queue) {
    if (status)
      what += afterKernels(queue->launched);
    for (KilnQueue::Launched &launched : queue->launched)
      launched = {};
  }
  return check(device, status, what, error) ||
         readOutputs(device, queue, error);
}

int createEvent(KilnDevice *device, KilnEvent **event, KilnError *error) {
  device->enter();
  auto created = std::make_unique<KilnEvent>();
  if (check(device, device->api->createEvent(&created->event),
            "creating an event", error))
    return 1;
  *event = created.release();
  return 0;
}

void destroyEvent(KilnDevice *device, KilnEvent *event) {
  device->enter();
  device->api->destroyEvent(event->event);
  delete event;
}

int recordEvent(KilnDevice *device, KilnQueue *queue, KilnEvent *event,
                KilnError *error) {
  device->enter();
  return check(device,
               device->api->recordEvent(event->event, streamOf(device, queue)),
               "recording an event", error);
}

int waitEvent(KilnDevice *device, KilnQueue *queue, KilnEvent *event,
              KilnError *error) {
  device->enter();
  return check(device,
               device->api->awaitEvent(streamOf(device, queue), event->event),
               "waiting for an event", error);
}

int elapsed(KilnDevice *device, KilnEvent *begin, KilnEvent *end,
            double *seconds, KilnError *error) {
  device->enter();
  float milliseconds = 0;
  if (check(device, device->api->synchronizeEvent(end->event),
            "waiting for an event", error) ||
      check(device,
            device->api->elapsed(&milliseconds, begin->event, end->event),
            "the time between two events", error))
    return 1;
  *seconds = double(milliseconds) * 1e-3;
  return 0;
}

int beginRecording(KilnDevice *device, KilnQueue *queue, KilnError *error) {
  device->enter();
  queue->isRecording = true;
  queue->recorded.clear();
  for (KilnQueue::Launched &launched : queue->launched)
    launched = {};
  return check(device, device->code->beginCapture(queue->stream),
               "beginning a recording", error);
}

void destroyRecording(KilnDevice *device, KilnRecording *recording) {
  device->enter();
  if (recording->executable)
    device->code->destroyExecutable(recording->executable);
  if (recording->graph)
    device->code->destroyGraph(recording->graph);
  delete recording;
}

int endRecording(KilnDevice *device, KilnQueue *queue,
                 KilnRecording **recording, KilnError *error) {
  device->enter();
  auto created = std::make_unique<KilnRecording>();
  queue->isRecording = false;
  created->outputs = std::move(queue->recorded);
  std::move(std::begin(queue->launched), std::end(queue->launched),
            created->launched);
  if (check(device, device->code->endCapture(queue->stream, &created->graph),
            "ending a recording", error))
    return 1;
  if (check(device,
            device->code->instantiate(&created->executable, created->graph),
            "making a graph of a recording", error)) {
    destroyRecording(device, created.release());
    return 1;
  }
  *recording = created.release();
  return 0;
}

int replay(KilnDevice *device, KilnQueue *queue, KilnRecording *recording,
           KilnError *error) {
  device->enter();
  for (KilnOutput *output : recording->outputs)
    expectOutput(device, queue, output);
  if (queue)
    std::copy(std::begin(recording->launched), std::end(recording->launched),
              queue->launched);
  return check(device,
               device->code->launchGraph(recording->executable,
                                         streamOf(device, queue)),
               "replay", error) ||
         settle(device, queue, "replay", error);
}

} // namespace

const KilnDeviceHost *kiln::streams::theHost = nullptr;

int kiln::streams::settle(KilnDevice *device, const KilnQueue *queue,
                          const std::string &what, KilnError *error) {
  if (queue)
    return 0;
  return check(device, device->api->synchronize(device->immediate), what,
               error) ||
         readOutputs(device, queue, error);
}

void kiln::streams::addEntries(KilnDeviceDriver &table) {
  table.structSize = sizeof table;
  table.apiMajor = KILN_DEVICE_API_MAJOR;
  table.apiMinor = KILN_DEVICE_API_MINOR;
  addMemory(table);
  addQueues(table);
  addCode(table);
}

void kiln::streams::addQueues(KilnDeviceDriver &table) {
  table.createQueue = createQueue;
  table.importQueue = importQueue;
  table.exportQueue = exportQueue;
  table.destroyQueue = destroyQueue;
  table.synchronize = synchronize;
  table.createEvent = createEvent;
  table.destroyEvent = destroyEvent;
  table.recordEvent = recordEvent;
  table.waitEvent = waitEvent;
  table.elapsed = elapsed;
  table.beginRecording = beginRecording;
  table.endRecording = endRecording;
  table.replay = replay;
  table.destroyRecording = destroyRecording;
}
