// Sliders, fields, buttons, files, stories: all that is not the stage.

import { counted, isNumber, readCsv, writeCsv } from "./csv.js";
import { nameOfAxis } from "./draw.js";
import { comeToRest, moveForAMoment, removeChosen, selectAll } from "./input.js";
import { priceAt } from "./profile.js";
import { clearTraces, pInWords, say } from "./readouts.js";
import { SAMPLES, SPACE } from "./samples.js";
import {
  canUndo,
  inUnits,
  on,
  placePoints,
  pointAt,
  remember,
  selectedCount,
  setClouds,
  sizeOf,
  state,
  tell,
  undo,
} from "./state.js";
import { STORIES } from "./stories.js";
import { lookAgain, lookNow, showAll, showBox, zoom } from "./view.js";

const byId = (id) => document.getElementById(id);
const BEYOND_TEN = 10.1; // the last stop of the slider of p is ∞
const K_ENDS = [-2, 2]; // powers of ten

// ---------------------------------------------------------------- parameters

export function showParameters() {
  const { p, k, diameter } = state;
  byId("p-slider").value = Number.isFinite(p) ? Math.min(10, p) : BEYOND_TEN;
  byId("p-slider").setAttribute("aria-valuetext", Number.isFinite(p) ? pInWords() : "infinity");
  byId("k-slider").value = k > 0 ? Math.min(K_ENDS[1], Math.max(K_ENDS[0], Math.log10(k))) : K_ENDS[0];
  byId("k-slider").setAttribute("aria-valuetext", shown(k));
  for (const [id, value] of [["p-field", pInWords()], ["k-field", shown(k)], ["diameter-field", shown(diameter)]]) {
    if (document.activeElement !== byId(id)) byId(id).value = value;
    byId(id).setCustomValidity("");
  }
  byId("kappa").textContent = shown(k * diameter);
  const numbers = `p=${Number.isFinite(p) ? p : 'float("inf")'}, k=${k}, diameter=${diameter}`; // every digit: the same floats
  const [x, y] = ["x", "y"].map((name) => (isScaled() ? `${name} / [${state.units.join(", ")}]` : name));
  byId("code").textContent = `rpw.solve(${x}, ${y}, a, b, ${numbers}${state.metric === "euclidean" ? "" : `, metric="${state.metric}"`})`;
}

function shown(value) {
  return Number(value.toPrecision(6)).toString();
}

function setParameter(name, value) {
  state[name] = value;
  moveForAMoment();
  tell("parameters");
}

const THOUSANDS = /^[+-]?[1-9]\d{0,2}(,\d{3})+$/; // 1,000 is a thousand to some, and 1 to others

function number(text) {
  const word = text.trim();
  if (/^(∞|inf|infinity)$/i.test(word)) return Infinity;
  const point = word.replace(",", ".");
  return isNumber(point) && !THOUSANDS.test(word) ? Number(point) : NaN;
}

function listenToFields() {
  byId("p-slider").addEventListener("input", ({ target }) => {
    const value = Number(target.value);
    setParameter("p", value > 10 ? Infinity : value);
  });
  byId("k-slider").addEventListener("input", ({ target }) => setParameter("k", Number((10 ** target.value).toPrecision(3))));
  const rules = {
    p: [(value) => value >= 1, "p must be at least 1, or inf"],
    k: [(value) => value >= 0 && Number.isFinite(value), "k must be at least 0"],
    diameter: [(value) => value > 0 && Number.isFinite(value), "Δ must be above 0"],
  };
  for (const [name, [isFine, rule]] of Object.entries(rules)) {
    const field = byId(`${name}-field`);
    field.addEventListener("change", () => {
      const value = number(field.value);
      if (!isFine(value)) {
        const complaint = THOUSANDS.test(field.value.trim()) ? `${rule}; write it without a comma` : rule;
        field.setCustomValidity(complaint);
        field.reportValidity();
        say(complaint);
        return;
      }
      field.blur();
      setParameter(name, value);
    });
    field.addEventListener("keydown", (event) => event.key === "Escape" && (field.blur(), showParameters()));
  }
  byId("diameter-fit").addEventListener("click", fitDiameter);
}

// Gives whether there is a largest distance to take.
function fitDiameter() {
  const largest = largestDistance();
  const isUnit = largest > 0 && Number.isFinite(largest);
  if (isUnit) setParameter("diameter", Number(largest.toPrecision(4)));
  return isUnit;
}

