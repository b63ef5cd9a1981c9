# Benchmarks: ours beside TiTiler, instruction counts against a baseline, and what tiles cost. What they install goes under
# target/.

bench_venv := target/bench-venv
bench_data := target/bench-data
bench_python := $(bench_venv)/bin/python

.PHONY: bench bench-full bench-report bench-instructions bless-instructions cost test-bench

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

bench bench-full: target/release/edgetile $(bench_data)/.stamp ## edgetile beside TiTiler: pictures, CPU, memory, throughput (minutes; -full: longer)
	$(bench_python) bench/run.py $(bench_data) $< $(bench_venv) bench/results/latest.json $(if $(filter bench-full,$@),--full)
	$(bench_python) bench/report.py bench/results/latest.json docs

bench-report: $(bench_venv)/.stamp ## docs/benchmarks.md anew from the last run
	$(bench_python) bench/report.py bench/results/latest.json docs
