package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// keptRows are those of settings that -only does not list, of a page that was written before.
type keptRows struct {
	summaries, every [][]string // every has its head
}

// readKept reads the page and its rows in the folder of the documentation, where -only lists settings.
func readKept(folder string) (*keptRows, error) {
	if promiseFlags.only == "" || folder == "" {
		return nil, nil
	}
	page, err := os.ReadFile(filepath.Join(folder, "performance", "promise.md"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	rows, err := os.ReadFile(filepath.Join(folder, "results", "promise.tsv"))
	if err != nil {
		return nil, err
	}
	return keptOf(string(page), string(rows)), nil
}

func keptOf(page, rows string) *keptRows {
	k := new(keptRows)
	inside := false
	for line := range strings.Lines(page) {
		cells := strings.Split(strings.Trim(strings.TrimSuffix(line, "\n"), "|"), "|")
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		switch {
		case slices.Equal(cells, summaryHeader):
			inside = true
		case inside && len(cells) == len(summaryHeader) && cells[0] != "---":
			k.summaries = append(k.summaries, cells)
		case len(cells) != len(summaryHeader):
			inside = false
		}
	}
	for line := range strings.Lines(rows) {
		k.every = append(k.every, strings.Split(strings.TrimSuffix(line, "\n"), "\t"))
	}
	return k
}

// remains reports whether a setting keeps its rows: the baseline, and what -only does not list.
func remains(name string) bool { return name == baseline || !listed(promiseFlags.only, name) }

// joined puts own rows among those that are kept, in the order of the page.
func joined(own, kept [][]string) [][]string {
	var all [][]string
	for _, row := range kept {
		if remains(row[0]) {
			all = append(all, row)
		}
	}
	for _, row := range own {
		if !slices.ContainsFunc(all, func(o []string) bool { return o[0] == row[0] }) {
			all = append(all, row)
		}
	}
	place := func(row []string) string {
		switch {
		case row[0] == baseline:
			return "0"
		case strings.HasPrefix(row[0], peerPrefix):
			return "2" + row[0]
		}
		return "1" + row[0]
	}
	slices.SortStableFunc(all, func(a, b []string) int { return strings.Compare(place(a), place(b)) })
	return all
}

var splitCount = regexp.MustCompile(` \(([0-9]+)\)`)

// setIs looks for a set's column in a head.
func setIs(set string) func(column string) bool {
	return func(column string) bool { return splitCount.ReplaceAllString(column, "") == set }
}

// everySetWith has own rows below the head that is kept, with the number of splits where it is not the head's.
func (k *keptRows) everySetWith(own [][]string) ([][]string, error) {
	head, ownHead := k.every[0], own[0]
	var rows [][]string
	for _, row := range own[1:] {
		cells := []string{row[0]}
		for _, column := range head[1:] {
			set := splitCount.ReplaceAllString(column, "")
			i := slices.IndexFunc(ownHead, setIs(set))
			if i < 0 || row[i] == "" {
				cells = append(cells, "")
				continue
			}
			n := splitCount.FindString(row[i])
			if n == "" {
				n = splitCount.FindString(ownHead[i])
			}
			text := splitCount.ReplaceAllString(row[i], "")
			if n != splitCount.FindString(column) {
				text += n
			}
			cells = append(cells, text)
		}
		rows = append(rows, cells)
	}
	for _, column := range ownHead[1:] {
		set := splitCount.ReplaceAllString(column, "")
		if !slices.ContainsFunc(head, setIs(set)) {
			return nil, fmt.Errorf("promise.tsv has no set %s", set)
		}
	}
	return append([][]string{head}, joined(rows, k.every[1:])...), nil
}

// rank fills the column of mean ranks anew: by the means of every set, those of own rows moved by what the baseline
// differs on their splits.
func (k *keptRows) rank(summaries, every [][]string, ownEvery [][]string) error {
	mean := func(cell string) (float64, error) {
		number, _, _ := strings.Cut(cell, " ")
		return strconv.ParseFloat(number, 64)
	}
	rowOf := func(rows [][]string, name string) []string {
		if i := slices.IndexFunc(rows, func(r []string) bool { return r[0] == name }); i >= 0 {
			return rows[i]
		}
		return nil
	}
	sum := make([]float64, len(summaries))
	sets := every[0][1:]
	for s, column := range sets {
		set := splitCount.ReplaceAllString(column, "")
		moved := 0.0
		if i := slices.IndexFunc(ownEvery[0], setIs(set)); i > 0 {
			now, err := mean(rowOf(ownEvery, baseline)[i])
			if err != nil {
				return err
			}
			then, err := mean(rowOf(every, baseline)[s+1])
			if err != nil {
				return err
			}
			moved = then - now
		}
		var means []float64
		for _, row := range summaries {
			m, err := mean(rowOf(every, row[0])[s+1])
			if err != nil {
				return fmt.Errorf("%s on %s: %w", row[0], set, err)
			}
			if !remains(row[0]) {
				m += moved
			}
			means = append(means, m)
		}
		for i, m := range means {
			for j, o := range means {
				if o < m {
					sum[i]++
				} else if o == m && i != j {
					sum[i] += 0.5
				}
			}
		}
	}
	at := slices.Index(summaryHeader, "rank")
	for i, row := range summaries {
		row[at] = fmt.Sprintf("%.1f", 1+sum[i]/float64(len(sets)))
	}
	return nil
}
