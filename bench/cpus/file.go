package main

import (
	"bufio"
	"fmt"
	"os"
	"strconv"
	"strings"
)

// file is what `sparsekm bench --out` wrote.
type file struct {
	name    string
	keys    map[string]string // cpu, family, goarch, microcode, go, load
	limits  []line
	results []line
}

// line is a benchmark: its value is the rate of a limit, or the time in nanoseconds.
type line struct {
	name  string
	parts map[string]string // of the name, by key
	value float64
	unit  string
	share float64
}

func readFile(name string) (*file, error) {
	r, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	f := &file{name: name, keys: make(map[string]string)}
	lines := bufio.NewScanner(r)
	for n := 1; lines.Scan(); n++ {
		text := lines.Text()
		if key, value, ok := strings.Cut(text, ": "); ok {
			f.keys[key] = value
			continue
		}
		if !strings.HasPrefix(text, "Benchmark") {
			continue
		}
		l, err := parseLine(text)
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, n, err)
		}
		if l.parts["of"] != "" {
			f.limits = append(f.limits, l)
		} else {
			f.results = append(f.results, l)
		}
	}
	if err := lines.Err(); err != nil {
		return nil, err
	}
	if f.keys["cpu"] == "" || len(f.limits) == 0 || len(f.results) == 0 {
		return nil, fmt.Errorf("%s: found %d limits and %d results of the processor %q, want some of each",
			name, len(f.limits), len(f.results), f.keys["cpu"])
	}
	return f, nil
}

// parseLine reads a name, the number of calls, and values with their units.
func parseLine(text string) (l line, err error) {
	words := strings.Fields(text)
	if len(words) < 4 || len(words)%2 != 0 {
		return l, fmt.Errorf("found %q, want a name, a count and values with units", text)
	}
	l.name, l.parts = strings.TrimPrefix(words[0], "Benchmark"), make(map[string]string)
	for _, part := range strings.Split(l.name, "/") {
		key, value, _ := strings.Cut(part, "=")
		l.parts[key] = value
	}
	for i := 2; i < len(words); i += 2 {
		x, err := strconv.ParseFloat(words[i], 64)
		if err != nil {
			return l, fmt.Errorf("found %q, want a number", words[i])
		}
		if words[i+1] == "share" {
			l.share = x
		} else {
			l.value, l.unit = x, words[i+1]
		}
	}
	return l, nil
}

func (f *file) sameProcessor(g *file) bool {
	return f.keys["cpu"] == g.keys["cpu"] && f.keys["family"] == g.keys["family"] && f.keys["goarch"] == g.keys["goarch"]
}

func (f *file) share(name string) (share float64, found bool) {
	for _, l := range f.results {
		if l.name == name {
			return l.share, true
		}
	}
	return 0, false
}
