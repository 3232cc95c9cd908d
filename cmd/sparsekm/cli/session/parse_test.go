package session

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// level is a value that may be left out.
type level int

func (*level) Takes(word string) bool { return word == "high" }

func (l *level) UnmarshalText(text []byte) error {
	switch string(text) {
	case "":
		*l = 1
	case "high":
		*l = 9
	default:
		return fmt.Errorf("found %q, want high", text)
	}
	return nil
}

type inner struct {
	Deep string `rare:"" help:"A flag of a struct within."`
}

type oneCmd struct {
	File  string        `arg:"" reads:"the file" help:"The file."`
	More  []string      `arg:"" optional:"" help:"More of them."`
	Form  string        `short:"f" enum:"text,json" help:"Form."`
	Count int           `min:"1" default:"3" help:"Count."`
	Wait  time.Duration `above:"0" help:"Time."`
	Rate  *float64      `min:"0" xor:"size" help:"Rate."`
	Size  ByteSize      `xor:"size" help:"Size."`
	Level level         `placeholder:"N" help:"Level."`
	Names []string      `values:"names" help:"Names: {values}."`
	Each  []string      `sep:"none" help:"Texts."`
	On    bool          `short:"o" help:"On."`
	Turn  *bool         `help:"Turned."`
	inner
}

func (c *oneCmd) Run(*Session) error { return nil }

type twoCmd struct {
	Out string `required:"" writes:"" placeholder:"FILE" help:"Out."`
}

func (c *twoCmd) Run(*Session) error { return nil }

func testProgram() *Program {
	return &Program{Name: "it", Help: "What it is.", Version: func() string { return "v1" }, Commands: []Command{
		{Name: "one", Help: "The first.", New: func() Runner { return new(oneCmd) }},
		{Name: "two", Help: "The second.", New: func() Runner { return new(twoCmd) }}},
		Values: func(name string) []string { return []string{"a " + name, "b"} },
		Gone: func(command, flag string) string {
			if command == "one" && flag == "old" {
				return "write --form"
			}
			return ""
		}}
}

