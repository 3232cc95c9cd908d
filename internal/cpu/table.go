package cpu

// Table holds one T a level, such as a struct of functions. A package fills one table, with the entries of an
// architecture in one file, and calls through [Table.Active] once a block. A new level needs a new file and an entry.
type Table[T any] struct{ entries [AVX512 + 1]T }

// extends maps each level to the level whose kernels also run on it.
var extends = [...]Level{NEON: Generic, AVX2: Generic, AVX512: AVX2}

// NewTable returns a table of the portable entry and the given entries. A level without an entry gets the entry of
// the level that it extends: avx512 extends avx2, and both avx2 and neon extend generic.
func NewTable[T any](portable T, levels map[Level]T) *Table[T] {
	t := new(Table[T])
	t.entries[Generic] = portable
	for l := Generic + 1; int(l) < len(t.entries); l++ {
		if entry, ok := levels[l]; ok {
			t.entries[l] = entry
		} else {
			t.entries[l] = t.entries[extends[l]]
		}
	}
	return t
}

// Active returns the entry of the active level. The caller must not change it.
func (t *Table[T]) Active() *T { return &t.entries[active] }
