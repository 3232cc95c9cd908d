package cli

import (
	"reflect"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// givenFlags are the names of the flags on the command line, in its order: a flag that is there
// and has no effect is refused, also with the value that it has by default.
type givenFlags []string

// newGiven fails for a text that is no value: the empty one of an unset variable of a shell, and
// a flag instead of the value of the flag before it.
func newGiven(parsed *kong.Context) (g givenFlags, err error) {
	for _, p := range parsed.Path {
		switch {
		case p.Flag != nil:
			g = append(g, p.Flag.Name)
			if v := p.Flag.Target; v.Kind() == reflect.String {
				if text := v.String(); text == "" || flagLike(text) {
					return nil, usagef("--%s: found %s, want a value", p.Flag.Name, orEmpty(text))
				}
			}
		case p.Positional != nil && p.Positional.Target.Kind() == reflect.String:
			if p.Positional.Passthrough || p.Positional.Target.String() != "" {
				continue
			}
			return nil, usagef("<%s>: found an empty text, want a name", p.Positional.Name)
		}
	}
	return g, nil
}

func orEmpty(text string) string {
	if text == "" {
		return "an empty text"
	}
	return text
}

// flagLike reports whether a text is -o or --out rather than a value such as - or -1.
func flagLike(text string) bool {
	name, long := strings.CutPrefix(text, "--")
	if long {
		return name != ""
	}
	return len(text) == 2 && text[0] == '-' && (text[1] < '0' || text[1] > '9')
}

// any returns the first of the names that is there, "" if none is.
func (g givenFlags) any(names ...string) string {
	for _, name := range g {
		if slices.Contains(names, name) {
			return name
		}
	}
	return ""
}
