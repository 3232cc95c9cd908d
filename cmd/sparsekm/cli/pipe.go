package cli

import (
	"bufio"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/sparsekm/sparsekm/cmd/sparsekm/cli/session"
	"github.com/sparsekm/sparsekm/dataset"
)

// pipe is a program that answers samples on a pipe: a process for each question, which gets lines of CSV and the end of
// its input, and writes a line for each.
type pipe struct {
	s        *session.Session
	command  string
	patience time.Duration
	columns  dataset.Columns
	width    int // numbers of an answer; 0 before the first

	answered int
	took     time.Duration
}

// nanos is the time of an answer, with its share of the start of the program.
func (p *pipe) nanos() float64 { return float64(p.took.Nanoseconds()) / float64(max(1, p.answered)) }

// Errors that end a question.
var (
	errSilent    = errors.New("silent")
	errAnswer    = errors.New("no such answer")
	drainingTime = 2 * time.Second // for what an ended program still has in its pipes
)

// ask is a [distill.Teacher].
func (p *pipe) ask(ctx context.Context, x []float64, n int) ([]float64, error) {
	start := time.Now()
	own, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	cmd := shellCommand(own, p.command)
	answers := &answers{n: n, width: p.width, cancel: cancel, patience: p.patience}
	var complaint tail
	lines := p.lines(x, n)
	defer lines.Close()
	answered, out := io.Pipe()
	cmd.Stdin, cmd.Stdout, cmd.Stderr = lines, out, &complaint
	cmd.WaitDelay = drainingTime
	answers.clock = time.AfterFunc(p.patience, func() { cancel(errSilent) })
	read := make(chan struct{})
	go func() {
		defer close(read)
		answers.read(answered)
	}()
	err := cmd.Run()
	out.Close() // a program that is given up may still write
	<-read
	answers.clock.Stop()
	p.took, p.answered = p.took+time.Since(start), p.answered+answers.done
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err = p.failure(own, err, answers, complaint.last()); err != nil {
		return nil, err
	}
	p.width = answers.width
	return answers.values, nil
}

// failure says what was wrong with the answers; nil if nothing was.
func (p *pipe) failure(ctx context.Context, ended error, a *answers, complaint string) error {
	fail := func(format string, args ...any) error {
		text := fmt.Sprintf("--ask %q: "+format, append([]any{p.command}, args...)...)
		if complaint != "" {
			text += "; its last words: " + complaint
		}
		return errors.New(text)
	}
	var exit *exec.ExitError
	switch {
	case a.bad != "":
		return fail("%s", a.bad)
	case errors.Is(context.Cause(ctx), errSilent):
		return fail("found no line for %v after %d of %d answers (--patience waits longer)", p.patience, a.done, a.n)
	case errors.As(ended, &exit):
		return fail("ended with %v after %d of %d answers", exit, a.done, a.n)
	case ended != nil && !errors.Is(ended, exec.ErrWaitDelay) && a.done < a.n:
		return fail("%v", ended)
	case a.done < a.n:
		return fail("ended after %d of %d answers, want a line for each sample", a.done, a.n)
	}
	return nil
}

// lines is the samples as lines of CSV: the cells of a table's columns under their names, else all features. The
// reader's end ends the writing.
func (p *pipe) lines(x []float64, n int) *io.PipeReader {
	read, write := io.Pipe()
	go func() {
		w := csv.NewWriter(write)
		line := func(cells []string) {
			if len(cells) == 1 && cells[0] == "" { // a line of its own, not a blank one
				w.Flush()
				fmt.Fprintln(write, `""`)
			} else if err := w.Write(cells); err != nil {
				write.CloseWithError(err)
			}
		}
		if p.columns.Named() {
			var names []string
			p.columns.EachFeatures(func(c *dataset.Column, _, _ int) { names = append(names, c.Name) })
			line(names)
		}
		d := len(x) / max(1, n)
		for i := 0; i < n && w.Error() == nil; i++ {
			row := x[i*d : (i+1)*d]
			if p.columns != nil {
				line(p.columns.Cells(row))
				continue
			}
			cells := make([]string, d)
			for k, v := range row {
				cells[k] = strconv.FormatFloat(v, 'g', -1, 64)
			}
			line(cells)
		}
		w.Flush()
		write.CloseWithError(w.Error())
	}()
	return read
}

// answers takes what the program writes, line by line.
type answers struct {
	n, width int
	values   []float64
	done     int
	bad      string // what was no answer
	cancel   context.CancelCauseFunc
	clock    *time.Timer
	patience time.Duration
	lines    int
}

// maxLine is the longest line of an answer.
const maxLine = 1 << 20

// read takes all lines, the last one without its end too, until one is no answer.
func (a *answers) read(from *io.PipeReader) {
	lines := bufio.NewScanner(from)
	lines.Buffer(nil, maxLine)
	for a.bad == "" && lines.Scan() {
		a.take(lines.Text())
	}
	if errors.Is(lines.Err(), bufio.ErrTooLong) {
		a.refuse("found a line of more than %d bytes", maxLine)
	}
	from.CloseWithError(errAnswer)
}

func (a *answers) refuse(format string, args ...any) {
	if a.bad == "" {
		a.bad = fmt.Sprintf(format, args...)
		a.cancel(errAnswer)
	}
}

// take reads a line of numbers. The first one may be a heading.
func (a *answers) take(text string) {
	words := strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" ,;\t\r", r) })
	a.lines++
	if a.bad != "" || len(words) == 0 {
		return
	}
	a.clock.Reset(a.patience)
	numbers := make([]float64, len(words))
	for k, word := range words {
		v, err := strconv.ParseFloat(word, 64)
		if err != nil && a.lines == 1 && !errors.Is(err, strconv.ErrRange) {
			return
		}
		if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
			a.refuse("answer %d of %d: found %.60q, want a finite number", a.done+1, a.n, word)
			return
		}
		numbers[k] = v
	}
	if a.width == 0 {
		a.width = len(numbers)
	}
	switch {
	case len(numbers) != a.width:
		a.refuse("answer %d of %d: found %d numbers, want %d, as many as before", a.done+1, a.n, len(numbers), a.width)
	case a.done == a.n:
		a.refuse("found another answer, want %d, one for each sample", a.n)
	default:
		a.done++
		a.values = append(a.values, numbers...)
	}
}

// tail keeps the end of what a program complains about.
type tail struct {
	mu   sync.Mutex
	text []byte
}

func (t *tail) Write(b []byte) (int, error) {
	const maxText = 4096
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.text = append(t.text, b...); len(t.text) > maxText {
		t.text = append([]byte(nil), t.text[len(t.text)-maxText:]...)
	}
	return len(b), nil
}

// last is the last line that is not empty.
func (t *tail) last() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	lines := strings.Split(strings.TrimSpace(string(t.text)), "\n")
	return fmt.Sprintf("%.300s", strings.TrimSpace(lines[len(lines)-1]))
}
