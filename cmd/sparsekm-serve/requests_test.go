package main

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/sparsekm/sparsekm"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
	"github.com/sparsekm/sparsekm/learn/svc"
	"github.com/sparsekm/sparsekm/model"
)

// named is the model of iris with columns of these names.
func named(t testing.TB, names ...string) *model.Classifier {
	t.Helper()
	set, err := dataset.ReadFile(testutil.Testdata(t, "iris.libsvm"), dataset.Options{})
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Join(names, ",") + ",species\n"
	for i := range set.N {
		for _, x := range set.X[i*set.D:][:set.D] {
			text += fmt.Sprint(x, ",")
		}
		text += set.Labels[set.Y[i]] + "\n"
	}
	table, err := dataset.ReadCSV(strings.NewReader(text), "f", dataset.Options{Guess: true})
	if err != nil {
		t.Fatal(err)
	}
	clf, _, err := sparsekm.Train(t.Context(), table, sparsekm.Options{Trainer: svc.Trainer{C: 1}, Scale: dataset.ScaleZ})
	if err != nil {
		t.Fatal(err)
	}
	return clf
}

// TestPublicRequests: requests from the pages and issues of other servers have the right answers, or errors that say
// what is wrong. Two samples of KServe's pages are of class 2.
func TestPublicRequests(t *testing.T) {
	square, _, err := sparsekm.Train(t.Context(), &dataset.Set{X: []float64{0, 1, 2, 3, 4, 5}, N: 6, D: 1,
		Targets: []float64{2, 2.5, 3, 3.5, 4, 4.5}}, sparsekm.Options{Trainer: svc.SVR{C: 10}})
	if err != nil {
		t.Fatal(err)
	}
	half := make([]float64, 3)
	square.DecideBatch(half, []float64{1, 2, 5}, 3, 1)
	cm := named(t, "sepal_length_(cm)", "sepal_width_(cm)", "petal_length_(cm)", "petal_width_(cm)")
	_, url := start(t, Config{}, "sklearn-iris="+saved(t, iris(t), "i.skm"),
		"half_plus_two="+saved(t, square, "h.skm"), "lgb-iris="+saved(t, cm, "l.skm"),
		"mnist="+saved(t, named(t, "sepal_length", "sepal_width", "petal_length", "petal_width"), "m.skm"))
	const form = "Content-Type: application/x-www-form-urlencoded"
	const two = `[[6.8, 2.8, 4.8, 1.4], [6.0, 3.4, 4.5, 1.6]]`
	v1, v2 := "/v1/models/sklearn-iris", "/v2/models/sklearn-iris"
	for _, q := range []struct {
		from, path, body, header string
		status                   int
		want                     string // a part of the answer
	}{
		{"KServe, first InferenceService", v1 + ":predict", `{"instances": ` + two + `}`, "", 200, `{"predictions":[2,2]}`},
		{"kserve 798, curl without a type", v1 + ":predict", `{"instances": ` + two + `}`, form, 200, `{"predictions":[2,2]}`},
		{"KServe, inputs in rows", v1 + ":predict", `{"inputs": ` + two + `}`, "", 200, `{"predictions":[2,2],"outputs":[2,2]}`},
		{"Vertex AI", v1 + ":predict", `{"instances": ` + two + `, "parameters": {}}`, "", 200, `{"predictions":[2,2]}`},
		{"TensorFlow Serving, a version", v1 + "/versions/1:predict", `{"signature_name": "serving_default", "instances": [{"x":
			[6.8, 2.8, 4.8, 1.4]}, {"x": [5.1, 3.5, 1.4, 0.2]}]}`, "", 200, `{"predictions":[2,1]}`},
		{"TensorFlow Serving, columns", v1 + ":predict", `{"inputs": {"x": ` + two + `}}`, "", 200, `"outputs":[2,2]}`},
		{"TensorFlow Serving, scalars", "/v1/models/half_plus_two:predict", `{"instances": [1.0, 2.0, 5.0]}`, "", 200,
			fmt.Sprintf(`{"predictions":[%v,%v,%v]}`, half[0], half[1], half[2])},
		{"sagemaker-examples 444, one row", v1 + ":predict", `{"inputs":[1,2,3,4]}`, "", 200, `{"predictions":[`},
		{"one row", v1 + ":predict", `{"instances": [6.8, 2.8, 4.8, 1.4]}`, "", 200, `{"predictions":[2]}`},
		{"kserve lgbserver, frames", "/v1/models/lgb-iris:predict", `{"inputs": [{"sepal_width_(cm)": {"0": 3.5, "10": 3.2,
			"9": 2.8}, "petal_length_(cm)": {"9": 4.8, "0": 1.4, "10": 5.9}, "petal_width_(cm)": {"0": 0.2, "9": 1.4, "10": 2.3},
			"sepal_length_(cm)": {"10": 6.8, "9": 6.8, "0": 5.1}}]}`, "", 200, `{"predictions":[1,2,3]`},
		{"KServe, LightGBM", "/v1/models/lgb-iris:predict", `{"inputs": [{"sepal_width_(cm)": [3.5, 2.7], "petal_length_(cm)":
			[1.4, 5.1], "petal_width_(cm)": [0.2, 1.9], "sepal_length_(cm)": [5.1, 5.8]}]}`, "", 200, `{"predictions":[1,3]`},
		{"columns", "/v1/models/mnist:predict", `{"inputs": {"sepal_length": [6.8, 5.1], "sepal_width": [2.8, 3.5],
			"petal_length": [4.8, 1.4], "petal_width": [1.4, 0.2]}}`, "", 200, `"outputs":[2,1]}`},
		{"arena 181", "/v1/models/mnist:predict", `{"signature_name":"predict","instances":[{"sepal_length":[6.8],
			"sepal_width":[3.2],"petal_length":[5.9],"petal_width":[2.3]}]}`, "", 200, `{"predictions":[3]}`},
		{"records", "/v1/models/mnist:predict", `{"instances": [{"sepal_length": 6.8, "sepal_width": 3.2, "petal_length": 5.9,
			"petal_width": 2.3}]}`, "", 200, `{"predictions":[3]}`},
		{"MLServer 1625, PandasCodec", "/v2/models/mnist/infer", `{"parameters": {"content_type": "pd"}, "inputs": [
			{"name": "sepal_length", "shape": [1], "datatype": "FP64", "data": [6.8]},
			{"name": "sepal_width", "shape": [1, 1], "datatype": "FP64", "data": [3.2]},
			{"name": "petal_length", "shape": [1], "datatype": "FP64", "data": [5.9]},
			{"name": "petal_width", "shape": [1], "datatype": "FP64", "data": [2.3]}]}`, "", 200, `"shape":[1],"data":["3"]`},
		{"KServe, version 2", v2 + "/infer", `{"inputs": [{"name": "input-0", "shape": [2, 4], "datatype": "FP32", "data": ` +
			two + `}]}`, "", 200, `"shape":[2],"data":["2","2"]`},
		{"Seldon, with a version", v2 + "/versions/1/infer", `{"inputs": [{"name": "predict", "shape": [1, 4], "datatype": "FP32",
			"data": [[1, 2, 3, 4]]}]}`, "", 200, `{"model_name":"sklearn-iris","model_version":"1",`},
		{"a base address with a slash", "/" + v2 + "/infer/", `{"inputs": [{"name": "x", "shape": [1, 4], "datatype": "FP32",
			"data": [5.1, 3.5, 1.4, 0.2]}]}`, "", 200, `"data":["1"]`},
		{"a slash after the verb", v1 + ":predict/", `{"instances": ` + two + `}`, "", 200, `{"predictions":[2,2]}`},
		{"triton 1845, no body", v2 + "/versions/1/infer", "", "", 400, "found the end after 0 bytes, want a JSON object"},
		{"kserve 3007", v1 + ":predict", `{"some_data": "some data"}`, "", 400, `want {\"instances\": [[cells of a row], ...]}`},
		{"serving 954", v1 + ":classify", `{"examples": [{"x": [5.1, 3.5, 1.4, 0.2]}]}`, "", 404, "found " + v1 + ":classify, want"},
		{"serving 1439, inputs in rows of their own", v1 + ":predict", `{"instances": [{"image": [1, 2]}, {"image_length": [2]}]}`,
			"", 400, "row 1 (from 0): found 1 numbers, want 2"},
		{"attention-ocr 94", v1 + ":predict", `{"instances": [{"b64": "/9j/4AAk="}]}`, "", 400, "number"},
		{"a file that curl did not find", v1 + ":predict", "@./iris-input.json", form, 400, "invalid character '@'"},
		{"no verb", v1, `{"instances": ` + two + `}`, "", 405, "want GET"},
		{"both", v1 + ":predict", `{"instances": [], "inputs": []}`, "", 400, "want"},
		{"null", v1 + ":predict", `{"instances": null}`, "", 400, "want"},
		{"none", v1 + ":predict", `{"instances": []}`, "", 400, "found no row"},
		{"text", v1 + ":predict", `{"instances": "1,2"}`, "", 400, "no array or object"},
		{"three numbers", v1 + ":predict", `{"instances": [1, 2, 3]}`, "", 400, "found rows of 3 features, want 4"},
		{"a hole", v1 + ":predict", `{"instances": [[1, 2, 3, null]]}`, "", 400, "found null at number 3"},
		{"rows and cells", "/v1/models/mnist:predict", `{"instances": [["1", 2, 3, 4], 5]}`, "", 400, "row 1 (from 0): found a cell"},
		{"columns of two lengths", "/v1/models/mnist:predict", `{"inputs": {"petal_length": [1, 2], "petal_width": [1]}}`, "", 400,
			`column \"petal_width\": found 1 cells`},
		{"a column and a cell", "/v1/models/mnist:predict", `{"inputs": {"petal_length": 1, "petal_width": [1]}}`, "", 400,
			`column \"petal_length\": found 0 cells`},
		{"no column", "/v1/models/mnist:predict", `{"instances": [{"sepal": 1, "petal_width": 2}]}`, "", 400,
			`the unknown column \"sepal\"`},
		{"tensors in tensors", v1 + ":predict", `{"instances": ` + strings.Repeat(`[{"x": [`, 3000) + strings.Repeat("]}]", 3000) +
			`}`, "", 400, "want a finite number"},
		{"no cells", "/v1/models/mnist:predict", `{"instances": [{"petal_width": []}, {"x": {}}, {}]}`, "", 400, "found"},
		{"commas", v1 + ":predict", `{"instances": "` + strings.Repeat(",", 1<<20+1) + `"}`, "", 413, "want at most 1048576"},
		{"CSV", v1 + ":predict", "1,2,3,4", "Content-Type: text/csv", 415, "want application/json"},
	} {
		var headers []string
		if q.header != "" {
			headers = append(headers, q.header)
		}
		status, text := ask(t, "POST", url+q.path, q.body, headers...)
		if status != q.status || !strings.Contains(text, q.want) || status != 200 && !strings.HasPrefix(text, `{"error":"`) {
			t.Errorf("%s: status %d, %s, want %d, %s", q.from, status, text, q.status, q.want)
		}
	}
	label, err := iris(t).Classify([]float64{1, 2, 3, 4})
	if _, text := ask(t, "POST", url+v1+":predict", `{"instances": [[1, 2, 3, 4]]}`); err != nil ||
		text != fmt.Sprintf("{\"predictions\":[%s]}\n", label) {
		t.Errorf("Seldon's sample: %v, %s, want %s", err, text, label)
	}
}

