package house

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// asmFunc is a function of an assembly file, its macros expanded: one instruction a line.
type asmFunc struct {
	name string
	code []string
}

// asmFile reads a file of Go assembly as the assembler's preprocessor does: #include,
// #define with and without parameters, #undef.
type asmFile struct {
	macros map[string]asmMacro
	funcs  []asmFunc
}

type asmMacro struct {
	params []string // nil for a macro without parentheses
	body   string
}

var (
	asmDefine  = regexp.MustCompile(`^#define\s+(\w+)(\(([^)]*)\))?\s*(.*)$`)
	asmComment = regexp.MustCompile(`(?s)/\*.*?\*/|//[^\n]*`)
	asmText    = regexp.MustCompile(`^TEXT\s+·(\w+)\(SB\)`)
	asmLabel   = regexp.MustCompile(`^\w+:\s*`)
	asmWord    = regexp.MustCompile(`[A-Za-z_]\w*`)
)

// readAsm parses the file at path; the text of files that it includes is read beside it.
func readAsm(path string) (*asmFile, error) {
	f := &asmFile{macros: make(map[string]asmMacro)}
	return f, f.include(path)
}

func (f *asmFile) include(path string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	return f.parse(string(text), filepath.Dir(path))
}

func (f *asmFile) parse(text, dir string) error {
	text = asmComment.ReplaceAllString(text, "")
	text = strings.ReplaceAll(text, "\\\n", ";") // a line of a macro is an instruction
	for _, line := range strings.Split(text, "\n") {
		line = strings.TrimSpace(line)
		switch m := asmDefine.FindStringSubmatch(line); {
		case m != nil:
			macro := asmMacro{body: strings.TrimPrefix(m[4], ";")}
			if m[2] != "" {
				macro.params = strings.Split(strings.ReplaceAll(m[3], " ", ""), ",")
			}
			f.macros[m[1]] = macro
		case strings.HasPrefix(line, "#undef"):
			delete(f.macros, strings.TrimSpace(strings.TrimPrefix(line, "#undef")))
		case strings.HasPrefix(line, "#include"):
			if name := strings.Trim(strings.TrimPrefix(line, "#include"), ` "`); name != "textflag.h" && name != "go_asm.h" {
				if err := f.include(filepath.Join(dir, name)); err != nil {
					return err
				}
			}
		case strings.HasPrefix(line, "#"):
			return fmt.Errorf("unknown directive %q", line)
		case asmText.MatchString(line):
			f.funcs = append(f.funcs, asmFunc{name: asmText.FindStringSubmatch(line)[1]})
		case len(f.funcs) > 0 && !strings.HasPrefix(line, "DATA") && !strings.HasPrefix(line, "GLOBL"):
			fn := &f.funcs[len(f.funcs)-1]
			for _, code := range strings.Split(f.expand(line), ";") {
				for asmLabel.MatchString(strings.TrimSpace(code)) {
					code = asmLabel.ReplaceAllString(strings.TrimSpace(code), "")
				}
				if code = strings.TrimSpace(code); code != "" {
					fn.code = append(fn.code, code)
				}
			}
		}
	}
	return nil
}

// expand replaces the macros in a line by their bodies, arguments first.
func (f *asmFile) expand(line string) string {
	var out strings.Builder
	for line != "" {
		at := asmWord.FindStringIndex(line)
		if at == nil {
			break
		}
		word := line[at[0]:at[1]]
		macro, known := f.macros[word]
		out.WriteString(line[:at[0]])
		line = line[at[1]:]
		if !known || macro.params != nil && !strings.HasPrefix(line, "(") {
			out.WriteString(word)
			continue
		}
		body := macro.body
		if macro.params != nil {
			var args []string
			args, line = asmArgs(line)
			value := make(map[string]string)
			for i, p := range macro.params {
				if i < len(args) {
					value[p] = args[i]
				}
			}
			body = asmWord.ReplaceAllStringFunc(body, func(w string) string {
				if v, ok := value[w]; ok {
					return v
				}
				return w
			})
		}
		out.WriteString(f.expand(body))
	}
	return out.String() + line
}

// asmArgs splits "(a, b(c)) rest" into the arguments and the rest.
func asmArgs(s string) (args []string, rest string) {
	depth, from := 0, 1
	for i, c := range s {
		switch {
		case c == '(':
			depth++
		case c == ')':
			depth--
		}
		if depth == 1 && c == ',' || depth == 0 {
			args = append(args, strings.TrimSpace(s[from:i]))
			from = i + 1
		}
		if depth == 0 {
			return args, s[i+1:]
		}
	}
	return args, ""
}
