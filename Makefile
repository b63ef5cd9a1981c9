# edgetile. `make run` serves the sample; `make test` passes the tests; `make help` lists the rest.
# Every target installs what it needs under target/ and node_modules; only a browser comes from the system's packages.

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

PORT ?= 8080
EVENT ?= events/ndvi.json

tools := $(abspath target/tools)
# The C compiler's helpers are taken from the system, or else from PyPI's wheels.
export PATH := $(PATH):$(tools)/bin

include infra/deploy.mk
include bench/bench.mk
include tests/conformance/conformance.mk

.PHONY: fuzz fuzz-corpus bench-decode bench-warp bench-reads mosaics
.PHONY: help run build viewer test test-rust test-browser test-clients bless lint fmt deny audit docs sample invoke watch clean

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-15s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

# ---------------------------------------------------------------- set-up
$(tools)/native.stamp:
	@command -v cargo >/dev/null || { echo "cargo is missing: see https://rustup.rs"; exit 1; }
	@command -v cc >/dev/null || { echo "a C compiler is missing: apt-get install gcc"; exit 1; }
	@if ! { command -v cmake && command -v nasm; } >/dev/null 2>&1; then \
	  command -v python3 >/dev/null || { echo "cmake and nasm are missing: apt-get install cmake nasm"; exit 1; }; \
	  echo "getting cmake and nasm"; \
	  python3 -m venv $(tools) && $(tools)/bin/pip install -q --disable-pip-version-check cmake nasm; \
	fi
	@mkdir -p $(tools) && touch $@

viewer_sources := $(shell find functions/tile/viewer -path '*/node_modules' -prune -o -path '*/dist' -prune -o -type f -print)

functions/tile/viewer/dist/.stamp: $(viewer_sources)
	@command -v npm >/dev/null || { echo "npm is missing: install Node.js 20 or later"; exit 1; }
	cd functions/tile/viewer && npm ci --no-audit --no-fund --loglevel=error && npm run --silent build
	@touch $@

viewer: functions/tile/viewer/dist/.stamp ## build the page at /

# ---------------------------------------------------------------- run
build: $(tools)/native.stamp viewer ## build target/fast/edgetile
	cargo build --locked --profile fast -p edgetile

run: build ## serve the embedded sample at http://127.0.0.1:8080/ (PORT=…)
	target/fast/edgetile serve --port $(PORT)

# ---------------------------------------------------------------- test
test: test-rust test-browser test-clients ## everything: the library, the real binary through its doors, the page in a browser, other readers of WMTS

test-rust: $(tools)/lambda.stamp viewer
	cargo test --locked --workspace

tests/browser/node_modules/.stamp: tests/browser/package-lock.json
	cd tests/browser && npm ci --no-audit --no-fund --loglevel=error
	@touch $@

test-browser: $(tools)/native.stamp viewer tests/browser/node_modules/.stamp
	@command -v chromium >/dev/null || { [ "$$(id -u)" = 0 ] && apt-get update -qq && apt-get install -y -qq chromium >/dev/null; } \
	  || { echo "a browser is missing: apt-get install chromium"; exit 1; }
	cargo build --locked -p edgetile
	tests/browser/run target/debug/edgetile

target/clients-venv/.stamp: tests/clients/requirements.txt
	python3 -m venv target/clients-venv && target/clients-venv/bin/pip install -q --disable-pip-version-check -r $<
	@touch $@

test-clients: $(tools)/native.stamp viewer target/clients-venv/.stamp
	cargo build --locked -p edgetile
	target/clients-venv/bin/python -W ignore tests/clients/wmts.py target/debug/edgetile
	target/clients-venv/bin/python tests/clients/layers.py target/debug/edgetile

bless: $(tools)/native.stamp viewer ## accept the tiles as they are drawn now, and write the schema of the layers file anew
	EDGETILE_BLESS=1 cargo test --locked -p edgetile-tests --test golden
	EDGETILE_BLESS=1 cargo test --locked -p edgetile-tile --lib layers::schema

lint: $(tools)/native.stamp deny ## formatting, clippy, licences
	cargo fmt --all -- --check
	cargo clippy --locked --workspace --all-targets -- -D warnings

fmt: ## format
	cargo fmt --all

cargo-deny := $(or $(shell command -v cargo-deny),$(HOME)/.cargo/bin/cargo-deny)

$(cargo-deny):
	cargo install --locked --no-default-features cargo-deny@0.20.2

deny: $(cargo-deny) ## licences and sources of everything that is linked in
	$(cargo-deny) --locked check licenses bans sources

audit: $(cargo-deny) ## known vulnerabilities (fetches the RustSec database)
	$(cargo-deny) --locked check advisories

