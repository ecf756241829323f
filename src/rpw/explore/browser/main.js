// Starts the page, and draws once in each frame in which something has changed.

import { begin, listenToControls, setHome, showParameters, showUnits, tellStory } from "./controls.js";
import { drawStage } from "./draw.js";
import { gesture, listenOn } from "./input.js";
import { drawProfile } from "./profile.js";
import { drawTraces, showNumbers, speakSoon, traceAnswer } from "./readouts.js";
import { SAMPLES } from "./samples.js";
import { askOnce, isUpToDate, solve, startSolver } from "./solver.js";
import { on, state } from "./state.js";
import { STORIES } from "./stories.js";
import { resizeView, view } from "./view.js";

const byId = (id) => document.getElementById(id);

let isAsked = false;

function drawSoon() {
  if (isAsked) return;
  isAsked = true;
  requestAnimationFrame(() => {
    isAsked = false;
    drawStage(byId("stage"), gesture.marquee, gesture.hover);
    drawProfile(byId("profile"));
    drawTraces();
    showNumbers();
    showUnits();
    window.playground.drawn = state.crossing?.moment ?? 0;
  });
}

function watchSize() {
  const stage = byId("stage");
  const fit = () => {
    const { width, height } = stage.getBoundingClientRect();
    if (width > 0) resizeView(width, height);
    drawSoon();
  };
  new ResizeObserver(fit).observe(stage);
  new ResizeObserver(drawSoon).observe(byId("profile"));
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawSoon);
  fit();
}

// The compiled core is kept in the page: compressed, as text.
async function unpacked(text) {
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).arrayBuffer();
}

function goHome(given) {
  if (!given) {
    Object.assign(state, { p: 2, k: 1, diameter: 1, names: ["A", "B"], metric: "euclidean" });
    begin(SAMPLES["two-60"].make());
    return;
  }
  const { a, b, dimension, columns, p, ...others } = given;
  Object.assign(state, others, { p: p ?? Infinity, names: [...given.names] }); // JSON has no ∞
  begin({ clouds: [a, b].map(copied), dimension, columns: columns ?? undefined }, { isWhole: true });
}

function copied({ points, weights }) {
  return { points: [...points], weights: [...weights] };
}

async function start() {
  // For tests, for measurements, and for the console.
  window.playground = { state, view, askOnce, isUpToDate, drawn: 0, firstAnswer: 0 };
  for (const event of ["points", "parameters"]) {
    on(event, () => {
      solve();
      drawSoon();
      speakSoon();
    });
  }
  on("answer", (name) => {
    window.playground.firstAnswer ||= state.crossing ? performance.now() : 0;
    traceAnswer(name);
    drawSoon();
  });
  on("parameters", showParameters);
  for (const event of ["selection", "view"]) on(event, drawSoon);
  listenOn(byId("stage"));
  listenToControls();
  watchSize();
  const given = JSON.parse(byId("given").textContent);
  setHome(() => goHome(given));
  const named = location.hash.slice(1);
  if (!given && STORIES[named]) tellStory(named);
  else goHome(given);
  showParameters();
  try {
    await startSolver(await unpacked(byId("wasm").textContent), byId("worker").textContent);
    solve();
  } catch (error) {
    state.error = `The core could not be started: ${error.message}. A browser from 2023 or later is needed.`;
    drawSoon();
  }
  document.documentElement.dataset.ready = "";
}

start();
