package main

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/sparsekm/sparsekm/internal/cpu"
)

// widths are the element types of a kernel, by the size in its functions' names.
func (k *kernel) widths() []string {
	if k.types != nil {
		return []string{"64", "32"}
	}
	return []string{""}
}

// symbol is the name of the function of a level.
func (k *kernel) symbol(width string, l cpu.Level) string {
	return k.name + width + strings.ToUpper(l.String())
}

// declare writes the kernel's functions that exist.
func (k *kernel) declare(b *bytes.Buffer, have map[string]bool) {
	for _, width := range k.widths() {
		for _, l := range cpu.All() {
			if name := k.symbol(width, l); have[name] {
				fmt.Fprintf(b, "//go:noescape\nfunc %s(%s) (%s)\n\n", name, list(k.params, width), list(k.results, width))
			}
		}
	}
}

// unused returns functions in place of those that need package simd.
func unused(kernels []kernel) []byte {
	var b bytes.Buffer
	for _, k := range kernels {
		for _, width := range k.widths() {
			if k.vectors[width] {
				fmt.Fprintf(&b, "func %s(%s) (%s) { panic(\"no package simd\") }\n\n", k.symbol(width, cpu.SIMD),
					list(k.params, width), list(k.results, width))
			}
		}
	}
	return b.Bytes()
}

// list writes fields with T replaced by the type of a width.
func list(fields []field, width string) string {
	var words []string
	for _, f := range fields {
		if f.typ == "T" && width != "" {
			f.typ = "float" + width
		}
		words = append(words, strings.TrimSpace(f.name+" "+f.typ))
	}
	return strings.Join(words, ", ")
}

// dispatch writes the function that calls the active level, and removes the functions that it calls from have.
func (k *kernel) dispatch(b *bytes.Buffer, have map[string]bool) {
	where, results := "", slices.Clone(k.results)
	if k.types != nil {
		where = "[" + list(k.types, "") + "]"
	}
	if !k.portable {
		for i := range results {
			results[i].name = cmp.Or(results[i].name, "result")
		}
		results = append(results, field{"done", "bool"})
	}
	name := strings.ToUpper(k.name[:1]) + k.name[1:]
	fmt.Fprintf(b, "// run%s calls %s at the active level.\n", name, k.name)
	fmt.Fprintf(b, "func run%s%s(%s) (%s) {\n", name, where, list(k.params, ""), list(results, ""))
	for _, width := range k.widths() {
		cases := k.cases(width, have)
		if width == "64" && cases != "" {
			cases = "if unsafe.Sizeof(*new(T)) == 8 {\n" + cases + "return\n}\n"
		}
		b.WriteString(cases)
	}
	last := "return"
	if k.portable {
		last = strings.TrimSuffix(k.call(k.name+"Generic", ""), "\nreturn")
	}
	b.WriteString(last + "\n}\n\n")
}

// call writes the statements that run a function of the kernel and return.
func (k *kernel) call(function, width string) string {
	call := fmt.Sprintf("%s(%s)", function, k.arguments(width))
	switch {
	case !k.portable && len(k.results) == 0:
		return call + "\nreturn true"
	case !k.portable && len(k.results) > 1:
		return fmt.Sprintf("%[2]s = %[1]s\nreturn %[2]s, true", call, (&kernel{params: k.results}).arguments(""))
	case !k.portable:
		return "return " + call + ", true"
	case len(k.results) == 0:
		return call + "\nreturn"
	}
	return "return " + call
}

// cases writes the choice of the levels that have a function of their own or extend one that has.
func (k *kernel) cases(width string, have map[string]bool) string {
	var b bytes.Buffer
	levels, first := cpu.All(), ""
	if k.vectors[width] {
		first = "if cpu.Vectors && cpu.Active() == cpu.SIMD {\n" + k.call(k.symbol(width, cpu.SIMD), width) + "\n}\n"
	}
	for _, own := range levels {
		if !have[k.symbol(width, own)] {
			continue
		}
		var names []string
		for _, l := range levels {
			for level := l; level != cpu.Generic; level = level.Extends() {
				if have[k.symbol(width, level)] {
					if level == own {
						names = append(names, "cpu."+strings.ToUpper(l.String()))
					}
					break
				}
			}
		}
		fmt.Fprintf(&b, "case %s:\n%s\n", strings.Join(names, ", "), k.call(k.symbol(width, own), width))
	}
	for _, own := range levels {
		delete(have, k.symbol(width, own))
	}
	if b.Len() == 0 {
		return first
	}
	return first + "switch cpu.Active() {\n" + b.String() + "}\n"
}

// arguments lists the parameters, converted to the element type of a width.
func (k *kernel) arguments(width string) string {
	var words []string
	for _, p := range k.params {
		if p.typ == "T" && width != "" {
			p.name = fmt.Sprintf("float%s(%s)", width, p.name)
		}
		words = append(words, p.name)
	}
	return strings.Join(words, ", ")
}
