package session

import (
	"fmt"
	"io/fs"
	"math"
	"os"
	"path"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/sparsekm/sparsekm/learn"
)

// Bytes is the budget of --mem, half of what there is when none was given. A limit of the address space (ulimit -v)
// lowers both: the process dies where it runs out.
func (b ByteSize) Bytes() int64 {
	h := host()
	if b > 0 {
		return min(int64(b), h.max)
	}
	return h.half
}

// host is looked at once, since the address space that is left changes.
var host = sync.OnceValue(func() hostMemory {
	root := os.DirFS("/")
	return hostMemory{half: defaultMemory(root), max: addressSpace(root)}
})

// hostMemory is the default budget, and the largest one.
type hostMemory struct{ half, max int64 }

// Room returns an error where a limit of the address space (ulimit -v) leaves too little for any work.
func Room() error { return room(host().max) }

func room(limit int64) error {
	const minSpace = 16 << 20
	if limit >= minSpace {
		return nil
	}
	return fmt.Errorf("the limit of the address space leaves %.1f MiB for data, want at least %d: Go's runtime reserves "+
		"more than it uses, for which ulimit -v 2000000 is enough", float64(limit)/(1<<20), minSpace>>20)
}

// LimitMemory makes the collector keep everything, garbage included, within the budget and what a process takes that
// does nothing, until the function that it returns is called. It is a bound on garbage, never an error. Within it
// garbage may be what [garbage] says. The first collection waits for 64 MiB, since a small training needs none.
func LimitMemory(budget int64) (restore func()) {
	const idle, first = 12 << 20, 1600 // percent of the 4 MiB that the runtime counts at least
	limit := int64(math.MaxInt64)
	if budget < limit/2 {
		limit = budget + budget/20 + idle
	}
	old, percent := debug.SetMemoryLimit(limit), debug.SetGCPercent(first)
	var mu sync.Mutex // of what follows
	over, allowed := false, uint64(first)
	var watch func()
	watch = func() {
		runtime.AddCleanup(new([64]byte), func(int) { // each collection finds that nobody has it
			mu.Lock()
			defer mu.Unlock()
			if !over {
				var heap runtime.MemStats
				runtime.ReadMemStats(&heap)
				allowed = garbage(100 * heap.NextGC / (100 + allowed))
				debug.SetGCPercent(int(allowed))
				watch()
			}
		}, 0)
	}
	watch()
	return func() {
		mu.Lock()
		defer mu.Unlock()
		over = true
		debug.SetMemoryLimit(old)
		debug.SetGCPercent(percent)
	}
}

// garbage is what there may be of it, in percent of the bytes that are in use: four times as much of little, since
// collections would take up to a sixth of the time of small trainings, and less of much. Large memory is numbers, which
// a collection does not look at.
func garbage(live uint64) (percent uint64) {
	const most, least, bytes = 400, 12, 128 << 20
	return max(least, min(most, 100*bytes/max(1, live)))
}

// defaultMemory is half of the memory of the host, or of what its control group may have if that is less, or what the
// address space allows. Systems that say neither have [learn.DefaultMemory].
func defaultMemory(root fs.FS) int64 {
	smallest := kilobytes(root, "proc/meminfo", "MemTotal:", math.MaxInt64)
	for _, file := range groupLimits(root) {
		if text, err := fs.ReadFile(root, file); err == nil {
			if v, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64); err == nil && v > 0 { // else it is "max"
				smallest = min(smallest, v)
			}
		}
	}
	largest := addressSpace(root)
	if smallest == math.MaxInt64 {
		return min(learn.DefaultMemory, largest)
	}
	return max(1, min(smallest/2, largest))
}

// kilobytes is a line of Linux such as "MemTotal: 24683748 kB" in bytes, or what stands for none.
func kilobytes(root fs.FS, file, name string, none int64) int64 {
	for _, line := range lines(root, file) {
		if f := strings.Fields(line); len(f) == 3 && f[0] == name {
			if kb, err := strconv.ParseInt(f[1], 10, 64); err == nil && kb > 0 && kb < 1<<50 {
				return kb << 10
			}
		}
	}
	return none
}

