// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Queues are streams, recordings graphs.
#include "NvidiaDevice.h"

using namespace kiln::nvidia;
using kiln::runtime::failDriver;

namespace {

int createQueue(KilnDevice *device, KilnQueue **queue, KilnError *error) {
  device->enter();
  auto created = std::make_unique<KilnQueue>();
  if (check(device,
            device->cuda->cuStreamCreate(&created->stream, kStreamNonBlocking),
            "cuStreamCreate", error))
    return 1;
  *queue = created.release();
  return 0;
}

int importQueue(KilnDevice *, void *native, KilnQueue **queue, KilnError *) {
  auto created = std::make_unique<KilnQueue>();
  created->stream = static_cast<CUstream>(native);
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
    device->cuda->cuStreamDestroy_v2(queue->stream);
  {
    std::lock_guard<std::mutex> lock(device->outputMutex);
    for (KilnOutput *output : device->outputs)
      output->queues.erase(queue);
  }
  delete queue;
}

int synchronize(KilnDevice *device, KilnQueue *queue, KilnError *error) {
  device->enter();
  return check(device,
               device->cuda->cuStreamSynchronize(streamOf(device, queue)),
               "waiting for the queue", error) ||
         readOutputs(device, queue, error);
}

int createEvent(KilnDevice *device, KilnEvent **event, KilnError *error) {
  device->enter();
  auto created = std::make_unique<KilnEvent>();
  if (check(device, device->cuda->cuEventCreate(&created->event, kEventDefault),
            "cuEventCreate", error))
    return 1;
  *event = created.release();
  return 0;
}

void destroyEvent(KilnDevice *device, KilnEvent *event) {
  device->enter();
  device->cuda->cuEventDestroy_v2(event->event);
  delete event;
}

int recordEvent(KilnDevice *device, KilnQueue *queue, KilnEvent *event,
                KilnError *error) {
  device->enter();
  return check(
      device,
      device->cuda->cuEventRecord(event->event, streamOf(device, queue)),
      "cuEventRecord", error);
}

int waitEvent(KilnDevice *device, KilnQueue *queue, KilnEvent *event,
              KilnError *error) {
  device->enter();
  return check(
      device,
      device->cuda->cuStreamWaitEvent(streamOf(device, queue), event->event, 0),
      "cuStreamWaitEvent", error);
}

int elapsed(KilnDevice *device, KilnEvent *begin, KilnEvent *end,
            double *seconds, KilnError *error) {
  device->enter();
  float milliseconds = 0;
  if (check(device, device->cuda->cuEventSynchronize(end->event),
            "cuEventSynchronize", error) ||
      check(device,
            device->cuda->cuEventElapsedTime(&milliseconds, begin->event,
                                             end->event),
            "cuEventElapsedTime", error))
    return 1;
  *seconds = double(milliseconds) * 1e-3;
  return 0;
}

int beginRecording(KilnDevice *device, KilnQueue *queue, KilnError *error) {
  device->enter();
  queue->isRecording = true;
  queue->recorded.clear();
  return check(
      device,
      device->cuda->cuStreamBeginCapture_v2(queue->stream, kCaptureThreadLocal),
      "cuStreamBeginCapture", error);
}

void destroyRecording(KilnDevice *device, KilnRecording *recording) {
  device->enter();
  if (recording->executable)
    device->cuda->cuGraphExecDestroy(recording->executable);
  if (recording->graph)
    device->cuda->cuGraphDestroy(recording->graph);
  delete recording;
}

int endRecording(KilnDevice *device, KilnQueue *queue,
                 KilnRecording **recording, KilnError *error) {
  device->enter();
  auto created = std::make_unique<KilnRecording>();
  queue->isRecording = false;
  created->outputs = std::move(queue->recorded);
  if (check(device,
            device->cuda->cuStreamEndCapture(queue->stream, &created->graph),
            "cuStreamEndCapture", error))
    return 1;
  if (check(device,
            device->cuda->cuGraphInstantiateWithFlags(&created->executable,
                                                      created->graph, 0),
            "cuGraphInstantiate", error)) {
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
  return check(device,
               device->cuda->cuGraphLaunch(recording->executable,
                                           streamOf(device, queue)),
               "cuGraphLaunch", error) ||
         settle(device, queue, "replay", error);
}

} // namespace

void kiln::nvidia::addQueues(KilnDeviceDriver &table) {
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
