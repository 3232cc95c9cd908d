package main

import (
	"bytes"
	"os"
	"runtime"
	"strconv"
	"strings"
)

// figure is one that any Go program has, under the name that Prometheus' own library gives it.
type figure struct {
	name, kind, help string
	value            float64
}

// processFigures are those of the runtime, and on Linux those of the process.
func processFigures() []figure {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return append(procFigures(os.ReadFile),
		figure{"go_goroutines", "gauge", "Goroutines that exist.", float64(runtime.NumGoroutine())},
		figure{"go_memstats_alloc_bytes", "gauge", "Bytes of objects in the heap.", float64(m.HeapAlloc)},
		figure{"go_memstats_alloc_bytes_total", "counter", "Bytes of all objects so far.", float64(m.TotalAlloc)},
		figure{"go_memstats_heap_inuse_bytes", "gauge", "Bytes of the heap that are in use.", float64(m.HeapInuse)},
		figure{"go_memstats_heap_objects", "gauge", "Objects in the heap.", float64(m.HeapObjects)},
		figure{"go_memstats_next_gc_bytes", "gauge", "Bytes at which the heap is collected next.", float64(m.NextGC)},
		figure{"go_memstats_sys_bytes", "gauge", "Bytes from the system.", float64(m.Sys)},
		figure{"go_memstats_last_gc_time_seconds", "gauge", "When the heap was collected last.", float64(m.LastGC) / 1e9},
	)
}

// procFigures are what Linux tells of the process. What it does not tell is left out.
func procFigures(read func(string) ([]byte, error)) (figures []figure) {
	const perSecond = 100 // ticks of the clock, on all processors that Go knows
	text, _ := read("/proc/self/stat")
	fields := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:])) // the name before may have any byte

	// field is one of proc(5), where the state is field 3.
	field := func(i int) float64 {
		v, _ := strconv.ParseFloat(fields[i-3], 64)
		return v
	}
	if len(fields) > 24-3 {
		figures = append(figures,
			figure{"process_cpu_seconds_total", "counter", "Seconds of processors.", (field(14) + field(15)) / perSecond},
			figure{"process_virtual_memory_bytes", "gauge", "Bytes of addresses.", field(23)},
			figure{"process_resident_memory_bytes", "gauge", "Bytes in memory.", field(24) * float64(os.Getpagesize())})
		text, _ = read("/proc/stat")
		_, boot, ok := strings.Cut(string(text), "\nbtime ")
		if booted, err := strconv.ParseFloat(strings.TrimSpace(firstLine(boot)), 64); ok && err == nil {
			figures = append(figures, figure{"process_start_time_seconds", "gauge", "When the process began.",
				booted + field(22)/perSecond})
		}
	}
	if files, err := os.ReadDir("/proc/self/fd"); err == nil {
		figures = append(figures, figure{"process_open_fds", "gauge", "Open files and connections.", float64(len(files) - 1)})
	}
	text, _ = read("/proc/self/limits")
	if _, after, ok := strings.Cut(string(text), "\nMax open files"); ok {
		soft, _, _ := strings.Cut(strings.TrimLeft(after, " "), " ")
		if most, err := strconv.ParseFloat(soft, 64); err == nil {
			figures = append(figures, figure{"process_max_fds", "gauge", "Files and connections that may be open.", most})
		}
	}
	return figures
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}
