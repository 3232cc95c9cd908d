package cpu

// Table holds one T a level, such as a struct of functions. A package fills one
// table, with the entries of each architecture in one file, and calls through
// [Table.Active] once a block: a new level is a new file and an entry.
type Table[T any] struct{ entries [AVX512 + 1]T }

// extends lists the levels whose kernels run wherever a level's own do.
var extends = [...]Level{NEON: Generic, AVX2: Generic, AVX512: AVX2}

// NewTable makes a table of the portable entry and the entries of other levels.
// A level that is not named has the entry of the level that it extends:
// avx512 that of avx2, and both avx2 and neon that of generic.
func NewTable[T any](portable T, levels map[Level]T) *Table[T] {
	t := new(Table[T])
	t.entries[Generic] = portable
	for l := NEON; int(l) < len(t.entries); l++ {
		if entry, ok := levels[l]; ok {
			t.entries[l] = entry
		} else {
			t.entries[l] = t.entries[extends[l]]
		}
	}
	return t
}

// Active returns the entry of the level in use; it must not be changed.
func (t *Table[T]) Active() *T { return &t.entries[active] }