// TestPlainLabels: labels are numbers only if all of them are, so that an answer has one type.
func TestPlainLabels(t *testing.T) {
	for _, tt := range []struct{ classes, want string }{
		{"1 -1", `["-1"]`}, {"0.5 1e3", `["1e3"]`}, {"01 02", `["02"]`}, {"1 b", `["b"]`}, {"+1 -1", `["-1"]`}, {"Inf 1", `["1"]`},
	} {
		classes := strings.Fields(tt.classes)
		text, err := json.Marshal(plain(classes[1:], classes))
		if tt.classes == "1 -1" || tt.classes == "0.5 1e3" {
			tt.want = strings.ReplaceAll(tt.want, `"`, "")
		}
		if err != nil || string(text) != tt.want {
			t.Errorf("%s: %s, %v, want %s", tt.classes, text, err, tt.want)
		}
	}
}

// conforms checks a value against a schema of the document: every field is described, and each that is always there is.
func conforms(t *testing.T, document map[string]any, of any, at string, v any) {
	t.Helper()
	schema, ok := of.(map[string]any)
	if ref, is := schema["$ref"].(string); is {
		name := strings.TrimPrefix(ref, "#/components/schemas/")
		schema, ok = document["components"].(map[string]any)["schemas"].(map[string]any)[name].(map[string]any)
	}
	if !ok {
		t.Fatalf("%s: the schema is %v", at, of)
	}
	switch v := v.(type) {
	case map[string]any:
		properties, _ := schema["properties"].(map[string]any)
		for name, field := range v {
			if properties != nil && properties[name] == nil {
				t.Errorf("%s: the field %s is not described", at, name)
			} else if properties != nil {
				conforms(t, document, properties[name], at+"."+name, field)
			}
		}
		required, _ := schema["required"].([]any)
		for _, name := range required {
			if v[name.(string)] == nil {
				t.Errorf("%s: no %v, which is always there", at, name)
			}
		}
	case []any:
		if items, is := schema["items"]; is {
			for _, item := range v {
				conforms(t, document, items, at+"[]", item)
			}
		}
	}
	kinds := map[string]string{"object": "map[string]interface {}", "array": "[]interface {}", "string": "string",
		"boolean": "bool", "number": "float64", "integer": "float64"}
	if kind, is := schema["type"].(string); is && kinds[kind] != fmt.Sprintf("%T", v) {
		t.Errorf("%s: found %T, the schema says %s", at, v, kind)
	}
}

