// The stage: two clouds, the plan between them, and rings around what stays behind.

import { pointAt, selectedCount, sizeOf, state } from "./state.js";
import { niceStep, toScreen, toWorld, view } from "./view.js";

const BINS = 4; // of lines, by the mass that they carry
const LITTLE = 0.02; // of a point's weight: less is not ringed
const LONGEST_NAME = 28; // letters of a column
const MOST_LINES = 200; // of the grid; more are asked for only where a step is lost in the last digit of a coordinate

const isDark = matchMedia("(prefers-color-scheme: dark)");
const known = new Map(); // the colours of each theme: to ask for them in every frame would take long

export function colours() {
  const theme = document.documentElement.dataset.theme ?? (isDark.matches ? "dark" : "light");
  if (!known.has(theme)) known.set(theme, coloursNow());
  return known.get(theme);
}

function coloursNow() {
  const style = getComputedStyle(document.body);
  const named = (name) => style.getPropertyValue(name).trim();
  return {
    clouds: [named("--a"), named("--b")],
    ink: named("--ink"),
    soft: named("--soft"),
    rule: named("--rule"),
    paper: named("--card"),
    rpw: named("--rpw"),
    w: named("--w"),
    font: style.fontFamily,
  };
}

// The size of an element in CSS pixels, without a new layout in every frame.
const sizes = new WeakMap();
const observer = new ResizeObserver((entries) => {
  for (const { target, contentRect } of entries) sizes.set(target, contentRect);
});

export function sizeOnPage(element) {
  if (!sizes.has(element)) {
    sizes.set(element, element.getBoundingClientRect());
    observer.observe(element);
  }
  const { width, height } = sizes.get(element);
  return { width, height };
}

// Makes the canvas as sharp as the screen, and gives its context in CSS pixels.
export function prepared(canvas, width, height) {
  const ratio = window.devicePixelRatio || 1;
  const size = [Math.round(width * ratio), Math.round(height * ratio)];
  if (canvas.width !== size[0] || canvas.height !== size[1]) [canvas.width, canvas.height] = size;
  const context = canvas.getContext("2d");
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  return context;
}

export function radiusOf(side, index) {
  const weights = state.clouds[side].weights;
  return baseRadius() * Math.sqrt(Math.min(9, Math.max(0.15, weights[index] / mean(side))));
}

function baseRadius() {
  const onSmallStage = Math.min(1, 0.6 + view.width / 1800);
  return onSmallStage * Math.min(5.5, Math.max(2, 26 / Math.sqrt(Math.max(sizeOf(0), sizeOf(1), 1)) + 1.6));
}

const means = new WeakMap();

function mean(side) {
  const { weights } = state.clouds[side];
  const known = means.get(weights);
  if (known?.count === weights.length) return known.mean;
  const found = weights.reduce((sum, weight) => sum + weight, 0) / weights.length || 1;
  means.set(weights, { count: weights.length, mean: found });
  return found;
}

export function drawStage(canvas, marquee, hover) {
  const look = colours();
  const context = prepared(canvas, view.width, view.height);
  drawGrid(context, look);
  const places = [0, 1].map((side) => Array.from({ length: sizeOf(side) }, (_, i) => toScreen(side, pointAt(side, i))));
  const plan = state.crossing?.structure === state.structure ? state.crossing : null;
  if (plan) drawPlan(context, look, plan, places);
  drawSelection(context, look, places);
  for (const side of [0, 1]) drawCloud(context, look, side, places[side]);
  if (plan) [plan.unmatchedA, plan.unmatchedB].forEach((left, side) => drawRings(context, look, side, left, places[side]));
  if (hover) drawHover(context, look, hover, places);
  if (marquee) drawMarquee(context, look, marquee);
}

function drawGrid(context, look) {
  const step = niceStep(view.width / view.scale, view.width / 110);
  const [left, top] = toWorld([0, 0]);
  const [right, bottom] = toWorld([view.width, view.height]);
  context.strokeStyle = look.rule;
  context.fillStyle = look.soft;
  context.lineWidth = 1;
  context.font = `11px ${look.font}`;
  context.textBaseline = "alphabetic";
  context.textAlign = "left";
  context.beginPath();
  for (const x of gridLines(left, right, step)) {
    const across = Math.round(toScreen(0, [x, 0])[0]) + 0.5;
    context.moveTo(across, 0);
    context.lineTo(across, view.height);
    if (across > 24 && across < view.width - 30) context.fillText(label(x, step), across + 5, view.height - 8);
  }
  if (state.dimension === 1) {
    context.moveTo(0, Math.round(view.height / 2) + 0.5);
    context.lineTo(view.width, Math.round(view.height / 2) + 0.5);
  } else {
    for (const y of gridLines(bottom, top, step)) {
      const down = Math.round(toScreen(0, [0, y])[1]) + 0.5;
      context.moveTo(0, down);
      context.lineTo(view.width, down);
      if (down > 34 && down < view.height - 26) context.fillText(label(y, step), 7, down - 4);
    }
  }
  context.stroke();
  drawNames(context, look);
}

// What the axes are, below their right and above their upper end.
function drawNames(context, look) {
  context.font = `600 12px ${look.font}`;
  context.textAlign = "right";
  context.fillText(nameOfAxis(0), view.width - 8, view.height - 24);
  context.textAlign = "left";
  if (state.dimension > 1) context.fillText(nameOfAxis(1), 7, 15);
}

