# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The processes of torch.distributed as the ranks of Kiln."""
import os
import socket
import tempfile

import kiln

KEY = "kiln/rendezvous"


def _meeting_place():
    """Where the others find rank 0."""
    address = os.environ.get("MASTER_ADDR")
    if not address:
        return "file:" + tempfile.mkdtemp(prefix="kiln-ranks-")
    with socket.socket() as free:
        free.bind(("", 0))
        return f"tcp:{address}:{free.getsockname()[1]}"


def join():
    """Makes this process one of the ranks, once; after torch.distributed.init_process_group."""
    import torch.distributed as dist
    if os.environ.get("KILN_RANKS"):
        return
    store = dist.distributed_c10d._get_default_store()
    rank, ranks = dist.get_rank(), dist.get_world_size()
    if rank == 0:
        store.set(KEY, _meeting_place())
    kiln.join(rank, ranks, store.get(KEY).decode())
