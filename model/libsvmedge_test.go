package model

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/sparsekm/sparsekm/dataset"
)

const tinyHeader = "svm_type c_svc\nkernel_type rbf\ngamma 0.5\nnr_class 2\n" +
	"total_sv 2\nrho 0.1\nlabel 1 -1\nnr_sv 1 1\nSV\n"

// TestLIBSVMAsksForLittle holds what a short file may take: a last index of 200 million is 16 GB
// of zeros, and 200 MB of whatever has a number for each feature.
func TestLIBSVMAsksForLittle(t *testing.T) {
	for index, refused := range map[int]bool{200_000_000: true, 1 << 20: false} {
		text := tinyHeader + fmt.Sprintf("1 1:1\n-1 %d:1\n", index)
		var err error
		peak := allocated(func() { _, err = readLIBSVM(strings.NewReader(text), "m", MaxBytes) })
		if refused != (err != nil) || refused && !strings.Contains(err.Error(), "2 vectors of") || peak > 1<<20 {
			t.Errorf("last index %d: %d bytes, error %v", index, peak, err)
		}
	}
	if _, err := readLIBSVM(strings.NewReader(tinyHeader+"1 1:1\n-1 20000:1\n"), "m", MaxBytes); err != nil {
		t.Errorf("a model of 20000 features: %v", err)
	}
}

func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// TestLIBSVMAllZero reads a model whose vectors are zero: its number of features must be one that
// a set can be read with.
func TestLIBSVMAllZero(t *testing.T) {
	clf, err := readLIBSVM(strings.NewReader(tinyHeader+"1\n-1\n"), "m", MaxBytes)
	if err != nil {
		t.Fatal(err)
	}
	set, err := dataset.Read(strings.NewReader("1 1:2\n"), "s", dataset.Options{Format: dataset.LIBSVM, Features: clf.NumFeatures()})
	if err != nil || clf.NumFeatures() != 1 {
		t.Fatalf("%d features, error %v", clf.NumFeatures(), err)
	}
	class := make([]int, 1)
	clf.PredictBatch(class, set.X, 1, 1)
}