// The largest distance between any two points, to four digits: pairs of points that lie far out in some direction.
function largestDistance() {
  const all = [0, 1].flatMap((side) => Array.from({ length: sizeOf(side) }, (_, index) => pointAt(side, index)));
  const outer = new Set();
  for (let turn = 0; turn < 180; turn += 1) {
    const [x, y] = [Math.cos((turn * Math.PI) / 180), Math.sin((turn * Math.PI) / 180)];
    let [least, most] = [0, 0];
    all.forEach((point, place) => {
      const along = x * point[0] + y * point[1];
      if (along < x * all[least][0] + y * all[least][1]) least = place;
      if (along > x * all[most][0] + y * all[most][1]) most = place;
    });
    if (all.length) outer.add(all[least]).add(all[most]);
  }
  const norm = {
    euclidean: (x, y) => Math.hypot(x, y),
    cityblock: (x, y) => Math.abs(x) + Math.abs(y),
    chebyshev: (x, y) => Math.max(Math.abs(x), Math.abs(y)),
  }[state.metric];
  const ends = [...outer];
  return ends.reduce((most, p) => ends.reduce((far, q) => Math.max(far, norm(p[0] - q[0], p[1] - q[1])), most), 0);
}

// ---------------------------------------------------------------- units of columns

const SPANS = [[0.25, 0.75], [0.05, 0.95], [0, 1]]; // as in src/rpw/stats/scale.py: the first with a width

// The width of the middle half of a column, in both clouds together.
function widthOf(axis) {
  const values = [0, 1].flatMap((side) => Array.from({ length: sizeOf(side) }, (_, index) => pointAt(side, index)[axis]));
  const ordered = Float64Array.from(values).sort();
  const last = ordered.length - 1;
  const widths = SPANS.map(([low, high]) => ordered[Math.ceil(high * last)] - ordered[Math.floor(low * last)]);
  return widths.find((width) => width > 0 && Number.isFinite(width)) ?? 1;
}

function isScaled() {
  return state.units.some((unit) => unit !== 1);
}

function changeUnits() {
  rememberAll();
  const units = isScaled() ? [1, 1] : [widthOf(0), widthOf(1)];
  setClouds(state.clouds.map((cloud) => inUnits(cloud, units)));
  state.units = units;
  clearTraces();
  showAll();
  byId("file-message").textContent = fitDiameter() ? `Δ is now ${shown(state.diameter)}, the largest distance.` : "";
  comeToRest();
}

// What Python warns of (src/rpw/base/doubts.py), and the way out.
export function showUnits() {
  const leading = state.k > 0 ? (state.leading?.numbers[0] ?? -1) : -1;
  byId("units").hidden = leading < 0 && !isScaled();
  if (byId("units").hidden) return;
  const name = state.columns[leading];
  byId("units-text").textContent = isScaled()
    ? `Each column is divided by the width of its middle half: ${state.columns.map((_, axis) => nameOfAxis(axis)).join(", ")}.`
    : `The column ${name} makes up nearly all of the distance between points, and the other column has almost no effect.`;
  byId("scale").textContent = isScaled() ? "Take the columns as they came" : "Scale the columns";
}

function listenToProfile() {
  const canvas = byId("profile");
  const turn = (event) => {
    const box = canvas.getBoundingClientRect();
    const price = priceAt(canvas, [event.clientX - box.left, event.clientY - box.top]);
    setParameter("k", Number(Math.min(100, Math.max(0.01, price)).toPrecision(3)));
  };
  canvas.addEventListener("pointerdown", (event) => {
    canvas.setPointerCapture(event.pointerId);
    turn(event);
  });
  canvas.addEventListener("pointermove", (event) => event.buttons > 0 && turn(event));
}

// ---------------------------------------------------------------- buttons of the stage

