package rational

import (
	"errors"
	"fmt"
)

// ErrMemory is what errors.Is finds in a [*BudgetError].
var ErrMemory = errors.New("prove: not enough memory")

// BudgetError says that a proof may take more memory than its budget.
type BudgetError struct {
	Need, Have int64 // bytes
	Digits     int   // decimal, of the largest numbers; 0 if the program itself takes too much
}

// Error implements error.
func (e *BudgetError) Error() string {
	what := "the program takes"
	if e.Digits > 0 {
		what = fmt.Sprintf("numbers of up to %d digits take up to", e.Digits)
	}
	return fmt.Sprintf("too little memory to prove: %s %.1f MB, %.1f MB are left", what, float64(e.Need)/(1<<20),
		float64(e.Have)/(1<<20))
}

// Is implements the interface of package errors.
func (e *BudgetError) Is(target error) bool { return target == ErrMemory }

// budget counts bytes before they are taken.
type budget struct {
	have, used int64 // have of 0 is no limit
	bits       int   // of the largest numbers
}

// take counts bytes.
func (b *budget) take(bytes int64) error {
	b.used += bytes
	if b.have > 0 && b.used > b.have {
		const bitsPerDigit = 3.3219
		return &BudgetError{Need: b.used, Have: b.have, Digits: int(float64(b.bits) / bitsPerDigit)}
	}
	return nil
}

// takeBlock counts what solutions of a block take with numbers of the size that the determinant's bound allows: the
// digits of one solution, two solutions, and the matrix with its transpose.
func (b *budget) takeBlock(m *integers, nonzeros int) error {
	const (
		entryBytes = 2 * (8 + 8 + 4)
		otherBytes = 200 // of a row: runs, slices, scratch
	)
	b.bits = max(b.bits, m.detBits)
	l := &lifting{matrix: m}
	words := int64(l.enough(m.sizeBits, One))
	return b.take(8*2*words*int64(m.n) + entryBytes*int64(nonzeros) + otherBytes*int64(m.n))
}

// takeRest counts the factors of a dense rest of n rows.
func (b *budget) takeRest(n int) error { return b.take(16 * int64(n) * int64(n)) }
