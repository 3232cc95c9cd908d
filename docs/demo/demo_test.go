// Package demo is the demonstration page.
package demo

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sparsekm/sparsekm/internal/testing/testutil"
)

// check opens the page in a frame, waits until both models are there, exports one, adds a sample by the keyboard,
// and sends what it has seen.
const check = `<!doctype html><iframe src="index.html" style="width:1000px;height:900px"></iframe><script>
const frame = document.querySelector("iframe"), seen = {};
const until = async (f) => { while (!f()) await new Promise((r) => setTimeout(r, 20)); };
onerror = (e) => send({ error: String(e) });
const send = (v) => fetch("/seen", { method: "POST", body: JSON.stringify(v) });
(async () => {
  await new Promise((r) => (frame.onload = r));
  const page = frame.contentDocument, all = (s) => [...page.querySelectorAll(s)];
  await until(() => page.body.dataset.ms || page.querySelector("#status.error"));
  seen.error = page.querySelector("#status.error")?.textContent || "";
  seen.kept = all("h2 output").map((e) => e.textContent);
  seen.detail = all(".detail").map((e) => e.textContent);
  seen.ms = Number(page.body.dataset.ms);
  const pixel = (c, x, y) => [...c.getContext("2d").getImageData(x * c.width, y * c.height, 1, 1).data];
  seen.colors = all("canvas").map((c) => [pixel(c, 0.5, 0.02), pixel(c, 0.5, 0.98)]);
  all(".export")[1].click();
  await until(() => page.body.dataset.exported);
  seen.c = page.body.dataset.exported;
  const canvas = all("canvas")[0], key = (k) => canvas.dispatchEvent(new KeyboardEvent("keydown", { key: k }));
  key("ArrowRight");
  key("Enter");
  await until(() => all("h2 output")[1].textContent.includes("251"));
  seen.wide = page.documentElement.scrollWidth;
  frame.style.width = "360px";
  await new Promise((r) => setTimeout(r, 100));
  seen.narrow = page.documentElement.scrollWidth;
  const load = (text) => {
    const files = new DataTransfer(), input = page.querySelector("#file");
    files.items.add(new File([text], "table.csv"));
    input.files = files.files;
    input.dispatchEvent(new Event("change"));
  };
  const row = (_, i) => ["p" + i, i % 7, i % 3 ? "yes" : "no", i % 3 ? "b" : "a"].join(",");
  load("id,size,smoker,class\n" + Array.from({ length: 40 }, row).join("\n") + "\n");
  const status = page.querySelector("#status");
  await until(() => status.textContent.includes("left out") || status.className === "error");
  seen.table = page.querySelector("#status").textContent;
  seen.fits = all(".detail").map((e) => e.textContent);
  load("size,weight,class\n1,2,a\n2,x,b\n3,4,a\n");
  await until(() => page.querySelector("#status.error"));
  seen.wrong = page.querySelector("#status").textContent;
  page.querySelector("#clear").click();
  await until(() => page.querySelector("#status").textContent.includes("needed"));
  send(seen);
})().catch((e) => send({ error: String(e) }));
</script>`

// TestPage opens the page in a browser: of Ripley's 250 samples the two methods keep 102 and 4, and the page exports
// the second model as a C header.
func TestPage(t *testing.T) {
	if testing.Short() {
		t.Skip("builds two programs and starts a browser")
	}
	look(t)
	site := t.TempDir()
	build(t, site)
	weigh(t, site)
	var seen struct {
		Error        string
		Kept, Detail []string
		MS           float64
		Colors       [][][]float64
		C            string
		Table, Wrong string
		Fits         []string
		Wide, Narrow int
	}
	if body := browse(t, site, check); json.Unmarshal(body, &seen) != nil || seen.Error != "" {
		t.Fatalf("%s", body)
	}
	t.Logf("%s; %s; trained and drawn in %v ms", seen.Kept, seen.Detail, seen.MS)
	if want := []string{"102 of 250 samples kept", "4 of 250 samples kept"}; fmt.Sprint(seen.Kept) != fmt.Sprint(want) {
		t.Errorf("the page says %q, want %q", seen.Kept, want)
	}
	for i, c := range seen.Colors {
		if fmt.Sprint(c[0]) == fmt.Sprint(c[1]) {
			t.Errorf("canvas %d has one color, %v, above and below", i, c[0])
		}
	}
	if !strings.Contains(seen.C, "model_FEATURES = 2") || !strings.Contains(seen.C, "model_decide(const double *x") {
		t.Errorf("the export is %.300q", seen.C)
	}
	if !strings.Contains(seen.Table, "Columns left out: id.") || len(seen.Fits) != 2 ||
		!strings.HasPrefix(seen.Fits[0], "0 of 40 wrong") {
		t.Errorf("a table: %q, %q", seen.Table, seen.Fits)
	}
	if !strings.Contains(seen.Wrong, "table.csv") {
		t.Errorf("a wrong table: %q", seen.Wrong)
	}
	if seen.Wide > 1000 || seen.Narrow > 360 {
		t.Errorf("the page is %d wide in 1000 pixels, %d in 360", seen.Wide, seen.Narrow)
	}
}

// look reads the page's sources, so that go test runs again after a change of the page.
func look(t *testing.T) {
	t.Helper()
	for _, pattern := range []string{"*.*", "*/*.go"} {
		sources, err := filepath.Glob(pattern)
		if err != nil || len(sources) < 2 {
			t.Fatalf("%s: %d files, %v", pattern, len(sources), err)
		}
		for _, name := range sources {
			if _, err = os.ReadFile(name); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// weigh holds what a visitor loads to 2.2 MB, compressed as servers do (by zlib); the exporter loads on demand.
func weigh(t *testing.T, site string) {
	t.Helper()
	gzip := testutil.Program(t, "gzip")
	files, err := os.ReadDir(site)
	if err != nil || len(files) != 8 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	sum := 0
	for _, f := range files {
		packed, err := exec.CommandContext(t.Context(), gzip, "-9", "-n", "-c", filepath.Join(site, f.Name())).Output()
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%s: %d bytes compressed", f.Name(), len(packed))
		if f.Name() != "exporter.wasm" {
			sum += len(packed)
		}
	}
	if t.Logf("%d bytes together", sum); sum > 2_290_000 {
		t.Errorf("the page is %d bytes compressed, want at most 2290000", sum)
	}
}
