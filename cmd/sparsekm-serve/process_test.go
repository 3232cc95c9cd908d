package main

import (
	"os"
	"reflect"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"testing"
)

// TestProcessFigures: the process is read as Linux writes it, whatever its name; what is missing is left out.
func TestProcessFigures(t *testing.T) {
	files := map[string]string{
		"/proc/self/stat": "42 (a) b (c) R 1 42 42 0 -1 4194304 99 0 0 0 150 50 0 0 20 0 7 0 1234 65536 10 18446744073709551615 1\n",
		"/proc/stat":      "cpu  1 2 3\nctxt 5\nbtime 1700000000\nprocesses 9\n",
		"/proc/self/limits": "Limit                     Soft Limit           Hard Limit           Units     \n" +
			"Max open files            1024                 524288               files     \n",
	}
	read := func(name string) ([]byte, error) {
		if text, ok := files[name]; ok {
			return []byte(text), nil
		}
		return nil, os.ErrNotExist
	}
	found := map[string]float64{}
	for _, f := range procFigures(read) {
		found[f.name] = f.value
	}
	delete(found, "process_open_fds") // of this process
	want := map[string]float64{"process_cpu_seconds_total": 2, "process_virtual_memory_bytes": 65536,
		"process_resident_memory_bytes": float64(10 * os.Getpagesize()), "process_start_time_seconds": 1700000012.34,
		"process_max_fds": 1024}
	if !reflect.DeepEqual(found, want) {
		t.Errorf("found %v, want %v", found, want)
	}
	files = map[string]string{"/proc/self/stat": "42 (a", "/proc/self/limits": "\nMax open files   unlimited  unlimited"}
	if some := procFigures(read); len(some) > 1 {
		t.Errorf("found %v in a file without fields", some)
	}
	_, url := start(t, Config{}, saved(t, ripley(t), "m.skm"))
	_, text := ask(t, "GET", url+"/metrics", "")
	names := []string{"go_goroutines", "go_memstats_alloc_bytes", "go_memstats_sys_bytes"}
	if runtime.GOOS == "linux" {
		names = append(names, "process_cpu_seconds_total", "process_resident_memory_bytes", "process_start_time_seconds",
			"process_open_fds", "process_max_fds")
	}
	for _, name := range names {
		sample := regexp.MustCompile(`(?m)^# TYPE ` + name + ` (counter|gauge)\n` + name + ` (\S+)$`).FindStringSubmatch(text)
		if sample == nil {
			t.Errorf("no %s in %s", name, text)
			continue
		}
		if v, err := strconv.ParseFloat(sample[2], 64); err != nil || !(v >= 0) {
			t.Errorf("%s: %v, %v", name, v, err)
		}
	}
	var types []string
	for _, line := range regexp.MustCompile(`(?m)^# TYPE (\S+)`).FindAllString(text, -1) {
		if slices.Contains(types, line) {
			t.Errorf("%s twice", line)
		}
		types = append(types, line)
	}
}
