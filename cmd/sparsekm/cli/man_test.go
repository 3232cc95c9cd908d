package cli

import (
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/sparsekm/sparsekm"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
)

// The manual page has every command, flag and method, and groff finds nothing to complain about.
func TestMan(t *testing.T) {
	page := must(t, "man").stdout
	plain := strings.ReplaceAll(page, `\-`, "-")
	for _, node := range commands {
		want := []string{`.SS "sparsekm ` + node.Name, node.Help}
		flags, _ := program.Table(&node)
		for _, f := range flags {
			want = append(want, f.Name)
		}
		for _, text := range want {
			if !strings.Contains(plain, text) {
				t.Errorf("%s: no %q", node.Name, text)
			}
		}
	}
	for _, m := range sparsekm.Methods() {
		if !strings.Contains(plain, `.B "`+m.Name+`"`) {
			t.Errorf("no method %s", m.Name)
		}
	}
	// A line begins with a dot only where it is a request.
	for line := range strings.Lines(page) {
		if strings.HasPrefix(line, "'") || !regexp.MustCompile(`^(\.(TH|SH|SS|TP|B|PP|EX|EE)\b|[^.])`).MatchString(line) {
			t.Errorf("a line that roff takes for a request: %s", line)
		}
	}
	cmd := exec.Command(testutil.Program(t, "groff"), "-man", "-k", "-Kutf8", "-Tutf8", "-ww", "-z")
	cmd.Stdin = strings.NewReader(page)
	if out, err := cmd.CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("groff: %v\n%s", err, out)
	}
}

func TestRoff(t *testing.T) {
	for text, want := range map[string]string{
		roffText(".a request\n'another\na\\b --c"): "\\&.a request\n\\&'another\na\\eb \\-\\-c",
		roffArgument(`say "x"`):                    `"say \(dqx\(dq"`,
	} {
		if text != want {
			t.Errorf("%q, want %q", text, want)
		}
	}
}
