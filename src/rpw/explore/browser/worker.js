// The whole of a worker, beside core.js: the first message brings the compiled module, each other one a job.

import { Core } from "./core.js";

let core;

self.onmessage = ({ data }) => {
  if (data.module) {
    core = new Core(data.module);
    return;
  }
  const start = performance.now();
  let answers;
  try {
    answers = core.answers(data.job);
  } catch (error) {
    answers = Object.fromEntries(data.job.what.map((name) => [name, { error: String(error) }]));
  }
  self.postMessage({ answers, milliseconds: performance.now() - start });
};
