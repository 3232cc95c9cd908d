package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// The first page's sentence stands between these lines.
const (
	sentenceBegin = "<!-- written by `go run ./bench/papers -out docs promise` -->"
	sentenceEnd   = "<!-- end -->"
)

// promised are the settings that the sentence names.
var promised = []string{"direct --tune", "ssvc-b --refit"}

// sentence is what the first page says, made of the page's first table.
func sentence(page string) (string, error) {
	rows, err := summaryRows(page)
	if err != nil {
		return "", err
	}
	base := rows[baseline]
	var parts []string
	for _, name := range promised {
		r := rows[name]
		if r == nil {
			continue
		}
		share, err := strconv.ParseFloat(r["share of vectors"], 64)
		if err != nil {
			return "", fmt.Errorf("%s: %w", name, err)
		}
		parts = append(parts, fmt.Sprintf("`%s` keeps %s vectors, %.1f %% of its, at %s samples (worst set %s)", name,
			r["median vectors"], 100*share, r["points"], r["worst set"]))
	}
	if len(parts) == 0 || base == nil {
		return "", errors.New("the page has none of the methods that the first page names")
	}
	return fmt.Sprintf("Beside an SVM with %s vectors (the median of %s sets, up to %s splits each), "+
		"everything tuned on the training part alone: %s;\n"+
		"test errors as differences to its, mean over the sets ± standard error. "+
		"[Every method on every set](docs/performance/promise.md).\n\n"+
		"<picture>\n  <source media=\"(prefers-color-scheme: dark)\" srcset=\"docs/promise-dark.svg\">\n"+
		"  <img src=\"docs/promise.svg\" width=\"760\" "+
		"alt=\"Every method by its share of a tuned SVM's vectors and its difference in test error\">\n</picture>\n",
		base["median vectors"], base["sets"], splitsOf(page), strings.Join(parts, ";\n")), nil
}

// splitsOf are the numbers of splits in the heads of the page's second table: "3", or "1 to 3".
func splitsOf(page string) string {
	var all []int
	for line := range strings.Lines(page) {
		if !strings.HasPrefix(line, "| method |") || strings.HasPrefix(line, "| method | sets |") {
			continue
		}
		for _, n := range regexp.MustCompile(`\(([0-9]+)\)`).FindAllStringSubmatch(line, -1) {
			v, _ := strconv.Atoi(n[1])
			all = append(all, v)
		}
	}
	if len(all) == 0 || slices.Min(all) == slices.Max(all) {
		return fmt.Sprint(append(all, 0)[0])
	}
	return fmt.Sprintf("%d to %d", slices.Min(all), slices.Max(all))
}

// summaryRows are the rows of the page's first table by method, cells by column.
func summaryRows(page string) (map[string]map[string]string, error) {
	cells := func(line string) []string {
		all := strings.Split(strings.TrimSuffix(strings.TrimPrefix(line, "|"), "|"), "|")
		for i := range all {
			all[i] = strings.TrimSpace(all[i])
		}
		return all
	}
	rows, head := make(map[string]map[string]string), []string(nil)
	for line := range strings.Lines(page) {
		line = strings.TrimSuffix(line, "\n")
		switch {
		case head == nil && strings.HasPrefix(line, "| "+summaryHeader[0]+" |"):
			if head = cells(line); !slices.Equal(head, summaryHeader) {
				return nil, fmt.Errorf("the page's first table has the columns %q, want %q", head, summaryHeader)
			}
		case head != nil && strings.HasPrefix(line, "| ") && !strings.HasPrefix(line, "| ---"):
			r := make(map[string]string)
			for i, v := range cells(line) {
				r[head[i]] = v
			}
			rows[r[head[0]]] = r
		case head != nil && line == "":
			return rows, nil
		}
	}
	return nil, errors.New("the page has no table of all sets")
}

// writeSentence puts the page's sentence on the first page.
func writeSentence(name, page string) error {
	text, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	says, err := sentence(page)
	if err != nil {
		return err
	}
	before, rest, found := bytes.Cut(text, []byte(sentenceBegin))
	_, after, ended := bytes.Cut(rest, []byte(sentenceEnd))
	if !found || !ended {
		return fmt.Errorf("%s: want lines %q and %q", name, sentenceBegin, sentenceEnd)
	}
	return os.WriteFile(name, fmt.Appendf(nil, "%s%s\n%s%s%s", before, sentenceBegin, says, sentenceEnd, after), 0o666)
}
