package model

import (
	"bytes"
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/sparsekm/sparsekm/gram"
)

// checkRead holds a model that was read to what readers promise: it decides, and
// writing and reading it again changes nothing.
func checkRead(t *testing.T, c *Classifier) {
	t.Helper()
	if c.NumFeatures() > 1000 || c.NumSubmodels() > 1000 {
		return
	}
	f := make([]float64, c.NumSubmodels())
	c.DecideTo(f, make([]float64, c.NumFeatures()))
	c.Predict(make([]float64, c.NumFeatures()))
	if c.Calibrated() == nil && c.NumClasses() < 100 {
		c.Probabilities(make([]float64, c.NumClasses()), make([]float64, c.NumFeatures()))
	}
	if c.Uncertain() == nil {
		c.MeanVariance(make([]float64, c.NumFeatures()))
	}
	data, err := c.MarshalBinary()
	if err != nil {
		t.Fatalf("what was read cannot be written: %v", err)
	}
	back, err := Parse(data)
	if err != nil {
		t.Fatalf("what was written cannot be read: %v", err)
	}
	g := make([]float64, back.NumSubmodels())
	back.DecideTo(g, make([]float64, back.NumFeatures()))
	for i, v := range f {
		if v != g[i] && !(math.IsNaN(v) && math.IsNaN(g[i])) {
			t.Fatalf("decision %d is %v, after a round trip %v", i, v, g[i])
		}
	}
}

// FuzzParse reads our own format. Half of the inputs get a right checksum, so that
// the fuzzer reaches what is behind it.
func FuzzParse(f *testing.F) {
	for i, s := range schemes {
		c, err := New(randomParts(rand.New(rand.NewPCG(1, uint64(i))), s, gram.RBF(0.5), 5, 2))
		if err != nil {
			f.Fatal(err)
		}
		data, err := c.MarshalBinary()
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data, i%2 == 0)
	}
	data, err := mustNew(f, sparseParts(Binary, gram.RBF(0.5))).MarshalBinary()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data, true)
	terms := randomParts(rand.New(rand.NewPCG(1, 9)), Binary, kernels(2)["composite"], 5, 2)
	if data, err = mustNew(f, terms).MarshalBinary(); err != nil {
		f.Fatal(err)
	}
	f.Add(data, true)
	if data, err = mustNew(f, latentParts()).MarshalBinary(); err != nil {
		f.Fatal(err)
	}
	f.Add(data, true)
	f.Fuzz(func(t *testing.T, data []byte, sum bool) {
		if sum && len(data) >= 4 {
			data = bytes.Clone(data)
			end := len(data) - 4
			s := checksum(data[:end])
			data[end], data[end+1], data[end+2], data[end+3] = byte(s), byte(s>>8), byte(s>>16), byte(s>>24)
		}
		if c, err := Parse(data); err == nil {
			checkRead(t, c)
		}
	})
}

// FuzzReadModel reads whatever comes: our format, JSON, or LIBSVM's.
func FuzzReadModel(f *testing.F) {
	for _, file := range []string{"testdata/v1.json", "testdata/v1.skm", "testdata/v2.json", "testdata/v2.skm", "testdata/v3.skm", "testdata/v5.skm", "testdata/v5.json",
		"testdata/v6.skm", "testdata/v6.json", "testdata/v7.skm", "testdata/v7.json", "testdata/v8.skm",
		"testdata/v8.json", "testdata/v9.skm", "testdata/v9.json", "testdata/v10.skm", "testdata/v10.json",
		"testdata/v10terms.skm", "testdata/v10terms.json", "testdata/v11.skm", "testdata/v11.json"} {
		b, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if bytes.Contains(data, []byte("SV\n")) { // FuzzReadLIBSVMModel, which bounds the memory
			return
		}
		if c, _, err := Read(bytes.NewReader(data), "f"); err == nil {
			checkRead(t, c)
		}
	})
}

// FuzzReadLIBSVMModel reads LIBSVM's model files, and writes those that it accepts.
func FuzzReadLIBSVMModel(f *testing.F) {
	f.Add([]byte(threeClasses))
	f.Add([]byte("svm_type c_svc\nkernel_type rbf\ngamma 0.5\nnr_class 2\n" +
		"total_sv 2\nrho 0.1\nlabel 1 -1\nnr_sv 1 1\nSV\n1 1:0.5 2:1\n-1 1:2\n"))
	f.Add([]byte("svm_type nu_svc\nkernel_type sigmoid\ngamma 1\ncoef0 0\nnr_class 3\n" +
		"total_sv 0\nrho 0 0 0\nlabel 1 2 3\nnr_sv 0 0 0\nSV\n"))
	f.Add([]byte("svm_type epsilon_svr\nkernel_type rbf\ngamma 0.5\nnr_class 2\ntotal_sv 1\nrho 0.1\nSV\n0.5 1:0.5 2:1\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := readLIBSVM(bytes.NewReader(data), "f", 1<<20)
		if err != nil {
			return
		}
		checkRead(t, c)
		var b bytes.Buffer
		if err := c.Write(&b, LIBSVM); err != nil {
			return // a label beyond LIBSVM's int
		}
		if _, err := readLIBSVM(&b, "f", 1<<24); err != nil {
			t.Fatalf("what was written cannot be read: %v", err)
		}
	})
}
