// Command reproduce makes the tables and figures of the papers, next to what they print.
//
//	go run ./bench/reproduce [flags] [table ...]
//
// Without a name it lists every table with the data that it needs.
package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/sparsekm/sparsekm/bench/internal/papers"
	"github.com/sparsekm/sparsekm/cmd/sparsekm/cli/plots"
	"github.com/sparsekm/sparsekm/cmd/sparsekm/cli/session"
	"github.com/sparsekm/sparsekm/modelselect"
)

// reproduceCmd has the flags and arguments of the command.
type reproduceCmd struct {
	Tables []string `arg:"" optional:"" name:"table" help:"Tables and figures of the papers, all for all; none lists them with the data that they need."`

	Data  []string `placeholder:"DIR,..." help:"Folders of data sets and splits, looked in before testdata."`
	Out   string   `short:"o" placeholder:"DIR" help:"Write each table here as Markdown and as tab-separated values, its pictures as SVG, and the runs of searches, so that a stopped one goes on."`
	Page  string   `placeholder:"FILE" writes:"" help:"Put each table between its marks in this Markdown page, <!--TABLE--> and <!--/TABLE-->."`
	Quick bool     `help:"Fewer repetitions than the protocols have."`

	Numbers string `placeholder:"FILE" writes:"" help:"Write every number that the papers print, ours of the tables next to FILE and on the page, and whether they agree; print the sums of each table. --page: of and into that page."`

	LimitFlags session.LimitFlags `embed:""`
}

func main() {
	session.Main(func(ctx context.Context) int {
		return run(ctx, os.Args[1:], session.Streams{Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr})
	})
}

// run is the command without the process around it. It returns the exit status.
func run(ctx context.Context, args []string, std session.Streams) int {
	return session.Run(ctx, args, std, &session.Program{
		Name: "reproduce", Help: "Make the tables and figures of the papers, next to what they print.",
		Commands: []session.Command{{New: func() session.Runner { return new(reproduceCmd) }}},
		Groups:   []session.Group{{Key: "limit", Title: "Resources:"}},
		Examples: func(string) []string {
			return []string{"go run ./bench/reproduce", "go run ./bench/reproduce --numbers docs/results/numbers.tsv", "go run ./bench/reproduce huang-fig2 huang-fig4 -o figures",
				"go run ./bench/reproduce --quick --data sets abe-table6"}
		},
	})
}

func (c *reproduceCmd) Run(s *session.Session) error {
	if c.Numbers != "" {
		return c.numbers(s)
	}
	tables, err := c.chosen(s.Set)
	if err != nil {
		return err
	}
	env := &papers.Env{Folders: c.folders(), Quick: c.Quick, Threads: c.LimitFlags.Threads}
	if len(tables) == 0 {
		return listTables(s, env)
	}
	s, cancel := s.WithTimeLimit(c.LimitFlags.TimeLimit)
	defer cancel()
	env.Memory = c.LimitFlags.Mem.Bytes()
	defer session.LimitMemory(env.Memory)()
	var closeLedger func() error
	if env.Ledger, closeLedger, err = c.ledger(); err != nil {
		return err
	}
	all := []*reproducedJSON{}
	for _, t := range tables {
		var r *papers.Result
		if r, err = reproduce(s, t, env); r == nil || err != nil && s.Context.Err() == nil {
			break
		}
		err = errors.Join(err, c.keep(s, r))
		all = append(all, newReproducedJSON(r))
		if err != nil {
			break
		}
	}
	err = errors.Join(err, closeLedger())
	if err != nil && s.Context.Err() == nil {
		return err
	}
	if s.JSON {
		if failed := s.WriteJSON(map[string]any{"tables": all}); failed != nil {
			return failed
		}
	}
	if err != nil {
		return c.ended(all, err)
	}
	return nil
}

// numbers compares what the papers print with what the page and the folder of the file have.
func (c *reproduceCmd) numbers(s *session.Session) error {
	if len(c.Tables) > 0 {
		return session.Usagef("--numbers: %s: all tables are compared, none is made", c.Tables[0])
	}
	if flag := s.Set.First("data", "out", "o", "quick", "threads", "mem", "time-limit"); flag != "" {
		return session.Usagef("--%s: --numbers makes no table", flag)
	}
	folder := filepath.Dir(c.Numbers)
	name := cmp.Or(c.Page, filepath.Join(folder, "..", "performance", "papers.md"))
	page, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	all, err := papers.Numbers(string(page), folder)
	if err != nil {
		return err
	}
	if err = s.WriteFile(c.Numbers, func(w io.Writer) error { return papers.WriteNumbers(w, all) }); err != nil {
		return err
	}
	if s.JSON {
		err = s.WriteJSON(map[string]any{"numbers": all})
		if err != nil || c.Page == "" {
			return err
		}
	}
	var sums strings.Builder
	if err = papers.WriteSums(&sums, all); err != nil {
		return err
	}
	if c.Page == "" {
		_, err = io.WriteString(s.Stdout, sums.String())
		return err
	}
	text, err := papers.Replace(string(page), "numbers", "\n"+sums.String())
	if err != nil {
		return fmt.Errorf("--page %s: %w", c.Page, err)
	}
	return s.WriteFile(c.Page, func(w io.Writer) error {
		_, failed := io.WriteString(w, text)
		return failed
	})
}

// ended is how a stopped command ends: as one that failed if no table has a row.
func (c *reproduceCmd) ended(all []*reproducedJSON, err error) error {
	if slices.ContainsFunc(all, func(j *reproducedJSON) bool { return len(j.Rows) > 0 }) {
		return session.ErrLimit
	}
	return session.Ended(err)
}

