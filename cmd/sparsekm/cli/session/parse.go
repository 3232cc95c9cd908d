package session

import (
	"fmt"
	"slices"
	"strings"
)

// helpFlag is --help, and --help all.
type helpFlag struct{ asked, all bool }

// Takes implements optional.
func (*helpFlag) Takes(word string) bool { return word == "all" }

// UnmarshalText implements [encoding.TextUnmarshaler].
func (h *helpFlag) UnmarshalText(text []byte) error {
	if h.asked, h.all = true, string(text) == "all"; !h.all && len(text) > 0 {
		return fmt.Errorf("found %q, want all or nothing", text)
	}
	return nil
}

// commonFlags are the flags of every command.
type commonFlags struct {
	Show    helpFlag  `name:"help" short:"h" placeholder:"all" help:"Show the help, or the help with all flags."`
	Version bool      `help:"Show the version."`
	JSON    bool      `name:"json" help:"Print one JSON object on standard output and nothing else there."`
	Profile []profile `rare:"" sep:"none" writes:"" placeholder:"KIND=FILE" help:"Write a profile: cpu (go tool pprof), mem (the heap at the end) or trace (go tool trace); again for more."`
}

// line is a command line that was read.
type line struct {
	program *Program
	command *Command // nil if none was named
	runner  Runner
	common  commonFlags
	flags   []*Flag // without arguments
	args    []*Flag
	set     SetFlags
}

// find returns the command of a name, nil for none.
func (p *Program) find(name string) *Command {
	for i := range p.Commands {
		if p.Commands[i].Name == name {
			return &p.Commands[i]
		}
	}
	return nil
}

// choose makes the flags of a command known.
func (l *line) choose(c *Command) {
	l.command, l.runner = c, c.New()
	if c.Name != "" { // the version is the program's
		l.flags = slices.DeleteFunc(l.flags, func(f *Flag) bool { return f.Name == "version" })
	}
	for _, f := range Flags(l.runner) {
		if before, after, ok := strings.Cut(f.Help, "{values}"); ok {
			f.Help = before + strings.Join(l.program.Values(f.tag.Get("values")), ", ") + after
		}
		if f.Arg {
			l.args = append(l.args, f)
		} else {
			l.flags = append(l.flags, f)
		}
	}
}

// name chooses the command of a name.
func (l *line) name(word string) error {
	c := l.program.find(word)
	if c == nil {
		return fmt.Errorf("unexpected argument %s%s", word, suggestion(word, "", l.program.names()))
	}
	l.choose(c)
	return nil
}

// Table returns all flags that a command has, and its arguments.
func (p *Program) Table(c *Command) (flags, args []*Flag) {
	l := p.begin()
	l.choose(c)
	return l.flags, l.args
}

// begin is an empty command line.
func (p *Program) begin() *line {
	l := &line{program: p}
	if l.flags = Flags(&l.common); p.Version == nil {
		l.flags = slices.DeleteFunc(l.flags, func(f *Flag) bool { return f.Name == "version" })
	}
	if c := p.find(""); c != nil {
		l.choose(c)
	}
	return l
}

// parse reads the words of a command line.
func (p *Program) parse(words []string) (*line, error) {
	l, plain, place := p.begin(), false, 0
	for len(words) > 0 && !l.shows() {
		word := words[0]
		words = words[1:]
		switch {
		case word == "--" && !plain:
			plain = true
		case !plain && FlagLike(word) || !plain && len(word) > 2 && word[0] == '-' && FlagLike(word[:2]):
			used, err := l.flag(word, words)
			if err != nil {
				return l, err
			}
			words = words[used:]
		case l.command == nil:
			if err := l.name(word); err != nil {
				return l, err
			}
		case place == len(l.args):
			return l, fmt.Errorf("unexpected argument %s", word)
		default:
			if err := l.args[place].set(word); err != nil {
				return l, err
			}
			if !l.args[place].isText() || !strings.HasSuffix(l.args[place].String(), "...") {
				place++
			}
		}
	}
	if l.shows() {
		return l, nil
	}
	return l, l.complete()
}

// shows reports whether a flag shows something instead of running the command.
func (l *line) shows() bool { return l.common.Show.asked || l.common.Version }

