package dataset

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestReadAheadIsTheSame reads texts that are longer than the window, by one goroutine and by several, with lines of
// every odd kind among usual ones: the sets and the errors are equal.
func TestReadAheadIsTheSame(t *testing.T) {
	for name, file := range map[string]struct {
		format Format
		usual  string   // random numbers go to each # and each % (a small integer)
		odd    []string // one is at random places
		o      Options
	}{
		"libsvm": {LIBSVM, "% 1:# 2:# 3:#", []string{"", "# a comment", "1 1:1 2:0 3:-0", "1 1:1 2:2 3:3 ", "1 1:1  2:2 3:3", "+1 1:0x1p3 2:5 3:7",
			"1 1:1 3:2", "1", "2 1:1 2:2 3:3 4:4", "1 qid:3 1:1 2:2 3:3", "1 1:1 2:2 3:3 # end", "1 1: 5 2:7 3:8", "1 2:1 1:2", "1 1:x",
			"x 1:1", "1.5 1:1 2:2 3:3", "1 1:1\t2:2 3:3", "1:1 2:2 3:3", " 1 1:1 2:2 3:3\r", "1 1:1 2:12345678901234567890123 3:1e300"}, Options{}},
		"sparse": {LIBSVM, "% %:1 1%:1 2%:# 10%:0", []string{"", "1 12345678:1", "1 123456789:1", "1 1:1 1:1", "1 5:-0", "1", "1 0:1", "3 9000:1", "1 1:1 x"},
			Options{KeepSparse: true, MaxBytes: 1 << 30}},
		"some features": {LIBSVM, "% 1:# 2:# 3:#", []string{"1 4:1", "1 1:2 2:2 3:2 4:4"}, Options{Features: 3, IgnoreExtra: true}},
		"too many":      {LIBSVM, "% 1:# 2:#", []string{"1 4:1"}, Options{Features: 3}},
		"from zero":     {LIBSVM, "% 0:# 1:# 20:%", []string{"1 0:1", "1 1:1 0:2"}, Options{ZeroBased: true}},
		"no labels":     {LIBSVM, "% 0:# 1:# 20:%", []string{"0:1"}, Options{Unlabelled: true, ZeroBased: true}},
		"targets":       {LIBSVM, "# 1:# 2:%", []string{"x 1:1 2:1", "1e3 1:1 2:1"}, Options{Targets: TargetValues}},
		"csv": {CSV, "#,%,#,%", []string{"", "1,2,3,4,5", "1,2,3", `1,"2",3,4`, "\"1\n2\",3,4,5", `1,2,3,"a` + "\n1,2,3,4\n" + `5,6"`,
			"1,,3,4", "1,?,3,4", "1, 2 ,3,4", "1,2,3,", "1,2,3,4\r", "x,2,3,4", "1e5,0x10,3,4", "1,2,3,five"}, Options{}},
		"guessed": {CSV, "#,%,#,%,a%", []string{"1,2,3,4,b", "1,,3,4,a", "1,2,3,,a", "1,2020-01-01,3,4,a", "x,y,3,4,a", "1,2,3,4", "1,2,3,4,a,b",
			`1,2,3,4,"a,b"`}, Options{Guess: true, Missing: MissingMark}},
		"dropped": {CSV, "#,%,#,%", []string{"1,,3,4", "1,2,3,"}, Options{Missing: MissingDrop, Header: HeaderNo}},
		"comma":   {CSV, "1,5;%;2,25;%", []string{"1.5;2;3;4", ";2;3;4"}, Options{Decimal: ',', Missing: MissingMean}},
		"groups":  {CSV, "#,%,g%,%", []string{"1,2,,4", "1,2,g 1,4"}, Options{Group: "2", Header: HeaderNo}},
	} {
		t.Run(name, func(t *testing.T) {
			for k, odd := range append(file.odd, "none") {
				if testing.Short() && k%3 > 0 {
					continue
				}
				compareThreads(t, mixed(file.usual, odd, uint64(k)), file.o, file.format)
			}
		})
	}
}

// mixed is a text of usual lines with a few odd ones, longer than the window of two goroutines.
func mixed(usual, odd string, seed uint64) string {
	rnd := rand.New(rand.NewPCG(seed, 1))
	var b strings.Builder
	next := 1 + rnd.IntN(100)
	for i := 0; b.Len() < 3*aheadBytes; i++ {
		if i == next && odd != "none" {
			b.WriteString(odd + "\n")
			next += 1 + rnd.IntN(20000)
		}
		for _, c := range usual {
			switch c {
			case '#':
				fmt.Fprintf(&b, "%.*f", rnd.IntN(8), 100*rnd.NormFloat64())
			case '%':
				fmt.Fprint(&b, rnd.IntN(4))
			default:
				b.WriteRune(c)
			}
		}
		b.WriteByte('\n')
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// compareThreads compares what one goroutine and what several read.
func compareThreads(t *testing.T, text string, o Options, f Format) {
	t.Helper()
	o.Format = f
	var want *Set
	var wanted string
	for _, threads := range []int{1, 2, 5} {
		o.Threads = threads
		set, err := Read(strings.NewReader(text), "f", o)
		if threads == 1 {
			want, wanted = set, fmt.Sprint(err)
			continue
		}
		if got := fmt.Sprint(err); got != wanted {
			t.Errorf("%d goroutines: %s, want %s", threads, got, wanted)
		} else if !reflect.DeepEqual(want, set) {
			t.Errorf("%d goroutines read something else: %s", threads, cmp.Diff(want, set))
		}
	}
}

// TestReadAheadReads fails if the other test compares nothing: rows of several goroutines' parts are taken.
func TestReadAheadReads(t *testing.T) {
	o := Options{Threads: 2}
	p := newLIBSVMParser(strings.NewReader(mixed("% 1:# 2:#", "1 1:1", 1)), "f", o)
	c := newCSVParser(strings.NewReader(mixed("#,%,#,%", "1,,3,4", 1)), "f", Options{Threads: 2, Missing: MissingMean}, csvHead)
	for name, a := range map[string]*ahead{"libsvm": &p.ahead.ahead, "csv": &c.ahead.ahead} {
		var err error
		if name == "csv" {
			err = c.read(nil)
		} else {
			err = p.read(nil)
		}
		if err != nil || a.threads != 2 || a.fills < 2 || a.part == 0 {
			t.Errorf("%s: %+v, %v", name, a, err)
		}
	}
}
