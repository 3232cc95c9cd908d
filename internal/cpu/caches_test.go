package cpu

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"testing"
)

// What the processor says about its caches is what Linux says.
func TestCaches(t *testing.T) {
	if l := L2(); l < 256<<10 || l > 2<<20 {
		t.Errorf("a second-level cache of %d bytes", l)
	}
	found := 0
	for i := range 4 {
		read := func(name string) string {
			b, err := os.ReadFile(fmt.Sprintf("/sys/devices/system/cpu/cpu0/cache/index%d/%s", i, name))
			if err != nil {
				return ""
			}
			return strings.TrimSpace(string(b))
		}
		level, _ := strconv.Atoi(read("level"))
		size, err := strconv.Atoi(strings.TrimSuffix(read("size"), "K"))
		if err != nil || read("type") == "Instruction" || level < 1 || level > 3 || caches[level] == 0 {
			continue
		}
		found++
		if caches[level] != size<<10 {
			t.Errorf("level %d has %d bytes, Linux says %d KiB", level, caches[level], size)
		}
	}
	if found == 0 {
		t.Skipf("nothing to compare %v with on %s", caches, runtime.GOARCH)
	}
}
