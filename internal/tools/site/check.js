// Looks at ten pages of the site FOLDER in Chromium, light and dark, on a phone and on a desk. Wants no serious finding
// of axe-core, no page that scrolls sideways, no request to another host, and answers of the search. Pictures go to the
// folder SHOTS.
//
//   node check.js FOLDER SHOTS
"use strict";
const fs = require("fs");
const http = require("http");
const path = require("path");
const puppeteer = require("puppeteer-core");

const pages = ["index", "tutorials/table", "guide/choose", "guide/data", "performance/promise", "performance/papers",
  "reference/command/train", "reference/python/estimators", "reference/go/smo", "reference/c"];
const kinds = {".html": "text/html", ".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml",
  ".json": "application/json", ".png": "image/png", ".wasm": "application/wasm"};
const sizes = {phone: [390, 844], desk: [1440, 900]};

function serve(folder) {
  return new Promise(resolve => {
    const server = http.createServer((request, response) => {
      const name = path.join(folder, path.normalize(decodeURIComponent(request.url.split(/[?#]/)[0])));
      if (!fs.existsSync(name) || fs.statSync(name).isDirectory()) {
        response.writeHead(404).end();
        return;
      }
      response.writeHead(200, {"Content-Type": kinds[path.extname(name)] || "text/plain"});
      fs.createReadStream(name).pipe(response);
    });
    server.listen(0, "127.0.0.1", () => resolve(server));
  });
}

// look returns the faults of one page in one scheme and size.
async function look(browser, root, page, scheme, size, shots) {
  const context = await browser.createBrowserContext(); // the theme keeps the scheme of an earlier visit
  const tab = await context.newPage();
  const faults = [];
  tab.on("request", r => r.url().startsWith(root) || r.url().startsWith("data:") || faults.push(`asks ${r.url()}`));
  tab.on("response", r => r.status() < 400 || faults.push(`${r.status()} ${r.url()}`));
  tab.on("pageerror", e => faults.push(`script: ${e.message}`));
  const [width, height] = sizes[size];
  await tab.setViewport({width, height});
  await tab.emulateMediaFeatures([{name: "prefers-color-scheme", value: scheme}]);
  await tab.goto(`${root}/${page}.html`, {waitUntil: "networkidle0"});
  const wide = await tab.evaluate(() => document.documentElement.scrollWidth);
  if (wide > width) faults.push(`scrolls sideways, ${wide} pixels wide`);
  await tab.screenshot({path: path.join(shots, `${page.replaceAll("/", "-")}-${size}-${scheme}.png`)});
  await tab.addScriptTag({path: require.resolve("axe-core")});
  const found = await tab.evaluate(() => axe.run());
  for (const v of found.violations) {
    const what = `${v.impact}: ${v.id}`;
    const first = `${v.nodes[0].html.slice(0, 150)} ${v.nodes[0].failureSummary}`;
    if (["serious", "critical"].includes(v.impact)) faults.push(`axe: ${what}: ${v.nodes.length} of ${first}`);
    else minor.add(what);
  }
  await context.close();
  return faults.map(f => `${page}, ${scheme}, ${size}: ${f}`);
}

// search fails unless the search finds something.
async function search(browser, root) {
  const tab = await browser.newPage();
  await tab.setViewport({width: 1440, height: 900});
  await tab.goto(`${root}/index.html`, {waitUntil: "networkidle0"});
  await tab.click(".md-search__input");
  await tab.type(".md-search__input", "duality gap");
  await tab.waitForSelector(".md-search-result__item a", {timeout: 20000});
}

const minor = new Set();

async function main([folder, shots]) {
  fs.mkdirSync(shots, {recursive: true});
  const server = await serve(folder);
  const root = `http://127.0.0.1:${server.address().port}`;
  const executablePath = process.env.CHROMIUM || "/usr/bin/chromium";
  const browser = await puppeteer.launch({executablePath, args: ["--no-sandbox"]}); // only our own pages
  const faults = [];
  try {
    for (const page of pages) {
      for (const scheme of ["light", "dark"]) {
        for (const size of Object.keys(sizes)) faults.push(...await look(browser, root, page, scheme, size, shots));
      }
    }
    await search(browser, root);
  } finally {
    await browser.close();
    server.close();
  }
  for (const f of faults) console.log(f);
  console.log(`${pages.length} pages, 2 schemes, 2 sizes: ${faults.length} faults`);
  console.log(`lesser findings of axe-core: ${[...minor].join(", ") || "none"}`);
  process.exitCode = faults.length > 0 ? 1 : 0;
}

main(process.argv.slice(2));
