# Every target sets up what it needs by itself: only Python 3.11+, pip and make are given.
PYTHON ?= python3
BIN := .venv/bin

.PHONY: help demo test check audit slow cluster mutants bench docs screenshots clean
help: ## say what can be done here
	@grep -hE '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 14

demo: .venv/installed ## crawl a small Italian internet on this machine and look at its graph
	@$(BIN)/python -m webgraph_it demo

test: .venv/installed ## run the tests (under ten minutes)
	@.ci/packages curl:curl dig:dnsutils chromium:chromium strace:strace pg_ctlcluster:postgresql promtool:prometheus redis-server:redis-server wget:wget
	$(BIN)/python -m pytest -m "alone and not slow"
	$(BIN)/python -m pytest -n 3 --dist worksteal -m "not alone and not slow"

slow: .venv/installed ## run the long checks too: 200 kills, power cuts, fuzzing, ten minutes of attacks
	@.ci/packages curl:curl dig:dnsutils chromium:chromium strace:strace fusermount3:fuse3 java:openjdk-17-jre-headless soffice:libreoffice-writer redis-server:redis-server ip:iproute2 wget:wget
	-@$(BIN)/python -m tests.graph.java_oracle
	-@$(MAKE) --no-print-directory .venv/spark/installed
	$(BIN)/python -m pytest -m slow

cluster: .venv/spark/installed ## run the tests of webgraph-it cluster on a real Spark
	@.ci/packages java:openjdk-17-jre-headless
	$(BIN)/python -m pytest -m "slow or not slow" tests/cluster

check: .venv/installed ## format, lint, types, import direction
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

mutants: .venv/installed ## change the code in 150 places and leave out every safety call: which does no test notice?
	@.ci/packages strace:strace
	$(BIN)/python -m tests.mutation

audit: .venv/audit ## ask for known vulnerabilities of what is installed
	@.ci/audit .venv/audit/bin/pip-audit

bench: .venv/bench ## run every benchmark, ours and a peer side by side
	@.ci/packages wrk:wrk java:openjdk-17-jre-headless
	$(BIN)/python -m tests.benchmarks

docs: .venv/docs ## build the documentation as a site in build/site; a broken link is an error
	@NO_MKDOCS_2_WARNING=1 .venv/docs/bin/mkdocs build --quiet --clean
	@echo "Look at it: $(PYTHON) -m http.server --bind 127.0.0.1 --directory build/site 8000"

screenshots: .venv/installed ## draw the pictures of the README from the demo's report
	@.ci/packages chromium:chromium
	@test -f demo/graph/analysis/report.html || $(MAKE) demo
	$(BIN)/python -m tests.analyse.screenshots demo/graph/analysis/report.html

clean: ## remove the environment and everything made by demo
	rm -rf .venv demo build

.venv/installed: pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "webgraph_it needs Python 3.11 or newer; this is " + sys.version.split()[0] + ". Give another one with make PYTHON=…")'
	@echo "Setting up .venv (a minute or two, once) …"
	@$(PYTHON) -m venv .venv
	@PYTHONWARNINGS=ignore $(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[test]'
	@touch $@

.venv/audit: .venv/installed
	@echo "Setting up pip-audit in an environment of its own …"
	@$(PYTHON) -m venv $@
	@PYTHONWARNINGS=ignore $@/bin/python -m pip install --quiet --disable-pip-version-check 'pip-audit>=2.10,<3' || { rm -rf $@; exit 1; }

.venv/docs: pyproject.toml
	@echo "Setting up MkDocs in an environment of its own …"
	@$(PYTHON) -m venv $@
	@$(PYTHON) -c 'import tomllib; print(*tomllib.load(open("pyproject.toml", "rb"))["project"]["optional-dependencies"]["docs"], sep="\n")' > $@/requirements.txt
	@PYTHONWARNINGS=ignore $@/bin/python -m pip install --quiet --disable-pip-version-check -r $@/requirements.txt || { rm -rf $@; exit 1; }
	@touch $@

.venv/spark/installed: .venv/installed
	@echo "Setting up Spark in an environment of its own (500 MB) …"
	@$(PYTHON) -m venv .venv/spark
	@PYTHONWARNINGS=ignore .venv/spark/bin/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[spark]'
	@touch $@

.venv/bench: .venv/installed
	@echo "Adding the benchmarks' peers to .venv …"
	@PYTHONWARNINGS=ignore $(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[bench]'
	@touch $@
