package model

import (
	"errors"
	"fmt"
	"io"
	"os"
)

// DefaultMemory bounds the memory of one model with its file, for readers without a budget of their own.
const DefaultMemory = 3 * MaxBytes

// ErrMemory is in the chain of the error for a model that takes more than the memory budget.
var ErrMemory = errors.New("model: it takes more than the memory budget")

// budget counts the memory of a model before it is taken. A nil budget has no limit.
type budget struct{ have, left int64 }

func newBudget(bytes int64) *budget { return &budget{have: bytes, left: bytes} }

// whole returns the budget with nothing taken.
func (b *budget) whole() *budget {
	if b == nil {
		return nil
	}
	return newBudget(b.have)
}

// take sets n elements of so many bytes aside.
func (b *budget) take(n, size int64) error {
	if b == nil {
		return nil
	}
	if n > b.left/max(1, size) {
		return b.over()
	}
	b.left -= n * size
	return nil
}

// over is the error of a model that takes more.
func (b *budget) over() error {
	return &fault{fmt.Sprintf("model: found a model that takes more memory, want one within the budget of %d bytes", b.have),
		ErrMemory}
}

// readAll reads r to its end. While it reads, the bytes take up to three times their size; they stay counted once.
func (b *budget) readAll(r io.Reader) ([]byte, error) {
	largest := b.left / 3
	data, err := io.ReadAll(io.LimitReader(r, largest+1))
	if err != nil {
		return nil, err
	}
	if int64(len(data)) > largest {
		return nil, b.over()
	}
	return data, b.take(int64(len(data)), 1)
}

// LoadWithin is [Load] within a memory budget in bytes; see [ReadWithin].
func LoadWithin(path string, memory int64) (*Classifier, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	c, _, err := ReadWithin(f, path, memory)
	return c, err
}

// jsonCost is what a decoder of JSON may take for the bytes of a text. Slices grow by doubling, so every element is
// counted twice. A decoder makes elements for values of a wrong type too.
type jsonCost struct {
	text    int64    // of every byte
	element [2]int64 // after a comma: in the lists and objects that the outermost object has, and within those
	open    int64    // of a list or an object
	name    int64    // of an object's field
	quote   int64    // of a quotation mark
}

// countedJSON is a text of JSON that is counted while it is read, so before a decoder takes memory for its values.
type countedJSON struct {
	from    io.Reader
	budget  *budget
	cost    jsonCost
	depth   int
	text    bool // within a string
	escaped bool // after a backslash
}

// Read counts what it has read.
func (c *countedJSON) Read(to []byte) (int, error) {
	n, err := c.from.Read(to)
	bytes := c.cost.text * int64(n)
	for _, b := range to[:n] {
		switch {
		case c.escaped:
			c.escaped = false
		case b == '"':
			c.text = !c.text
			bytes += c.cost.quote
		case c.text:
			c.escaped = b == '\\'
		default:
			bytes += c.value(b)
		}
	}
	if over := c.budget.take(bytes, 1); over != nil {
		return 0, over
	}
	return n, err
}

// value is what a byte outside strings may take.
func (c *countedJSON) value(b byte) int64 {
	switch b {
	case '[', '{':
		c.depth++
		return c.cost.open
	case ']', '}':
		c.depth--
	case ':':
		return c.cost.name
	case ',':
		if c.depth > 2 {
			return c.cost.element[1]
		}
		return c.cost.element[0]
	}
	return 0
}

