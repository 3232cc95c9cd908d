package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/sparsekm/sparsekm/bench/internal/harness"
	"github.com/sparsekm/sparsekm/dataset"
)

func init() {
	compare("triton", "`sparsekm-serve` and tritonclient's default request: 10⁵ at concurrency 4, answers as predict's",
		runTriton)
}

const tritonRequests, tritonClients = 100000, 4

// tritonCase is a model, its samples, and what predict says of them.
type tritonCase struct {
	model, samples, expected string
	set                      *dataset.Set
	labels                   []string
	decisions                []float64
}

// runTriton asks by tritonclient itself, whose times have its own Python, and by a client in Go that sends the same
// bytes. The bar is 2 ms for 99 of 100 requests. Every answer is compared with that of predict, bit for bit.
func runTriton(ctx context.Context, e *env) error {
	command, err := e.build(ctx)
	if err != nil {
		return err
	}
	c, err := command.tritonCase(ctx, e)
	if err != nil {
		return err
	}
	harness.Header("client", "requests", "requests a second", "median, µs", "99 %, µs (2000)", "99.9 %, µs", "most, µs",
		"processor time of the server, µs a request")
	row, err := command.asked(ctx, c.model, func(address string) ([]string, error) {
		const each = tritonRequests / tritonClients
		times, rate, failed := together(tritonClients, each, func(client int, times []time.Duration) error {
			return c.replay(address, client*61, times)
		})
		return append([]string{fmt.Sprintf("%.0f", rate)}, shares(times)...), failed
	})
	if err != nil {
		return err
	}
	harness.Row(append([]string{"the same bytes from Go", fmt.Sprint(tritonRequests)}, row...)...)
	for _, py := range pythons() {
		row, err = command.asked(ctx, c.model, func(address string) (row []string, err error) {
			out, err := e.python(py, "triton.py", nil, address, c.samples, c.expected, fmt.Sprint(tritonClients),
				fmt.Sprint(tritonRequests/tritonClients))
			for line := range strings.Lines(out) {
				v, failed := strconv.ParseFloat(strings.Fields(line)[1], 64)
				row, err = append(row, fmt.Sprintf("%.0f", v)), errors.Join(err, failed)
			}
			return row, err
		})
		if err == nil {
			harness.Row(append([]string{"tritonclient, its Python included", fmt.Sprint(tritonRequests)}, row...)...)
			return nil
		}
		fmt.Fprintln(os.Stderr, err)
	}
	return nil
}

// asked runs requests against a server of its own, and adds its processor time.
func (b built) asked(ctx context.Context, model string, ask func(address string) ([]string, error)) ([]string, error) {
	address, end, err := b.listen(ctx, model)
	if err != nil {
		return nil, err
	}
	row, err := ask(address)
	used, failed := end()
	return append(row, fmt.Sprintf("%.0f", used.Seconds()*1e6/tritonRequests)), errors.Join(err, failed)
}

// tritonCase trains a model of 102 vectors, and writes down what predict says of its samples.
func (b built) tritonCase(ctx context.Context, e *env) (*tritonCase, error) {
	points := filepath.Join("testdata", "ripley.train.libsvm")
	c := &tritonCase{model: filepath.Join(e.Tmp, "triton.skm"), samples: filepath.Join(e.Tmp, "triton.csv"),
		expected: filepath.Join(e.Tmp, "triton.jsonl")}
	var err error
	if c.set, err = dataset.ReadFile(points, dataset.Options{}); err != nil {
		return nil, err
	}
	train := exec.CommandContext(ctx, string(b), "train", "-m", "svc", "--sigma", "0.5", "--c", "1", "--force", "-o",
		c.model, points)
	if out, failed := train.CombinedOutput(); failed != nil {
		return nil, fmt.Errorf("a model: %w\n%s", failed, out)
	}
	predict := exec.CommandContext(ctx, string(b), "predict", "--decisions", "--write", "jsonl", c.model, points)
	said, err := predict.Output()
	if err != nil {
		return nil, fmt.Errorf("predict: %w", err)
	}
	for line := range bytes.Lines(said) {
		var row struct {
			Label     string
			Decisions []float64
		}
		if err = json.Unmarshal(line, &row); err != nil || len(row.Decisions) != 1 {
			return nil, fmt.Errorf("predict: found %q: %w", line, err)
		}
		c.labels = append(c.labels, row.Label)
		c.decisions = append(c.decisions, row.Decisions[0])
	}
	var rows strings.Builder
	for i := range c.set.N {
		fmt.Fprintf(&rows, "%v,%v\n", c.set.X[2*i], c.set.X[2*i+1])
	}
	return c, errors.Join(os.WriteFile(c.samples, []byte(rows.String()), 0o600), os.WriteFile(c.expected, said, 0o600))
}

// replay sends tritonclient's bytes over one connection, one request after the other, and measures each.
func (c *tritonCase) replay(address string, start int, times []time.Duration) error {
	conn, err := net.Dial("tcp", address)
	if err != nil {
		return err
	}
	defer conn.Close()
	answers := bufio.NewReader(conn)
	const object = `{"inputs":[{"name":"rows","shape":[1,2],"datatype":"FP64","parameters":{"binary_data_size":16}}],` +
		`"parameters":{"binary_data_output":true}}`
	request := fmt.Appendf(nil, "POST /v2/models/m/infer HTTP/1.1\r\nUser-Agent: python/gevent-http-client-2.6.1\r\n"+
		"Inference-Header-Content-Length: %d\r\nHost: %s\r\nContent-Length: %d\r\n\r\n%s", len(object), address,
		len(object)+16, object)
	for i := range times {
		at := (start + i) % c.set.N
		message := request
		for _, v := range c.set.X[2*at : 2*at+2] {
			message = binary.LittleEndian.AppendUint64(message, math.Float64bits(v))
		}
		began := time.Now()
		if _, err = conn.Write(message); err != nil {
			return err
		}
		r, err := http.ReadResponse(answers, nil)
		if err != nil {
			return err
		}
		body, err := io.ReadAll(r.Body)
		times[i] = time.Since(began)
		if err != nil || r.StatusCode != http.StatusOK {
			return fmt.Errorf("status %d: %s: %w", r.StatusCode, body, err)
		}
		label := c.labels[at]
		want := binary.LittleEndian.AppendUint32(nil, uint32(len(label)))
		want = binary.LittleEndian.AppendUint64(append(want, label...), math.Float64bits(c.decisions[at]))
		if head, failed := strconv.Atoi(r.Header.Get("Inference-Header-Content-Length")); failed != nil ||
			head > len(body) || !bytes.Equal(body[head:], want) {
			return fmt.Errorf("sample %d: found %q, and predict says %s, %v", at, body, label, c.decisions[at])
		}
	}
	return nil
}
