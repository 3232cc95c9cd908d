package main

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// promised are the settings that the sentence names.
var promised = []string{"direct --tune", "ssvc-b --refit"}

// sentence says how many support vectors the promised settings keep, by the page's first table; it is empty if the
// table has none of them.
func sentence(page string) (string, error) {
	rows, err := summaryRows(page)
	if err != nil {
		return "", err
	}
	base := rows[baseline]
	var b strings.Builder
	for _, name := range promised {
		r := rows[name]
		if r == nil || base == nil {
			continue
		}
		var shares [2]float64
		for i, column := range []string{"median share", "mean share"} {
			if shares[i], err = strconv.ParseFloat(r[column], 64); err != nil {
				return "", fmt.Errorf("%s: %w", name, err)
			}
		}
		if b.Len() == 0 {
			fmt.Fprintf(&b, "A tuned SVC keeps %s support vectors, the median of %s sets (%s splits each).\n",
				base["support vectors"], base["sets"], splitsOf(page))
		}
		text := "`%s` keeps %s: %.1f %% (mean %.1f %%). Its test error differs by %s pp (worst set %s).\n"
		if name == promised[0] {
			text = "`%s` keeps %s: %.1f %% of the SVC's, the median over the sets of each set's ratio (mean %.1f %%).\n" +
				"Its test error differs by %s pp, mean over the sets ± standard error (worst set %s).\n"
		}
		fmt.Fprintf(&b, text, name, r["support vectors"], 100*shares[0], 100*shares[1], r["error"], r["worst set"])
	}
	return b.String(), nil
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
