package modelselect

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"math"
	"os"
	"sync"

	"github.com/sparsekm/sparsekm/dataset"
)

// Ledger is a file of runs, one JSON object a line. A search writes it as it goes, and resumes from it. Several
// processes may share one: each sees the runs of the others, and no run is written twice. This needs locks on files,
// which Linux, macOS, the BSDs and Windows have. Lines of several ledgers may be joined in any order. A nil ledger
// keeps nothing; the zero one has no file.
type Ledger struct {
	mu    sync.Mutex
	file  *os.File
	runs  map[string]*Run
	whole int64 // bytes of the lines that were read or written
	lines int   // their number
}

// OpenLedger reads the runs of a file, which it creates if needed, and opens it for more. It cuts off a last line
// without an end, left by a killed process. Any other line that is no run, or has numbers that no run has, is an error
// that names file and line.
func OpenLedger(name string) (*Ledger, error) {
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o666)
	if err != nil {
		return nil, err
	}
	l := &Ledger{file: f}
	if err = l.alone(func() error { return nil }); err != nil {
		f.Close()
		return nil, err
	}
	return l, nil
}

// ReadRuns reads the runs of a ledger in their order. Of several runs with one key it takes the first.
func ReadRuns(r io.Reader, name string) (runs []*Run, err error) {
	err = new(Ledger).read(name, r, func(run *Run) { runs = append(runs, run) })
	return runs, err
}

// alone calls f while no other process writes to the file. Before that it reads the runs that others have written, and
// cuts off a line without an end.
func (l *Ledger) alone(f func() error) (err error) {
	if err = lock(l.file); err != nil {
		return fmt.Errorf("%s: %w", l.file.Name(), err)
	}
	defer func() { err = errors.Join(err, unlock(l.file)) }()
	rest := io.NewSectionReader(l.file, l.whole, math.MaxInt64-l.whole)
	if err = l.read(l.file.Name(), rest, func(*Run) {}); err != nil {
		return err
	}
	cut := make([]byte, 40)
	n, err := l.file.ReadAt(cut, l.whole)
	if cut = cut[:n]; err != nil && err != io.EOF {
		return err
	}
	if n > 0 && cut[0] != '{' {
		return fmt.Errorf("%s:%d: found %q, want a run as a JSON object with a key", l.file.Name(), l.lines+1, cut)
	}
	if n > 0 {
		if err = truncate(l.file, l.whole); err != nil {
			return err
		}
	}
	return f()
}

// read reads whole lines.
func (l *Ledger) read(name string, r io.Reader, add func(*Run)) error {
	if l.runs == nil {
		l.runs = make(map[string]*Run)
	}
	in := bufio.NewReader(r)
	for {
		text, err := in.ReadBytes('\n')
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		run := new(Run)
		if line := bytes.TrimSpace(text); len(line) == 0 {
			run = nil
		} else if err = run.unmarshal(line); err != nil || run.Key == "" {
			return fmt.Errorf("%s:%d: found %.40q, want a run as a JSON object with a key", name, l.lines+1, line)
		} else if found, want := run.nonsense(); found != "" {
			return fmt.Errorf("%s:%d: found %s, want %s", name, l.lines+1, found, want)
		}
		l.whole += int64(len(text))
		l.lines++
		if run != nil && l.runs[run.Key] == nil {
			l.runs[run.Key] = run
			add(run)
		}
	}
}

// unmarshal reads a line. Earlier ones call the number of samples "points".
func (r *Run) unmarshal(line []byte) error {
	earlier := struct {
		*Run
		Points int `json:"points"`
	}{Run: r}
	err := json.Unmarshal(line, &earlier)
	r.Tested += earlier.Points
	return err
}

