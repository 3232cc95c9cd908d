// Command claims judges the sentences in which the papers compare methods, by the tables that bench/reproduce has made.
// It computes every verdict from docs/performance/papers.md and the files of docs/results.
//
//	go run ./bench/claims > docs/performance/claims.md
package main

import (
	"bufio"
	_ "embed"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

//go:embed intro.md
var intro string

func main() {
	docs := flag.String("docs", "docs", "folder of the documentation")
	flag.Parse()
	if err := page(os.Stdout, &tables{docs: *docs, known: make(map[string]*table)}); err != nil {
		fmt.Fprintln(os.Stderr, "claims:", err)
		os.Exit(1)
	}
}

// verdict is what our figures say of a claim.
type verdict string

const (
	holds      verdict = "holds"
	partly     verdict = "in part"
	not        verdict = "does not hold"
	impossible verdict = "impossible as printed"
)

// claim is a sentence of a paper, in our words, and how our figures judge it.
type claim struct {
	paper, where, says string
	of                 string // the table or figure of bench/reproduce
	judge              func(t *table) (measured string, v verdict)
}

// page writes Markdown of all claims.
func page(w io.Writer, from *tables) error {
	var rows strings.Builder
	count := make(map[verdict]int)
	for _, c := range claims() {
		t, err := from.named(c.of)
		if err != nil {
			return fmt.Errorf("%s, %s: %w", c.paper, c.where, err)
		}
		measured, v := c.judge(t)
		if t.missing != "" {
			return fmt.Errorf("%s, %s: %s has no %s", c.paper, c.where, c.of, t.missing)
		}
		count[v]++
		fmt.Fprintf(&rows, "| %s, %s | %s | %s | **%s** | `%s` |\n", c.paper, c.where, c.says, measured, v, c.of)
	}
	_, err := fmt.Fprintf(w, "%s\nOf %d claims %d hold, %d in part, %d do not, and %d is impossible as printed.\n\n"+
		"| source | claim | measured | verdict | table |\n| --- | --- | --- | --- | --- |\n%s", intro, len(claims()),
		count[holds], count[partly], count[not], count[impossible], rows.String())
	return err
}

// tables reads tables that bench/reproduce has made.
type tables struct {
	docs  string
	known map[string]*table
}

// table is a table with its cells by column, and what somebody looked for in vain.
type table struct {
	columns []string
	rows    [][]string
	missing string
}

// named is the file of rows if there is one, else the table on the page of the papers.
func (f *tables) named(name string) (*table, error) {
	if t := f.known[name]; t != nil {
		return t, nil
	}
	t := new(table)
	text, err := os.ReadFile(filepath.Join(f.docs, "results", name+".tsv"))
	if err == nil {
		for line := range strings.Lines(string(text)) {
			t.rows = append(t.rows, strings.Split(strings.TrimRight(line, "\n"), "\t"))
		}
	} else if t.rows, err = f.ofPage(name); err != nil {
		return nil, err
	}
	if len(t.rows) < 2 {
		return nil, fmt.Errorf("no table %s", name)
	}
	t.columns, t.rows = t.rows[0], t.rows[1:]
	f.known[name] = t
	return t, nil
}

// ofPage finds a table between its marks, without the line below its header.
func (f *tables) ofPage(name string) (rows [][]string, err error) {
	r, err := os.Open(filepath.Join(f.docs, "performance", "papers.md"))
	if err != nil {
		return nil, err
	}
	defer r.Close()
	inside := false
	lines := bufio.NewScanner(r)
	for lines.Scan() {
		switch text := lines.Text(); {
		case text == "<!--"+name+"-->":
			inside = true
		case text == "<!--/"+name+"-->":
			return rows, nil
		case inside && strings.HasPrefix(text, "| ") && !strings.HasPrefix(text, "| ---"):
			rows = append(rows, strings.Split(strings.Trim(text, "| "), " | "))
		}
	}
	return rows, lines.Err()
}
