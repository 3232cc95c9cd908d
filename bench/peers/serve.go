package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/sparsekm/sparsekm/bench/internal/harness"
)

func init() {
	compare("serve", "`sparsekm-serve` over loopback: requests a second and their times", runServe)
}

const serveRequests = 20000

// runServe asks a server of its own, which shares the processors with its clients. The bar is 1 ms for 99 of 100
// requests for one row, at 4 vectors.
func runServe(ctx context.Context, e *env) error {
	command, err := e.build(ctx)
	if err != nil {
		return err
	}
	harness.Header("model", "rows a request", "clients", "requests a second", "median, µs", "99 %, µs (1000)",
		"99.9 %, µs", "longest, µs", "processor time of the server, µs a request")
	for _, method := range []string{"ssvc-a", "svc"} {
		model := filepath.Join(e.Tmp, method+".skm")
		if _, err := e.command(ctx, command, "train", "-m", method, "--sigma", "0.5", "--c", "1", "--force", "-o", model,
			filepath.Join("testdata", "ripley.train.libsvm")); err != nil {
			return err
		}
		for _, load := range []struct{ rows, clients int }{{1, 1}, {1, 8}, {100, 1}} {
			row, err := underLoad(ctx, command+"-serve", model, load.rows, load.clients)
			if err != nil {
				return err
			}
			harness.Row(append([]string{method, fmt.Sprint(load.rows), fmt.Sprint(load.clients)}, row...)...)
		}
	}
	return nil
}

// underLoad starts a server of one model and has clients ask it, each for the next rows as soon as it has the answer.
func underLoad(ctx context.Context, command, model string, rows, clients int) (row []string, err error) {
	server := exec.CommandContext(ctx, command, "--json", "--addr", "127.0.0.1:0", "m="+model)
	var messages bytes.Buffer
	server.Stderr = &messages
	out, err := server.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err = server.Start(); err != nil {
		return nil, err
	}
	line, err := bufio.NewReader(out).ReadBytes('\n')
	var listens struct{ Address string }
	if err = errors.Join(err, json.Unmarshal(line, &listens)); err != nil {
		return nil, fmt.Errorf("serve: %w\n%s", errors.Join(err, server.Wait()), messages.Bytes())
	}
	body := `{"inputs":[{"name":"x","datatype":"FP64","shape":[` + fmt.Sprint(rows) + `,2],"data":[0.25,0.75` +
		strings.Repeat(",0.25,0.75", rows-1) + `]}]}`
	each := serveRequests / clients / min(rows, 10)
	times, failures := make([]time.Duration, each*clients), make([]error, clients)
	began := time.Now()
	var wait sync.WaitGroup
	for c := range clients {
		wait.Go(func() {
			failures[c] = post("http://"+listens.Address+"/v2/models/m/infer", body, times[c*each:(c+1)*each])
		})
	}
	wait.Wait()
	row = []string{fmt.Sprintf("%.0f", float64(len(times))/time.Since(began).Seconds())}
	failures = append(failures, server.Process.Signal(os.Interrupt), server.Wait())
	if err = errors.Join(failures...); err != nil {
		return nil, fmt.Errorf("serve: %w\n%s", err, messages.Bytes())
	}
	slices.Sort(times)
	for _, share := range []float64{0.5, 0.99, 0.999, 1} {
		t := times[min(int(share*float64(len(times))), len(times)-1)]
		row = append(row, fmt.Sprintf("%.0f", t.Seconds()*1e6))
	}
	used := server.ProcessState.UserTime() + server.ProcessState.SystemTime()
	return append(row, fmt.Sprintf("%.0f", used.Seconds()*1e6/float64(len(times)))), nil
}

// post measures requests over one connection, one after the other.
func post(url, body string, times []time.Duration) error {
	client := &http.Client{Transport: &http.Transport{DisableCompression: true}}
	defer client.CloseIdleConnections()
	for i := range times {
		began := time.Now()
		r, err := client.Post(url, "application/json", strings.NewReader(body))
		if err != nil {
			return err
		}
		text, err := io.ReadAll(r.Body)
		if err = errors.Join(err, r.Body.Close()); err != nil {
			return err
		}
		times[i] = time.Since(began)
		if r.StatusCode != http.StatusOK {
			return fmt.Errorf("status %d: %s", r.StatusCode, text)
		}
	}
	return nil
}
