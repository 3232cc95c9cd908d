package house

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/sparsekm/sparsekm/internal/testing/testutil"
)

// results are the rows of a file of docs/results below its header.
type results [][]string

func readResults(t *testing.T, name string) results {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(testutil.Root(t), "docs", "results", name+".tsv"))
	if err != nil {
		t.Fatal(err)
	}
	var rows results
	for line := range strings.Lines(string(text)) {
		rows = append(rows, strings.Split(strings.TrimSuffix(line, "\n"), "\t"))
	}
	return rows[1:]
}

// where returns the rows that a condition holds for.
func (r results) where(holds func(row []string) bool) (some results) {
	for _, row := range r {
		if holds(row) {
			some = append(some, row)
		}
	}
	return some
}

// numbers are those at the beginning of a column's cells.
func (r results) numbers(column int) (all []float64) {
	for _, row := range r {
		number, _, _ := strings.Cut(row[column], " ")
		if v, err := strconv.ParseFloat(number, 64); err == nil {
			all = append(all, v)
		}
	}
	return all
}

func meanOf(v []float64) float64 {
	sum := 0.0
	for _, x := range v {
		sum += x
	}
	return sum / float64(len(v))
}

func medianOf(v []float64) float64 {
	v = slices.Sorted(slices.Values(v))
	return (v[(len(v)-1)/2] + v[len(v)/2]) / 2
}

func geometricOf(v []float64) float64 {
	sum := 0.0
	for _, x := range v {
		sum += math.Log(x)
	}
	return math.Exp(sum / float64(len(v)))
}

func below(v []float64, bar float64) (n int) {
	for _, x := range v {
		if x < bar {
			n++
		}
	}
	return n
}

// TestSummaries holds what pages say of a file of rows, in tables that no command writes, to its rows.
func TestSummaries(t *testing.T) {
	for page, parts := range map[string]func(t *testing.T) []string{
		"svc.md": svcSummaries, "simplex.md": simplexSummaries, "tables.md": tableSummaries, "direct.md": directSummaries,
		"torture.md": tortureSummaries,
	} {
		text, err := os.ReadFile(filepath.Join(testutil.Root(t), "docs", "performance", page))
		if err != nil {
			t.Fatal(err)
		}
		for _, part := range parts(t) {
			if !strings.Contains(strings.ReplaceAll(string(text), "**", ""), part) {
				t.Errorf("docs/performance/%s does not have what its rows give: %s", page, part)
			}
		}
	}
}

func svcSummaries(t *testing.T) (parts []string) {
	rows := readResults(t, "svc-judging")
	part := func(name string, some results) {
		v, wide := some.numbers(5), some.numbers(7)
		parts = append(parts,
			fmt.Sprintf("%s | %.1f | %.1f | %d of %d | %.1f, %.1f, %d |", name, geometricOf(v), slices.Min(v), below(v, 8),
				len(v), geometricOf(wide), slices.Min(wide), below(wide, 8)))
	}
	for _, c := range []string{"1", "10", "100", "1000"} {
		part("| "+c, rows.where(func(row []string) bool { return strings.HasSuffix(row[1], ", "+c) }))
	}
	part("", rows)
	return append(parts, fmt.Sprintf("the %d that go on", len(readResults(t, "svc-gap"))))
}

