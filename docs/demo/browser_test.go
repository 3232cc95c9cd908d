package demo

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sparsekm/sparsekm/internal/testing/testutil"
)

// tool is the path of a script of internal/tools.
func tool(tb testing.TB, name string) string {
	tb.Helper()
	return filepath.Join(testutil.Root(tb), "internal", "tools", name)
}

// run runs a script of internal/tools.
func run(tb testing.TB, script string, args ...string) {
	tb.Helper()
	args = append([]string{tool(tb, script)}, args...)
	command := exec.CommandContext(tb.Context(), testutil.Program(tb, "bash"), args...)
	if out, err := command.CombinedOutput(); err != nil {
		tb.Fatalf("%s: %v\n%s", args, err, out)
	}
}

// build makes the page in a folder.
func build(tb testing.TB, site string, how ...string) {
	tb.Helper()
	testutil.Program(tb, "chromium") // before minutes of work for nothing
	run(tb, "demo.sh", append([]string{site}, how...)...)
}

// browse serves a folder, opens a page of this text next to its files, and returns what the page posts to /seen.
func browse(tb testing.TB, site, page string) []byte {
	tb.Helper()
	results := make(chan []byte, 1)
	mux := http.NewServeMux()
	mux.Handle("/", http.FileServer(http.Dir(site)))
	mux.HandleFunc("/check.html", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, page) })
	mux.HandleFunc("/seen", func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body) // what is cut off is no JSON
		results <- body
	})
	server := httptest.NewServer(mux)
	defer server.Close()
	var messages bytes.Buffer
	browser := exec.CommandContext(tb.Context(), testutil.Program(tb, "chromium"), "--headless", "--no-sandbox",
		"--disable-gpu", "--user-data-dir="+tb.TempDir(), "--remote-debugging-port=0", server.URL+"/check.html")
	browser.Stderr = &messages
	if err := browser.Start(); err != nil {
		tb.Fatal(err)
	}
	defer func() {
		_ = browser.Process.Kill()
		_ = browser.Wait()
	}()
	select {
	case body := <-results:
		return body
	case <-time.After(2 * time.Minute):
		_ = browser.Process.Kill()
		_ = browser.Wait()
		tb.Fatalf("nothing seen after two minutes\n%s", &messages)
	}
	return nil
}

// tests runs a Go test program in the browser, and sends its last words.
const tests = `<!doctype html><script src="wasm_exec.js"></script><script>
const go = new Go(), lines = [];
let code = -1;
console.log = (line) => lines.push(line);
go.argv = ["gram.test", "-test.short", "-test.v", "-test.run=^Test(Exp|Tile|Weigh|Distances|Small|KernelsPanic)"];
go.exit = (c) => { code = c; };
const send = (v) => fetch("/seen", { method: "POST", body: JSON.stringify(v) });
fetch("gram.wasm").then((r) => r.arrayBuffer()).then((b) => WebAssembly.instantiate(b, go.importObject))
  .then(({ instance }) => go.run(instance)).then(() => send({ code, lines }))
  .catch((e) => send({ code, lines: [...lines, String(e)] }));
</script>`

// TestKernels runs tests of package gram at the level simd in the browser.
func TestKernels(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a program and starts a browser")
	}
	testutil.Program(t, "chromium")
	simd := tool(t, "simd.sh")
	try := exec.CommandContext(t.Context(), testutil.Program(t, "bash"), simd, "true")
	if out, err := try.CombinedOutput(); err != nil {
		t.Skipf("%s", out)
	}
	site := t.TempDir()
	t.Setenv("GOOS", "js")
	t.Setenv("GOARCH", "wasm")
	run(t, "simd.sh", "go", "test", "-c", "-vet=off", "-o", filepath.Join(site, "gram.wasm"), "../../gram")
	run(t, "simd.sh", "bash", "-c", `cp -f "$(go env GOROOT)/lib/wasm/wasm_exec.js" "$0"`, site)
	var seen struct {
		Code  int
		Lines []string
	}
	body := browse(t, site, tests)
	if err := json.Unmarshal(body, &seen); err != nil {
		t.Fatalf("%v, %s", err, body)
	}
	said := strings.Join(seen.Lines, "\n")
	for _, want := range []string{"--- PASS: TestTile/level=simd", "--- PASS: TestExpNeg64/level=simd", "PASS\n"} {
		if seen.Code != 0 || !strings.Contains(said+"\n", want) {
			t.Fatalf("exit %d, want %q in\n%s", seen.Code, want, said)
		}
	}
}

// times loads the page, trains again after a move of a slider, and sends the milliseconds of the first training of both
// methods and of those that follow.
const times = `<!doctype html><iframe src="index.html" style="width:1000px;height:900px"></iframe><script>
const frame = document.querySelector("iframe"), seen = [];
const until = async (f) => { while (!f()) await new Promise((r) => setTimeout(r, 20)); };
(async () => {
  await new Promise((r) => (frame.onload = r));
  const page = frame.contentDocument, data = page.body.dataset;
  for (let i = 0; i < 16; i++) {
    await until(() => data.ms);
    seen.push(Number(data.ms));
    await new Promise((r) => setTimeout(r, 500)); // until the browser has compiled what it will
    data.ms = "";
    page.querySelector("#sigma").dispatchEvent(new Event("input"));
  }
  fetch("/seen", { method: "POST", body: JSON.stringify(seen) });
})();
</script>`

// BenchmarkPage times the page, SVC and SSVC-A of Ripley's samples trained and drawn, with package simd and without.
func BenchmarkPage(b *testing.B) {
	for _, how := range []string{"plain", "simd"} {
		b.Run("build="+how, func(b *testing.B) {
			site := b.TempDir()
			build(b, site, how)
			first, smallest := 0.0, 0.0
			b.ResetTimer()
			for range b.N {
				var seen []float64
				if err := json.Unmarshal(browse(b, site, times), &seen); err != nil || len(seen) < 2 {
					b.Fatalf("%v, %v", err, seen)
				}
				smallest += slices.Min(seen[1:])
				first += seen[0]
			}
			b.ReportMetric(first/float64(b.N), "first-ms")
			b.ReportMetric(smallest/float64(b.N), "again-ms")
			b.ReportMetric(0, "ns/op")
		})
	}
}