# ---------------------------------------------------------------- proof at length
FUZZ_SECONDS ?= 600
FUZZ ?= $(sort $(basename $(notdir $(wildcard tests/fuzz/fuzz_targets/*.rs))))
cargo-fuzz := $(or $(shell command -v cargo-fuzz),$(HOME)/.cargo/bin/cargo-fuzz)
# The stable compiler has the flags of sanitizers and coverage; this opens them.
fuzz := cd tests/fuzz && RUSTC_BOOTSTRAP=1 $(cargo-fuzz) fuzz

$(cargo-fuzz):
	cargo install --locked cargo-fuzz@0.13.2

# Built as the targets are, so that the codecs' C code is compiled once.
tests/fuzz/seeds: $(tools)/native.stamp $(cargo-fuzz) tests/fuzz/src/bin/seed.rs
	$(fuzz) build --fuzz-dir . seed && ASAN_OPTIONS=detect_odr_violation=0 target/*/release/seed seeds
	@touch $@

fuzz: $(tools)/native.stamp $(cargo-fuzz) tests/fuzz/seeds ## fuzz every target for FUZZ_SECONDS=600 (FUZZ="header crs": those)
	for target in $(FUZZ); do \
	  ( mkdir -p tests/fuzz/{found,corpus,seeds}/$$target; $(fuzz) run --fuzz-dir . $$target {found,corpus,seeds}/$$target -- \
	    -max_total_time=$(FUZZ_SECONDS) -rss_limit_mb=2048 -timeout=10 -max_len=16384 -print_final_stats=1 ) || exit 1; \
	done

# Inputs with a name of their own stay: each was a fault.
fuzz-corpus: $(cargo-fuzz) tests/fuzz/seeds ## keep the smallest inputs that reach all that the found ones reach (FUZZ=…)
	for target in $(FUZZ); do \
	  ( kept=target/kept/$$target; rm -rf tests/fuzz/$$kept; mkdir -p tests/fuzz/{$$kept,{found,corpus,seeds}/$$target}; \
	    $(fuzz) run --fuzz-dir . $$target $$kept {found,seeds,corpus}/$$target -- -merge=1 -max_len=512 -use_counters=0; \
	    find corpus/$$target -regextype egrep -regex '.*/[0-9a-f]{40}' -delete; mv $$kept/* corpus/$$target/ ) || exit 1; \
	done

bench-decode: $(tools)/native.stamp ## time every codec beside its library (BENCH=--instructions counts under valgrind)
	cargo bench --locked --profile fast -p edgetile-raster --bench decode -- $(BENCH)

bench-warp: $(tools)/native.stamp ## time the warp of a tile with every kernel (BENCH=--instructions counts under valgrind)
	cargo bench --locked --profile fast -p edgetile-raster --bench warp -- $(BENCH)

mosaics: build ## a picture of every special case of the globe, joined from tiles, into target/mosaics: to be looked at
	python3 -m venv target/venv && target/venv/bin/pip install -q --disable-pip-version-check -r functions/raster/testdata/requirements.txt
	target/venv/bin/python tests/world/mosaics.py target/fast/edgetile target/mosaics

bench-reads: build ## what tiles cost to read, and how many there are a second (BENCH=cost, load, stalls, memory: one table)
	EDGETILE_BIN=$(abspath target/fast/edgetile) cargo bench --locked --profile dev -p edgetile-tests --bench reads -- $(BENCH)

# ---------------------------------------------------------------- the function, locally
$(tools)/lambda.stamp: $(tools)/native.stamp
	@command -v cargo-lambda >/dev/null || { \
	  python3 -m venv $(tools) && $(tools)/bin/pip install -q --disable-pip-version-check -r infra/requirements/package.txt; }
	@touch $@

watch: $(tools)/lambda.stamp viewer ## run the function behind cargo-lambda's local Lambda
	cargo lambda watch --bin edgetile --invoke-address 127.0.0.1

invoke: $(tools)/lambda.stamp ## send EVENT=events/ndvi.json to a running `make watch`
	cargo lambda invoke edgetile --invoke-address 127.0.0.1 --data-file $(EVENT)

# ---------------------------------------------------------------- the sample
target/docs/.stamp: $(bench_venv)/.stamp docs/make_files.py bench/make_data.py
	$(bench_python) docs/make_files.py target/docs
	@touch $@

docs: build target/docs/.stamp tests/browser/node_modules/.stamp ## take the README's pictures anew
	python3 docs/make.py target/fast/edgetile target/docs

sample: ## paint functions/tile/sample/sample.tif anew
	python3 -m venv target/sample-venv
	target/sample-venv/bin/pip install -q --disable-pip-version-check -r functions/tile/sample/requirements.txt
	target/sample-venv/bin/python functions/tile/sample/make_sample.py

clean: ## remove what was built
	cargo clean
	rm -rf functions/tile/viewer/dist functions/tile/viewer/node_modules tests/browser/node_modules infra/node_modules
