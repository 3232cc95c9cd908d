package session

import (
	"reflect"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// SetFlags are the names of the flags on the command line, in its order: a flag that is there
// and has no effect is refused, also with the value that it has by default.
type SetFlags []string

// newSetFlags fails for a text that is no value: the empty one of an unset variable of a shell, and
// a flag instead of the value of the flag before it.
func newSetFlags(parsed *kong.Context) (g SetFlags, err error) {
	for _, p := range parsed.Path {
		switch {
		case p.Flag != nil:
			g = append(g, p.Flag.Name)
			if v := p.Flag.Target; v.Kind() == reflect.String {
				if text := v.String(); text == "" || FlagLike(text) {
					return nil, Usagef("--%s: found %s, want a value", p.Flag.Name, OrEmpty(text))
				}
			}
		case p.Positional != nil && p.Positional.Target.Kind() == reflect.String:
			if p.Positional.Passthrough || p.Positional.Target.String() != "" {
				continue
			}
			return nil, Usagef("<%s>: found an empty text, want a name", p.Positional.Name)
		}
	}
	return g, nil
}

// OrEmpty is a text in a message: words for the empty one.
func OrEmpty(text string) string {
	if text == "" {
		return "an empty text"
	}
	return text
}

// FlagLike reports whether a text is -o or --out rather than a value such as - or -1.
func FlagLike(text string) bool {
	name, long := strings.CutPrefix(text, "--")
	if long {
		return name != ""
	}
	return len(text) == 2 && text[0] == '-' && (text[1] < '0' || text[1] > '9')
}

// First returns the first of the names that is there, "" if none is.
func (g SetFlags) First(names ...string) string {
	for _, name := range g {
		if slices.Contains(names, name) {
			return name
		}
	}
	return ""
}
