"use strict";
// The engine, in a worker next to the page. A message {id, op, ...} is answered by {id, ...}; {ready: true} comes first.
importScripts("wasm_exec.js");

async function load(file) {
  const go = new Go();
  const answer = await fetch(file);
  if (!answer.ok) throw new Error(file + ": " + answer.status + " " + answer.statusText);
  const { instance } = await WebAssembly.instantiate(await answer.arrayBuffer(), go.importObject);
  go.run(instance); // returns when the program waits for calls
}

const engine = load("engine.wasm");
let exporter;

async function answer(q) {
  await engine;
  if (q.op !== "c") return sparsekm[q.op](q);
  const saved = sparsekm.save(q);
  if (saved.error) return saved;
  await (exporter ??= load("exporter.wasm")); // most visitors never ask
  return sparsekmC(saved.bytes);
}

engine.then(() => postMessage({ ready: true }), (e) => postMessage({ failed: e.message }));
onmessage = async ({ data }) => {
  let a;
  try {
    a = await answer(data);
  } catch (e) {
    a = { error: e.message };
  }
  postMessage({ ...a, id: data.id });
};
