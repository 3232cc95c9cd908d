"use strict";
const $ = (id) => document.getElementById(id);
const columns = 160, rows = 120; // of the field that a machine decides
const panels = [...document.querySelectorAll("section")].map((section) => ({
  method: section.dataset.method, section, canvas: section.querySelector("canvas"),
  count: section.querySelector("output"), detail: section.querySelector(".detail"), answer: null,
}));

// What is learnt: x, y of each point, one after the other, and ±1; box is what the canvases show.
let points = { x: [], y: [], labels: ["-1", "1"], scale: false, box: null };
let cross = null; // the keyboard's, in the points' units

const worker = new Worker("worker.js");
let next = 0;
const waiting = new Map();
worker.onmessage = ({ data }) => {
  if (data.ready) return loadRipley();
  if (data.failed) return say("The engine could not be loaded: " + data.failed, true);
  waiting.get(data.id)(data);
  waiting.delete(data.id);
};
worker.onerror = () => say("The engine could not be started. " + (location.protocol === "file:"
  ? "A browser runs no workers from file:// addresses: serve this folder, for instance by python3 -m http.server." : ""), true);
const ask = (q) => new Promise((done) => {
  waiting.set(next, done);
  worker.postMessage({ ...q, id: next++ });
});

function say(text, wrong) {
  $("status").textContent = text;
  $("status").className = wrong ? "error" : "";
}

const value = (id) => 10 ** Number($(id).value);
const digits = (v) => v.toPrecision(v < 0.1 ? 2 : 3).replace(/\.?0+$/, "");

// Trainings: one at a time, and the newest wish after it.
let running = false, wanted = false;
async function train() {
  $("sigma-value").textContent = digits(value("sigma"));
  $("c-value").textContent = digits(value("c"));
  draw();
  wanted = true;
  if (running) return;
  running = true;
  while (wanted) {
    wanted = false;
    const ones = points.y.filter((v) => v > 0).length;
    if (ones === 0 || ones === points.y.length) {
      for (const p of panels) p.answer = null;
      say("Samples of both colours are needed.");
      draw();
      continue;
    }
    const { left, right, bottom, top } = box(), at = performance.now();
    const q = { op: "train", x: Float64Array.from(points.x), y: Float64Array.from(points.y), labels: points.labels,
      scale: points.scale, sigma: value("sigma"), c: value("c"), left, right, bottom, top, columns, rows };
    for (const p of panels) {
      const began = performance.now(), n = points.y.length;
      const a = await ask({ ...q, method: p.method });
      if (a.error) {
        say(a.error, true);
        continue;
      }
      p.answer = { ...a, left, right, bottom, top, n };
      paint(p);
      p.answer.ms = performance.now() - began;
      describe(p);
    }
    if (!wanted && panels.every((p) => p.answer)) {
      document.body.dataset.ms = Math.round(performance.now() - at); // for tests
      const left = points.left?.length ? ` Columns left out: ${points.left.join(", ")}.` : "";
      say(`Trained and drawn in ${document.body.dataset.ms} ms.${left}`);
    }
  }
  running = false;
}

function describe(p) {
  const { support, errors, ms, n, status } = p.answer;
  const b = document.createElement("b");
  b.textContent = support.length;
  p.count.replaceChildren(b, ` of ${n} samples kept`);
  p.detail.textContent = `${errors} of ${n} wrong · ${Math.round(ms)} ms` + (status === "optimal" ? "" : ` · ${status}`);
}

// box is the part of the plane that the canvases show, in their proportions.
function box() {
  if (points.box) return points.box;
  if (points.y.length === 0) return (points.box = { left: -1.6, right: 1.2, bottom: -0.6, top: 1.5 });
  const range = (k) => {
    const v = points.x.filter((_, i) => i % 2 === k), low = Math.min(...v), high = Math.max(...v);
    const room = 0.08 * (high - low) || 1;
    return [low - room, high + room];
  };
  const [left, right] = range(0), [bottom, top] = range(1);
  return (points.box = { left, right, bottom, top });
}

const style = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

