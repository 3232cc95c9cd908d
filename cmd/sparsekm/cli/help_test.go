package cli

import (
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/sparsekm/sparsekm"
	"github.com/sparsekm/sparsekm/cmd/sparsekm/cli/session"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
)

// Nothing that is made for people to read in a terminal of 80 columns wraps there.
func TestColumns(t *testing.T) {
	t.Setenv("COLUMNS", "80")
	texts := map[string]string{"--help": must(t, "--help").stdout, "methods": must(t, "methods").stdout}
	for _, node := range commands {
		texts[node.Name+" --help"] = must(t, node.Name, "--help").stdout
	}
	for _, m := range sparsekm.Methods() {
		texts["methods "+m.Name] = must(t, "methods", m.Name).stdout
	}
	for name, text := range texts {
		for line := range strings.Lines(text) {
			line = strings.TrimRight(line, "\n")
			if n := utf8.RuneCountInString(line); n > 80 {
				t.Errorf("%s: %d columns: %s", name, n, line)
			}
		}
	}
}

var update = flag.Bool("update", false, "write testdata/help.txt")

// testdata/help.txt is what the command says of itself, for those who have not built it: the site shows it.
func TestHelpFile(t *testing.T) {
	t.Setenv("COLUMNS", "80")
	asked := [][]string{{"--help"}, {"methods"}}
	for _, node := range commands {
		asked = append(asked, []string{"help", node.Name})
	}
	var text strings.Builder
	for _, args := range asked {
		text.WriteString("$ sparsekm " + strings.Join(args, " ") + "\n" + must(t, args...).stdout)
	}
	file := filepath.Join("testdata", "help.txt")
	if *update {
		if err := os.WriteFile(file, []byte(text.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	recorded, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if string(recorded) != text.String() {
		t.Errorf("%s is not what the command prints: go test ./cmd/sparsekm/cli -run HelpFile -update", file)
	}
}

// `help COMMAND` is `COMMAND --help`.
func TestHelp(t *testing.T) {
	if a, b := must(t, "help").stdout, must(t, "--help").stdout; a != b {
		t.Errorf("help prints\n%s\n--help\n%s", a, b)
	}
	for _, node := range commands {
		if a, b := must(t, "help", node.Name).stdout, must(t, node.Name, "--help").stdout; a != b {
			t.Errorf("help %s prints\n%s\n--help\n%s", node.Name, a, b)
		}
	}
	r := command(t, "", "help", "tarin")
	if r.code != session.Usage || !strings.Contains(r.stderr, "tarin") || r.stdout != "" {
		t.Errorf("help of nothing: status %d, %q, %q", r.code, r.stdout, r.stderr)
	}
}

// The examples of every command run as they stand, one after the other in one folder.
func TestExamples(t *testing.T) {
	if testing.Short() {
		t.Skip("every example of every command is run")
	}
	files := make(map[string][]byte)
	for name, from := range map[string]string{"train.libsvm": "ripley.train.libsvm", "test.libsvm": "ripley.test.libsvm"} {
		text, err := os.ReadFile(testutil.Testdata(t, from))
		if err != nil {
			t.Fatal(err)
		}
		files[name] = text
	}
	files["small.mps"] = []byte("NAME\nROWS\n N cost\n G need\nCOLUMNS\n x cost 1 need 1\n y cost 2 need 1\n" +
		"RHS\n b need 3\nENDATA\n")
	files["small.qps"] = []byte("NAME\nROWS\n N cost\n G need\nCOLUMNS\n x cost 1 need 1\n y cost 2 need 1\n" +
		"RHS\n b need 3\nQUADOBJ\n x x 2\n y y 1\nENDATA\n")
	files["teacher"] = []byte("#!/bin/sh\nsed 's/^-.*/0/;t;s/.*/1/'\n") // the sign of the first feature
	files["data.csv"] = []byte(must(t, "gen", "gaussians", "-n", "60", "--to", "csv").stdout)
	t.Chdir(t.TempDir())
	for name, text := range files {
		if err := os.WriteFile(name, text, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	redirect := regexp.MustCompile(` > \S+$|^source <\(|\)$`)
	for _, node := range commands {
		found := 0
		for line := range slices.Values(examplesOf(node.Name)) {
			args := strings.Fields(redirect.ReplaceAllString(strings.TrimSpace(line), ""))
			if args[0] != "sparsekm" || !(args[1] == node.Name || args[1] == "help") {
				t.Errorf("%s has the example %q", node.Name, line)
			}
			ends := []int{session.Done}
			switch args[1] { // these take the time that they are given
			case "fit":
				args = append(args, "--time-limit", "1s")
				ends = append(ends, session.Limit)
			case "bench":
				args = append(args, "--time", "1ms")
			}
			if r := runIn(t.Context(), "", args[1:]...); !slices.Contains(ends, r.code) {
				t.Errorf("%q ends with %d: %s", line, r.code, r.stderr)
			}
			found++
		}
		if found == 0 || !strings.Contains(must(t, node.Name, "--help").stdout, "Examples:") {
			t.Errorf("%s --help has %d examples", node.Name, found)
		}
	}
}

// The flags of train, of all commands, and the lines of train's help stay few.
func TestFlagsAreFew(t *testing.T) {
	t.Setenv("COLUMNS", "80")
	const maxTrain, maxAll, maxLines = 60, 110, 120
	all := make(map[string]bool)
	for i := range commands {
		flags, _ := program.Table(&commands[i])
		for _, f := range flags {
			all[f.Name] = true
		}
		if commands[i].Name == "train" && len(flags) > maxTrain {
			t.Errorf("train has %d flags, at most %d are expected", len(flags), maxTrain)
		}
	}
	if len(all) > maxAll {
		t.Errorf("%d flags in all, at most %d are expected", len(all), maxAll)
	}
	if lines := strings.Count(must(t, "train", "--help").stdout, "\n"); lines > maxLines {
		t.Errorf("the help of train has %d lines, at most %d are expected", lines, maxLines)
	}
}

// A flag of earlier versions names what took its place, and every --help all has what --help leaves out.
func TestFlagsThatMoved(t *testing.T) {
	for _, line := range []string{
		"train --gamma-reg 2 x|--param gamma-reg=VALUE", "train --degree 3 x|--param degree=VALUE",
		"train --path-steps 4 x|--path FROM..TO:STEPS", "train --cpuprofile x y|--profile cpu=FILE",
		"fit --time 5s x|--time-limit", "fit --max-us 3 x|--target-latency", "compare -m svc -o x y|--ledger",
		"compare --methods svc x|--method", "predict --write csv x y|--to", "convert --float x|--to c-float",
		"gen gaussians --flips 3|--param flips=VALUE",
	} {
		args, want, _ := strings.Cut(line, "|")
		r := command(t, "", strings.Fields(args)...)
		if r.code != session.Usage || !strings.Contains(r.stderr, want) || r.stdout != "" {
			t.Errorf("%s: status %d, %q, want %q", args, r.code, r.stderr, want)
		}
	}
	short, long := must(t, "train", "--help").stdout, must(t, "train", "--help", "all").stdout
	if strings.Contains(short, "--dump-lp") || !strings.Contains(long, "--dump-lp") ||
		long != must(t, "help", "--all", "train").stdout {
		t.Errorf("--help all shows\n%s", long)
	}
}
