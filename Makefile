# One word takes a fresh Debian 12 to a result. The build itself is CMake's: see CMakePresets.json.
.PHONY: demo test stops inject random bench fuzz asan tsan debug clang cross cross-all avx512 format install deps \
  test-deps build docs deb cuda-test wheels static dist reproduce
.DEFAULT_GOAL := build

PREFIX ?= /usr/local

deps:  ## as root or with sudo; demo and test call it, a bare make only says what is missing
	@tools/install_deps.sh

test-deps:
	@tools/install_deps.sh --test

build:
	@tools/install_deps.sh --check
	@tools/build.sh release all

demo: deps  ## trains on the digits and on a table that ship with the project, and makes a page of the latter
	@tools/build.sh release bochner_cli
	@build/release/bochner demo
	@mkdir -p build/demo
	build/release/bochner train data/adult-small.csv --target income --effort fast --test 0.2 -o build/demo/income.model
	build/release/bochner report build/demo/income.model data/adult-new.csv -o build/demo/income.html

test: test-deps  ## everything a change must pass
	@tools/build.sh release all
	@ctest --preset release -j 2

stops: test-deps  ## trainings stopped at some 1,900 points and resumed, to the same bytes
	@tools/build.sh release stops_test
	@BOCHNER_STOPS=100 build/release/tests/stops_test

TABLE = BOCHNER_COMMAND=$(CURDIR)/build/release/bochner BOCHNER_TEST_DATA=$(CURDIR)/data

inject: test-deps  ## commands in which one call of the system fails, at some 2,300 points
	@tools/build.sh release bochner_cli failing_calls
	@$(TABLE) BOCHNER_INJECT=14 BOCHNER_FAILING_CALLS=$(CURDIR)/build/release/tests/inject/libfailing_calls.so \
	  python3 -B tests/inject/inject_test.py

random: RANDOM_RUNS ?= 5000
random: test-deps  ## RANDOM_RUNS random commands with random options on odd tables
	@tools/build.sh release bochner_cli
	@$(TABLE) BOCHNER_RANDOM_RUNS=$(RANDOM_RUNS) python3 -B tests/cli/random_runs_test.py

bench: test-deps  ## ratios to OpenBLAS and scikit-learn, in one run
	@tools/build.sh release all benchmarks
	@tools/bench.sh build/release

fuzz: FUZZ_SECONDS ?= 60
fuzz: deps  ## readers of every kind of file, specs and requests under sanitizers, FUZZ_SECONDS each
	@tools/install_deps.sh --fuzz
	@tools/build.sh fuzz fuzz_targets
	@tests/fuzz/run.sh build/fuzz/tests/fuzz $(FUZZ_SECONDS) 2

asan tsan: deps
	@tools/build.sh $@ all
	@ctest --preset $@ -j 2

debug: deps  ## what an IDE starts with: no optimisation, every file by itself, buffers misaligned on purpose
	@tools/build.sh debug bochner_cli
	@build/debug/bochner --version

clang: CLANG_TARGETS ?= all benchmarks
# Every cosine and sine would take minutes without optimisation.
RUN_CLANG = seq 0 1 | xargs -P 2 -I{} env GTEST_TOTAL_SHARDS=2 GTEST_SHARD_INDEX={} build/clang/tests/backend_test \
  --gtest_brief=1 --gtest_filter='-*CosineAndSineErrorIsWithinTheBound'
clang:  ## compiles everything with clang, without a warning, and runs the tests of block operations
	@tools/install_deps.sh --clang
	@tools/build.sh clang $(CLANG_TARGETS)
	@$(if $(filter all backend_test,$(CLANG_TARGETS)),$(RUN_CLANG),:)

cross: deps  ## builds for the other architecture, runs it under emulation, compares its results with this one's
	@tools/install_deps.sh --cross
	@tools/cross.sh

cross-all: deps  ## and every other test program
	@tools/install_deps.sh --cross
	@tools/cross.sh --all

avx512: deps  ## block operations, digests, trainings on an emulated processor with AVX-512 and AMX; half an hour
	@tools/install_deps.sh --clang
	@tools/install_deps.sh --avx512
	@tools/avx512.sh

docs:  ## the pages as a site with a search, in build/site/index.html
	@python3 tools/make_site.py build/site

cuda-test: deps  ## compares the sums and models of an NVIDIA GPU with the processor's, byte by byte
	@tools/build.sh release bochner_cli bochner_cuda backend_test model_test bench_device
	@build/release/bochner demo --device cuda >/dev/null
	@build/release/tests/backend_test --gtest_brief=1 --gtest_filter='Cuda*'
	@build/release/tests/model_test --gtest_brief=1 --gtest_filter='*DeviceSums*'
	@build/release/bench/bench_device cuda --quick

format: test-deps
	@git ls-files '*.h' '*.cc' | xargs clang-format -i

deb: deps  ## Debian packages into build/deb, held against lintian and run in a bare Debian 12
	@tools/install_deps.sh --deb
	@tools/deb.sh

wheels: build test-deps  ## Python wheels for both architectures into build/wheels, with the libraries that they need; the other is emulated
	@tools/install_deps.sh --cross
	@tools/wheels.sh
	@tools/wheels.sh --for $(if $(filter aarch64,$(shell uname -m)),x86_64,aarch64)

static: build  ## build/static/bochner, which needs no library of the system
	@tools/static.sh

dist: build  ## a release into dist/, with checksums: source, static command, and the packages and wheels that were built
	@tools/dist.sh

reproduce: build test-deps  ## builds the last commit once more elsewhere and compares library, command and wheel, byte by byte
	@tools/reproduce.sh

install: build
	@cmake --install build/release --prefix $(PREFIX)
