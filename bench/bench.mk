# Benchmarks: ours beside TiTiler, instruction counts against a baseline, and what tiles cost. What they install goes under
# target/.

bench_venv := target/bench-venv
bench_data := target/bench-data
bench_python := $(bench_venv)/bin/python

# BENCH="--tiles 20 --seconds 1" only sees that a benchmark runs to its end, SPACE="--points 5" that of the space.
BENCH ?=
SPACE ?=

.PHONY: valgrind bench bench-full bench-report bench-space bench-instructions bless-instructions cost

$(bench_venv)/.stamp: bench/requirements.txt
	@command -v python3 >/dev/null || { echo "python3 is missing: apt-get install python3 python3-venv"; exit 1; }
	python3 -m venv $(bench_venv)
	$(bench_venv)/bin/pip install -q --disable-pip-version-check -r $<
	@touch $@

$(bench_data)/.stamp: $(bench_venv)/.stamp bench/make_data.py
	$(bench_python) bench/make_data.py $(bench_data)
	@touch $@

.PHONY: target/release/edgetile
target/release/edgetile: $(tools)/native.stamp viewer
	cargo build --locked --release -p edgetile

valgrind:
	@command -v valgrind >/dev/null || { [ "$$(id -u)" = 0 ] && apt-get update -qq && apt-get install -y -qq valgrind >/dev/null; } \
	  || { echo "valgrind is missing: apt-get install valgrind"; exit 1; }

bench: ## edgetile beside TiTiler: pictures, CPU, bytes, memory, throughput; minutes
bench-full: ## the same with more tiles, arrivals on schedule, what each step costs, MapServer and Martin if installed
bench-full: valgrind build
bench bench-full: target/release/edgetile $(bench_data)/.stamp
	$(bench_python) bench/run.py $(bench_data) $< $(bench_venv) bench/results/latest.json $(if $(filter bench-full,$@),--full) $(BENCH)
	$(if $(filter bench-full,$@),$(bench_python) bench/others.py $(bench_data) $< bench/results/latest.json $(BENCH))
	$(if $(filter bench-full,$@),$(bench_python) bench/steps.py $(bench_data) target/fast/edgetile bench/results/latest.json)
	$(bench_python) bench/report.py bench/results/latest.json docs

bench-report: $(bench_venv)/.stamp ## docs/benchmarks.md anew from the last run
	$(bench_python) bench/report.py bench/results/latest.json docs

bench-space: target/release/edgetile $(bench_venv)/.stamp ## a hundred configurations of file, store and load, both servers: docs/space.md
	$(bench_python) bench/space.py measure $< $(bench_venv) bench/results/space.json $(SPACE)
	$(bench_python) bench/space.py report bench/results/space.json docs

# ---------------------------------------------------------------- instruction counts
bench-instructions: ## count the instructions of every step; fails 10 % above the stored counts
bless-instructions: ## store the counts as they are now
bench-instructions bless-instructions: $(tools)/native.stamp valgrind
	python3 bench/instructions.py bench/instructions.json $(if $(filter bless-instructions,$@),--bless)

# ---------------------------------------------------------------- costs
cost: ## docs/cost.md and its plot anew, from the last run and infra/cost/prices.json
	python3 bench/figures.py bench/results/latest.json > infra/cost/figures.json
	python3 infra/cost/model.py infra/cost/figures.json infra/cost/prices.json > docs/cost.md
	python3 infra/cost/model.py infra/cost/figures.json infra/cost/prices.json --plot > docs/cost.svg
