#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Times the layer of examples/llama_layer.mlir, softmax and layer norm beside other compilers, in one process, by
turns.

Usage: peers.py FOLDER --threads=N [--chip=CHIP] [--rounds=N] [--peers=eager,inductor,onnxruntime,openvino,xla]

FOLDER is an installed runtime (cmake --install BUILD --component runtime) with `packages/` beside its `lib/`, where
`peers.py --compile KILN_COMPILE FOLDER --threads=N [--chip=CHIP]` has put the programs. Needs torch and numpy, and
no compiler of Kiln's. Kiln is called through the C interface with memory that the caller owns; so is a copy of the
same bytes. Weights are arguments for everybody, so that nobody rearranges them beforehand. Peers that cannot be
imported are left out; onnxruntime and openvino also need onnx, which their programs are exported to. Every result, the
peers' too, is compared with PyTorch's. Prints the median time of each, and the ratios. Threads of OpenMP sleep between
calls: awake, they would keep a processor from whoever is called next.
"""
import argparse
import ctypes as C
import glob
import importlib.util
import os
import subprocess
import sys
import tempfile
import time

# Read when PyTorch is loaded.
os.environ.setdefault("OMP_WAIT_POLICY", "passive")

SHAPE = "tensor<4096x4096xf32>"
PROGRAMS = {
    "softmax": f"func.func @layer(%x: {SHAPE}) -> {SHAPE} {{\n  %0 = prim.softmax %x dim 1 : {SHAPE}\n"
               f"  return %0 : {SHAPE}\n}}\n",
    "layer_norm": f"func.func @layer(%x: {SHAPE}, %g: tensor<4096xf32>, %b: tensor<4096xf32>) -> {SHAPE} {{\n"
                  "  %0 = prim.layer_norm %x weight %g bias %b axes 1 eps 1.0e-5 : "
                  f"{SHAPE}, tensor<4096xf32>, tensor<4096xf32>\n  return %0 : {SHAPE}\n}}\n",
    "layer": None,
}


def compile_programs(options):
    source = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    os.makedirs(options.folder + "/packages", exist_ok=True)
    for name, text in PROGRAMS.items():
        file = source + "/examples/llama_layer.mlir"
        if text:
            file = f"{options.folder}/packages/{name}.mlir"
            with open(file, "w", encoding="utf-8") as out:
                out.write(text)
        subprocess.run([options.compile, file, f"--target={spec(options)}", "--no-fallback", "-o",
                        f"{options.folder}/packages/{name}.{options.threads}.kiln"], check=True)


def spec(options):
    return f"cpu:{options.chip},threads={options.threads}"


class Session:
    """One package on the processor."""

    def __init__(self, lib, path, target):
        self.lib, self.package, self.session = lib, C.c_void_p(), C.c_void_p()
        self.check(lib.kilnPackageLoadFile(path.encode(), C.byref(self.package)))
        self.check(lib.kilnSessionCreate(self.package, target.encode(), C.byref(self.session)))
        self.kept = []

    def check(self, status):
        if status:
            raise RuntimeError(self.lib.kilnLastError().decode())

    def tensor(self, array):
        handle, shape = C.c_void_p(), (C.c_int64 * array.ndim)(*array.shape)
        self.check(self.lib.kilnTensorWrap(14, array.ndim, shape, None, C.c_void_p(array.ctypes.data),
                                           C.byref(handle)))
        self.kept += [shape, array]
        return handle

    def caller(self, arguments, result):
        given = (C.c_void_p * len(arguments))(*[self.tensor(a) for a in arguments])
        into = (C.c_void_p * 1)(self.tensor(result))
        return lambda: self.check(self.lib.kilnSessionRunInto(
            self.session, b"layer", C.c_size_t(len(arguments)), given, C.c_size_t(1), into))


def layer(torch, dtype=None):
    """The layer as PyTorch's users write it; `dtype`: of its tensors, if not f32."""
    dtype = dtype or torch.float32
    functional = torch.nn.functional
    frequencies = 10000.0 ** (-torch.arange(32) / 32)
    angles = torch.arange(128.0)[:, None] * frequencies
    cos, sin = angles.cos().to(dtype), angles.sin().to(dtype)

    def turn(x):
        a, b = x[..., :32], x[..., 32:]
        return torch.cat([a * cos - b * sin, b * cos + a * sin], -1)

    def norm(x, weight):
        return x * torch.rsqrt((x * x).mean(-1, keepdim=True) + 1e-5) * weight

    def run(x, attention_norm, wq, wk, wv, wo, ffn_norm, w_gate, w_up, w_down):
        s, f = 0.0541265877, 0.0326396403
        h = norm(x, attention_norm)
        q, k, v = [((h @ w) * s).view(1, 128, 16, 64).transpose(1, 2) for w in (wq, wk, wv)]
        attended = functional.scaled_dot_product_attention(turn(q), turn(k), v, is_causal=True)
        y = x + (attended.transpose(1, 2).reshape(1, 128, 1024) @ wo) * s
        h = norm(y, ffn_norm)
        return y + ((functional.silu((h @ w_gate) * s) * ((h @ w_up) * s)) @ w_down) * f

    return run


