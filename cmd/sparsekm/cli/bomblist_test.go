package cli

import (
	"archive/zip"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sparsekm/sparsekm/csr"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/model"
)

// Streams of bzip2: 40 million digits on a line, and 138,000 rows.
const (
	bzip2Line = "QlpoOTFBWSZTWVmI2N8BMl8ICKAAABAACCAAMMwJqmmgSlFbUBKUV4u5IpwoSCzEbG+A"
	bzip2Rows = "QlpoOTFBWSZTWfLOeCADr1vYAAAQQAIwECAAkBgAUqGTwhSgwQpQcCFKDohSg0QpQcEKUGiFKDQhSg8IUoMCFKD4u5IpwoSHlnPBAA=="
)

// bombs are files for every reader.
func bombs(t *testing.T) []bomb {
	return append(append(append(append(textBombs(), arrayBombs()...), modelBombs(t)...), archivedModels(t)...),
		treeBombs()...)
}

// treeBombs are files of LightGBM and XGBoost that are just small enough for their memory, and one that is not.
func treeBombs() []bomb {
	const numbers = 600_000
	commands := []string{"verify FILE DATA --against DATA", "distill FILE DATA --max-sv 1"}
	light := func(splits int) string {
		var children, leaves strings.Builder // a chain with a leaf at each split
		for i := range splits {
			fmt.Fprintf(&leaves, "%d ", -i-2)
			if i > 0 {
				fmt.Fprintf(&children, "%d ", i)
			}
		}
		each := func(s string) string { return strings.Repeat(s, splits) }
		return fmt.Sprintf("tree\nversion=v4\nnum_tree_per_iteration=1\nmax_feature_idx=1\nobjective=binary\n\n"+
			"Tree=0\nnum_leaves=%d\nsplit_feature=%s\nthreshold=%s\ndecision_type=%s\nleft_child=%s-1\nright_child=%s\n"+
			"leaf_value=0 %s\n\nend of trees\n", splits+1, each("0 "), each("0 "), each("0 "), children.String(),
			leaves.String(), each("0 "))
	}
	boost := func(begin, s, end string, times int) string {
		return `{"learner":{"gradient_booster":{"name":"gbtree","model":{` + begin + strings.Repeat(s, times) + end
	}
	return []bomb{
		{what: "LightGBM's, 150,000 splits", name: "f.txt", write: plain(light(150_000)), commands: commands, mib: 256},
		{what: "LightGBM's, 2 million splits", name: "f.txt", write: plain(light(2_000_000)), commands: commands, mib: 256},
		{what: "XGBoost's, a million trees", name: "f.json", commands: commands, mib: 256,
			write: plain(boost(`"trees":[{}`, ",{}", "]}}}}", 2*numbers))},
		{what: "XGBoost's, 600,000 nodes", name: "f.json", commands: commands, mib: 256,
			write: plain(boost(`"tree_info":[0],"trees":[{"left_children":[0`, ",0", `],"right_children":[0`+
				strings.Repeat(",0", numbers)+`],"tree_param":{"num_nodes":"600001"}}]}},"learner_model_param":{"num_feature":"2",`+
				`"base_score":"5E-1"},"objective":{"name":"binary:logistic"}}}`, numbers))},
	}
}

var (
	trains = []string{"train -m svc FILE", "train -m ssvc-b FILE"}
	reads  = []string{"train -m svc FILE", "predict MODEL FILE -o NEW"}
	opens  = []string{"info FILE", "predict FILE DATA -o NEW"}
	all    = append([]string{"convert FILE --to json -o NEW", "reduce FILE --max-sv 1 -o NEW", "train -m svc DATA -o FILE"}, opens...)
)