function draw() {
  for (const p of panels) paint(p);
}

// paint draws a panel: the field, its contours at −1, 0 and 1, the points and the circles.
function paint(p) {
  const canvas = p.canvas, ratio = devicePixelRatio || 1, b = box();
  const width = canvas.clientWidth, height = canvas.clientHeight;
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  const g = canvas.getContext("2d");
  g.scale(ratio, ratio);
  g.fillStyle = style("--card");
  g.fillRect(0, 0, width, height);
  const px = (x) => (x - b.left) / (b.right - b.left) * width, py = (y) => (b.top - y) / (b.top - b.bottom) * height;
  const a = p.answer;
  if (a) {
    const one = style("--one-field").split(" "), two = style("--two-field").split(" ");
    const image = new ImageData(columns, rows);
    a.field.forEach((f, i) => {
      const color = f > 0 ? one : two, alpha = 80 + 175 * Math.min(1, Math.abs(f));
      image.data.set([color[0], color[1], color[2], alpha], 4 * i);
    });
    const small = new OffscreenCanvas(columns, rows);
    small.getContext("2d").putImageData(image, 0, 0);
    g.drawImage(small, px(a.left), py(a.top), px(a.right) - px(a.left), py(a.bottom) - py(a.top));
    g.strokeStyle = style("--edge");
    const place = (k, i) => [px(a.left + (a.right - a.left) * (k + 0.5) / columns), py(a.top + (a.bottom - a.top) * (i + 0.5) / rows)];
    for (const [level, thick, dash] of [[-1, 1, [4, 4]], [1, 1, [4, 4]], [0, 2, []]]) {
      g.lineWidth = thick;
      g.setLineDash(dash);
      g.globalAlpha = level ? 0.45 : 1;
      contour(g, a.field, level, place);
    }
    g.globalAlpha = 1;
    g.setLineDash([]);
  }
  const colors = { 1: style("--one"), "-1": style("--two") };
  points.y.forEach((y, i) => {
    g.fillStyle = colors[y];
    g.beginPath();
    g.arc(px(points.x[2 * i]), py(points.x[2 * i + 1]), 2.6, 0, 7);
    g.fill();
  });
  if (a) {
    g.strokeStyle = style("--edge");
    g.lineWidth = a.support.length < 20 ? 2 : 1.25;
    for (const i of a.support) {
      g.beginPath();
      g.arc(px(points.x[2 * i]), py(points.x[2 * i + 1]), a.support.length < 20 ? 8 : 5.5, 0, 7);
      g.stroke();
    }
  }
  if (cross && document.activeElement === canvas) {
    const [x, y] = [px(cross[0]), py(cross[1])];
    g.strokeStyle = style("--focus");
    g.lineWidth = 2;
    g.strokeRect(x - 5, y - 5, 10, 10);
    g.stroke(new Path2D(`M${x - 12} ${y}H${x + 12}M${x} ${y - 12}V${y + 12}`));
  }
}

// contour joins the crossings of a level in every cell of the grid (marching squares) to lines.
function contour(g, f, level, place) {
  const ends = new Map(), key = (e) => e[0].toFixed(2) + "," + e[1].toFixed(2);
  const link = (u, v) => {
    for (const [from, to] of [[u, v], [v, u]]) {
      const k = key(from);
      ends.set(k, [...(ends.get(k) || []), { at: from, to: key(to) }]);
    }
  };
  for (let i = 0; i + 1 < rows; i++) {
    for (let k = 0; k + 1 < columns; k++) {
      const corners = [[k, i], [k + 1, i], [k + 1, i + 1], [k, i + 1]].map(([c, r]) => ({ c, r, v: f[r * columns + c] - level }));
      const cuts = [];
      corners.forEach((u, e) => {
        const v = corners[(e + 1) % 4];
        if (u.v > 0 === v.v > 0) return;
        const t = u.v / (u.v - v.v);
        cuts.push(place(u.c + t * (v.c - u.c), u.r + t * (v.r - u.r)));
      });
      for (let n = 0; n + 1 < cuts.length; n += 2) link(cuts[n], cuts[n + 1]);
    }
  }
  g.beginPath();
  const starts = [...ends].filter(([, e]) => e.length === 1).map(([k]) => k);
  for (const start of [...starts, ...ends.keys()]) {
    let at = start, first = true;
    for (;;) {
      const here = ends.get(at);
      if (!here || here.length === 0) break;
      const edge = here.pop(), back = ends.get(edge.to);
      if (first) g.moveTo(...edge.at);
      first = false;
      const there = back.findIndex((e) => e.to === at);
      if (there >= 0) {
        g.lineTo(...back[there].at);
        back.splice(there, 1);
      }
      at = edge.to;
    }
  }
  g.stroke();
}

