// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The C interface: ranks that run programs together.
#include "CApi.h"
#include "kiln/Runtime/World.h"
#include <algorithm>
#include <cstring>

using namespace kiln::runtime;
using namespace kiln::runtime::capi;

struct KilnWorld {
  std::shared_ptr<World> world;
};

int kilnWorldCreate(const KilnWorldOptions *options, KilnWorld **world) {
  return guarded([&] {
    if (!options || !world)
      return isNull(options ? "the world" : "the options");
    *world = nullptr;
    KilnWorldOptions given = {};
    std::memcpy(&given, options, std::min(options->structSize, sizeof given));
    World::Options how;
    how.driver = given.communication ? given.communication : "";
    if (given.seconds > 0)
      how.seconds = given.seconds;
    std::shared_ptr<Store> store;
    if (given.store) {
      store = wrapStore(*given.store);
    } else {
      Expected<std::shared_ptr<Store>> opened = openStore(
          given.rendezvous ? given.rendezvous : "", given.rank, how.seconds);
      if (!opened)
        return fail(opened.message());
      store = *opened;
    }
    Expected<std::shared_ptr<World>> made =
        World::create(given.rank, given.ranks, store, how);
    if (!made)
      return fail(made.message());
    *world = new KilnWorld{*made};
    return 0;
  });
}

void kilnWorldDestroy(KilnWorld *world) { delete world; }

void kilnWorldAbort(KilnWorld *world, const char *reason) {
  if (world)
    world->world->abort(reason ? reason : "");
}

int kilnSessionSetWorld(KilnSession *session, KilnWorld *world) {
  return guarded([&] {
    if (!session)
      return isNull("the session");
    session->session.setWorld(world ? world->world : nullptr);
    return 0;
  });
}
