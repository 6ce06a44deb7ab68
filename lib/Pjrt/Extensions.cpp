// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Extensions of PJRT: layouts and shardings of what a program takes and gives.
// A host that finds none of them converts the whole program to HLO, several
// times in each compilation, only to read them off.
#include "Objects.h"

using namespace kiln::pjrt;

namespace {

Error *destroy(Args<Layout> &args) {
  delete args.object;
  return nullptr;
}

Error *serialize(BytesArgs<Layout> &args) {
  args.bytes = args.object->text.data();
  args.size = args.object->text.size();
  args.owner = nullptr;
  args.release = [](void *) {};
  return nullptr;
}

Error *defaultLayout(DefaultLayoutArgs &args) {
  args.layout = new Layout(args.rank);
  return nullptr;
}

Error *ofBuffer(Args<Buffer, Layout *> &args) {
  args.first = new Layout(args.object->sizes.size());
  return nullptr;
}

template <std::vector<Layout *> Compiled::*Layouts>
Error *ofExecutable(Args<Executable, size_t, Layout *const *> &args) {
  const std::vector<Layout *> &layouts = (*args.object->compiled).*Layouts;
  args.first = layouts.size();
  args.second = layouts.data();
  return nullptr;
}

/// Null for a program on one device.
template <Shardings Compiled::*Member> Error *ofProgram(ShardingsArgs &args) {
  const Shardings &shardings = (*args.executable->compiled).*Member;
  bool isSpread = args.executable->compiled->devices.size() > 1;
  args.count = isSpread ? shardings.all.size() : 0;
  args.shardings = isSpread ? shardings.texts.data() : nullptr;
  args.sizes = isSpread ? shardings.sizes.data() : nullptr;
  return nullptr;
}

template <typename Arguments, Error *(*Body)(Arguments &)>
constexpr Entry function = entry<Arguments, Body>;

Extension<2> shardings = {
    {sizeof(shardings), ExtensionKind::Shardings, nullptr},
    {function<ShardingsArgs, ofProgram<&Compiled::argumentShardings>>,
     function<ShardingsArgs, ofProgram<&Compiled::resultShardings>>}};

using LayoutsArgs = Args<Executable, size_t, Layout *const *>;

Extension<7> layouts = {
    {sizeof(layouts), ExtensionKind::Layouts, &shardings.head},
    {function<Args<Layout>, destroy>, function<BytesArgs<Layout>, serialize>,
     function<DefaultLayoutArgs, defaultLayout>,
     function<Args<Buffer, Layout *>, ofBuffer>,
     function<DefaultLayoutArgs, defaultLayout>,
     function<LayoutsArgs, ofExecutable<&Compiled::resultLayouts>>,
     function<LayoutsArgs, ofExecutable<&Compiled::argumentLayouts>>}};

} // namespace

Layout::Layout(size_t rank) {
  for (size_t i = rank; i-- > 0;)
    text += (text.empty() ? "" : ",") + std::to_string(i);
  text = "{" + text + "}";
}

void kiln::pjrt::addExtensions(Api &api) { api.head.extensions = &layouts; }
