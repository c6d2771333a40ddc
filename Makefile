# Targets that CI calls unchanged: build test test-upstream test-kernel test-vm test-fresh lint fuzz attack supply soak bench demo.
GO      ?= go
V8_TAGS ?=
# The same flags for building and testing, so that the native side is compiled once.
export GOFLAGS += -trimpath

ldflags := -s -w
include := internal/v8/include internal/v8/include_upstream

.PHONY: build supervisor realm setup includes test test-upstream test-kernel test-vm test-fresh openapi lint fuzz attack supply soak bench demo manual install uninstall deb clean

build: setup supervisor realm

supervisor:
	CGO_ENABLED=0 $(GO) build -ldflags '$(ldflags)' -o bin/supervisor ./cmd/supervisor
	CGO_ENABLED=0 $(GO) build -ldflags '$(ldflags)' -o bin/traces ./cmd/traces

realm: setup internal/v8/include$(if $(filter v8go_upstream,$(V8_TAGS)),_upstream)
	@[ -e bin/realm ] || echo "The first build compiles the bindings to V8 with g++: this takes minutes and prints nothing."
	CGO_ENABLED=1 $(GO) build -tags netgo$(V8_TAGS:%=,%) \
		-ldflags '$(ldflags) -linkmode external -extldflags "-static"' -o bin/realm ./cmd/realm

# A binding's headers stay in the module cache; these links are what the compiler looks through.
includes: $(include)
internal/v8/include: binding := github.com/tommie/v8go
internal/v8/include_upstream: binding := rogchap.com/v8go
$(include):
	$(GO) mod download $(binding)
	ln -sfn "$$($(GO) list -m -f '{{.Dir}}' $(binding))/deps/include" $@

setup:
	@GO='$(GO)' scripts/setup.sh $(needs)

# What tests start that no system must have.
test test-kernel: needs := curl jq

test: build
	$(GO) test ./...
	CGO_ENABLED=1 $(GO) test -race $(raced)
	CGO_ENABLED=1 $(GO) test -race -run '$(races)' ./pkg/supervisor

# What the race detector sees: whatever runs at once on the supervisor's side. Of the tests from end to end it is those of many runs.
raced := ./internal/broker ./internal/service ./internal/capability/... ./internal/traces ./internal/metrics ./pkg/audit ./pkg/rpc
races := Sessions|Concurrent|Soak|Shutdown|Abort|APlace|Places|Pool|Events

# The engine's tests and those from end to end, with the other binding that the source compiles against.
test-upstream: build internal/v8/include_upstream
	CGO_ENABLED=1 $(GO) build -tags netgo,v8go_upstream \
		-ldflags '$(ldflags) -linkmode external -extldflags "-static"' -o bin/realm-upstream ./cmd/realm
	SUPERVISOR_REALM=$(CURDIR)/bin/realm-upstream $(GO) test -tags v8go_upstream \
		./internal/v8/... ./internal/engine/... ./examples/snippets ./pkg/supervisor

test-kernel: build
	$(GO) test -count=1 ./internal/launch/... ./internal/confine/... ./internal/cgroup/... ./internal/seccomp/... ./internal/capability/... ./internal/service/... ./cmd/supervisor ./pkg/supervisor/...

lint: includes
	@test -z "$$(gofmt -l $$(git ls-files '*.go'))" || { gofmt -l $$(git ls-files '*.go'); exit 1; }
	$(GO) vet ./...
	$(GO) vet -tags probe ./internal/probe/...
	GOOS=darwin CGO_ENABLED=0 $(GO) vet ./pkg/...
	$(GO) tool staticcheck ./...

# 10 000 good and hostile runs at full concurrency; progress on a terminal, the figures as JSON at the end.
SOAK_RUNS ?= 10000
soak: build
	CGO_ENABLED=0 $(GO) test -c -o bin/soak.test ./pkg/supervisor
	cd pkg/supervisor && SOAK_RUNS=$(SOAK_RUNS) ../../bin/soak.test -test.run '^TestSoak$$' -test.timeout 6h

fuzz: build
	scripts/fuzz.sh

# The hostile suite, as root and rootless; writes docs/SECURITY-EVIDENCE.md.
attack: build
	$(GO) run ./internal/evidence

# Modules, vulnerabilities, licences, bills of materials, reproducible builds: docs/SUPPLY_CHAIN.md.
supply: setup includes
	scripts/supply.sh

bench: build
	scripts/bench.sh

demo: build
	scripts/demo.sh

test-vm: deb
	scripts/test-vm.sh

# What the first lines of README.md say, on minimal systems: Debian 12 and Ubuntu 24.04.
test-fresh:
	scripts/test-fresh.sh $(SUITES)

# A generator takes the service's description.
openapi:
	scripts/openapi.sh

# Manual pages and completions, from the commands themselves.
manual:
	CGO_ENABLED=0 $(GO) run ./packaging/manual dist/manual

# PREFIX (/usr/local) and DESTDIR as usual.
install: build manual
	scripts/install.sh install

uninstall:
	scripts/install.sh uninstall

deb: build manual
	scripts/deb.sh

clean:
	rm -rf bin dist $(include)