def exported(torch, function, tensors):
    """A file with the function as ONNX."""
    class Module(torch.nn.Module):
        def forward(self, *arguments):
            return function(*arguments)

    path = tempfile.mkdtemp() + "/program.onnx"
    torch.onnx.export(Module(), tuple(tensors), path, dynamo=False, opset_version=17, do_constant_folding=True,
                      input_names=[f"x{i}" for i in range(len(tensors))])
    return path


def onnxruntime_call(torch, function, tensors, threads):
    import onnxruntime
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads, options.inter_op_num_threads = threads, 1
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL
    session = onnxruntime.InferenceSession(exported(torch, function, tensors), options,
                                           providers=["CPUExecutionProvider"])
    binding = session.io_binding()
    for i, tensor in enumerate(tensors):
        binding.bind_cpu_input(f"x{i}", tensor.numpy())
    name = session.get_outputs()[0].name
    result = onnxruntime.OrtValue.ortvalue_from_shape_and_type(tensors[0].shape, tensors[0].numpy().dtype)
    binding.bind_ortvalue_output(name, result)

    def call():
        session.run_with_iobinding(binding)
        return result
    return call, lambda value: value.numpy()


def openvino_call(torch, function, tensors, threads):
    import openvino
    core = openvino.Core()
    model = core.read_model(exported(torch, function, tensors))
    compiled = core.compile_model(model, "CPU", {"INFERENCE_NUM_THREADS": threads, "PERFORMANCE_HINT": "LATENCY",
                                                 "INFERENCE_PRECISION_HINT": "f32", "ENABLE_CPU_PINNING": False})
    request = compiled.create_infer_request()
    for i, tensor in enumerate(tensors):
        request.set_input_tensor(i, openvino.Tensor(tensor.numpy(), shared_memory=True))

    def call():
        request.infer()
        return request.get_output_tensor(0)
    return call, lambda value: value.data


def xla_call(name, tensors, threads):
    # XLA has as many threads as there are processors when it starts.
    everywhere = os.sched_getaffinity(0)
    os.sched_setaffinity(0, sorted(everywhere)[-threads:])
    os.environ.setdefault("JAX_PLATFORMS", "cpu")
    import jax
    jax.devices("cpu")
    jnp, lax = jax.numpy, jax.lax

    def softmax(x):
        return jax.nn.softmax(x, 1)

    def layer_norm(x, g, b):
        centred = x - x.mean(1, keepdims=True)
        return centred * lax.rsqrt((centred * centred).mean(1, keepdims=True) + 1e-5) * g + b

    def whole(x, attention_norm, wq, wk, wv, wo, ffn_norm, w_gate, w_up, w_down):
        s, f = 0.0541265877, 0.0326396403
        angles = jnp.arange(128.0)[:, None] * 10000.0 ** (-jnp.arange(32) / 32)
        cos, sin = jnp.cos(angles), jnp.sin(angles)

        def turn(t):
            a, b = t[..., :32], t[..., 32:]
            return jnp.concatenate([a * cos - b * sin, b * cos + a * sin], -1)

        def norm(t, weight):
            return t * lax.rsqrt((t * t).mean(-1, keepdims=True) + 1e-5) * weight

        h = norm(x, attention_norm)
        q, k, v = [((h @ w) * s).reshape(1, 128, 16, 64).transpose(0, 2, 1, 3) for w in (wq, wk, wv)]
        scores = turn(q) @ turn(k).swapaxes(2, 3) * 0.125
        scores = jnp.where(jnp.tril(jnp.ones((128, 128), bool)), scores, -1e9)
        attended = jax.nn.softmax(scores, -1) @ v
        y = x + (attended.transpose(0, 2, 1, 3).reshape(1, 128, 1024) @ wo) * s
        h = norm(y, ffn_norm)
        return y + ((jax.nn.silu((h @ w_gate) * s) * ((h @ w_up) * s)) @ w_down) * f

    compiled = jax.jit({"softmax": softmax, "layer_norm": layer_norm, "layer": whole}[name])
    arrays = [jax.device_put(tensor.numpy(), jax.devices("cpu")[0]) for tensor in tensors]
    call = lambda: compiled(*arrays).block_until_ready()
    call()
    os.sched_setaffinity(0, everywhere)
    return call, lambda value: __import__("numpy").asarray(value)


