package modelselect

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"sync"

	"github.com/sparsekm/sparsekm/dataset"
)

// Ledger is a file of runs, one JSON object a line. A search writes it as it goes, and resumes from it. Lines of
// several ledgers may be joined in any order. A nil ledger keeps nothing; the zero one has no file.
type Ledger struct {
	mu   sync.Mutex
	file *os.File
	runs map[string]*Run
}

// OpenLedger reads the runs of a file, which it creates if needed, and opens it for more. It cuts off a last line
// without an end, left by a killed process. Any other line that is no run is an error.
func OpenLedger(name string) (*Ledger, error) {
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return nil, err
	}
	l := &Ledger{file: f, runs: make(map[string]*Run)}
	whole, err := l.read(name, f)
	if err == nil {
		err = f.Truncate(whole)
	}
	if err == nil {
		_, err = f.Seek(whole, io.SeekStart)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return l, nil
}

// ReadRuns reads the runs of a ledger in their order. Of several runs with one key it takes the first.
func ReadRuns(r io.Reader, name string) ([]*Run, error) {
	l := &Ledger{runs: make(map[string]*Run)}
	var runs []*Run
	_, err := l.lines(name, r, func(run *Run) { runs = append(runs, run) })
	return runs, err
}

func (l *Ledger) read(name string, r io.Reader) (whole int64, err error) {
	return l.lines(name, r, func(*Run) {})
}

// lines reads whole lines, and returns the number of their bytes.
func (l *Ledger) lines(name string, r io.Reader, add func(*Run)) (whole int64, err error) {
	in := bufio.NewReader(r)
	for line := 1; ; line++ {
		text, err := in.ReadBytes('\n')
		if err == io.EOF {
			return whole, nil
		}
		if err != nil {
			return whole, err
		}
		whole += int64(len(text))
		if len(bytes.TrimSpace(text)) == 0 {
			continue
		}
		run := new(Run)
		if err := json.Unmarshal(text, run); err != nil || run.Key == "" {
			return whole, fmt.Errorf("%s:%d: found %.40q, want a run as a JSON object with a key", name, line,
				bytes.TrimSpace(text))
		}
		if l.runs[run.Key] == nil {
			l.runs[run.Key] = run
			add(run)
		}
	}
}

// Len is the number of runs.
func (l *Ledger) Len() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.runs)
}

// Close closes the file.
func (l *Ledger) Close() error { return l.file.Close() }

func (l *Ledger) find(key string) *Run {
	if l == nil {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.runs[key]
}

// add writes a run in one call, so that a kill leaves whole lines and at most one that is cut.
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
	if l.runs == nil {
		l.runs = make(map[string]*Run)
	}
	l.runs[r.Key] = r
	if l.file != nil {
		_, err = l.file.Write(append(text, '\n'))
	}
	return err
}

// narrow is the number of features up to which sparse samples have the same hash as dense ones.
const narrow = 4096

// hashSamples is a hash of features, classes and labels, or targets.
func hashSamples(s *dataset.Set) [sha256.Size]byte {
	h := sha256.New()
	fmt.Fprintf(h, "%d %d %q ", s.N, s.D, s.Labels)
	var b []byte
	x := s.X
	if m := s.Sparse; m != nil && m.D <= narrow {
		x = nil
		row := make([]float64, m.D)
		for i := range m.N {
			m.WriteRow(row, i)
			for _, v := range row {
				b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
			}
			h.Write(b)
			b = b[:0]
		}
	} else if m != nil {
		x = m.Value
		for i := range m.N {
			index, _ := m.Row(i)
			for _, k := range index {
				b = binary.LittleEndian.AppendUint64(b, uint64(i)<<32|uint64(k))
			}
		}
	} else {
		x = x[:s.N*s.D]
	}
	for _, v := range x {
		if b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v)); len(b) >= 1<<16 {
			h.Write(b)
			b = b[:0]
		}
	}
	for _, c := range s.Y {
		b = binary.LittleEndian.AppendUint32(b, uint32(c))
	}
	for _, v := range s.Targets {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
	}
	h.Write(b)
	return [sha256.Size]byte(h.Sum(nil))
}

func hashSplit(points [sha256.Size]byte, sp dataset.Split) [sha256.Size]byte {
	b := points[:]
	for _, rows := range [][]int{sp.Train, sp.Test} {
		b = binary.LittleEndian.AppendUint64(b, uint64(len(rows)))
		for _, i := range rows {
			b = binary.LittleEndian.AppendUint32(b, uint32(i))
		}
	}
	return sha256.Sum256(b)
}

func hashRun(split [sha256.Size]byte, s *Setting) string {
	sum := sha256.Sum256(append(split[:], s.identity()...))
	return hex.EncodeToString(sum[:16])
}

// shardOf is the shard of a key.
func shardOf(key string, shards int) int {
	b, _ := hex.DecodeString(key) // hashRun wrote it
	return int(binary.LittleEndian.Uint64(b) % uint64(shards))
}
