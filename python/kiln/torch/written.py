# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arguments that a graph writes: the statistics of norms, counters, caches.

AOTAutograd returns their new values as results, and copies each to its argument behind the call. On a GPU a copy of a few numbers takes as
long as its launch, and a network has three such arguments for each of its norms. Here all are copied at once, and the results become views of
the arguments, for which torch's copy does nothing."""
import torch


def pays(device):
    """Whether each copy is a launch on a device."""
    return device.type != "cpu"


def holds_other_numbers(tensor):
    """Whether the memory of a tensor has conjugates or negatives of its elements, which a view of that memory would not tell."""
    return tensor.is_conj() or tensor.is_neg()


def places(graph_module, made):
    """(the place of a new value among the results, the place of the argument) of each argument that is only written: it keeps its shape and
    its strides, and the compiled graph `made` computes its value."""
    context = torch._guards.TracingContext.try_get()
    about = getattr(context, "fw_metadata", None)
    written = getattr(about, "mutated_inp_runtime_indices", None)
    if not written or getattr(about, "tokens", None):
        return []
    given = [node for node in graph_module.graph.nodes if node.op == "placeholder"]
    returned = next(node for node in graph_module.graph.nodes if node.op == "output").args[0]
    found = []
    for place, argument in enumerate(written):
        if place >= min(len(returned), len(made.results)) or argument >= min(len(given), len(about.input_info)):
            return []
        info, kind = about.input_info[argument], made.results[place][0]
        value, old = (getattr(one, "meta", {}).get("val") for one in (returned[place], given[argument]))
        if not info.mutates_data or info.mutates_metadata or getattr(info, "mutates_storage_metadata", False) or kind != "tensor":
            continue
        if not isinstance(value, torch.Tensor) or not isinstance(old, torch.Tensor):
            continue
        if holds_other_numbers(old) or holds_other_numbers(value):
            continue
        if (value.dtype, value.shape, value.stride()) == (old.dtype, old.shape, old.stride()) and old.is_contiguous():
            found.append((place, argument))
    return found if len(found) > 1 else []


def at_once(run, written):
    """A function of the list of a graph's arguments that calls `run` with it, and writes the arguments."""
    def boxed(arguments):
        places = [(place, arguments[argument]) for place, argument in written if not holds_other_numbers(arguments[argument])]
        made = list(run(arguments))
        alike = {}
        for place, argument in places:
            alike.setdefault((argument.dtype, argument.device), []).append((place, argument))
        with torch.no_grad():
            for pairs in alike.values():
                torch._foreach_copy_([argument.detach() for _, argument in pairs], [made[place] for place, _ in pairs])
        for place, argument in places:
            # Not a view for autograd: it takes a result that is one for a part of its argument.
            made[place] = torch.empty(0, dtype=argument.dtype, device=argument.device).set_(
                argument.untyped_storage(), argument.storage_offset(), argument.shape, argument.stride())
        return made

    boxed._boxed_call = True
    return boxed
