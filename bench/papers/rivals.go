package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/sparsekm/sparsekm/bench/internal/harness"
)

func init() {
	experiments["rivals"] = harness.Task{Run: rivalsTask,
		About: "small models of other kinds, at equal bytes of C; tables in the folder SPARSEKM_TABLES"}
}

// rivalsFlags are those of the task rivals; it shares -splits, -sets, -ledger, -shard and -shards with promise.
var rivalsFlags struct {
	rows    int
	command string
}

func declareRivals() {
	flag.IntVar(&rivalsFlags.rows, "rows", 3000, "rivals: most training samples")
	flag.StringVar(&rivalsFlags.command, "command", "", "rivals: the command sparsekm; it is built without")
}

const (
	rivalSplits = 8    // splits that are drawn of every table, at most
	maxTests    = 2000 // test samples
)

// byteLimits are those of C that a small model must be within.
var byteLimits = []int{1024, 2048, 4096}

// rivalRun is a model on a split of a table.
type rivalRun struct {
	Table  string `json:"table"`
	Split  int    `json:"split"`
	Values bool   `json:"values"` // the loss is the RMSE over the standard deviation of the test samples, else an error
	Rows   int    `json:"rows"`   // that were drawn to train on
	Tests  int    `json:"tests"`
	Rival  string `json:"rival"`
	Limit  int    `json:"limit"` // of its bytes; 0 for none

	Loss    float64  `json:"loss"`
	LogLoss *float64 `json:"log_loss"`
	Train   float64  `json:"train"` // seconds of processor time
	Bytes   int      `json:"bytes"` // of its C; 0 where there is none
	Nanos   float64  `json:"ns"`    // of a prediction

	// What the C is: a file NAME.h of the folder, and outputs for each row of codes.rows or hot.rows, of ours NAME.rows.
	// They must be those of NAME.out.
	Name    string `json:"name"`
	Outputs int    `json:"outputs"`
	Codes   bool   `json:"codes"`
	// Sum is that of the absolute coefficients of an expansion, to which float's rounding errors are proportional.
	Sum float64 `json:"sum"`
	own bool
}

// rivalsTask makes the runs that the ledger does not have, the first split of every table first, and the page of them.
func rivalsTask(ctx context.Context, e *harness.Env) error {
	f := &promiseFlags
	if f.ledger == "" {
		f.ledger = filepath.Join(e.Tmp, "rivals.jsonl")
	}
	if f.splits > 0 {
		if err := rivalRuns(ctx, e); err != nil {
			return err
		}
	}
	runs, err := readRivals(f.ledger)
	if err != nil {
		return err
	}
	page, rows := rivalsPage(runs)
	if e.Out == "" {
		fmt.Print(page)
		return nil
	}
	if err = os.WriteFile(filepath.Join(e.Out, "results", "rivals.tsv"), []byte(rows), 0o666); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(e.Out, "performance", "rivals.md"), []byte(page), 0o666)
}

func readRivals(name string) (runs []*rivalRun, err error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	for line := range bytes.Lines(text) {
		r := new(rivalRun)
		if err = json.Unmarshal(line, r); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		runs = append(runs, r)
	}
	return runs, nil
}

// rivalRuns adds to the ledger what it does not have.
func rivalRuns(ctx context.Context, e *harness.Env) error {
	tables, err := findRivalTables(e)
	if err != nil {
		return err
	}
	done := make(map[string]bool)
	runs, err := readRivals(promiseFlags.ledger)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, r := range runs {
		done[fmt.Sprint(r.Table, r.Split)] = true
	}
	command := rivalsFlags.command
	if command == "" {
		command = filepath.Join(e.Tmp, "sparsekm")
		out, failed := exec.CommandContext(ctx, "go", "build", "-o", command, "./cmd/sparsekm").CombinedOutput()
		if failed != nil {
			return fmt.Errorf("go build: %w: %s", failed, out)
		}
	}
	peers, err := startPeers(ctx)
	if err != nil {
		return err
	}
	defer peers.close()
	for split := range min(rivalSplits, promiseFlags.splits) {
		for i, t := range tables {
			if done[fmt.Sprint(t.name, split)] || i%max(1, promiseFlags.shards) != promiseFlags.shard {
				continue
			}
			if err = rivalsOn(ctx, e, command, peers, t, split); err != nil {
				return fmt.Errorf("%s: %w", t.name, err)
			}
		}
	}
	return nil
}

// rivalsOn makes all models of a split of a table.
func rivalsOn(ctx context.Context, e *harness.Env, command string, peers *rivalPeers, t *rivalTable, split int) error {
	folder, err := os.MkdirTemp(e.Tmp, "split")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	train, test := t.split(uint64(split)+1, rivalsFlags.rows)
	if err = t.describe(folder, train, test); err != nil {
		return err
	}
	runs, err := peers.runs(folder)
	if err != nil {
		return err
	}
	own, err := ownRuns(ctx, command, folder, t, train, test)
	if err != nil {
		return err
	}
	runs = append(runs, own...)
	if err = measureC(ctx, folder, runs, len(test)); err != nil {
		return err
	}
	ledger, err := os.OpenFile(promiseFlags.ledger, os.O_APPEND|os.O_WRONLY|os.O_CREATE, 0o666)
	if err != nil {
		return err
	}
	defer ledger.Close()
	var lines []byte
	for _, r := range runs {
		r.Table, r.Split, r.Values = t.name, split, t.values
		r.Rows, r.Tests = min(len(train), rivalsFlags.rows), len(test)
		text, failed := json.Marshal(r)
		if failed != nil {
			return failed
		}
		lines = fmt.Appendf(lines, "%s\n", text)
		fmt.Fprintf(os.Stderr, "%s %d: %s %d: %.4f, %d bytes, %.0f ns, %.2f s\n", r.Table, split, r.Rival, r.Limit, r.Loss,
			r.Bytes, r.Nanos, r.Train)
	}
	_, err = ledger.Write(lines)
	return err
}

// rivalPeers is peer/rivals.py at work: a line has the name of a folder, its answer ends with an empty line.
type rivalPeers struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Scanner
}

func startPeers(ctx context.Context) (*rivalPeers, error) {
	python := os.Getenv("SPARSEKM_PEERS")
	if python == "" {
		return nil, errors.New("SPARSEKM_PEERS names no Python")
	}
	p := &rivalPeers{cmd: exec.CommandContext(ctx, python, filepath.Join("bench", "papers", "peer", "rivals.py"))}
	p.cmd.Env = append(os.Environ(), "OMP_NUM_THREADS=1", "OPENBLAS_NUM_THREADS=1")
	p.cmd.Stderr = os.Stderr
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	p.out = bufio.NewScanner(out)
	return p, p.cmd.Start()
}

func (p *rivalPeers) close() {
	p.in.Close()
	p.cmd.Process.Kill() // the runs that count have been read
	p.cmd.Wait()
}

// runs are those of the peers on what a folder describes.
func (p *rivalPeers) runs(folder string) (runs []*rivalRun, err error) {
	if _, err = fmt.Fprintln(p.in, folder); err != nil {
		return nil, err
	}
	for p.out.Scan() {
		if len(p.out.Bytes()) == 0 {
			return runs, nil
		}
		r := new(rivalRun)
		if err = json.Unmarshal(p.out.Bytes(), r); err != nil {
			return nil, err
		}
		runs = append(runs, r)
	}
	return nil, errors.Join(errors.New("the peers' script ended early"), p.out.Err())
}
