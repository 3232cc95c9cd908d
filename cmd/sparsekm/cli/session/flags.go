package session

import (
	"encoding"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// Program is a command line: what it is called, and its commands. One command without a name is the program itself.
type Program struct {
	Name, Help string
	Version    func() string // nil for a program that does not know it
	Commands   []Command
	Groups     []Group                       // of flags, in the order of the help
	Examples   func(command string) []string // lines that show its use; nil for none
	// Values are the words of the tag values.
	Values func(name string) []string
	// Gone says what took the place of a flag that a command had in earlier versions, or "".
	Gone func(command, flag string) string
}

// Command is a command of a program: what it does, and a new struct of its flags.
type Command struct {
	Name, Help string
	New        func() Runner
}

// Runner is the struct of a command's flags and arguments. Its exported fields with the tag help are the flags, by the
// names of the fields in small letters with hyphens; those of structs in it with the tag embed, or without a name, are
// flags too. The tags of a field:
//
//	name         another name
//	short        its letter
//	arg          it is an argument: of its place, or of all that are left where it is a slice
//	enum         the values it may have, with commas; the first one is the default
//	default      its value when it is not there
//	placeholder  what stands for its value in the help
//	group        the heading of the help that it is under, of all flags where it stands at a struct
//	required     it must be there; an argument must unless it is optional
//	xor          flags of one word exclude each other
//	above, min   the number is finite and above this, or at least this
//	rare         --help all shows it
//	values       a name of values that completion asks for, and that {values} in the help stands for
//	reads        it names files that the command reads, and what messages call them where it is an argument
//	writes       it names a file that the command writes; "-" where no name stands for standard output
//	sep          none: the words of a slice are not cut at commas
//
// A value with the method UnmarshalText reads its text itself. It may have a method Takes(word string) bool: the flag
// can stand alone then, which is the empty text, and takes the next word where Takes says so.
type Runner interface{ Run(s *Session) error }

// Group is a heading of the help.
type Group struct{ Key, Title string }

// Flag is a flag or an argument of a command.
type Flag struct {
	Name, Short string
	Help        string
	Placeholder string   // of its value; empty for what needs none
	Choices     []string // the values that it may have; nil for any
	Arg, Rare   bool
	Required    bool

	tag   reflect.StructTag
	group string
	value reflect.Value
	given bool // on the command line
}

// optional is a value that may be left out.
type optional interface{ Takes(word string) bool }

// Flags returns the flags and the arguments of a struct, in the order of its fields.
func Flags(command any) []*Flag { return fieldsOf(reflect.ValueOf(command).Elem(), "") }

func fieldsOf(value reflect.Value, group string) (all []*Flag) {
	for i := range value.NumField() {
		field := value.Type().Field(i)
		_, embed := field.Tag.Lookup("embed")
		within := field.Tag.Get("group")
		if within == "" {
			within = group
		}
		help, declared := field.Tag.Lookup("help")
		switch {
		case field.Type.Kind() == reflect.Struct && (embed || field.Anonymous):
			all = append(all, fieldsOf(value.Field(i), within)...)
		case declared && field.IsExported():
			all = append(all, newFlag(field, value.Field(i), help, within))
		}
	}
	return all
}

func newFlag(field reflect.StructField, value reflect.Value, help, group string) *Flag {
	has := func(key string) bool { _, ok := field.Tag.Lookup(key); return ok }
	f := &Flag{Name: field.Tag.Get("name"), Short: field.Tag.Get("short"), Help: help, Arg: has("arg"), Rare: has("rare"),
		Placeholder: field.Tag.Get("placeholder"), tag: field.Tag, group: group, value: value}
	f.Required = has("required") || f.Arg && !has("optional")
	if f.Name == "" {
		f.Name = hyphened(field.Name)
	}
	if choices := field.Tag.Get("enum"); choices != "" {
		f.Choices = strings.Split(choices, ",")
	}
	if text := f.usual(); text != "" {
		if err := f.set(text); err != nil {
			panic(err) // the tag is wrong
		}
		f.given = false
	}
	switch {
	case f.Placeholder != "" || f.isBool():
	case f.Choices != nil:
		f.Placeholder = "WORD"
	default:
		f.Placeholder = strings.ToUpper(f.Name)
	}
	return f
}

// usual is the text of the default; empty for none.
func (f *Flag) usual() string {
	if text := f.tag.Get("default"); text != "" || len(f.Choices) == 0 || f.Arg || f.Required {
		return text
	}
	if f.value.Kind() != reflect.String {
		return ""
	}
	return f.Choices[0]
}

// hyphened is the name of a field as that of a flag: LabelColumn is label-column.
func hyphened(name string) string {
	var b strings.Builder
	for i, r := range name {
		if unicode.IsUpper(r) && i > 0 {
			b.WriteByte('-')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}

// base is the type of the value, without a pointer.
func (f *Flag) base() reflect.Type {
	if t := f.value.Type(); t.Kind() != reflect.Pointer {
		return t
	}
	return f.value.Type().Elem()
}

// isBool reports whether a flag needs no value.
func (f *Flag) isBool() bool {
	_, ok := reflect.New(f.base()).Interface().(optional)
	return ok || f.base().Kind() == reflect.Bool
}

// negated reports whether a flag can be turned off by --no- before its name.
func (f *Flag) negated() bool {
	return f.value.Kind() == reflect.Pointer && f.base().Kind() == reflect.Bool
}

// takes reports whether a flag that needs no value has this word as its value.
func (f *Flag) takes(word string) bool {
	o, ok := reflect.New(f.base()).Interface().(optional)
	return ok && o.Takes(word)
}

// File reports whether the value names a file.
func (f *Flag) File() bool {
	_, reads := f.tag.Lookup("reads")
	_, writes := f.tag.Lookup("writes")
	return reads || writes
}

// String is the flag as a usage has it.
func (f *Flag) String() string {
	text := "--" + f.Name
	if f.negated() {
		text = "--[no-]" + f.Name
	}
	switch {
	case f.Arg && f.value.Kind() == reflect.Slice:
		return "<" + f.Name + "> ..."
	case f.Arg && !f.Required:
		return "[<" + f.Name + ">]"
	case f.Arg:
		return "<" + f.Name + ">"
	case f.Placeholder != "" && f.isBool():
		text += "[=" + f.Placeholder + "]"
	case f.Placeholder != "":
		text += "=" + f.Placeholder
	}
	if f.Short != "" {
		return "-" + f.Short + ", " + text
	}
	return text
}

// Text is the help with the values and the default.
func (f *Flag) Text() string {
	text := f.Help
	if len(f.Choices) > 0 {
		text = strings.TrimSuffix(text, ".") + ": " + strings.Join(f.Choices, ", ") + "."
	}
	if usual := f.usual(); usual != "" && len(f.Choices) == 0 {
		text += " Default: " + usual + "."
	}
	return text
}

// isText reports whether the value is any text, or several.
func (f *Flag) isText() bool {
	t := f.base()
	return t.Kind() == reflect.String || t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.String
}

// called is what a message calls the flag.
func (f *Flag) called() string {
	if f.Arg {
		return "<" + f.Name + ">"
	}
	return "--" + f.Name
}

// set reads a text of the command line.
func (f *Flag) set(text string) error {
	f.given = true
	to := f.value
	if to.Kind() == reflect.Pointer {
		to.Set(reflect.New(to.Type().Elem()))
		to = to.Elem()
	}
	if len(f.Choices) > 0 {
		words := []string{text}
		if to.Kind() == reflect.Slice {
			words = strings.Split(text, ",")
		}
		for _, word := range words {
			if !slices.Contains(f.Choices, word) {
				return Usagef("%s: found %q, want one of %s", f.called(), word, strings.Join(f.Choices, ", "))
			}
		}
	}
	if text == "" && (f.Arg || f.isText()) || FlagLike(text) && f.isText() && !f.Arg {
		return Usagef("%s: found %s, want a value", f.called(), OrEmpty(text))
	}
	if err := Decode(to, text, f.tag.Get("sep") == "none"); err != nil {
		return Usagef("%s: %w", f.called(), err)
	}
	return f.inRange(to)
}

// inRange holds a number to the tags above and min.
func (f *Flag) inRange(v reflect.Value) error {
	value := math.NaN()
	if v.CanInt() {
		value = float64(v.Int())
	} else if v.CanFloat() {
		value = v.Float()
	}
	above, noBound := strconv.ParseFloat(f.tag.Get("above"), 64)
	smallest, noSmallest := strconv.ParseFloat(f.tag.Get("min"), 64)
	switch finite := !math.IsInf(value, 0); {
	case noBound == nil && !(value > above && finite):
		return Usagef("%s: found %v, want more than %v", f.called(), v, above)
	case noSmallest == nil && !(value >= smallest && finite):
		return Usagef("%s: found %v, want at least %v", f.called(), v, smallest)
	}
	return nil
}

// kinds are what texts of the kinds of values look like.
var kinds = map[reflect.Kind]string{reflect.Bool: "true or false", reflect.Int: "a whole number",
	reflect.Uint64: "a whole number >= 0", reflect.Float64: "a number"}

// Decode reads a text as a value of the kinds that flags have. A slice gets more elements: one a comma, or the whole.
func Decode(to reflect.Value, text string, whole bool) (err error) {
	if u, ok := to.Addr().Interface().(encoding.TextUnmarshaler); ok {
		return u.UnmarshalText([]byte(text))
	}
	switch p := to.Addr().Interface().(type) {
	case *time.Duration:
		if *p, err = time.ParseDuration(text); err != nil {
			err = fmt.Errorf("found %q, want a time such as 90s or 5m", text)
		}
		return err
	case *bool:
		*p, err = strconv.ParseBool(text)
	case *int:
		*p, err = strconv.Atoi(text)
	case *uint64:
		*p, err = strconv.ParseUint(text, 10, 64)
	case *float64:
		*p, err = strconv.ParseFloat(text, 64)
	case *string:
		*p = text
	default: // a slice
		words := []string{text}
		if !whole {
			words = splitWords(text)
		}
		for _, word := range words {
			element := reflect.New(to.Type().Elem()).Elem()
			if err = Decode(element, word, whole); err != nil {
				return err
			}
			to.Set(reflect.Append(to, element))
		}
	}
	if err != nil {
		return fmt.Errorf("found %q, want %s", text, kinds[to.Kind()])
	}
	return nil
}

// splitWords cuts a text at its commas, but for those behind a backslash.
func splitWords(text string) []string {
	words := strings.Split(strings.ReplaceAll(text, `\,`, "\x00"), ",")
	for i, word := range words {
		words[i] = strings.ReplaceAll(word, "\x00", ",")
	}
	return words
}
