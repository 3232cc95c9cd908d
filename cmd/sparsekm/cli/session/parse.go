package session

import (
	"fmt"
	"io"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/alecthomas/kong"
)

// shower is a flag that shows something instead of running the command, as --version does.
type shower interface{ Show(w io.Writer) error }

// parse is kong's Parse and its Validate, in the words of kong, for the tags that our commands have. Kong's own look
// methods up by names that the linker does not know, so that it keeps every method of every type: 4 MB of them.
// It reports whether a flag has shown something, as --help does.
func parse(k *kong.Kong, args []string) (parsed *kong.Context, shown bool, err error) {
	if parsed, err = kong.Trace(k, args); err != nil {
		return nil, false, err
	}
	if parsed.Error != nil {
		return nil, false, parsed.Error
	}
	for _, p := range parsed.Path {
		if p.Flag == nil {
			continue
		}
		show, ok := p.Flag.Target.Interface().(shower)
		switch {
		case p.Flag == k.Model.HelpFlag:
			err = parsed.PrintUsage(false)
		case ok:
			err = show.Show(k.Stdout)
		default:
			continue
		}
		if shown = true; err != nil {
			return nil, shown, err
		}
	}
	if shown {
		return parsed, shown, nil
	}
	if err = parsed.Reset(); err != nil {
		return nil, false, err
	}
	if _, err = parsed.Apply(); err != nil {
		return nil, false, err
	}
	return parsed, false, validate(parsed)
}

// validate checks what is known only when every word is read: values of an enum, what is missing, what excludes
// something else.
func validate(parsed *kong.Context) error {
	for _, p := range parsed.Path {
		if node := p.Node(); node != nil {
			for _, v := range node.Values() {
				if v.Required && !v.HasDefault {
					continue // it may not be there
				}
				if err := checkEnum(v); err != nil {
					return err
				}
			}
		}
	}
	for _, p := range parsed.Path {
		if p.Flag != nil {
			if err := checkEnum(p.Flag.Value); err != nil {
				return err
			}
		}
		if p.Positional != nil {
			if err := checkEnum(p.Positional); err != nil {
				return err
			}
		}
		if err := checkRequired(p.Flags); err != nil {
			return err
		}
	}
	node := parsed.Selected()
	if node == nil {
		node = parsed.Model.Node
	}
	if err := checkMissing(node); err != nil {
		return err
	}
	return checkExclusive(parsed)
}

// checkEnum fails for a value that is none of its enum.
func checkEnum(v *kong.Value) error {
	if v.Enum == "" {
		return nil
	}
	check := func(target reflect.Value) error {
		choices, found := v.EnumSlice(), fmt.Sprint(target)
		if slices.Contains(choices, found) {
			return nil
		}
		for i, c := range choices {
			choices[i] = strconv.Quote(c)
		}
		return fmt.Errorf("%s must be one of %s but got %q", v.ShortSummary(), strings.Join(choices, ","), found)
	}
	if v.Target.Kind() != reflect.Slice {
		return check(v.Target)
	}
	for i := range v.Target.Len() {
		if err := check(v.Target.Index(i)); err != nil {
			return err
		}
	}
	return nil
}

// checkRequired fails where a flag that has to be there is not.
func checkRequired(flags []*kong.Flag) error {
	var missing []string
	for _, f := range flags {
		if f.Required && !f.Set {
			missing = append(missing, f.Summary())
		}
	}
	if len(missing) == 0 {
		return nil
	}
	slices.Sort(missing)
	return fmt.Errorf("missing flags: %s", strings.Join(missing, ", "))
}

// checkMissing fails where a required argument or the command itself is not there.
func checkMissing(node *kong.Node) error {
	var missing, names []string
	for _, p := range node.Positional {
		if p.Required && !p.Set {
			names = append(names, p.Summary())
		}
	}
	if len(names) > 0 {
		missing = append(missing, strconv.Quote(strings.Join(names, " ")))
	}
	for _, child := range node.Children { // no command was named
		missing = append(missing, strconv.Quote(child.Name))
	}
	const most = 5
	switch {
	case len(missing) == 0:
		return nil
	case len(missing) == 1:
		return fmt.Errorf("expected %s", missing[0])
	case len(missing) > most:
		missing = append(missing[:most], "...")
	}
	return fmt.Errorf("expected one of %s", strings.Join(missing, ", "))
}

// checkExclusive fails for two flags of which one excludes the other.
func checkExclusive(parsed *kong.Context) error {
	for _, p := range parsed.Path {
		first := make(map[string]*kong.Flag)
		for _, f := range p.Flags {
			if !f.Set {
				continue
			}
			for _, group := range f.Xor {
				if o := first[group]; o != nil {
					return fmt.Errorf("--%s and --%s can't be used together", o.Name, f.Name)
				}
				first[group] = f
			}
		}
	}
	return nil
}

// runCommand runs the command's method Run.
func (s *Session) runCommand(command *kong.Node, parsed *kong.Context) error {
	switch c := command.Target.Addr().Interface().(type) {
	case interface{ Run(s *Session) error }:
		return c.Run(s)
	case interface {
		Run(s *Session, k *kong.Context) error
	}:
		return c.Run(s, parsed)
	}
	panic(fmt.Sprintf("session: %s has no method Run", command.Name))
}
