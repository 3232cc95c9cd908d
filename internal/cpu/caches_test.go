package cpu

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"testing"
)

// What the processor says about its second-level cache is what Linux says.
func TestL2(t *testing.T) {
	if l := L2(); l < 256<<10 || l > 2<<20 {
		t.Errorf("a second-level cache of %d bytes", l)
	}
	for i := range 4 {
		read := func(name string) string {
			b, err := os.ReadFile(fmt.Sprintf("/sys/devices/system/cpu/cpu0/cache/index%d/%s", i, name))
			if err != nil {
				return ""
			}
			return strings.TrimSpace(string(b))
		}
		size, err := strconv.Atoi(strings.TrimSuffix(read("size"), "K"))
		if err != nil || read("type") == "Instruction" || read("level") != "2" || l2 == 0 {
			continue
		}
		if l2 != size<<10 {
			t.Errorf("%d bytes, Linux says %d KiB", l2, size)
		}
		return
	}
	t.Skipf("nothing to compare %d bytes with on %s", l2, runtime.GOARCH)
}
