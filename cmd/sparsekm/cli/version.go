package cli

import (
	"cmp"
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/sparsekm/sparsekm"
	"github.com/sparsekm/sparsekm/cmd/sparsekm/cli/session"
)

type versionCmd struct{}

// versionReport is what `sparsekm version --json` prints.
type versionReport struct {
	Version  string `json:"version"` // of the module; (devel) if it was built from a checkout
	Commit   string `json:"commit,omitempty"`
	Time     string `json:"time,omitempty"`     // of the commit
	Modified bool   `json:"modified,omitempty"` // the checkout had changes
	Go       string `json:"go"`
	OS       string `json:"os"`
	Arch     string `json:"arch"`
	Level    string `json:"level"` // of SIMD, see sparsekm cpu
}

const modulePath = "github.com/sparsekm/sparsekm"

func newVersionReport(info *debug.BuildInfo) *versionReport {
	r := &versionReport{Version: "unknown", Go: runtime.Version(), OS: runtime.GOOS, Arch: runtime.GOARCH, Level: sparsekm.Level()}
	if info == nil {
		return r
	}
	for _, m := range info.Deps { // of a program with methods of its own
		if m.Path == modulePath {
			for ; m.Replace != nil; m = m.Replace {
			}
			r.Version = cmp.Or(m.Version, "(devel)")
			return r
		}
	}
	r.Version = cmp.Or(info.Main.Version, "(devel)")
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			r.Commit = s.Value
		case "vcs.time":
			r.Time = s.Value
		case "vcs.modified":
			r.Modified = s.Value == "true"
		}
	}
	return r
}

func (c *versionCmd) Run(s *session.Session) error {
	info, _ := debug.ReadBuildInfo() // nil without module support
	r := newVersionReport(info)
	if s.JSON {
		return s.WriteJSON(r)
	}
	fmt.Fprintf(s.Stdout, "sparsekm  %s\n", r.Version)
	if r.Commit != "" {
		changed := ""
		if r.Modified {
			changed = ", with changes"
		}
		fmt.Fprintf(s.Stdout, "commit    %s of %s%s\n", r.Commit, r.Time, changed)
	}
	fmt.Fprintf(s.Stdout, "built by  %s for %s/%s\n", r.Go, r.OS, r.Arch)
	fmt.Fprintf(s.Stdout, "level     %s\n", r.Level)
	return nil
}