func TestParse(t *testing.T) {
	for line, want := range map[string]string{
		"one f":                       `{f [] text 3 0s nil 0 0 [] [] false nil {}}`,
		"--json one f":                `{f [] text 3 0s nil 0 0 [] [] false nil {}}`,
		"one f g h -f json":           `{f [g h] json 3 0s nil 0 0 [] [] false nil {}}`,
		"one -fjson --count=7 -o f":   `{f [] json 7 0s nil 0 0 [] [] true nil {}}`,
		"one f --level --wait 90s":    `{f [] text 3 1m30s nil 0 1 [] [] false nil {}}`,
		"one f --level high":          `{f [] text 3 0s nil 0 9 [] [] false nil {}}`,
		"one f --level=high":          `{f [] text 3 0s nil 0 9 [] [] false nil {}}`,
		`one --names a,b\,c f`:        `{f [] text 3 0s nil 0 0 [a b,c] [] false nil {}}`,
		"one --each a,b --each c f":   `{f [] text 3 0s nil 0 0 [] [a,b c] false nil {}}`,
		"one f --turn":                `{f [] text 3 0s nil 0 0 [] [] false true {}}`,
		"one f --no-turn --rate -0":   `{f [] text 3 0s 0 0 0 [] [] false false {}}`,
		"one --deep x -- -f":          `{-f [] text 3 0s nil 0 0 [] [] false nil {x}}`,
		"one --size 2kB f":            `{f [] text 3 0s nil 2000 0 [] [] false nil {}}`,
		"one -5":                      `{-5 [] text 3 0s nil 0 0 [] [] false nil {}}`,
		"":                            "expected a command, one of one, two",
		"thre":                        "unexpected argument thre",
		"tow":                         `unexpected argument tow, did you mean "two"?`,
		"one":                         `expected "<file>"`,
		"two":                         "missing flags: --out=FILE",
		"two x":                       "unexpected argument x",
		"one f --frob":                "unknown flag --frob",
		"one f --cuont 1":             `unknown flag --cuont, did you mean "--count"?`,
		"one f --old":                 "unknown flag --old: write --form",
		"one f --no-on":               "unknown flag --no-on",
		"one f --no-turn=x":           "--no-turn: found a value, want none",
		"one f --count":               "--count: found nothing, want a value, COUNT",
		"one f --count 0":             "--count: found 0, want at least 1",
		"one f --count x":             `--count: found "x", want a whole number`,
		"one f --wait 0s":             "--wait: found 0s, want more than 0",
		"one f --wait soon":           `--wait: found "soon", want a time such as 90s or 5m`,
		"one f --rate nan":            "--rate: found NaN, want at least 0",
		"one f --rate 1 --size 1":     "--rate and --size can't be used together",
		"one f --form xml":            `--form: found "xml", want one of text, json`,
		"one f --level=low":           `--level: found "low", want high`,
		"one f --level=":              "--level: found an empty text, want a value",
		"two --out --json":            "--out: found --json, want a value",
		"two --profile heap=x":        "--profile: found heap=x, want cpu=FILE, mem=FILE or trace=FILE",
		"one --help f --frob":         "shown",
		"--version":                   "shown",
		"one f --help all --whatever": "shown",
	} {
		l, err := testProgram().parse(strings.Fields(line))
		got := ""
		switch {
		case err != nil:
			got = err.Error()
		case l.shows():
			got = "shown"
		default:
			c := *l.runner.(*oneCmd)
			value := func(p any) string {
				switch p := p.(type) {
				case *float64:
					if p != nil {
						return fmt.Sprint(*p + 0)
					}
				case *bool:
					if p != nil {
						return fmt.Sprint(*p)
					}
				}
				return "nil"
			}
			got = fmt.Sprintf("{%s %v %s %d %v %s %d %d %v %v %v %s %v}", c.File, c.More, c.Form, c.Count, c.Wait, value(c.Rate),
				c.Size, c.Level, c.Names, c.Each, c.On, value(c.Turn), c.inner)
		}
		if got != want {
			t.Errorf("%q: %s, want %s", line, got, want)
		}
	}
}

func TestHelpText(t *testing.T) {
	t.Setenv("COLUMNS", "60")
	var short, long strings.Builder
	if err := testProgram().WriteHelp(&short, "one", false); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"Usage: it one <file> <more> ... [flags]\n\nThe first.\n", "  -f, --form=WORD  ", "Form: text, json.\n",
		"Names: a names, b.\n", "--count=COUNT", "Count. Default: 3.\n", "--level[=N]", "--[no-]turn", "--help all shows 2 more flags."} {
		if !strings.Contains(short.String(), want) {
			t.Errorf("no %q in\n%s", want, short.String())
		}
	}
	if err := testProgram().WriteHelp(&long, "one", true); err != nil || !strings.Contains(long.String(), "--deep") {
		t.Errorf("%v, %s", err, long.String())
	}
	if err := testProgram().WriteHelp(&long, "tow", true); err == nil || !strings.Contains(err.Error(), "two") {
		t.Errorf("help of no command: %v", err)
	}
}

func TestCompletions(t *testing.T) {
	for line, want := range map[string]string{
		"": "one,two", "t": "two", "one --fo": "--form", "one --form ": "text,json", "one --form=j": "--form=json",
		"one --form = j": "json", "one --form =": "text,json", "one f --tu": "--turn", "two --out x": "files", "one ": "files",
		"three x": "", "two x": "", "one f --names ": "a names,b",
	} {
		found, files := testProgram().Completions(strings.Split(line, " "))
		for i := range found {
			found[i], _, _ = strings.Cut(found[i], "\t")
		}
		if files {
			found = append(found, "files")
		}
		if got := strings.Join(found, ","); got != want {
			t.Errorf("%q: %s, want %s", line, got, want)
		}
	}
	if names := Flags(new(twoCmd)); !slices.ContainsFunc(names, func(f *Flag) bool { return f.File() }) {
		t.Error("no flag of two names a file")
	}
}
