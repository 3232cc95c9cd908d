package cli

import (
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
)

// The parser of a command line with a command knows that one alone, and no text that only help shows.
func TestParserKnowsOneCommand(t *testing.T) {
	var flags globalFlags
	k, err := newParser(&flags, []string{"train", "-m", "svc", "data"})
	if err != nil {
		t.Fatal(err)
	}
	if leaves := k.Model.Leaves(true); len(leaves) != 1 || leaves[0].Name != "train" {
		t.Fatalf("%d commands, want train", len(leaves))
	}
	parameters := 0
	for _, level := range k.Model.Leaves(true)[0].AllFlags(false) {
		for _, f := range level {
			if !f.Tag.Has("parameter") {
				continue
			}
			parameters++
			if f.Help != "" {
				t.Errorf("--%s has the text %q although nobody asks for it", f.Name, f.Help)
			}
			if helpOf(f.Value) == "" {
				t.Errorf("--%s has no text", f.Name)
			}
		}
	}
	if parameters < 20 {
		t.Errorf("%d parameters of methods", parameters)
	}
	for _, command := range []string{"version", "predict", "convert"} {
		if k, err = newParser(&flags, []string{command}, kong.Exit(func(int) {})); err != nil || len(k.Model.Leaves(true)) != 1 {
			t.Errorf("%s: %v", command, err)
		}
	}
}

// Initialisation of our packages allocates little: registers and tables, nothing computed.
func TestInitAllocatesLittle(t *testing.T) {
	cmd := exec.Command(os.Args[0], "-test.run", "^$")
	cmd.Env = append(os.Environ(), "GODEBUG=inittrace=1")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatal(err)
	}
	const most = 130 // 75 at the time of writing; the packages of others that draw and serve have 1600
	ours, packages := 0, 0
	for _, m := range regexp.MustCompile(`init (\S+) .* (\d+) allocs`).FindAllStringSubmatch(string(out), -1) {
		if strings.HasPrefix(m[1], "github.com/sparsekm/") && !strings.HasSuffix(m[1], "/cli") { // which has tests' tables
			n, err := strconv.Atoi(m[2])
			if err != nil {
				t.Fatal(err)
			}
			ours += n
			packages++
		}
	}
	if packages < 5 || ours > most {
		t.Errorf("%d packages of ours allocate %d times before main begins, at most %d are expected", packages, ours, most)
	}
}