// nonsense describes a number that no run has; "" for none.
func (r *Run) nonsense() (found, want string) {
	for _, c := range []struct {
		n    int
		name string
	}{{r.Split, "split"}, {r.Trained, "trained"}, {r.Tested, "samples"}, {r.Errors, "errors"}, {r.Vectors, "sv"}} {
		if c.n < 0 {
			return fmt.Sprintf("%q of %d", c.name, c.n), "0 or more"
		}
	}
	const rounding = 1e-9
	for m, name := range metricNames {
		loss := r.Losses[name]
		if Metric(m) != LogLikelihood && loss < -rounding || (Metric(m) <= AUC || Metric(m) == Bound) && loss > 1+rounding {
			return fmt.Sprintf("the loss %q of %v", name, loss), "one that the metric can have"
		}
	}
	switch q := r.Search; {
	case r.Errors > r.Tested:
		return fmt.Sprintf("%d errors of %d samples", r.Errors, r.Tested), "0 to as many"
	case min(r.Seconds.Train, r.Seconds.Predict) < 0:
		return fmt.Sprintf("%v seconds", min(r.Seconds.Train, r.Seconds.Predict)), "0 or more"
	case r.Fitted != nil && !(*r.Fitted >= 0):
		return fmt.Sprintf("%q of %v", "fitted", *r.Fitted), "0 or more"
	case q != nil && (q.Limited < 0 || q.Trainings < q.Limited):
		return fmt.Sprintf("%d limited of %d trainings", q.Limited, q.Trainings), "at most as many"
	}
	return "", ""
}

// Len is the number of runs.
func (l *Ledger) Len() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.runs)
}

// Close closes the file.
func (l *Ledger) Close() error { return l.file.Close() }

// find returns a run of this process or of another one, nil for none. An error of the file is left to add.
func (l *Ledger) find(key string) *Run {
	if l == nil {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.runs[key] == nil && l.file != nil {
		_ = l.alone(func() error { return nil })
	}
	return l.runs[key]
}

// add writes a run in one call, unless another process has written one of the same key.
func (l *Ledger) add(r *Run) error {
	if l == nil {
		return nil
	}
	text, err := json.Marshal(r)
	if err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.file == nil {
		if l.runs == nil {
			l.runs = make(map[string]*Run)
		}
		l.runs[r.Key] = r
		return nil
	}
	return l.alone(func() error {
		if l.runs[r.Key] != nil {
			return nil
		}
		if _, err := l.file.Write(append(text, '\n')); err != nil {
			return errors.Join(err, truncate(l.file, l.whole))
		}
		l.runs[r.Key] = r
		l.whole += int64(len(text)) + 1
		l.lines++
		return nil
	})
}

// narrow is the number of features up to which sparse samples have the same hash as dense ones.
const narrow = 4096

// hashSamples is a hash of features, classes and labels, or targets.
func hashSamples(s *dataset.Set) digest {
	h := fnv.New128a()
	b := bufio.NewWriter(h)
	fmt.Fprintf(b, "%d %d %q ", s.N, s.D, s.Labels)
	word := func(v uint64) { b.Write(binary.LittleEndian.AppendUint64(b.AvailableBuffer(), v)) }
	numbers := func(x []float64) {
		for _, v := range x {
			word(math.Float64bits(v))
		}
	}
	switch m := s.Sparse; {
	case m == nil:
		numbers(s.X[:s.N*s.D])
	case m.D <= narrow:
		for i := range m.N {
			numbers(s.Row(i))
		}
	default:
		for i := range m.N {
			index, _ := m.Row(i)
			for _, k := range index {
				word(uint64(i)<<32 | uint64(k))
			}
		}
		numbers(m.Value)
	}
	for _, c := range s.Y {
		b.Write(binary.LittleEndian.AppendUint32(b.AvailableBuffer(), uint32(c)))
	}
	numbers(s.Targets)
	b.Flush()
	return digest(h.Sum(nil))
}

// digest is a hash of FNV-1a of 128 bits: nobody gains by two keys that are equal, and package sha256 has 75 kB.
type digest [16]byte

func digestOf(b []byte) digest {
	h := fnv.New128a()
	h.Write(b)
	return digest(h.Sum(nil))
}

func hashSplit(samples digest, sp dataset.Split) digest {
	b := samples[:]
	for _, rows := range [][]int{sp.Train, sp.Test} {
		b = binary.LittleEndian.AppendUint64(b, uint64(len(rows)))
		for _, i := range rows {
			b = binary.LittleEndian.AppendUint32(b, uint32(i))
		}
	}
	return digestOf(b)
}

func hashRun(split digest, s *Setting) string {
	sum := digestOf(append(split[:], s.identity()...))
	return hex.EncodeToString(sum[:])
}

// shardOf is the shard of a key.
func shardOf(key string, shards int) int {
	b, _ := hex.DecodeString(key) // hashRun wrote it
	return int(binary.LittleEndian.Uint64(b) % uint64(shards))
}