function listenToButtons() {
  for (const radio of document.querySelectorAll('input[name="mode"]')) {
    radio.addEventListener("change", () => {
      state.mode = radio.value;
      tell("view");
    });
  }
  byId("select-a").addEventListener("click", () => selectAll(0));
  byId("select-b").addEventListener("click", () => selectAll(1));
  byId("delete").addEventListener("click", removeChosen);
  byId("undo").addEventListener("click", undo);
  byId("scale").addEventListener("click", changeUnits);
  byId("fit").addEventListener("click", () => (showAll(), tell("view")));
  byId("zoom-in").addEventListener("click", () => (zoom(1.25), tell("view")));
  byId("zoom-out").addEventListener("click", () => (zoom(0.8), tell("view")));
  byId("theme").addEventListener("click", () => {
    const isDark = getComputedStyle(document.documentElement).colorScheme === "dark";
    chooseTheme(isDark ? "light" : "dark");
  });
  // A page that shows this one in a frame says how light it is.
  addEventListener("message", ({ data }) => ["light", "dark"].includes(data?.theme) && chooseTheme(data.theme));
  on("undone", bringBack);
  on("selection", showButtons);
  on("points", showButtons);
  on("history", showButtons);
  showButtons();
}

function chooseTheme(theme) {
  document.documentElement.dataset.theme = theme;
  tell("view");
}

function showButtons() {
  byId("delete").disabled = selectedCount() === 0;
  byId("undo").disabled = !canUndo();
}

// ---------------------------------------------------------------- samples and files

// Before other clouds take the place of those that are there.
function rememberAll() {
  const { names, columns, units, metric, p, k, diameter } = state;
  const message = byId("file-message").textContent;
  remember({ settings: { names: [...names], columns, units, metric, p, k, diameter }, look: lookNow(), message });
}

function bringBack({ settings, look, message }) {
  tellStory(null);
  Object.assign(state, settings);
  byId("file-message").textContent = message;
  lookAgain(look);
  clearTraces();
  tell("parameters");
}

const UNNAMED = ["x", "y"]; // what the axes are called without names of columns

export function begin({ clouds, dimension, columns = UNNAMED }, { isWhole = false } = {}) {
  setClouds(clouds, dimension);
  Object.assign(state, { columns, units: [1, 1] });
  clearTraces();
  if (isWhole || dimension === 1) showAll();
  else showBox([0, SPACE.width], [0, SPACE.height]);
  showParameters();
  comeToRest();
}

function listenToSamples() {
  const list = byId("sample");
  list.append(...Object.entries(SAMPLES).map(([name, { title }]) => new Option(title, name)));
  list.addEventListener("change", () => {
    rememberAll();
    tellStory(null);
    state.names = ["A", "B"];
    Object.assign(state, { metric: "euclidean", diameter: 1 });
    begin(SAMPLES[list.value].make());
    list.value = "";
  });
}

async function openFiles(files, side) {
  try {
    const found = await Promise.all([...files].slice(0, 2).map(async (file) => ({ file, ...readCsv(await file.text()) })));
    take(found, side);
    const words = [files.length > 2 ? "Only the first two files were read." : "", ...found.map(({ note }) => note)];
    const hasUnit = found.length > 0 && fitDiameter(); // files have units of their own
    if (hasUnit) words.push(`Δ is now ${shown(state.diameter)}, the largest distance.`);
    byId("file-message").textContent = words.join(" ").trim();
  } catch (error) {
    byId("file-message").textContent = `${[...files].map(({ name }) => name).join(", ")}: ${error.message}`;
  }
}

function take(found, side) {
  if (found.length === 0) return;
  const { dimension } = found[0];
  const other = found.length === 2 ? found[1].cloud : inUnits(state.clouds[1 - side], [1, 1]);
  const otherDimension = found.length === 2 ? found[1].dimension : state.dimension;
  if (other.weights.length > 0 && otherDimension !== dimension) {
    const both = found.length === 2 ? "" : ": to replace both clouds, open two files at once";
    throw new Error(`its points have ${counted(dimension, "coordinate")}, and the points of the other cloud have ${otherDimension}${both}`);
  }
  const named = state.columns === UNNAMED ? undefined : state.columns;
  const wanted = found.length === 2 ? found[1].columns : other.weights.length > 0 ? named : undefined;
  const cloud = inOrder(found[0], wanted);
  rememberAll();
  tellStory(null);
  const first = found.length === 2 ? 0 : side;
  const clouds = first === 0 ? [cloud, other] : [other, cloud];
  found.forEach(({ file }, place) => {
    state.names[found.length === 2 ? place : side] = file.name;
  });
  const columns = wanted ?? found[0].columns;
  begin({ clouds, dimension, columns }, { isWhole: true });
}

