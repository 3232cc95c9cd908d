package house

import (
	"debug/elf"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/sparsekm/sparsekm/internal/testing/testutil"
)

// TestEmbedding bounds what a program links that embeds the library: the packages of this module behind a model's
// decisions, and behind a training with one method.
func TestEmbedding(t *testing.T) {
	for _, c := range []struct {
		imports []string
		max     int
		without []string // packages that it must not have
	}{
		{[]string{"/model"}, 14, []string{"/simplex", "/smo", "/learn/svc"}},
		{[]string{"", "/dataset", "/gram", "/learn/svc"}, 30, []string{"/simplex", "/learn/direct", "/learn/ssvc", "/learn/all"}},
		{[]string{"", "/dataset", "/gram", "/learn/ssvc"}, 30, []string{"/simplex", "/learn/internal/kernellp", "/learn/all"}},
	} {
		args := []string{"list", "-deps"}
		for _, p := range c.imports {
			args = append(args, module+p)
		}
		list := exec.CommandContext(t.Context(), testutil.Program(t, "go"), args...)
		list.Dir = testutil.Root(t)
		out, err := list.Output()
		if err != nil {
			t.Fatal(err)
		}
		var linked []string
		for _, p := range strings.Fields(string(out)) {
			if under(p, module) {
				linked = append(linked, strings.TrimPrefix(p, module))
			}
		}
		if len(linked) > c.max {
			t.Errorf("%v links %d packages of the module, at most %d: %v", c.imports, len(linked), c.max, linked)
		}
		for _, p := range c.without {
			if slices.Contains(linked, p) {
				t.Errorf("%v links %s", c.imports, p)
			}
		}
	}
}

// TestEmbeddingSize bounds the bytes of a program that reads a model and decides. The linker must drop the kernels of
// training and of float32.
func TestEmbeddingSize(t *testing.T) {
	if testing.Short() {
		t.Skip("links a program")
	}
	const most = 2_295_999 // 2.30 MB
	if size := linkedSize(t, "./internal/house/testdata/decide", ""); size > most {
		t.Errorf("a program that decides has %v bytes, at most %d", size, most)
	}
}

// TestCommandSize bounds the bytes of the command and of the server, as a release builds them. No package may make the
// linker keep methods that nobody calls, or bring fonts.
func TestCommandSize(t *testing.T) {
	if testing.Short() {
		t.Skip("links programs")
	}
	config, err := os.ReadFile(filepath.Join(testutil.Root(t), ".goreleaser.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	released := regexp.MustCompile(`(?m)^ +tags: \[(\w+)\]`).FindSubmatch(config)
	if released == nil {
		t.Fatal("a release has no tags")
	}
	for program, limit := range map[string]int64{"./cmd/sparsekm": 12_299_999, "./cmd/sparsekm-serve": 8_399_999} {
		if size := linkedSize(t, program, string(released[1])); size > limit {
			t.Errorf("%s has %d bytes, at most %d", program, size, limit)
		}
	}
}

// linkedSize is how many bytes a program has, stripped and without cgo.
func linkedSize(t *testing.T, program, tags string) int64 {
	t.Helper()
	out := filepath.Join(t.TempDir(), "program")
	build := exec.CommandContext(t.Context(), testutil.Program(t, "go"),
		"build", "-trimpath", "-ldflags=-s -w", "-tags", tags, "-o", out, program)
	build.Dir = testutil.Root(t)
	build.Env = append(build.Environ(), "GOFLAGS=", "GOOS=linux", "GOARCH=amd64", "CGO_ENABLED=0")
	if text, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	if file, err := elf.Open(out); err != nil || file.Section(".interp") != nil {
		t.Errorf("%s is no static file: %v", program, err)
	}
	info, err := os.Stat(out)
	if err != nil {
		t.Fatal(err)
	}
	return info.Size()
}