// chosen are the tables that the command line names.
func (c *reproduceCmd) chosen(g session.SetFlags) ([]*papers.Table, error) {
	if len(c.Tables) == 0 {
		if flag := g.First("out", "o", "page", "quick", "threads", "mem", "time-limit"); flag != "" {
			return nil, session.Usagef("--%s: no table is named", flag)
		}
		return nil, nil
	}
	if slices.Contains(c.Tables, "all") {
		return papers.All(), c.haveRoom(papers.All())
	}
	var tables []*papers.Table
	for _, name := range c.Tables {
		t, err := papers.Lookup(name)
		if err != nil {
			return nil, session.Usagef("%s", strings.TrimPrefix(err.Error(), "papers: "))
		}
		tables = append(tables, t)
	}
	return tables, c.haveRoom(tables)
}

// haveRoom is an error where the page would have medians only, and no folder takes the rows.
func (c *reproduceCmd) haveRoom(tables []*papers.Table) error {
	for _, t := range tables {
		if t.By != nil && c.Page != "" && c.Out == "" {
			return session.Usagef("--page: %s needs --out, where its rows go", t.Name)
		}
	}
	return nil
}

// folders are those of --data, and the folder testdata of the clone that the command runs in.
func (c *reproduceCmd) folders() []string {
	folders := slices.Clone(c.Data)
	for _, up := range []string{".", "..", "../..", "../../.."} {
		folder := filepath.Join(up, "testdata")
		if _, err := os.Stat(filepath.Join(folder, "ripley.train.libsvm")); err == nil {
			return append(folders, folder)
		}
	}
	return folders
}

// ledger keeps the runs next to the tables, or, without a folder, until the end.
func (c *reproduceCmd) ledger() (*modelselect.Ledger, func() error, error) {
	if c.Out == "" {
		folder, err := os.MkdirTemp("", "sparsekm")
		if err != nil {
			return nil, nil, err
		}
		l, err := modelselect.OpenLedger(filepath.Join(folder, "runs.jsonl"))
		if err != nil {
			return nil, nil, errors.Join(err, os.RemoveAll(folder))
		}
		return l, func() error { return errors.Join(l.Close(), os.RemoveAll(folder)) }, nil
	}
	if err := os.MkdirAll(c.Out, 0o777); err != nil {
		return nil, nil, fmt.Errorf("--out: %w", err)
	}
	l, err := modelselect.OpenLedger(filepath.Join(c.Out, "runs.jsonl"))
	if err != nil {
		return nil, nil, err
	}
	return l, l.Close, nil
}

// reproduce makes a table, with a bar.
func reproduce(s *session.Session, t *papers.Table, env *papers.Env) (*papers.Result, error) {
	show, end := s.Watch()
	defer end()
	env.Progress = show
	return t.Run(s.Context, env)
}

// keep prints a table and writes its files.
func (c *reproduceCmd) keep(s *session.Session, r *papers.Result) error {
	var pictures []string
	var err error
	if c.Out != "" {
		if pictures, err = c.draw(r); err != nil {
			return err
		}
		if err = c.write(r.Name+".tsv", r.WriteTSV); err != nil {
			return err
		}
		if err = c.write(r.Name+".md", func(w io.Writer) error { return r.WriteMarkdown(w, pictures...) }); err != nil {
			return err
		}
	}
	if c.Page != "" && s.Context.Err() == nil {
		if err = c.putOnPage(r, pictures); err != nil {
			return err
		}
	}
	if s.JSON {
		return nil
	}
	if err = r.WriteMarkdown(s.Stdout); err != nil {
		return err
	}
	_, err = fmt.Fprintln(s.Stdout)
	return err
}

func (c *reproduceCmd) write(name string, write func(io.Writer) error) error {
	return (&session.Session{}).WriteFile(filepath.Join(c.Out, name), write)
}

// draw writes the pictures, and returns the names of those for a light page.
func (c *reproduceCmd) draw(r *papers.Result) (names []string, err error) {
	for _, onDark := range []bool{false, true} {
		name := r.Name + ".svg"
		if onDark {
			name = r.Name + "-dark.svg"
		}
		switch {
		case len(r.Panels) > 0:
			err = c.write(name, func(w io.Writer) error { return papers.WritePanels(w, r.Panels, onDark) })
		case r.Curves != nil && len(r.Curves.Lines) > 0:
			var p *plots.Picture
			if p, err = plots.New(onDark).Lines(r.Curves); err == nil {
				err = c.write(name, p.Write)
			}
		default:
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		if !onDark {
			names = append(names, name)
		}
	}
	return names, nil
}

// putOnPage replaces the table's section of the page, with the pictures where they are from there.
func (c *reproduceCmd) putOnPage(r *papers.Result, pictures []string) error {
	text, err := os.ReadFile(c.Page)
	if err != nil {
		return err
	}
	names := pictures
	if r.By != nil {
		names = append([]string{r.Name + ".tsv"}, pictures...)
	}
	var links []string
	for _, p := range names {
		link, failed := filepath.Rel(filepath.Dir(c.Page), filepath.Join(c.Out, p))
		if failed != nil {
			return failed
		}
		links = append(links, filepath.ToSlash(link))
	}
	var section strings.Builder
	rows := ""
	if r.By != nil {
		rows, links = links[0], links[1:]
	}
	if err = r.WriteSection(&section, rows, links...); err != nil {
		return err
	}
	page, err := papers.Replace(string(text), r.Name, section.String())
	if err != nil {
		return fmt.Errorf("--page %s: %w", c.Page, err)
	}
	return (&session.Session{}).WriteFile(c.Page, func(w io.Writer) error {
		_, failed := io.WriteString(w, page)
		return failed
	})
}