export function nameOfAxis(axis) {
  const name = state.columns[axis];
  const short = name.length > LONGEST_NAME ? `${name.slice(0, LONGEST_NAME - 1)}…` : name;
  return state.units[axis] === 1 ? short : `${short} ÷ ${Number(state.units[axis].toPrecision(4))}`;
}

// The multiples of a step from one end to the other. Counted first: far from 0, n + 1 may be n again.
function gridLines(from, to, step) {
  const first = Math.ceil(from / step);
  const count = Math.ceil(to / step) - first;
  return count <= MOST_LINES ? Array.from({ length: count }, (_, place) => (first + place) * step) : [];
}

function label(value, step) {
  if (value === 0) return "0";
  const last = Math.floor(Math.log10(step)); // the place of the digit in which neighbours differ
  const isPlain = last >= -6 && Math.abs(value) < 1e12;
  const digits = isPlain ? Math.max(0, -last) : Math.floor(Math.log10(Math.abs(value) || step)) - last;
  const text = isPlain ? value.toFixed(digits) : value.toExponential(Math.min(16, Math.max(0, digits)));
  return text.replace("-", "−");
}

// Lines in a few bins, each drawn at once: the heavier, the darker.
function drawPlan(context, look, plan, [from, to]) {
  const heaviest = plan.mass.reduce((most, each) => Math.max(most, each), 0);
  const many = plan.mass.length;
  const strength = Math.min(0.7, Math.max(0.12, 8 / Math.sqrt(many || 1)));
  const paths = Array.from({ length: BINS }, () => new Path2D());
  for (let entry = 0; entry < many; entry += 1) {
    const bin = Math.min(BINS - 1, Math.floor((BINS * plan.mass[entry]) / heaviest));
    paths[bin].moveTo(...from[plan.row[entry]]);
    paths[bin].lineTo(...to[plan.column[entry]]);
  }
  context.strokeStyle = look.ink;
  paths.forEach((path, bin) => {
    context.globalAlpha = (strength * (bin + 1)) / BINS;
    context.lineWidth = many > 800 ? 0.8 : 1.1;
    context.stroke(path);
  });
  context.globalAlpha = 1;
}

// The first cloud has circles, the second one diamonds: colour is not the only difference.
function outline(path, side, [across, down], radius) {
  if (side === 0) {
    path.moveTo(across + radius, down);
    path.arc(across, down, radius, 0, 2 * Math.PI);
  } else {
    const half = radius * 1.25;
    path.moveTo(across + half, down);
    path.lineTo(across, down + half);
    path.lineTo(across - half, down);
    path.lineTo(across, down - half);
    path.lineTo(across + half, down); // not closePath, which takes longer the longer the path is
  }
}

function drawCloud(context, look, side, places) {
  const path = new Path2D();
  places.forEach((place, index) => outline(path, side, place, radiusOf(side, index)));
  context.fillStyle = look.clouds[side];
  context.globalAlpha = places.length > 800 ? 0.85 : 0.95;
  context.fill(path);
  context.globalAlpha = 1;
}

function drawSelection(context, look, places) {
  if (selectedCount() === 0) return;
  const path = new Path2D();
  state.selection.forEach((chosen, side) =>
    chosen.forEach((index) => places[side][index] && outline(path, 0, places[side][index], radiusOf(side, index) + 4)),
  );
  context.fillStyle = look.rpw;
  context.globalAlpha = selectedCount() > 300 ? 0.16 : 0.28;
  context.fill(path);
  context.globalAlpha = 1;
}

// A ring for what stays behind: the more of a point stays, the stronger.
function drawRings(context, look, side, left, places) {
  const sum = state.clouds[side].weights.reduce((total, weight) => total + weight, 0);
  const [all, part] = [new Path2D(), new Path2D()];
  state.clouds[side].weights.forEach((weight, index) => {
    const share = (left[index] * sum) / weight;
    if (!(share > LITTLE)) return;
    outline(share > 0.5 ? all : part, 0, places[index], radiusOf(side, index) + (places.length > 800 ? 2.4 : 3.6));
  });
  context.strokeStyle = look.clouds[side];
  context.lineWidth = places.length > 800 ? 1.2 : 1.8;
  context.stroke(all);
  context.globalAlpha = 0.55;
  context.setLineDash([2, 2]);
  context.stroke(part);
  context.setLineDash([]);
  context.globalAlpha = 1;
}

function drawHover(context, look, { side, index }, places) {
  if (!places[side][index]) return;
  const path = new Path2D();
  outline(path, 0, places[side][index], radiusOf(side, index) + 6);
  context.strokeStyle = look.ink;
  context.globalAlpha = 0.5;
  context.lineWidth = 1;
  context.stroke(path);
  context.globalAlpha = 1;
}

function drawMarquee(context, look, { from, to }) {
  const box = [Math.min(from[0], to[0]), Math.min(from[1], to[1]), Math.abs(to[0] - from[0]), Math.abs(to[1] - from[1])];
  context.fillStyle = look.rpw;
  context.globalAlpha = 0.12;
  context.fillRect(...box);
  context.globalAlpha = 1;
  context.strokeStyle = look.rpw;
  context.lineWidth = 1;
  context.setLineDash([4, 3]);
  context.strokeRect(...box);
  context.setLineDash([]);
}
