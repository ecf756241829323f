// The numbers beside the stage, what they were in the last seconds, and the same in words for those who listen.

import { colours, prepared, sizeOnPage } from "./draw.js";
import { isHardlyKnown, short } from "./profile.js";
import { isComputing, isUpToDate } from "./solver.js";
import { MOST_POINTS, drawnSide, hasBoth, isFull, sizeOf, state } from "./state.js";

const byId = (id) => document.getElementById(id);
const MOST_TRACED = 160;
const traces = { rpw: [], w: [] };

export function clearTraces() {
  traces.rpw = [];
  traces.w = [];
}

export function pInWords(p = state.p) {
  return Number.isFinite(p) ? Number(p.toPrecision(4)).toString() : "∞";
}

function percent(share) {
  return `${(100 * share).toFixed(share < 0.1 && share > 0 ? 2 : 1)} %`;
}

function advice() {
  if (!hasBoth()) return "Both clouds need points: choose Draw A or Draw B.";
  const side = drawnSide();
  if (side === null || !isFull(side)) return "";
  return `${state.names[side]} is full: a cloud can have ${MOST_POINTS.toLocaleString("en")} points.`;
}

export function showNumbers() {
  const { crossing, transport } = state;
  byId("w-name").textContent = pInWords();
  byId("message").textContent = state.error || advice();
  showNumber("rpw", isHardlyKnown() ? null : crossing);
  showNumber("w", transport);
  byId("w").classList.toggle("old", Boolean(transport && crossing && transport.moment !== crossing.moment));
  byId("proof").textContent = crossing ? proof(crossing) : "";
  byId("moves").textContent = crossing
    ? `${percent(crossing.moved)} of the mass moves at cost ${short(crossing.planCost)}. ${percent(crossing.distance)} stays behind.`
    : "";
  byId("computing").textContent = !state.isMoving && isComputing() ? `Computing ${whatIsMissing()} …` : "";
  for (const [side, name] of ["count-a", "count-b"].entries()) {
    byId(name).textContent = `${state.names[side]} · ${sizeOf(side).toLocaleString("en")}`;
  }
}

function showNumber(name, answer) {
  byId(name).textContent = answer ? short(answer.distance) : isComputing() ? "computing …" : "–";
  byId(name).classList.toggle("pending", !answer && isComputing());
}

function whatIsMissing() {
  const { crossing, transport, profile } = state;
  const names = [[crossing, "RPW"], [transport, "W"], [profile?.isWhole ? profile : null, "the curve"]];
  const missing = names.filter(([answer]) => !answer?.isSettled).map(([, name]) => name);
  return new Intl.ListFormat("en").format(missing);
}

// An answer has come: what it was goes into the traces.
export function traceAnswer(name) {
  const { crossing, transport } = state;
  if (name === "crossing" && crossing && !isHardlyKnown()) trace("rpw", crossing.distance);
  if (name === "transport" && transport) trace("w", transport.distance / state.diameter);
}

// Digits up to where the two bounds differ, and a little beyond.
function proof({ lower, upper }) {
  const isTiny = upper > 0 && upper < 1e-4;
  const gap = (upper - lower) / (isTiny ? upper : 1);
  const digits = gap > 0 ? Math.min(12, Math.max(3, Math.ceil(-Math.log10(gap)) + 1)) : 12;
  const write = (value) => (isTiny && value > 0 ? value.toExponential(digits) : value.toFixed(isTiny ? 0 : digits));
  return `${below(lower, write)} ≤ RPW ≤ ${above(upper, write)}`;
}

// What is written must be proven too: a lower bound is rounded down, an upper bound up.
function below(value, write) {
  const text = write(value);
  return Number(text) > value ? nextTo(text, -1n) : text;
}

function above(value, write) {
  const text = write(value);
  return Number(text) < value ? nextTo(text, 1n) : text;
}

// The number one step of its last digit away.
function nextTo(text, step) {
  const [, whole, part = "", power = ""] = /^(\d+)(?:\.(\d+))?(e.+)?$/.exec(text);
  const digits = (BigInt(whole + part) + step).toString().padStart(part.length + 1, "0");
  const point = digits.length - part.length;
  return digits.slice(0, point) + (part ? `.${digits.slice(point)}` : "") + power;
}

function trace(name, value) {
  traces[name].push(value);
  if (traces[name].length > MOST_TRACED) traces[name].shift();
}

// Both on one scale: RPW, and W in units of Δ.
export function drawTraces() {
  const largest = Math.max(0.05, ...traces.rpw, ...traces.w);
  for (const [name, id] of [
    ["rpw", "trace-rpw"],
    ["w", "trace-w"],
  ]) {
    const canvas = byId(id);
    const { width, height } = sizeOnPage(canvas);
    const look = colours();
    const context = prepared(canvas, width, height);
    const values = traces[name];
    context.fillStyle = look.rule;
    context.fillRect(0, height - 1, width, 1);
    if (values.length < 2) continue;
    context.strokeStyle = name === "rpw" ? look.rpw : look.w;
    context.lineWidth = 1.6;
    context.lineJoin = "round";
    context.beginPath();
    values.forEach((value, place) => {
      const across = width - 2 - ((values.length - 1 - place) * (width - 4)) / (MOST_TRACED - 1);
      context.lineTo(across, height - 2 - (value / largest) * (height - 4));
    });
    context.stroke();
  }
}

let timer;

// After a pause, so that a screen reader says where things came to rest, and not every step on the way.
export function speakSoon() {
  clearTimeout(timer);
  timer = setTimeout(() => {
    if (state.isMoving || !hasBoth() || state.error) return;
    const { crossing, transport } = state;
    if (!crossing?.isSettled || !transport) {
      say("Computing …");
      return speakSoon();
    }
    say(
      `RPW ${short(crossing.distance)}, proven between ${below(crossing.lower, short)} and ${above(crossing.upper, short)}. ` +
        `W ${short(transport.distance)}. ${percent(crossing.distance)} of the mass stays behind.`,
    );
    if (!isUpToDate()) speakSoon();
  }, 500);
}

export function say(text) {
  if (byId("spoken").textContent !== text) byId("spoken").textContent = text;
}
