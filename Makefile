# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Two commands matter: `make demo` and `make test`. Both install what is missing and build first.
# `make check-fast` runs the tests that take at most 1.3 seconds each, and a few longer ones, for use while editing.
BUILD ?= build
JOBS  ?= $(shell nproc)
PREFIX ?= $(CURDIR)/install
# More options of CMake, for a new build folder. -DKILN_PRECOMPILE_DIALECTS=ON makes one that is built once faster.
CMAKE_FLAGS ?=

.PHONY: all build deps demo test check-fast check-style site release cross cross-compiler test-cross test-hip test-jax test-torch semantics test-onnx bench install packages wheels fuzz format tidy clean
all: build

deps:
	@bash tools/install-deps.sh

$(BUILD)/build.ninja: | deps
	cmake -G Ninja -S . -B $(BUILD) -DCMAKE_BUILD_TYPE=Release \
	  -DCMAKE_C_COMPILER=clang-22 -DCMAKE_CXX_COMPILER=clang++-22 \
	  -DCMAKE_INSTALL_PREFIX=$(PREFIX) $(CMAKE_FLAGS)

build: deps $(BUILD)/build.ninja
	@cmake --build $(BUILD) -j $(JOBS)

demo: build
	@bash examples/demo.sh $(BUILD)

test: build
	-@bash tools/install-deps.sh other-mlir
	-@bash tools/unpack-mlir.sh 19 $(BUILD)/other-mlir
	@/usr/bin/python3 test/run.py $(BUILD)

# The tests that take at most 1.3 seconds each, and a few longer ones of folders that would keep none: less than three minutes on two cores.
check-fast: build
	@/usr/bin/python3 test/run.py $(BUILD) --fast

# Format and lint of what differs from the commit BASE.
BASE ?= origin/main
check-style: build
	@bash tools/install-deps.sh style
	@bash tools/check-style.sh $(BUILD) $(BASE)

# What runs packages, for other architectures, by Debian's cross compilers, and emulators of these.
cross:
	@bash tools/install-deps.sh cross
	@bash tools/cross-sysroot.sh emulators $(BUILD)/cross/emulators
	@for name in aarch64 riscv64; do \
	  bash tools/cross-sysroot.sh $$name $(BUILD)/cross/$$name/root && \
	  cmake -G Ninja -S . -B $(BUILD)/cross/$$name -DKILN_COMPILER=OFF -DCMAKE_INSTALL_PREFIX=$(PREFIX) \
	    -DCMAKE_TOOLCHAIN_FILE=$(CURDIR)/cmake/toolchains/$$name-linux-gnu.cmake \
	    -DKILN_SYSROOT=$(abspath $(BUILD))/cross/$$name/root && \
	  cmake --build $(BUILD)/cross/$$name -j $(JOBS) || exit 1; done

# The whole of Kiln for AArch64: the compiler, the tools and the programs of the tests, by Clang for that architecture.
cross-compiler: build cross
	@bash tools/cross-sysroot.sh aarch64 $(BUILD)/cross/aarch64-compiler/root compiler
	@cmake -G Ninja -S . -B $(BUILD)/cross/aarch64-compiler -DCMAKE_BUILD_TYPE=Release -DCMAKE_INSTALL_PREFIX=$(PREFIX) \
	  -DCMAKE_TOOLCHAIN_FILE=$(CURDIR)/cmake/toolchains/aarch64-linux-gnu.cmake \
	  -DKILN_SYSROOT=$(abspath $(BUILD))/cross/aarch64-compiler/root $(CMAKE_FLAGS)
	@cmake --build $(BUILD)/cross/aarch64-compiler -j $(JOBS)

test-cross: build cross
	@/usr/bin/python3 test/run.py $(BUILD) test/cross

# The target amd on this machine's GPU (ROCm 5.6 or newer): what was tried, and how it went, is in build/test-hip.md.
test-hip: build
	@/usr/bin/python3 test/amd/hardware.py $(BUILD)

# What needs JAX, in an environment of its own.
test-jax: build
	@bash tools/install-deps.sh venv
	@test -x $(BUILD)/venv-jax/bin/python || /usr/bin/python3 -m venv $(BUILD)/venv-jax
	@$(BUILD)/venv-jax/bin/python -m pip install -q "jax>=0.6"
	@/usr/bin/python3 test/run.py $(BUILD) test/jax

# What needs PyTorch, in an environment of its own: the wheel without the libraries of devices.
test-torch: build
	@bash tools/install-deps.sh venv
	@bash tools/torch-environment.sh $(BUILD)/venv-torch
	@/usr/bin/python3 test/run.py $(BUILD) test/torch
	@cd test/torch && PYTHONPATH=$(abspath $(BUILD))/python KILN_NO_FALLBACK=1 \
	  $(abspath $(BUILD))/venv-torch/bin/python opinfo.py --expected=opinfo.expected --report=$(abspath $(BUILD))/opinfo.json

# Every pass over the whole corpus, in KILN_SHARED.
semantics: build
	@PATH=$(abspath $(BUILD))/bin:$$PATH /usr/bin/python3 test/driver/semantics_corpus.py \
	  $(KILN_SHARED)/corpus/tosa $(KILN_SHARED)/corpus/ttir --jobs=$(JOBS)

# ONNX's operator tests, in KILN_SHARED.
test-onnx: build
	@PATH=$(abspath $(BUILD))/bin:$$PATH /usr/bin/python3 test/onnx/corpus.py $(KILN_SHARED)/corpus/onnx --jobs=$(JOBS) \
	  --expected=test/onnx/expected.txt

bench: build
	@bash tools/install-deps.sh bench
	@bash bench/run.sh $(BUILD)

# The site, in build/site: pages, generated reference, C and C++ interfaces, search. Needs no compiler of Kiln's.
# make site SITE_VERSION=1.2.3 builds it as a version, in build/sites/1.2.3, beside those that are there, with a menu of all.
site: deps $(BUILD)/build.ninja
	@bash tools/install-deps.sh site
	@cmake --build $(BUILD) --target kiln-docs
	@test -x $(BUILD)/venv-site/bin/python || /usr/bin/python3 -m venv $(BUILD)/venv-site
	@$(BUILD)/venv-site/bin/python -m pip install -q -r docs/site/requirements.txt
	@$(BUILD)/venv-site/bin/python docs/site/site.py . $(BUILD) \
	  $(if $(SITE_VERSION),$(BUILD)/sites --version=$(SITE_VERSION),$(BUILD)/site)

install: build
	@cmake --install $(BUILD) --prefix $(PREFIX)

packages: build
	@cd $(BUILD) && cpack

wheels: build
	@/usr/bin/python3 python/wheels.py $(BUILD) $(BUILD)/wheels

# A release of this commit: make release VERSION=1.2.3
release:
	@bash tools/release.sh $(VERSION)

fuzz: build
	@bash tools/install-deps.sh fuzz
	@KILN_BUILD=$(abspath $(BUILD)) bash test/fuzz/run.sh

format:
	@bash tools/install-deps.sh style
	@git ls-files '*.cpp' '*.h' '*.c' | xargs clang-format-22 -i

tidy: build
	@bash tools/install-deps.sh style
	@git ls-files 'lib/*.cpp' 'dialects/*.cpp' 'conversions/*.cpp' 'targets/*.cpp' 'tools/*.cpp' \
	  | xargs -P $(JOBS) -n 4 clang-tidy-22 -p $(BUILD) --quiet

clean:
	rm -rf $(BUILD) $(PREFIX)