func simplexSummaries(t *testing.T) (parts []string) {
	kernel := readResults(t, "simplex-kernel")
	for _, kind := range []struct{ name, begins, ends string }{{"first ones of `ssvc-b` | 4", "SSVC-B", ""},
		{"reweighted ones of `ssvc-b` | 5", "SSVC-B", "reweighted"}, {"`skm` | 2", "SKM", ""}} {
		v := kernel.where(func(row []string) bool {
			return strings.HasPrefix(row[0], kind.begins) && strings.HasSuffix(row[0], "reweighted") == (kind.ends != "")
		}).numbers(3)
		slices.Sort(v)
		parts = append(parts, fmt.Sprintf("| %s | %.1f | %.1f ripley-tr", kind.name, medianOf(v), v[0]),
			fmt.Sprintf("| %.1f ", v[len(v)-1]))
	}
	sparse := readResults(t, "simplex-sparse")
	rest := slices.Clone(sparse)
	for _, family := range []string{"transport", "assignment", "staircase", "multi-commodity"} {
		is := func(row []string) bool { return strings.HasPrefix(row[0], family) }
		v := sparse.where(is).numbers(4)
		rest = slices.DeleteFunc(rest, is)
		parts = append(parts, fmt.Sprintf("| %s | %d | %.2f | %.2f |", family, len(v), medianOf(v), slices.Max(v)))
	}
	v := rest.numbers(4)
	parts = append(parts, fmt.Sprintf("| %d | %.4g | %.2f stair |", len(v), medianOf(v), slices.Max(v)),
		fmt.Sprintf("measured %.2f and %.2f", slices.Max(sparse.numbers(4)), medianOf(sparse.numbers(4))))
	for _, method := range []string{"ssvc-b", "l1svm", "l0svm", "lpsvc"} {
		own := readResults(t, "simplex-trainings").where(func(row []string) bool { return row[1] == method })
		ms, pivots := own.numbers(2), own.numbers(4)
		parts = append(parts, fmt.Sprintf("| %s | %.2f to %.2f |", method, slices.Min(ms), slices.Max(ms)),
			fmt.Sprintf("| %v to %v |", slices.Min(pivots), slices.Max(pivots)))
	}
	return parts
}

func tableSummaries(t *testing.T) (parts []string) {
	rows := readResults(t, "tables")
	for _, scaling := range []string{"floored", "zscore", "none"} {
		for _, unit := range []string{" pp", " %"} {
			own := rows.where(func(row []string) bool { return row[5] == scaling && strings.HasSuffix(row[4], unit) })
			if v := own.numbers(4); len(v) > 0 {
				worst := own[slices.Index(v, slices.Max(v))]
				parts = append(parts, fmt.Sprintf("| %d | %s | %+.2f %s |", len(v), signed(meanOf(v)), slices.Max(v), worst[0]))
			}
		}
	}
	rows = readResults(t, "tables-columns")
	for _, unit := range []string{" pp", " %"} {
		v := rows.where(func(row []string) bool { return strings.HasSuffix(row[3], unit) }).numbers(3)
		better, worse := below(v, 0), len(v)-below(v, 1e-9)
		parts = append(parts, fmt.Sprintf("| %d | %d | %+.2f%s |", better, worse, meanOf(v), unit),
			fmt.Sprintf("| %+.2f%s ", slices.Max(v), unit))
	}
	return parts
}

// signed has no sign where nothing is left after rounding.
func signed(v float64) string {
	if math.Abs(v) < 0.005 {
		return "0.00"
	}
	return fmt.Sprintf("%+.2f", v)
}

func directSummaries(t *testing.T) []string {
	rows := readResults(t, "direct-levels")
	part := "| median of all |  |  |"
	for j := 3; j < 9; j++ {
		part += fmt.Sprintf(" %v |", medianOf(rows.numbers(j)))
	}
	return []string{part, fmt.Sprintf("The other [%d tables]", len(rows)-1)}
}

func tortureSummaries(t *testing.T) []string {
	sum := func(v []float64) (s float64) {
		for _, x := range v {
			s += x
		}
		return s
	}
	part := "| all |"
	rows := readResults(t, "torture")
	for _, from := range []int{1, 6} {
		for j := range 4 {
			part += fmt.Sprintf(" %.0f |", sum(rows.numbers(from+j)))
		}
		optimal, other := sum(rows.numbers(from)), sum(rows.numbers(from+3))
		part += fmt.Sprintf(" %.1f %% |", 100*optimal/(optimal+other))
	}
	others := readResults(t, "torture-others")
	return []string{part, fmt.Sprintf("wild trainings %.0f end as \"other\"", sum(others.numbers(4))),
		fmt.Sprintf("nasty ones %.0f.", sum(others.numbers(8)))}
}
