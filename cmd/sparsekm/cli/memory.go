package cli

import (
	"bufio"
	"io/fs"
	"math"
	"os"
	"path"
	"runtime/debug"
	"strconv"
	"strings"

	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/learn"
)

// memory is the budget of --mem, half of what there is when none was given.
func (b byteSize) memory() int64 {
	if b > 0 {
		return int64(b)
	}
	return defaultMemory(os.DirFS("/"))
}

// limitMemory makes the collector keep everything, garbage included, within the budget
// and what a process takes that does nothing, until the function that it returns is called.
// It is a bound on garbage, never an error.
func limitMemory(budget int64) (restore func()) {
	const idle = 12 << 20
	limit := int64(math.MaxInt64)
	if budget < limit/2 {
		limit = budget + budget/20 + idle
	}
	old := debug.SetMemoryLimit(limit)
	return func() { debug.SetMemoryLimit(old) }
}

// searchMemory is limitMemory for a command that makes many small trainings, whose collections would take a sixth of
// the time: garbage may be four times what is in use, within the budget.
func searchMemory(budget int64) (restore func()) {
	limited, percent := limitMemory(budget), debug.SetGCPercent(400)
	return func() {
		debug.SetGCPercent(percent)
		limited()
	}
}

// setBytes is what the samples of sets take in memory; nil sets take nothing.
func setBytes(sets ...*dataset.Set) (n int64) {
	for _, s := range sets {
		if s != nil {
			n += s.Bytes()
		}
	}
	return n
}

// defaultMemory is half of the memory of the host, or of what the process or its control group
// may have if that is less. Systems that say neither have [learn.DefaultMemory].
func defaultMemory(root fs.FS) int64 {
	least := min(memTotal(root), addressSpace(root))
	for _, file := range groupLimits(root) {
		if text, err := fs.ReadFile(root, file); err == nil {
			if v, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64); err == nil && v > 0 { // else it is "max"
				least = min(least, v)
			}
		}
	}
	if least == math.MaxInt64 {
		return learn.DefaultMemory
	}
	return max(1, least/2)
}

// memTotal is the line "MemTotal: 24683748 kB" of Linux, or as much as there can be.
func memTotal(root fs.FS) int64 {
	for _, line := range lines(root, "proc/meminfo") {
		if f := strings.Fields(line); len(f) == 3 && f[0] == "MemTotal:" {
			if kb, err := strconv.ParseInt(f[1], 10, 64); err == nil && kb > 0 && kb < 1<<50 {
				return kb << 10
			}
		}
	}
	return math.MaxInt64
}

// addressSpace is the process's own limit (ulimit -v), or as much as there can be.
func addressSpace(root fs.FS) int64 {
	for _, line := range lines(root, "proc/self/limits") {
		if rest, ok := strings.CutPrefix(line, "Max address space"); ok {
			if v, err := strconv.ParseInt(strings.Fields(rest + " -")[0], 10, 64); err == nil && v > 0 { // else unlimited
				return v
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

func lines(root fs.FS, name string) (all []string) {
	f, err := root.Open(name)
	if err != nil {
		return nil
	}
	defer f.Close()
	for sc := bufio.NewScanner(f); sc.Scan(); {
		all = append(all, sc.Text())
	}
	return all
}