// The cloud of a file with its columns as the other one has them: as in Python, names tell which belong together.
function inOrder({ cloud, columns }, wanted) {
  if (!columns || !wanted || columns.length !== wanted.length) return cloud;
  const [here, there] = [columns, wanted].map((names) => names.map((name) => name.toLowerCase()));
  if (here.every((name, axis) => name === there[axis])) return cloud;
  if (new Set(here).size < here.length || here.some((name) => !there.includes(name))) {
    throw new Error(`the columns are ${columns.join(", ")}, and the other cloud has ${wanted.join(", ")}`);
  }
  const { points, weights } = cloud;
  return { points: points.map((_, place) => points[place ^ 1]), weights }; // of two coordinates, exchanged
}

function listenToFiles() {
  const stage = byId("stage-room");
  for (const [id, side] of [["open-a", 0], ["open-b", 1]]) {
    byId(id).addEventListener("change", ({ target }) => {
      openFiles(target.files, side).then(() => (target.value = ""));
    });
  }
  for (const [id, side] of [["save-a", 0], ["save-b", 1]]) {
    byId(id).addEventListener("click", () => {
      save(`${"ab"[side]}.csv`, writeCsv(inUnits(state.clouds[side], [1, 1]), state.dimension));
    });
  }
  const sideOf = (event) => (event.clientX < stage.getBoundingClientRect().left + stage.clientWidth / 2 ? 0 : 1);
  stage.addEventListener("dragover", (event) => {
    event.preventDefault();
    stage.dataset.drop = sideOf(event);
  });
  stage.addEventListener("dragleave", () => delete stage.dataset.drop);
  stage.addEventListener("drop", (event) => {
    event.preventDefault();
    delete stage.dataset.drop;
    openFiles(event.dataTransfer.files, sideOf(event));
  });
}

function save(name, text) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type: "text/csv" }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

// ---------------------------------------------------------------- stories

let story = null;
let playing = 0;
let goHome = () => {};

// What the page shows beside the stories: the data that it was made for, or a first sample.
export function setHome(home) {
  goHome = home;
}

export function tellStory(name) {
  stop();
  story = STORIES[name] ?? null;
  for (const button of document.querySelectorAll("[data-story]")) {
    button.setAttribute("aria-pressed", String(button.dataset.story === (name ?? "")));
  }
  byId("story").hidden = !story;
  if (!story) return;
  state.names = ["A", "B"];
  state.metric = "euclidean";
  byId("story-text").textContent = story.text.replace(/\s+/g, " ");
  byId("story-handle-name").textContent = story.handle;
  byId("story-handle").value = 0;
  Object.assign(state, story.settings);
  begin({ clouds: story.at(0).clouds, dimension: 2 });
  tell("parameters");
}

function turnTo(t) {
  const { clouds, k } = story.at(t);
  const isSame = state.dimension === 2 && clouds.every(({ weights }, side) => weights.length === sizeOf(side));
  if (isSame) placePoints(clouds);
  else setClouds(clouds, 2);
  if (k !== undefined) state.k = Number(k.toPrecision(3));
  byId("story-handle").value = t;
  tell("parameters");
}

function play() {
  if (playing) return stop();
  let last = performance.now();
  let t = Number(byId("story-handle").value);
  if (t >= 1) t = 0;
  state.isMoving = true;
  const step = (now) => {
    t = Math.min(1, t + Math.max(0, now - last) / 1000 / story.seconds);
    last = now;
    turnTo(t);
    if (t < 1) playing = requestAnimationFrame(step);
    else stop();
  };
  playing = requestAnimationFrame(step);
  byId("play").textContent = "Pause";
}

function stop() {
  cancelAnimationFrame(playing);
  byId("play").textContent = "Play";
  if (playing) comeToRest();
  playing = 0;
}

function listenToStories() {
  for (const button of document.querySelectorAll("[data-story]")) {
    button.addEventListener("click", () => {
      rememberAll();
      tellStory(button.dataset.story || null);
      if (!button.dataset.story) goHome();
      if (button.dataset.story && !matchMedia("(prefers-reduced-motion: reduce)").matches) play();
    });
  }
  byId("play").addEventListener("click", play);
  byId("story-handle").addEventListener("input", ({ target }) => {
    if (playing) stop();
    moveForAMoment();
    turnTo(Number(target.value));
  });
  byId("stage").addEventListener("pointerdown", () => playing && stop());
}

export function listenToControls() {
  listenToFields();
  listenToProfile();
  listenToButtons();
  listenToSamples();
  listenToFiles();
  listenToStories();
}
