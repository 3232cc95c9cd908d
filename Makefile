# Everything that .ci/run checks, one target each.
GO ?= go
TOOLS = internal/tools/go.mod
BIN = $(CURDIR)/bin

.PHONY: all lint test test-purego test-arm64 test-levels race fuzz-short cross bench clean

all: lint test

# gofmt, go vet for every assembly flavour, shadowed variables, staticcheck. The house's own limits are tests of the root package.
lint: $(BIN)/staticcheck $(BIN)/shadow
	@fmt="$$(gofmt -l .)"; [ -z "$$fmt" ] || { echo "gofmt -l:"; echo "$$fmt"; exit 1; }
	$(GO) vet ./...
	$(GO) vet -tags purego ./...
	GOARCH=arm64 $(GO) vet ./...
	$(GO) vet -vettool=$(BIN)/shadow ./...
	$(BIN)/staticcheck ./...
	$(BIN)/staticcheck -tags purego ./...
	GOARCH=arm64 $(BIN)/staticcheck ./...

$(BIN)/staticcheck: $(TOOLS) internal/tools/go.sum
	$(GO) build -modfile=$(TOOLS) -o $@ honnef.co/go/tools/cmd/staticcheck

$(BIN)/shadow: $(TOOLS) internal/tools/go.sum
	$(GO) build -modfile=$(TOOLS) -o $@ golang.org/x/tools/go/analysis/passes/shadow/cmd/shadow

test:
	$(GO) test ./...

test-purego:
	$(GO) test -short -tags purego ./...

# Needs qemu-aarch64-static (Debian: qemu-user-static) unless the machine is an arm64 one.
test-arm64:
	GOARCH=arm64 $(GO) test -short -timeout 20m -exec qemu-aarch64-static ./...

# The tests again at every SIMD level of this machine but its best, which `test` covers.
test-levels:
	internal/tools/levels.sh

race:
	$(GO) test -race -short ./...

# Every fuzz target for FUZZTIME.
fuzz-short:
	internal/tools/fuzz.sh

# The command for systems that nothing here runs on.
cross:
	internal/tools/cross.sh

# `make bench > new.txt`, then `go tool -modfile=internal/tools/go.mod benchstat old.txt new.txt`.
bench:
	$(GO) test -run '^$$' -bench . -count 6 ./...

clean:
	rm -rf $(BIN)