// flag reads a flag, and returns how many of the next words are its value.
func (l *line) flag(word string, next []string) (used int, err error) {
	name, value, valued := strings.Cut(word, "=")
	f, off := l.find(name), false
	switch {
	case f == nil && !strings.HasPrefix(word, "--") && len(word) > 2: // -mNAME, or letters of flags without values
		if f = l.find(word[:2]); f == nil {
			break
		}
		if f.isBool() {
			if _, err = l.flag(word[:2], nil); err != nil {
				return 0, err
			}
			return l.flag("-"+word[2:], next)
		}
		value, valued = strings.TrimPrefix(word[2:], "="), true
	case f == nil:
		if rest, no := strings.CutPrefix(name, "--no-"); no {
			if f = l.find("--" + rest); f != nil && !f.negated() {
				f = nil
			}
			off = true
		}
	}
	if f == nil {
		return 0, l.unknown(name)
	}
	l.set = append(l.set, f.Name)
	switch {
	case valued && off:
		return 0, fmt.Errorf("%s: found a value, want none", name)
	case valued && value == "":
		return 0, fmt.Errorf("%s: found an empty text, want a value", f.called())
	case valued:
	case off:
		value = "false"
	case !f.isBool():
		if len(next) == 0 {
			return 0, fmt.Errorf("%s: found nothing, want a value, %s", f.called(), f.Placeholder)
		}
		value, used = next[0], 1
	case f.Placeholder == "":
		value = "true"
	case len(next) > 0 && f.takes(next[0]):
		value, used = next[0], 1
	}
	return used, f.set(value)
}

// find returns the flag that a word names, nil for none.
func (l *line) find(word string) *Flag {
	for _, f := range l.flags {
		if word == "--"+f.Name || f.Short != "" && word == "-"+f.Short {
			return f
		}
	}
	return nil
}

// unknown is the error for a flag that the command does not have.
func (l *line) unknown(word string) error {
	name := ""
	if l.command != nil {
		name = l.command.Name
	}
	if l.program.Gone != nil {
		if instead := l.program.Gone(name, strings.TrimLeft(word, "-")); instead != "" {
			return fmt.Errorf("unknown flag %s: %s", word, instead)
		}
	}
	var known []string
	for _, f := range l.flags {
		if f.Short != "" {
			known = append(known, "-"+f.Short)
		}
		known = append(known, "--"+f.Name)
	}
	return fmt.Errorf("unknown flag %s%s", word, suggestion(word, "-", known))
}

// complete checks what is known only when every word is read: what is missing, what excludes something else.
func (l *line) complete() error {
	if l.command == nil {
		return fmt.Errorf("expected a command, one of %s", strings.Join(l.program.names(), ", "))
	}
	var missing []string
	for _, f := range l.args {
		if f.Required && !f.given {
			missing = append(missing, f.String())
		}
	}
	if len(missing) > 0 {
		return fmt.Errorf("expected %q", strings.Join(missing, " "))
	}
	first := make(map[string]*Flag)
	for _, f := range l.flags {
		if f.Required && !f.given {
			missing = append(missing, strings.TrimPrefix(f.String(), "-"+f.Short+", "))
		}
		word := f.tag.Get("xor")
		if word == "" || !f.given {
			continue
		}
		if o := first[word]; o != nil {
			return fmt.Errorf("--%s and --%s can't be used together", o.Name, f.Name)
		}
		first[word] = f
	}
	if len(missing) > 0 {
		return fmt.Errorf("missing flags: %s", strings.Join(missing, ", "))
	}
	return nil
}

// names are the names of the commands.
func (p *Program) names() (names []string) {
	for _, c := range p.Commands {
		names = append(names, c.Name)
	}
	return names
}

// suggestion names the word most like a typed one, if two changes at most make one of the other and both begin with
// the same letter behind what all words begin with; else it is empty.
func suggestion(typed, hyphens string, words []string) string {
	const changes = 2
	best, fewest := "", changes+1
	for _, w := range words {
		a, b := strings.TrimLeft(typed, hyphens), strings.TrimLeft(w, hyphens)
		if a == "" || b == "" || a[0] != b[0] {
			continue
		}
		if n := distance(typed, w); n < fewest {
			best, fewest = w, n
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf(", did you mean %q?", best)
}

// distance is how many bytes must be put in, taken out or replaced to make b of a.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range a {
		diagonal := row[0]
		row[0] = i + 1
		for j := range b {
			cost := diagonal
			if a[i] != b[j] {
				cost = 1 + min(diagonal, row[j], row[j+1])
			}
			diagonal, row[j+1] = row[j+1], cost
		}
	}
	return row[len(b)]
}