// textBombs are samples as text, compressed by gzip and bzip2, and programs.
func textBombs() []bomb {
	const rows = 2_500_000
	return []bomb{
		{what: "gz, 5 million rows", name: "f.libsvm.gz", write: gzipped(many("", "1 1:1\n-1 1:2\n", rows)), commands: reads},
		{what: "gz, a line of 100 MB", name: "f.libsvm.gz", write: gzipped(many("1 1:", "1", 100_000_000)), commands: reads},
		{what: "gz, 50 million empty lines", name: "f.libsvm.gz", write: gzipped(many("", "\n", 50_000_000)), commands: reads},
		{what: "gz, CSV of 2.5 million rows", name: "f.csv.gz", write: gzipped(many("", "1,2,0\n3,4,1\n", rows/2)), commands: reads},
		{what: "gz, CSV of one row of 100 MB", name: "f.csv.gz", write: gzipped(many("", "1,", 50_000_000)), commands: reads},
		{what: "gz, CSV of one quoted cell of 100 MB", name: "f.csv.gz", write: gzipped(many(`1,"`, "a", 100_000_000)),
			commands: reads},
		{what: "gz, ARFF of 2 million attributes", name: "f.arff.gz",
			write: gzipped(many("@relation x\n", "@attribute a numeric\n", 2_000_000)), commands: reads},
		{what: "gz, ARFF of a nominal attribute of 100 MB", name: "f.arff.gz",
			write: gzipped(many("@relation x\n@attribute a {0", ",1", 50_000_000)), commands: reads},
		{what: "gz, ARFF of 2.5 million rows", name: "f.arff.gz", commands: reads, write: gzipped(many(
			"@relation x\n@attribute a numeric\n@attribute c {0,1}\n@data\n", "1,0\n2,1\n", rows/2))},
		{what: "bz2, 5.5 million rows", name: "f.libsvm.bz2", write: bzip2(bzip2Rows, 40), commands: reads},
		{what: "bz2, a line of 120 MB", name: "f.libsvm.bz2", write: bzip2(bzip2Line, 3), commands: reads},
		{what: "an index of 2e8", name: "f.libsvm", write: plain("1 1:1\n-1 200000000:1\n1 3:1\n-1 1:2\n"),
			commands: append([]string{"train -m svc FILE -o NEW", "info NEW", "predict NEW DATA -o NEW.p",
				"convert NEW --to json -o NEW.json", "info NEW.json", "convert NEW --to libsvm -o NEW.model", "info NEW.model",
				"convert NEW --to c -o NEW.c", "convert NEW --to onnx -o NEW.onnx", "predict NEW DATA --explain 0",
				"reduce NEW --max-sv 2 -o NEW.small", "reduce NEW --tau 0.1 --train FILE -o NEW.tau",
				"svm-predict FILE NEW NEW.out", "svm-predict DATA NEW NEW.out", "predict MODEL FILE -o NEW.p",
				"verify NEW FILE --against NEW.p", "train -m svc --kernel linear FILE -o NEW.linear --force", "info NEW.linear",
				"predict NEW.linear FILE -o NEW.q"}, trains...)},
		{what: "10,000 classes", name: "f.csv", write: classes(10_000), commands: []string{
			"train -m svc --text-labels --multiclass ovo FILE"}},
		{what: "gz, MPS of 2 million rows", name: "f.mps.gz", commands: []string{"lp FILE"}, write: gzipped(numbered(
			"NAME x\nROWS\n N c\n", " L r%d\n", 2_000_000))},
	}
}

// numbered writes a beginning, and lines with their numbers.
func numbered(begin, line string, n int) func(io.Writer) error {
	return func(w io.Writer) error {
		if _, err := io.WriteString(w, begin); err != nil {
			return err
		}
		for i := range n {
			if _, err := fmt.Fprintf(w, line, i); err != nil {
				return err
			}
		}
		return nil
	}
}

// classes are samples of one class each.
func classes(n int) func(io.Writer) error { return numbered("", "1,2,k%d\n", n) }

// arrayBombs are NumPy's files.
func arrayBombs() []bomb {
	x := func(shape string, bytes int) member { return member{"X.npy", npy("<f8", "False", shape, bytes)} }
	y := member{"y.npy", npy("<i8", "False", "(4,)", 32)}
	return []bomb{
		{what: "npz, 120 MB of zeros", name: "f.npz", write: archived(x("(1500000, 10)", 120_000_000)), commands: reads},
		{what: "npz, 6 arrays of 32 MB", name: "f.npz", write: archived(repeated(6, x("(400000, 10)", 32_000_000))...),
			commands: reads},
		{what: "npz, column-major", name: "f.npz", commands: reads,
			write: archived(member{"X.npy", npy("<f8", "True", "(400000, 10)", 32_000_000)})},
		{what: "npz, bytes as numbers", name: "f.npz", commands: reads,
			write: archived(member{"X.npy", npy("|u1", "False", "(5000000, 4)", 20_000_000)})},
		{what: "npz, texts of a byte", name: "f.npz", commands: reads,
			write: archived(member{"X.npy", npy("|S1", "False", "(500000, 4)", 2_000_000)})},
		{what: "npz, a shape that lies", name: "f.npz", write: archived(x("(2000000000, 1)", 64), y), commands: reads},
		{what: "npz, 100,000 members", name: "f.npz", write: archived(repeated(100_000, member{"a.npy", plain("")})...),
			commands: []string{"train -m svc FILE"}},
		{what: "npy, column-major", name: "f.npy", write: npy("<f4", "True", "(3000000, 10)", 120_000_000), commands: reads},
		{what: "npy of 2e9 features", name: "f.npy", write: npy("<f8", "False", "(1, 2000000000)", 64), commands: reads},
		{what: "gz of npy, 120 MB", name: "f.npy.gz", write: gzipped(npy("<f8", "False", "(1500000, 10)", 120_000_000)),
			commands: reads},
	}
}