def peer_call(peer, torch, name, function, tensors, threads):
    """What calls a peer, and what makes an array of its result."""
    if peer == "eager":
        return (lambda: function(*tensors)), lambda value: value.numpy()
    if peer == "inductor":
        compiled = torch.compile(function)
        return (lambda: compiled(*tensors)), lambda value: value.numpy()
    if peer == "xla":
        return xla_call(name, tensors, threads)
    return {"onnxruntime": onnxruntime_call, "openvino": openvino_call}[peer](torch, function, tensors, threads)


MODULES = {"onnxruntime": "onnxruntime", "openvino": "openvino", "xla": "jax"}


def measure(calls, rounds):
    """Medians of calls that take turns."""
    times = {name: [] for name in calls}
    for call in calls.values():
        call()
    for _ in range(rounds):
        for name, call in calls.items():
            begin = time.perf_counter()
            call()
            times[name].append(time.perf_counter() - begin)
    return {name: sorted(values)[len(values) // 2] for name, values in times.items()}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder")
    parser.add_argument("--compile")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--chip", default="native")
    parser.add_argument("--rounds", type=int, default=21)
    parser.add_argument("--peers", default="eager,inductor,onnxruntime,openvino,xla")
    options = parser.parse_args()
    if options.compile:
        return compile_programs(options)
    import numpy as np
    import torch
    torch.set_num_threads(options.threads)
    lib = C.CDLL(sorted(glob.glob(options.folder + "/lib/libkiln-runtime.so*"))[-1], mode=C.RTLD_GLOBAL)
    lib.kilnLastError.restype = C.c_char_p
    generator = np.random.default_rng(1)

    def make(*shape):
        return generator.standard_normal(shape, dtype=np.float32)

    h, f = 1024, 2816
    arguments = {
        "softmax": [make(4096, 4096)],
        "layer_norm": [make(4096, 4096), make(4096), make(4096)],
        "layer": [make(1, 128, h), make(1, 1, h), make(1, h, h), make(1, h, h), make(1, h, h), make(1, h, h),
                  make(1, 1, h), make(1, h, f), make(1, h, f), make(1, f, h)],
    }
    functions = {
        "softmax": lambda x: torch.softmax(x, 1),
        "layer_norm": lambda x, g, b: torch.nn.functional.layer_norm(x, [4096], g, b, 1e-5),
        "layer": layer(torch),
    }
    wrong = 0
    for name, given in arguments.items():
        session = Session(lib, f"{options.folder}/packages/{name}.{options.threads}.kiln", spec(options))
        result = np.zeros(given[0].shape, np.float32)
        tensors = [torch.from_numpy(a) for a in given]
        calls = {"kiln": session.caller(given, result)}
        with torch.inference_mode():
            expected = functions[name](*tensors).numpy()

            def error_of(found):
                return float(np.abs(found.reshape(expected.shape) - expected).max() / np.abs(expected).max())

            for peer in options.peers.split(","):
                if peer in MODULES and not importlib.util.find_spec(MODULES[peer]):
                    continue
                try:
                    call, array = peer_call(peer, torch, name, functions[name], tensors, options.threads)
                    if not error_of(array(call())) < 1e-4:
                        print(f"{peer} differs on {name}")
                    calls[peer] = call
                except Exception as e:  # pylint: disable=broad-except
                    print(f"no {peer} for {name}: {str(e).splitlines()[0][:160]}", flush=True)
            if name != "layer":
                source, target = tensors[0], torch.empty_like(tensors[0])
                calls["copy"] = lambda: target.copy_(source)
            calls["kiln"]()
            error = error_of(result)
            wrong += not error < 1e-5
            times = measure(calls, options.rounds)
        text = "  ".join(f"{peer} {seconds * 1e3:.2f} ms" for peer, seconds in times.items())
        ratios = "  ".join(f"{peer} {seconds / times['kiln']:.2f}" for peer, seconds in times.items() if peer != "kiln")
        print(f"{options.chip} threads={options.threads} {name}: {'ok' if error < 1e-5 else 'WRONG'} (error {error:.1e})  "
              f"{text}  | speed beside {ratios}", flush=True)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
