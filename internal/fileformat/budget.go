package fileformat

import (
	"errors"
	"fmt"
	"io"
)

// ErrMemory is in the chain of the error for a model that takes more than the memory budget.
var ErrMemory = errors.New("model: it takes more than the memory budget")

// Budget counts the memory of a model before it is taken. A nil budget has no limit.
type Budget struct{ have, left int64 }

// NewBudget returns a budget of so many bytes.
func NewBudget(bytes int64) *Budget { return &Budget{have: bytes, left: bytes} }

// Whole returns the budget with nothing taken.
func (b *Budget) Whole() *Budget {
	if b == nil {
		return nil
	}
	return NewBudget(b.have)
}

// Left returns the bytes that nobody has taken.
func (b *Budget) Left() int64 { return b.left }

// Take sets n elements of so many bytes aside. Inlined into its callers it makes programs 4 kB larger.
//
//go:noinline
func (b *Budget) Take(n, size int64) error {
	if b == nil {
		return nil
	}
	if n > b.left/max(1, size) {
		return b.Over()
	}
	b.left -= n * size
	return nil
}

// Release gives bytes back.
func (b *Budget) Release(bytes int64) { b.left += bytes }

// Over is the error of a model that takes more.
func (b *Budget) Over() error { return &overBudget{b.have} }

type overBudget struct{ bytes int64 }

// Error says how much a model may take.
func (e *overBudget) Error() string {
	return fmt.Sprintf("model: found a model that takes more memory, want one within the budget of %d bytes", e.bytes)
}

// Unwrap returns [ErrMemory].
func (e *overBudget) Unwrap() error { return ErrMemory }

// ReadAll reads r to its end. While it reads, the bytes take up to three times their size; they stay counted once.
func (b *Budget) ReadAll(r io.Reader) ([]byte, error) {
	largest := b.left / 3
	data, err := io.ReadAll(io.LimitReader(r, largest+1))
	if err != nil {
		return nil, err
	}
	if int64(len(data)) > largest {
		return nil, b.Over()
	}
	return data, b.Take(int64(len(data)), 1)
}