func repeated(n int, m member) []member {
	all := make([]member, n)
	for i := range all {
		all[i] = m
	}
	return all
}

// modelBombs are models as text and in our own format.
func modelBombs(t *testing.T) []bomb {
	const wide = 200_000_000
	few := learn.Expansion{Support: []int{0, 1}, Coef: []float64{1, -1}}
	two := func(k gram.Kernel, n, d int) model.Parts {
		p := model.Parts{Kernel: k, N: n, D: d, Features: d, Labels: []string{"-1", "1"}, Method: "svc"}
		p.Submodels = []learn.Submodel{{Pos: 1}}
		return p
	}
	sparse := func(k gram.Kernel) model.Parts {
		p := two(k, 2, wide)
		p.Sparse = &csr.Matrix{N: 2, D: wide, Start: []int{0, 1, 2}, Index: []int32{0, wide - 1}, Value: []float64{1, 1}}
		p.Submodels[0].Expansion = few
		return p
	}
	head := "svm_type c_svc\nkernel_type rbf\ngamma 0.5\nnr_class 2\ntotal_sv 2\nrho 0.1\nlabel 1 -1\nnr_sv 1 1\nSV\n"
	object := `{"format":"sparsekm","version":1,"method":"svc","n_features_in":2,"kernel":"rbf","gamma":1,`
	own := `{"positive":0,"negative":-1,"vectors":[0],"dual_coef":[1],"intercept":0,` +
		`"own_kernel":{"kernel":"rbf","gamma":1}},`
	return []bomb{
		{what: "skm, sparse, index 2e8", name: "f.skm", write: skm(t, sparse(gram.RBF(1))), commands: all},
		{what: "skm, sparse and linear, index 2e8", name: "f.skm", write: skm(t, sparse(gram.Linear())), commands: opens},
		{what: "skm, no vectors of 2e9 features", name: "f.skm", write: skm(t, two(gram.RBF(1), 0, math.MaxInt32)),
			commands: all},
		{what: "skm, 100,000 classes", name: "f.skm", write: skm(t, restParts(100_000)), commands: all},
		{what: "skm of 150 MB", name: "f.skm", commands: opens,
			write: many("sparsekm\x01\x00\x00\x00\x00\x00\x00\x20\x00\x00\x00\x00", "\x00", 150_000_000)},
		{what: "JSON, 20,000 kernels of their own on 4096 features", name: "f.json", commands: opens,
			write: ownKernels(20_000, 4096, own)},
		{what: "JSON, numbers for submodels", name: "f.json", write: many(object+`"machines":[1`, ",1", 2_000_000),
			commands: opens},
		{what: "JSON, empty vectors", name: "f.json", write: many(object+`"support_vectors":[[]`, ",[]", 2_000_000),
			commands: opens},
		{what: "JSON, parameters", name: "f.json", write: numbered(object+`"params":{"a":1`, `,"%d":1`, 1_000_000),
			commands: opens},
		{what: "JSON, blanks", name: "f.json", write: many("{", " ", 100_000_000), commands: opens},
		{what: "JSON, no vectors of 2e9 features", name: "f.json", commands: opens,
			write: plain(strings.Replace(object, ":2,", ":2000000000,", 1) + `"classes":["a","b"],"decision_function_shape":"binary",` +
				`"machines":[{"positive":1,"negative":0,"vectors":[],"dual_coef":[],"intercept":1}],"support_vectors":[]}`)},
		{what: "LIBSVM's model, index 2e8", name: "f.model", write: plain(head + "1 1:1\n-1 200000000:1\n"), commands: opens},
		{what: "LIBSVM's model, a line of 100 MB", name: "f.model", write: many("svm_type c_svc\nrho ", "1 ", 50_000_000),
			commands: opens},
		{what: "LIBSVM's model, a vector of 100 MB", name: "f.model", write: many(head+"1 ", "1:1 ", 25_000_000), commands: opens},
		{what: "LIBSVM's model, 3000 classes", name: "f.model", write: pairsModel(3000), commands: opens},
		{what: "LIBLINEAR's model, 100 MB of weights", name: "f.model", commands: opens,
			write: many("solver_type L2R_LR\nnr_class 2\nlabel 1 2\nnr_feature 50000000\nbias -1\nw\n", "0\n", 50_000_000)},
	}
}

