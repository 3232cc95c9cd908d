# Everything that .ci/run checks, one target each.
GO ?= go
TOOLS = internal/tools/go.mod
BIN = $(CURDIR)/bin

.PHONY: all capi demo lint pyright python wheels r test test-purego test-arm64 test-levels test-simd race fuzz-short cross bench
.PHONY: compare bench-check site site-check clean

all: lint test capi

# gofmt, go vet and staticcheck for every architecture with assembly, shadowed variables; the packages with assembly
# without it too; workflows and what a release is made with. The project's own limits are tests of internal/house.
ASM = ./gram/... ./internal/dense ./internal/limits ./simplex ./smo
lint: $(BIN)/staticcheck $(BIN)/shadow
	@fmt="$$(gofmt -l .)"; [ -z "$$fmt" ] || { echo "gofmt -l:"; echo "$$fmt"; exit 1; }
	$(GO) vet work
	GOARCH=arm64 $(GO) vet $(ASM)
	$(GO) vet -tags purego $(ASM)
	$(GO) vet -vettool=$(BIN)/shadow work
	$(BIN)/staticcheck ./... ./bench/... ./contrib/pooled/...
	GOARCH=arm64 $(BIN)/staticcheck $(ASM)
	cd capi && export GOWORK=off && $(GO) vet ./... && $(GO) vet -vettool=$(BIN)/shadow ./... && $(BIN)/staticcheck ./...
	cd internal/tools && export GOWORK=off && $(GO) vet ./... && $(BIN)/staticcheck ./... && $(GO) test -count=1 -short ./...

$(BIN)/staticcheck: $(TOOLS) internal/tools/go.sum
	GOWORK=off $(GO) build -modfile=$(TOOLS) -o $@ honnef.co/go/tools/cmd/staticcheck

$(BIN)/shadow: $(TOOLS) internal/tools/go.sum
	GOWORK=off $(GO) build -modfile=$(TOOLS) -o $@ golang.org/x/tools/go/analysis/passes/shadow/cmd/shadow

$(BIN)/typecheck: $(TOOLS) internal/tools/go.sum internal/tools/typecheck/main.go
	cd internal/tools && GOWORK=off $(GO) build -o $@ ./typecheck

test:
	$(GO) test work

# The library from C. Needs a C compiler.
capi:
	cd capi && GOWORK=off $(GO) test ./...

