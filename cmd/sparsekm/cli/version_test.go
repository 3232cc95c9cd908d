package cli

import (
	"reflect"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/sparsekm/sparsekm"
)

func TestVersion(t *testing.T) {
	here := versionReport{Go: runtime.Version(), OS: runtime.GOOS, Arch: runtime.GOARCH, Level: sparsekm.Level()}
	for name, row := range map[string]struct {
		info *debug.BuildInfo
		want versionReport
	}{
		"without modules": {nil, versionReport{Version: "unknown"}},
		"released": {&debug.BuildInfo{Main: debug.Module{Path: modulePath, Version: "v1.2.3"}},
			versionReport{Version: "v1.2.3"}},
		"checkout": {&debug.BuildInfo{Main: debug.Module{Path: modulePath}, Settings: []debug.BuildSetting{
			{Key: "vcs.revision", Value: "abc"}, {Key: "vcs.time", Value: "2026-01-02T03:04:05Z"}, {Key: "vcs.modified", Value: "true"}}},
			versionReport{Version: "(devel)", Commit: "abc", Time: "2026-01-02T03:04:05Z", Modified: true}},
		"another program": {&debug.BuildInfo{Main: debug.Module{Path: "example.com/mine", Version: "v9.9.9"},
			Deps:     []*debug.Module{{Path: "example.com/other", Version: "v7.7.7"}, {Path: modulePath, Version: "v0.1.0"}},
			Settings: []debug.BuildSetting{{Key: "vcs.revision", Value: "theirs"}}},
			versionReport{Version: "v0.1.0"}},
		"replaced": {&debug.BuildInfo{Deps: []*debug.Module{{Path: modulePath, Version: "v0.1.0", Replace: &debug.Module{Path: "../here"}}}},
			versionReport{Version: "(devel)"}},
	} {
		row.want.Go, row.want.OS, row.want.Arch, row.want.Level = here.Go, here.OS, here.Arch, here.Level
		if got := newVersionReport(row.info); !reflect.DeepEqual(*got, row.want) {
			t.Errorf("%s: %+v, want %+v", name, *got, row.want)
		}
	}
	text := must(t, "version").stdout
	o := object(t, "version")
	for _, key := range []string{"version", "go", "os", "arch", "level"} {
		if v, ok := o[key].(string); !ok || v == "" || !strings.Contains(text, v) {
			t.Errorf("%s is %v, in words\n%s", key, o[key], text)
		}
	}
}

// TestVersionFlag is for those who try it first.
func TestVersionFlag(t *testing.T) {
	want := object(t, "version")["version"].(string)
	if r := must(t, "--version"); r.stdout != want+"\n" || r.stderr != "" {
		t.Errorf("%q, %q; want %q", r.stdout, r.stderr, want)
	}
}