// TestOpenAPI: the document has every route, and every field of their requests and answers.
func TestOpenAPI(t *testing.T) {
	s, url := start(t, Config{Version: "v1"}, saved(t, iris(t), "m.skm"))
	var document, list map[string]any
	object(t, &document, "GET", url+"/openapi.json", "")
	object(t, &list, "GET", url+"/", "")
	const tensors = `{"id": "7", "parameters": {"binary_data_output": false}, "inputs": [{"name": "x", "shape": [1, 4],
		"datatype": "FP64", "data": [1, 2, 3, 4], "parameters": {}}],
		"outputs": [{"name": "labels", "parameters": {"binary_data": false}}]}`
	bodies := map[string]string{"/predict": `{"rows": [[1, 2, 3, 4]]}`, "infer": tensors,
		":predict": `{"inputs": [1, 2, 3, 4]}`}
	paths := document["paths"].(map[string]any)
	var listed []string
	for _, r := range s.routes() {
		operation, ok := under(paths, shown(r.path), strings.ToLower(r.method)).(map[string]any)
		if !ok {
			t.Fatalf("the document has no %s %s", r.method, r.path)
		}
		path := strings.NewReplacer("{name}", "m", "{version}", "1").Replace(shown(r.path))
		listed = append(listed, r.method+" "+
			strings.NewReplacer("{name}", "NAME", "{version}", "1").Replace(shown(r.path)))
		body := ""
		for end, text := range bodies {
			if r.method == "POST" && (strings.HasSuffix(path, end) || strings.HasPrefix(path, end)) {
				body = text
			}
		}
		for _, slash := range []string{"", "/", "//"} {
			status, text := ask(t, r.method, url+path+slash, body)
			if status != 200 || r.path == "/metrics" {
				if status != 200 {
					t.Errorf("%s %s: status %d, %s", r.method, path+slash, status, text)
				}
				continue
			}
			conforms(t, document, under(operation, "responses", "200", "content", "application/json", "schema"), path,
				decoded(t, text))
		}
		if content := operation["requestBody"]; (content != nil) != (body != "") {
			t.Errorf("%s: the document has the body %v", path, content)
		} else if content != nil {
			conforms(t, document, under(content, "content", "application/json", "schema"), path, decoded(t, body))
		}
	}
	if len(paths) != len(listed) || fmt.Sprint(list["paths"]) != fmt.Sprint(listed) {
		t.Errorf("found %d paths and %v, want %v", len(paths), list["paths"], listed)
	}
	schemas := document["components"].(map[string]any)["schemas"].(map[string]any)
	for _, v := range []any{inferRequest{}, inferInput{}, inferOutput{}, inferAnswer{}, tensor{}, parameters{}, notes{},
		predictRequest{}, v1Request{}, v1Answer{}, metadata{}, config{}, configTensor{}, entry{}, index{}, about{}, errorAnswer{},
		liveAnswer{}, readyAnswer{}, modelReady{}, modelList{}} {
		of := reflect.TypeOf(v)
		properties, _ := schemas[of.Name()].(map[string]any)["properties"].(map[string]any)
		if len(properties) != of.NumField() || of.NumField() == 0 {
			t.Errorf("%s: found %v, want %d fields", of, properties, of.NumField())
		}
	}
	embedded := schemas["predictAnswer"].(map[string]any)["properties"].(map[string]any)
	if embedded["unknown"] == nil || embedded["filled"] == nil {
		t.Errorf("predictAnswer: found %v, want unknown and filled", embedded)
	}
}

// under is the value at the end of keys; nil where there is none.
func under(v any, keys ...string) any {
	for _, key := range keys {
		object, _ := v.(map[string]any)
		v = object[key]
	}
	return v
}

func decoded(t *testing.T, text string) (v any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Errorf("%v in %s", err, text)
	}
	return v
}