// compiledBytes bounds the memory of the tables that [Classifier.compile] makes of valid parts. Packed vectors fill
// whole panels: a single one takes the room of panelVectors.
func (p *Parts) compiledBytes() float64 {
	uses := 0.0
	total := 512*float64(len(p.Submodels)) + workRows*8*float64(p.D)
	if p.Sparse != nil {
		total -= workRows * 8 * float64(p.D) // sparse samples are not unfolded
	}
	own := false
	for i := range p.Submodels {
		m := &p.Submodels[i]
		if !m.Simple() {
			const step = 128 // the step and scratch; its coefficients follow
			total += 8*float64(p.D) + float64(len(m.Steps)*(step+8*len(p.Submodels)))
		}
		if uses += float64(len(m.Support)); m.Kernel == nil {
			continue
		}
		own = true
		total += p.packedBytes(m.Support)
	}
	if q := p.Posterior; q != nil {
		total += p.packedBytes(p.Submodels[0].Support)
		if q.Process != nil {
			total += 2 * stairBytes(len(p.Submodels[0].Coef))
		}
	}
	total += float64(len(p.Latent)) * (p.packedBytes(nil) + 2*stairBytes(p.N))
	total += 96 * uses // terms, or a coefficient for every vector where at least an eighth of them is used
	if !own || len(p.Submodels) > 1 {
		total += p.packedBytes(nil)
	}
	return total
}

const (
	panelVectors = 16
	workRows     = 16 // rows of features that one prediction may take
)

// packs is the most copies of the vectors that a kernel makes.
func (p *Parts) packs() int {
	largest := max(1, p.Kernel.Packs())
	for i := range p.Submodels {
		if k := p.Submodels[i].Kernel; k != nil {
			largest = max(largest, k.Packs())
		}
	}
	return largest
}

// packedBytes bounds the memory of the vectors idx when packed, or of all for nil.
func (p *Parts) packedBytes(idx []int) float64 {
	n := p.N
	if idx != nil {
		n = len(idx)
	}
	if p.Sparse == nil {
		rows := float64(p.packs()) * float64(max(n, panelVectors))
		if idx != nil {
			rows += float64(n) // gathered first
		}
		return 8 * float64(p.D) * rows
	}
	entries := len(p.Sparse.Value)
	if idx != nil {
		entries = 0
		for _, i := range idx {
			entries += p.Sparse.Start[i+1] - p.Sparse.Start[i]
		}
	}
	names := 0.0 // numbers of features, see package gram
	if few := 1<<16 + 16*entries; p.D <= few {
		names = 4 * float64(p.D)
	}
	return names + float64(entries)*(80+40*panelVectors/float64(max(1, min(n, panelVectors))))
}

// Bytes estimates the memory of the classifier: vectors, coefficients and tables.
func (c *Classifier) Bytes() int64 {
	p := &c.parts
	total := p.compiledBytes() + 8*float64(len(p.Vectors)) + 8*float64(len(p.Rows))
	if p.Sparse != nil {
		total += float64(p.Sparse.Bytes())
	}
	if q := p.Posterior; q != nil {
		total += 8 * float64(len(q.Covariance))
		if q.Process != nil {
			total += 8 * float64(len(q.Process.Triangle)+len(q.Process.Spread))
		}
	}
	for _, q := range p.Latent {
		total += 8 * float64(len(q.Process.Triangle)+len(q.Process.Spread))
	}
	for i := range p.Submodels {
		m := &p.Submodels[i]
		total += 128 + 16*float64(len(m.Support)) + 8*float64(len(m.Plane)) + 8*float64(p.D)*float64(len(m.Steps))
	}
	return int64(min(total, 1<<62))
}

// newWithin makes a classifier of parts that the caller gives away, if its tables fit the budget.
func newWithin(p Parts, b *budget) (*Classifier, error) {
	if err := b.take(8*int64(p.N)+checkedBytes*int64(len(p.Labels)+len(p.Submodels)), 1); err != nil {
		return nil, err
	}
	if err := p.validate(); err != nil {
		return nil, err
	}
	if b != nil && !(p.compiledBytes() <= float64(b.left)) {
		return nil, b.over()
	}
	c := &Classifier{parts: p, budget: b}
	c.compile()
	return c, nil
}

// checkedBytes is what the check of a label or a submodel takes, in a map.
const checkedBytes = 128