# The Python package for every Python 3: its sources, and wheels for the systems in python/wheels.py, or for this one.
# Needs Python 3.9 or later with venv, and the index of Python packages.
PYTHON ?= python3
define build_wheels
	rm -rf $(BIN)/python/build $(BIN)/wheels
	$(PYTHON) -m venv $(BIN)/python/build
	$(BIN)/python/build/bin/pip install -q 'setuptools>=77' lief ziglang zopfli
	$(BIN)/python/build/bin/python python/wheels.py $(BIN)/wheels $(1)
	$(BIN)/python/build/bin/python python/tests/check_wheel.py $(BIN)/wheels/*.whl
endef
wheels:
	$(call build_wheels)

# The wheel for this system, and the package's tests where nothing else of it is.
python:
	$(call build_wheels,native)
	rm -rf $(BIN)/python/test
	$(PYTHON) -m venv $(BIN)/python/test
	$(BIN)/python/test/bin/pip install -q pandas polars pyarrow $(BIN)/wheels/*.whl
	cd $(BIN) && python/test/bin/python -W ignore ../python/tests/test_estimators.py
	cd $(BIN) && python/test/bin/python -W ignore ../python/tests/test_distilled.py
	cd $(BIN) && python/test/bin/python -W ignore ../python/tests/test_tables.py
	cd $(BIN) && python/test/bin/python -W ignore ../python/tests/test_dask.py
	cd $(BIN) && python/test/bin/python -W ignore ../python/tests/test_svm.py
	cd $(BIN) && python/test/bin/python -W ignore ../python/tests/test_threads.py
	$(BIN)/python/test/bin/pip install -q pytest mypy matplotlib tqdm skops pydocstyle
	cd $(BIN) && python/test/bin/python -W ignore ../python/tests/test_package.py
	cd $(BIN) && python/test/bin/pydocstyle --convention=numpy ../python/sparsekm
	cd $(BIN) && python/test/bin/python ../python/tests/test_sklearn.py
	cd $(BIN) && python/test/bin/mypy --strict --ignore-missing-imports --no-error-summary -p sparsekm
	cd $(BIN) && python/test/bin/mypy --strict --ignore-missing-imports --no-error-summary ../python/tests/*.py

# What pyright says of the package's types: nothing. Needs the index of npm too, which has pyright itself.
pyright:
	$(PYTHON) -m venv $(BIN)/pyright
	$(BIN)/pyright/bin/pip install -q numpy 'pyright[nodejs]'
	$(BIN)/pyright/bin/pyright -p python --pythonpath $(BIN)/pyright/bin/python

# The R package: its source package in bin/r, and R's check of it, which must find nothing. The size of the library, which
# it would note, is left out. Needs R (Debian: r-base-dev); the tests compare with r-cran-e1071 where it is installed.
r:
	rm -rf $(BIN)/r
	r/package.sh $(BIN)/r
	cd $(BIN)/r && _R_CHECK_PKG_SIZES_=false _R_CHECK_FORCE_SUGGESTS_=false R CMD check --no-manual sparsekm_*.tar.gz
	tail -n 5 $(BIN)/r/sparsekm.Rcheck/00check.log | grep '^Status: OK$$'
	sed -n '/^```r$$/,/^```$$/{/^```/d;p;}' r/README.md | R_LIBS=$(BIN)/r/sparsekm.Rcheck Rscript -

# The demonstration page, for any server of static files: bin/demo.
demo:
	internal/tools/demo.sh $(BIN)/demo

# The pages of docs as a site, with the help of the command, Go packages, Python's docstrings and the C header: bin/site.
# Every link is checked. `make demo site` has the demonstration page too.
site:
	internal/tools/site.sh

# Ten pages of bin/site in Chromium, light and dark, narrow and wide: axe-core, requests, the search. Pictures of them go
# to bin/site.shots. Needs node, npm and its registry, and chromium (or CHROMIUM).
site-check:
	mkdir -p $(BIN)/site.node
	cp internal/tools/site/package.json internal/tools/site/check.js $(BIN)/site.node
	cd $(BIN)/site.node && npm install --silent && node check.js ../site ../site.shots

# What follows repeats tests on other processors or with other checks: lint has vetted them. Nothing that -short leaves
# out is needed there. Packages that take long stand first, so that none ends alone.
AGAIN = $(GO) test -short -vet=off

# Without assembly: the packages that have some, and models. The portable code is that of SPARSEKM_CPU=generic, at which
# test-levels runs everything that computes.
test-purego:
	$(AGAIN) -tags purego ./gram ./internal/dense ./smo ./simplex ./model

# Needs qemu-aarch64-static (Debian: qemu-user-static) unless the machine is an arm64 one. An emulated processor is twenty
# times slower: every test of the packages with kernels and factors; of those that train all but the longest, which the
# generic level of test-levels runs; of the command's and the whole library's tests those that train and predict.
ARM64_KERNELS := ./simplex ./gram/... ./smo ./blocked ./cholupdate ./internal/cpu ./internal/dense ./internal/limits ./model ./qp
ARM64_METHODS := ./reduce ./learn/... ./internal/centres ./dataset ./export ./contrib/pooled
ARM64_LONG := ^Test(Approach(Stops)?|Blocks(Cancelled|Doubt|NoticeDrift|SelectTheSame|WithoutMemory)|Cancelled|Cholesky(Cancelled|EndsShort)|Clear|Descend|Determinism|DualIsCancelled|Edges|EndsInTheFirst(Fit|Program)|Enumeration|ExactPath|FindsFeatures|FirstRoundAlwaysLeavesAModel|Joint|KernelNotFinite|KnownDecisions|Levels|Limit|MoveKernels|MoveThreads|NeverFalls|NoRoomForMore|PrecisionRule|Report|RoundsAreLiteral|SelectionDoesNotDependOnResources|Sifted(Ends|IsExact|RoughRounds)|SiftingStops|Threads|Torture|Values|ValuesChosen)$$
ARM64 = GOARCH=arm64 $(AGAIN) -timeout 20m -exec qemu-aarch64-static
test-arm64:
	$(ARM64) $(ARM64_KERNELS)
	SPARSEKM_CPU=generic $(ARM64) -skip '^Test(Expansion|StackGrowth)$$' ./gram ./internal/dense
	$(ARM64) -skip '$(ARM64_LONG)' $(ARM64_METHODS)
	$(ARM64) -run '^Test(Train|Predict|Reduce|Convert|Methods|Calibrate)' -skip '^Test(Train(BoundMargin|Calibrate|Conformal|JSON|Widths)|ReduceValues)$$' . ./cmd/sparsekm/cli

# The tests again at every SIMD level of this machine but its best, which `test` covers, and with one processor: parts of
# work run one after the other.
test-levels:
	internal/tools/levels.sh

# The kernels of Go's package simd, which the demonstration page has, where their toolchain is.
test-simd:
	internal/tools/testsimd.sh

# The packages that start goroutines or that several goroutines use at once, and those tests of the command that train,
# stop and show progress: with four processors, so that there are more parts of work than cores, and with the compiler's
# checks of unsafe pointers, which allocate. Assembly is called from fresh goroutines at every depth of the stack
# (StackGrowth). Only the tests' processes have so many processors, not go.
RACE := . ./modelselect ./reduce ./smo/... ./blocked ./cholupdate ./cmd/sparsekm-serve/... ./dataset ./examples/backend \
	./internal/centres ./internal/limits ./internal/parallel ./internal/cpu ./learn ./learn/bayes ./learn/density ./learn/direct \
	./learn/greedy ./learn/internal/... ./learn/lssvm ./learn/multiclass ./learn/scsvc ./learn/ssvc ./learn/svc ./model
# Left out: tests that forbid allocations, and long tests whose goroutines other tests start too.
NOT_RACING := ^Test(AgreesWithLIBSVM|BoundChoosesMargin|Clear|Compression|Coverage|Edges|Fit(Race|Budget|LogLoss|Large|Linear)|Flat|GradientOfKernels|KnownDecisions|Levels|MoveKernels|(Newton|Steps)Do(es)?NotAllocate|PrecisionRule|ReportJSON|SinglePrecision|ValuesChosen)$$
RACING = $(AGAIN) -race -timeout 20m -gcflags=github.com/sparsekm/...=-d=checkptr=2 -exec "env GOMAXPROCS=4"
race:
	$(RACING) -skip '$(NOT_RACING)' $(RACE)
	$(RACING) -run 'StackGrowth|Pool' ./gram ./internal/dense ./qp ./simplex
	$(RACING) -run '^Test(Train|Predict|Reduce$$|Serve|Tune|CV|Fit|Compare|Interrupt|Second|Time|Limits|Ticker|Log)' ./cmd/sparsekm/cli

# Every fuzz target for FUZZTIME.
fuzz-short:
	internal/tools/fuzz.sh

# The command for the systems of a release, and the types of all packages for others.
cross: $(BIN)/typecheck
	internal/tools/cross.sh $(BIN)/typecheck
	cd internal/tools && GOWORK=off $(GO) test -count=1 -run ProgramVersion ./release

# `make bench > new.txt`, then `make compare`.
bench:
	$(GO) test -run '^$$' -bench . -count 6 work

# Two files of `make bench` or of `sparsekm bench`, of two processors, side by side: make compare A=zen3.txt B=zen5.txt.
compare:
	GOWORK=off $(GO) tool -modfile=internal/tools/go.mod benchstat \
		-ignore cpu,family,microcode,load,go,/bytes $(A) $(B)

# Shares of the processor's limits, not times, beside those that bench/cpus has of the same processor.
bench-check:
	@mkdir -p $(BIN)
	$(GO) run ./cmd/sparsekm bench --time 30s --out $(BIN)/bench.txt
	$(GO) run ./bench/cpus -check $(BIN)/bench.txt

# Manual page and completions, as packages have them.
.PHONY: manual snapshot release vulnerabilities
manual:
	mkdir -p $(BIN)/manual
	$(GO) run -trimpath ./cmd/sparsekm man > $(BIN)/manual/sparsekm.1
	gzip -9nc $(BIN)/manual/sparsekm.1 > $(BIN)/manual/sparsekm.1.gz
	$(GO) run -trimpath ./cmd/sparsekm completion bash > $(BIN)/manual/sparsekm.bash
	$(GO) run -trimpath ./cmd/sparsekm completion fish > $(BIN)/manual/sparsekm.fish
	$(GO) run -trimpath ./cmd/sparsekm completion zsh > $(BIN)/manual/_sparsekm

# What a tag becomes (.goreleaser.yaml), in bin/release: `snapshot` of any commit, made twice with the same bytes, looked
# through and not published; `release` of a tag, for the workflow. Images want a daemon of Docker: a snapshot has none.
RELEASER = PATH="$(BIN):$$PATH" goreleaser release --clean
snapshot: $(BIN)/goreleaser $(BIN)/cyclonedx-gomod
	$(RELEASER) --snapshot --skip=docker
	mv $(BIN)/release/SHA256SUMS $(BIN)/first.sums
	$(RELEASER) --snapshot --skip=docker
	cmp $(BIN)/first.sums $(BIN)/release/SHA256SUMS
	cd internal/tools && GOWORK=off $(GO) test -count=1 -run Snapshot ./release -dist $(BIN)/release

release: $(BIN)/goreleaser $(BIN)/cyclonedx-gomod
	$(RELEASER)

$(BIN)/goreleaser: Makefile
	GOBIN=$(BIN) GOWORK=off $(GO) install github.com/goreleaser/goreleaser/v2@v2.16.0

$(BIN)/cyclonedx-gomod: Makefile
	GOBIN=$(BIN) GOWORK=off $(GO) install github.com/CycloneDX/cyclonedx-gomod/cmd/cyclonedx-gomod@v1.10.0

# Vulnerabilities that are known of what we call. Needs vuln.go.dev.
vulnerabilities: $(BIN)/govulncheck
	$(BIN)/govulncheck ./... ./bench/... ./contrib/pooled/...
	cd capi && GOWORK=off $(BIN)/govulncheck ./...

$(BIN)/govulncheck: $(TOOLS) internal/tools/go.sum
	GOWORK=off $(GO) build -modfile=$(TOOLS) -o $@ golang.org/x/vuln/cmd/govulncheck

clean:
	rm -rf $(BIN)