// restParts is a model of one class against the rest, for each of k classes.
func restParts(k int) model.Parts {
	p := model.Parts{Kernel: gram.RBF(1), N: 1, D: 2, Features: 2, Vectors: []float64{1, 2}, Method: "svc",
		Scheme: model.OneVsRest}
	for c := range k {
		p.Labels = append(p.Labels, fmt.Sprint(c))
		p.Submodels = append(p.Submodels, learn.Submodel{Pos: c, Neg: learn.Rest,
			Expansion: learn.Expansion{Support: []int{0}, Coef: []float64{1}}})
	}
	return p
}

// ownKernels is a JSON model of k submodels, each with a kernel of its own and the same vector of d features.
func ownKernels(k, d int, own string) func(io.Writer) error {
	return func(w io.Writer) error {
		fmt.Fprintf(w, `{"format":"sparsekm","version":1,"method":"svc","params":{},"n_features_in":%d,`, d)
		fmt.Fprint(w, `"kernel":"rbf","gamma":1,`)
		fmt.Fprint(w, `"decision_function_shape":"ovr","classes":["0"`)
		for c := 1; c < k; c++ {
			fmt.Fprintf(w, `,"%d"`, c)
		}
		fmt.Fprint(w, `],"machines":[`)
		for c := range k {
			line := strings.Replace(own, `"positive":0`, fmt.Sprintf(`"positive":%d`, c), 1)
			if c == k-1 {
				line = strings.TrimSuffix(line, ",")
			}
			fmt.Fprint(w, line)
		}
		_, err := fmt.Fprintf(w, `],"support_vectors":[[1%s]]}`, strings.Repeat(",1", d-1))
		return err
	}
}

// pairsModel is a model of LIBSVM with a submodel for each of 4.5 million pairs, and no vectors.
func pairsModel(k int) func(io.Writer) error {
	return func(w io.Writer) error {
		fmt.Fprintf(w, "svm_type c_svc\nkernel_type linear\nnr_class %d\ntotal_sv 0\nrho%s\nlabel", k,
			strings.Repeat(" 0", k*(k-1)/2))
		for c := range k {
			fmt.Fprintf(w, " %d", c)
		}
		_, err := fmt.Fprintf(w, "\nnr_sv%s\nSV\n", strings.Repeat(" 0", k))
		return err
	}
}

// archivedModels are skops files.
func archivedModels(t *testing.T) []bomb {
	schema := func(write func(io.Writer) error) func(io.Writer) error { return archived(member{"schema.json", write}) }
	nodes, err := json.Marshal(strings.Repeat("[[[[[", 10))
	if err != nil {
		t.Fatal(err)
	}
	return []bomb{
		{what: "skops, schema of 250 MB of blanks", name: "f.skops", write: schema(many("", " ", 250_000_000)), commands: all},
		{what: "skops, schema of nodes", name: "f.skops", commands: opens,
			write: schema(many(`{"protocol":2,"__loader__":"ObjectNode","__module__":"sklearn.svm","__class__":"Pipeline","content":[{}`,
				`,{}`, 8_000_000))},
		{what: "skops, schema of text", name: "f.skops", commands: opens,
			write: schema(many(`{"protocol":2,"__loader__":`+string(nodes)+`,"__class__":"`, "a", 100_000_000))},
		{what: "skops, 100,000 members", name: "f.skops", write: archived(repeated(100_000, member{"a", plain("")})...),
			commands: opens},
		{what: "skops, arrays of 120 MB of zeros", name: "f.skops", write: inflatedSkops(t), commands: opens},
	}
}

// inflatedSkops is a model of scikit-learn with other arrays.
func inflatedSkops(t *testing.T) func(io.Writer) error {
	name := filepath.Join("..", "..", "..", "model", "testdata", "skops", "svc.skops")
	info, err := os.Stat(name)
	if err != nil {
		t.Fatal(err)
	}
	return func(w io.Writer) error {
		f, err := os.Open(name)
		if err != nil {
			return err
		}
		defer f.Close()
		z, err := zip.NewReader(f, info.Size())
		if err != nil {
			return err
		}
		var members []member
		for _, entry := range z.File {
			write := npy("<f8", "False", "(1500000, 10)", 120_000_000)
			if entry.Name == "schema.json" {
				write = func(w io.Writer) error {
					r, err := entry.Open()
					if err != nil {
						return err
					}
					_, err = io.Copy(w, r)
					return err
				}
			} else if len(members) > 1 {
				write = npy("<f8", "False", "(1, 1)", 8)
			}
			members = append(members, member{entry.Name, write})
		}
		return archived(members...)(w)
	}
}