// addressSpace is three quarters of what the process's own limit (ulimit -v) leaves of it, or as much as there can be.
// Go's runtime reserves more than a gigabyte that it never uses, which counts; and it asks for 64 MiB at a time.
func addressSpace(root fs.FS) int64 {
	const arena = 64 << 20
	for _, line := range lines(root, "proc/self/limits") {
		if rest, ok := strings.CutPrefix(line, "Max address space"); ok {
			if v, err := strconv.ParseInt(strings.Fields(rest + " -")[0], 10, 64); err == nil && v > 0 { // else unlimited
				return max(1, (v-kilobytes(root, "proc/self/status", "VmSize:", 0)-arena)/4*3)
			}
		}
	}
	return math.MaxInt64
}

// groupLimits lists the files that may limit the memory of the process's control group
// and of the groups that it is in: version 2 has one tree, version 1 one for each controller.
func groupLimits(root fs.FS) (files []string) {
	for _, line := range lines(root, "proc/self/cgroup") {
		part := strings.SplitN(line, ":", 3) // number:controllers:/path
		if len(part) < 3 {
			continue
		}
		dir, file := "", ""
		switch {
		case part[0] == "0" && part[1] == "":
			dir, file = "sys/fs/cgroup", "memory.max"
		case strings.Contains(","+part[1]+",", ",memory,"):
			dir, file = "sys/fs/cgroup/memory", "memory.limit_in_bytes"
		default:
			continue
		}
		for group := path.Join("/", part[2]); ; group = path.Dir(group) {
			files = append(files, path.Join(dir, group, file))
			if group == "/" {
				break
			}
		}
	}
	return files
}

func lines(root fs.FS, name string) []string {
	text, _ := fs.ReadFile(root, name) // none where it cannot be read
	return strings.Split(string(text), "\n")
}

// ByteSize is a number of bytes; the command line takes 1500000, 512MiB, 1.5GiB, 2GB.
type ByteSize int64

var byteUnits = []struct {
	suffix string
	factor float64
}{
	{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"TiB", 1 << 40},
	{"kB", 1e3}, {"KB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"TB", 1e12},
	{"B", 1}, {"", 1},
}

// UnmarshalText implements [encoding.TextUnmarshaler].
func (b *ByteSize) UnmarshalText(text []byte) error {
	s := strings.TrimSpace(string(text))
	for _, u := range byteUnits {
		digits, ok := strings.CutSuffix(s, u.suffix)
		if !ok {
			continue
		}
		v, err := strconv.ParseFloat(strings.TrimSpace(digits), 64)
		if v *= u.factor; err != nil || !(v >= 1 && v <= 1<<62) {
			break
		}
		*b = ByteSize(math.Ceil(v)) // 12.3MiB is no less than 12.3 MiB
		return nil
	}
	return fmt.Errorf("%q is not a size, want something like 512MiB or 1.5GiB", s)
}

// MemFlag bounds the memory of a command.
type MemFlag struct {
	Mem ByteSize `group:"limit" placeholder:"SIZE" help:"Memory budget, such as 512MiB or 1.5GiB. Default: half of what the host, or its control group, has."`
}

// budget is the memory of the command.
func (f *MemFlag) budget() int64 { return f.Mem.Bytes() }

// TimeFlag bounds the time of a command.
type TimeFlag struct {
	TimeLimit time.Duration `group:"limit" above:"0" placeholder:"TIME" help:"Stop this long (90s, 5m) after the start of the command, and keep the best so far."`
}

// deadline is the time limit, 0 for none.
func (f *TimeFlag) deadline() time.Duration { return f.TimeLimit }

// ThreadsFlag bounds the threads of a command.
type ThreadsFlag struct {
	Threads int `group:"limit" min:"1" placeholder:"N" help:"Worker threads; the result does not depend on it. Default: all cores."`
}

// LimitFlags bound what a training may use.
type LimitFlags struct {
	ThreadsFlag
	MemFlag
	TimeFlag
}
