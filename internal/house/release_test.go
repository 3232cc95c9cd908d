package house

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/sparsekm/sparsekm/internal/testing/testutil"
)

// TestReleaseTargets wants `make cross` to check every system that a release is made for, unless tests run there.
func TestReleaseTargets(t *testing.T) {
	read := func(name string) string {
		text, err := os.ReadFile(filepath.Join(testutil.Root(t), name))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	config := read(".goreleaser.yaml")
	list := func(key string) []string {
		found := regexp.MustCompile(`(?m)^ +` + key + `: \[(.*)\]$`).FindStringSubmatch(config)
		if found == nil {
			t.Fatalf("no %s in the configuration", key)
		}
		return strings.Split(found[1], ", ")
	}
	found := regexp.MustCompile(`(?m)^release="(.*)"$`).FindStringSubmatch(read("internal/tools/cross.sh"))
	if found == nil {
		t.Fatal("cross.sh has no list of a release's targets")
	}
	want := []string{}
	for _, system := range list("goos") {
		for _, arch := range list("goarch") {
			want = append(want, system+"/"+arch)
		}
	}
	got := strings.Fields(found[1])
	slices.Sort(want)
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("cross.sh checks %v, a release %v", got, want)
	}
}
