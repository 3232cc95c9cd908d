package session

import (
	"runtime"
	"runtime/debug"
	"testing"
	"testing/fstest"
	"time"

	"github.com/sparsekm/sparsekm/learn"
)

func TestDefaultMemory(t *testing.T) {
	const mib = 1 << 20
	total := "MemTotal:        2097152 kB\nMemFree: 1 kB\n"
	for name, c := range map[string]struct {
		files map[string]string
		want  int64
	}{
		"nothing is said":  {nil, learn.DefaultMemory},
		"a model":          {map[string]string{"proc/meminfo": total}, 1024 * mib},
		"without a number": {map[string]string{"proc/meminfo": "MemTotal: much kB\n"}, learn.DefaultMemory},
		"a limited process": {map[string]string{"proc/meminfo": total, "proc/self/limits": "Limit                     Soft Limit" +
			"           Hard Limit           Units     \nMax address space         209715200            unlimited            bytes\n"},
			102 * mib},
		"a limited process with reservations": {map[string]string{"proc/meminfo": total, "proc/self/limits": "Max address space" +
			"         2097152000            unlimited            bytes\n", "proc/self/status": "VmSize:\t 1024000 kB\n"},
			702 * mib},
		"a process without room": {map[string]string{"proc/meminfo": total, "proc/self/limits": "Max address space" +
			"         1097152000            unlimited            bytes\n", "proc/self/status": "VmSize:\t 1024000 kB\n"}, 1},
		"an unlimited process": {map[string]string{"proc/meminfo": total,
			"proc/self/limits": "Max address space         unlimited            unlimited            bytes\n"}, 1024 * mib},
		"version 2": {map[string]string{"proc/meminfo": total, "proc/self/cgroup": "0::/a/b\n",
			"sys/fs/cgroup/a/b/memory.max": "max\n", "sys/fs/cgroup/a/memory.max": "104857600\n"}, 50 * mib},
		"version 2, in a container": {map[string]string{"proc/meminfo": total, "proc/self/cgroup": "0::/\n",
			"sys/fs/cgroup/memory.max": "209715200\n"}, 100 * mib},
		"version 1": {map[string]string{"proc/meminfo": total,
			"proc/self/cgroup": "5:cpu,memory:/a\n4:cpuset:/\n",
			"sys/fs/cgroup/memory/a/memory.limit_in_bytes": "104857600\n"}, 50 * mib},
		"version 1 without a limit": {map[string]string{"proc/meminfo": total, "proc/self/cgroup": "5:memory:/\n",
			"sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712\n"}, 1024 * mib},
	} {
		root := fstest.MapFS{}
		for file, text := range c.files {
			root[file] = &fstest.MapFile{Data: []byte(text)}
		}
		if err := room(addressSpace(root)); (err != nil) != (name == "a process without room") {
			t.Errorf("%s: %v", name, err)
		}
		if got := defaultMemory(root); got != c.want {
			t.Errorf("%s: %d bytes, want %d", name, got, c.want)
		}
	}
}

// A process collects nothing before its heap is large, then seldom, and often if much is in use; what the caller had
// comes back.
func TestLimitMemory(t *testing.T) {
	percent := func() int {
		p := debug.SetGCPercent(100)
		debug.SetGCPercent(p)
		return p
	}
	before := percent()
	restore := LimitMemory(4 << 30)
	if p := percent(); p != 1600 {
		t.Errorf("%d %% of garbage before the first collection, want 1600", p)
	}
	runtime.GC()
	for wait := time.Now(); percent() == 1600 && time.Since(wait) < time.Minute; {
		time.Sleep(time.Millisecond)
	}
	if p := percent(); p != 400 {
		t.Errorf("%d %% of garbage after it, want 400", p)
	}
	large := make([]byte, 1<<30)
	for wait := time.Now(); percent() != 12 && time.Since(wait) < 20*time.Second; {
		runtime.GC()
		time.Sleep(time.Millisecond)
	}
	if p := percent(); p != 12 {
		t.Errorf("%d %% of garbage at %d bytes in use, want 12", p, len(large))
	}
	runtime.KeepAlive(large)
	restore()
	if p := percent(); p != before {
		t.Errorf("%d %% of garbage at the end, want %d as before", p, before)
	}

	LimitMemory(1 << 30)() // over before its first collection, which changes nothing
	for range 3 {
		runtime.GC()
		time.Sleep(10 * time.Millisecond)
	}
	if p := percent(); p != before {
		t.Errorf("%d %% of garbage afterwards, want %d as before", p, before)
	}
}
