package main

import (
	"path/filepath"
	"testing"

	"github.com/sparsekm/sparsekm/bench/internal/harness"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
)

// TestStudies: every set of a study is there, the first model is the one that the others are compared with, and a model
// of each study is trained on a split.
func TestStudies(t *testing.T) {
	t.Chdir(testutil.Root(t))
	first := map[string]string{"promise": "svc", "regress": "svr"}
	for name, s := range studies {
		all, err := s.models()
		if err != nil {
			t.Fatal(err)
		}
		want := first[name]
		if want == "" {
			want = "svc"
		}
		if len(all) < 2 || all[0].name != want {
			t.Errorf("%s: %d models, the first is %s", name, len(all), all[0].name)
		}
		for _, set := range s.sets {
			found := false
			for _, o := range sources {
				found = found || o.name == set
			}
			if !found {
				t.Errorf("%s: no set %s", name, set)
			}
		}
	}
	set, err := source(&harness.Env{Data: t.TempDir()}, "iris")
	if err != nil {
		t.Fatal(err)
	}
	pool, err := studies["direct-pool"].models()
	if err != nil {
		t.Fatal(err)
	}
	found, err := compareOn(t.Context(), set, 2, pool)
	if err != nil || len(found[1].loss) != 2 || found[1].vectors[0] > 3 || found[1].loss[0] > 15 {
		t.Errorf("%+v, %v", found, err)
	}
}

// TestCommands: the pages name studies that there are, or the commit that has them.
func TestCommands(t *testing.T) {
	for _, err := range suite().OnPages("papers", filepath.Join(testutil.Root(t), "docs", "performance")) {
		t.Error(err)
	}
}
