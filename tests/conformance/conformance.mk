# The same requests to TiTiler and to edgetile; the root Makefile includes it. The peer is that of the benchmarks.

conformance_files := target/conformance

.PHONY: conformance

$(conformance_files)/.stamp: $(bench_venv)/.stamp tests/conformance/make_files.py bench/make_data.py
	$(bench_python) tests/conformance/make_files.py $(conformance_files)
	@touch $@

conformance: target/debug/edgetile $(conformance_files)/.stamp ## some 520 requests to TiTiler and here: what differs (ONLY=text: those)
	$(bench_python) tests/conformance/run.py $< $(conformance_files) $(bench_venv) --only "$(ONLY)"