function add(x, y) {
  points.x.push(x, y);
  points.y.push(Number(document.querySelector("[name=class]:checked").value));
  train();
}

for (const { canvas, method, section } of panels) {
  canvas.addEventListener("click", (e) => {
    const b = box(), r = canvas.getBoundingClientRect();
    cross = null;
    add(b.left + (b.right - b.left) * (e.clientX - r.left) / r.width, b.top + (b.bottom - b.top) * (e.clientY - r.top) / r.height);
  });
  canvas.addEventListener("keydown", (e) => {
    const b = box(), step = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[e.key];
    cross ??= [(b.left + b.right) / 2, (b.bottom + b.top) / 2];
    if (step) {
      const size = (e.shiftKey ? 5 : 1) / 60;
      cross = [Math.min(b.right, Math.max(b.left, cross[0] + step[0] * size * (b.right - b.left))),
        Math.min(b.top, Math.max(b.bottom, cross[1] + step[1] * size * (b.top - b.bottom)))];
      draw();
    } else if (e.key === "Enter" || e.key === " ") {
      add(...cross);
    } else {
      return;
    }
    e.preventDefault();
  });
  canvas.addEventListener("focus", draw);
  canvas.addEventListener("blur", draw);
  section.querySelector(".export").addEventListener("click", async () => {
    say("Writing C…");
    const a = await ask({ op: "c", method });
    if (a.error) return say(a.error, true);
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([a.text], { type: "text/x-c" }));
    link.download = method.replace("-", "_") + ".h";
    link.click();
    URL.revokeObjectURL(link.href);
    document.body.dataset.exported = a.text; // for tests
    say(`${link.download}: ${a.text.length} bytes of C99, a header without dependencies.`);
  });
}

// parse reads a file as the command does: two features and two labels. It throws what is wrong, and where.
async function parse(name, text) {
  const a = await ask({ op: "read", name, text });
  if (a.error) throw new Error(a.error);
  return { x: [...a.x], y: [...a.y], labels: a.labels, left: a.left, scale: true, box: null };
}

function show(loaded) {
  points = loaded;
  for (const p of panels) p.answer = null;
  cross = null;
  return train();
}

async function loadRipley() {
  const answer = await fetch("ripley.train.libsvm");
  if (!answer.ok) return say("ripley.train.libsvm: " + answer.status, true);
  $("sigma").value = Math.log10(0.5);
  $("c").value = 0;
  show({ ...await parse("ripley.train.libsvm", await answer.text()), scale: false });
}

$("ripley").addEventListener("click", loadRipley);
$("clear").addEventListener("click", () => show({ x: [], y: [], labels: ["-1", "1"], scale: false, box: null }));
$("undo").addEventListener("click", () => {
  points.x.length = Math.max(0, points.x.length - 2);
  points.y.pop();
  for (const p of panels) p.answer = null;
  train();
});
$("file").addEventListener("change", async (e) => {
  const file = e.target.files[0];
  e.target.value = "";
  try {
    show(await parse(file.name, await file.text()));
  } catch (wrong) {
    say(wrong.message, true);
  }
});
document.querySelector("label.button").addEventListener("keydown", (e) => {
  if (e.key === "Enter" || e.key === " ") {
    e.preventDefault();
    $("file").click();
  }
});
for (const id of ["sigma", "c"]) $(id).addEventListener("input", train);
new ResizeObserver(draw).observe(document.body);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
