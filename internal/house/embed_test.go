package house

import (
	"os"
	"os/exec"
	"path/filepath"
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
		most    int
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
		if len(linked) > c.most {
			t.Errorf("%v links %d packages of the module, at most %d: %v", c.imports, len(linked), c.most, linked)
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
	const most = 2_334_999 // 2.33 MB: with Gaussian processes and Matérn kernels
	out := filepath.Join(t.TempDir(), "decide")
	build := exec.CommandContext(t.Context(), testutil.Program(t, "go"), "build", "-trimpath", "-ldflags=-s -w", "-o", out,
		"./internal/house/testdata/decide")
	build.Dir = testutil.Root(t)
	build.Env = append(build.Environ(), "GOOS=linux", "GOARCH=amd64")
	if text, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	info, err := os.Stat(out)
	if err != nil {
		t.Fatal(err)
	}
	if info.Size() > most {
		t.Errorf("a program that decides has %v bytes, at most %d", info.Size(), most)
	}
}
