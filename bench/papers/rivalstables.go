package main

import (
	"cmp"
	"encoding/binary"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/sparsekm/sparsekm/bench/internal/harness"
)

// rivalTables are tables of packages, which bench/peers/peer/tables.py writes: nine of classes, nine of values. Those
// of hundreds of features are left out, and those whose largest class is nearly all.
var rivalTables = []string{"credit", "telco", "titanic", "juice", "penguins", "mortgage", "chile", "jobs", "cancer",
	"diamonds-value", "cars-mpg", "hitters", "boston", "wage", "concrete", "salaries", "saratoga", "earnings"}

// rivalTable is a CSV file, the target in its last column.
type rivalTable struct {
	name     string
	flags    []string
	header   []string
	rows     [][]string
	category []bool // by column
	values   bool
}

// findRivalTables are the open sets that are there, and the tables of the folder.
func findRivalTables(e *harness.Env) (all []*rivalTable, err error) {
	sets, absent, err := findSets(e)
	if err != nil {
		return nil, err
	}
	for _, name := range absent {
		fmt.Fprintf(os.Stderr, "not found: %s\n", name)
	}
	read := make(map[string]bool)
	for _, s := range sources {
		read[s.name] = s.generate == nil
	}
	for i, s := range sets {
		if read[s.name] {
			all = append(all, openTable(&sets[i]))
		}
	}
	folder := os.Getenv("SPARSEKM_TABLES")
	for _, name := range rivalTables {
		if folder == "" {
			break
		}
		t, failed := readRivalTable(filepath.Join(folder, name))
		if failed != nil {
			return nil, failed
		}
		all = append(all, t)
	}
	return slices.DeleteFunc(all, func(t *rivalTable) bool { return !listed(promiseFlags.sets, t.name) }), nil
}

// openTable writes a set as a table: names of features, and labels as words.
func openTable(s *splitSet) *rivalTable {
	t := &rivalTable{name: s.name, flags: []string{"--header=yes"}, category: make([]bool, s.set.D)}
	for j := range s.set.D {
		t.header = append(t.header, fmt.Sprint("f", j+1))
	}
	t.header = append(t.header, "target")
	for i := range s.set.N {
		var row []string
		for _, v := range s.set.X[i*s.set.D : (i+1)*s.set.D] {
			row = append(row, strconv.FormatFloat(v, 'g', -1, 64))
		}
		t.rows = append(t.rows, append(row, "class "+s.set.Labels[s.set.Y[i]]))
	}
	return t
}

func readRivalTable(base string) (*rivalTable, error) {
	text, err := os.ReadFile(base + ".flags")
	if err != nil {
		return nil, err
	}
	t := &rivalTable{name: filepath.Base(base), flags: strings.Fields(string(text))}
	t.values = slices.Contains(t.flags, "--task=regress")
	f, err := os.Open(base + ".csv")
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if t.rows, err = csv.NewReader(f).ReadAll(); err != nil {
		return nil, err
	}
	t.header, t.rows = t.rows[0], t.rows[1:]
	t.category = make([]bool, len(t.header)-1)
	for _, flag := range t.flags {
		if list, ok := strings.CutPrefix(flag, "--categorical="); ok {
			for _, name := range strings.Split(list, ",") {
				t.category[slices.Index(t.header, name)] = true
			}
		}
	}
	return t, nil
}

func (t *rivalTable) target(i int) string { return t.rows[i][len(t.header)-1] }

// split draws 70 % of each class, at most the given number of rows, to train on. A row with a category that no row of
// them has trains too.
func (t *rivalTable) split(seed uint64, limit int) (train, test []int) {
	rng := rand.New(rand.NewPCG(seed, 0))
	order := rng.Perm(len(t.rows))
	if !t.values { // every class in turn, so that each has its share of any first part
		place, seen := make([]float64, len(t.rows)), make(map[string]int)
		for _, i := range order {
			seen[t.target(i)]++
			place[i] = float64(seen[t.target(i)])
		}
		slices.SortStableFunc(order, func(i, j int) int {
			return cmp.Compare((place[i]-0.5)/float64(seen[t.target(i)]), (place[j]-0.5)/float64(seen[t.target(j)]))
		})
	}
	n := min(limit, len(order)*7/10)
	train = slices.Clone(order[:n])
	known := make([]map[string]bool, len(t.category))
	for j := range known {
		known[j] = make(map[string]bool)
		for _, i := range train {
			known[j][t.rows[i][j]] = true
		}
	}
	for _, i := range order[n:] {
		fresh := false
		for j, category := range t.category {
			if category && !known[j][t.rows[i][j]] {
				fresh, known[j][t.rows[i][j]] = true, true
			}
		}
		if fresh {
			train = append(train, i)
		} else if len(test) < maxTests {
			test = append(test, i)
		}
	}
	return train, test
}

// write makes a CSV file of rows.
func (t *rivalTable) write(file string, rows []int) error {
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	defer f.Close()
	w := csv.NewWriter(f)
	w.Write(t.header) // an error comes out of w.Error
	for _, i := range rows {
		w.Write(t.rows[i])
	}
	w.Flush()
	return w.Error()
}

// describe writes what peer/rivals.py reads.
func (t *rivalTable) describe(folder string, train, test []int) error {
	all := slices.Concat(train, test)
	job := struct {
		Regress bool  `json:"regress"`
		Classes int   `json:"classes"`
		Levels  []int `json:"levels"`
		Y       []any `json:"y"`
		Train   []int `json:"train"`
		Test    []int `json:"test"`
		Limits  []int `json:"limits"`
	}{Regress: t.values, Limits: byteLimits}
	d := len(t.category)
	cells := make([]float64, len(all)*d)
	for j, category := range t.category {
		levels := t.levels(all, j)
		for k, i := range all {
			switch v, err := strconv.ParseFloat(t.rows[i][j], 64); {
			case category:
				v, _ := slices.BinarySearch(levels, t.rows[i][j])
				cells[k*d+j] = float64(v)
			case err != nil:
				cells[k*d+j] = math.NaN()
			default:
				cells[k*d+j] = v
			}
		}
		if !category {
			levels = nil
		}
		job.Levels = append(job.Levels, len(levels))
	}
	classes := t.levels(all, d)
	job.Classes = len(classes)
	for k, i := range all {
		if t.values {
			v, err := strconv.ParseFloat(t.target(i), 64)
			if err != nil {
				return err
			}
			job.Y = append(job.Y, v)
		} else {
			c, _ := slices.BinarySearch(classes, t.target(i))
			job.Y = append(job.Y, c)
		}
		if k < len(train) {
			job.Train = append(job.Train, k)
		} else {
			job.Test = append(job.Test, k)
		}
	}
	text, err := json.Marshal(job)
	if err != nil {
		return err
	}
	raw, err := binary.Append(nil, binary.LittleEndian, cells)
	if err != nil {
		return err
	}
	if err = os.WriteFile(filepath.Join(folder, "cells"), raw, 0o666); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(folder, "job.json"), text, 0o666)
}

// levels are the distinct words of a column, in order.
func (t *rivalTable) levels(rows []int, j int) (all []string) {
	for _, i := range rows {
		all = append(all, t.rows[i][j])
	}
	slices.Sort(all)
	return slices.Compact(all)
}
