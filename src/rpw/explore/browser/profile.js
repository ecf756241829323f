// The picture of the profile: what it costs to move a share of the mass, the line of the price, and where they cross.

import { colours, prepared, sizeOnPage } from "./draw.js";
import { state } from "./state.js";
import { niceStep } from "./view.js";

const MARGIN = { left: 46, right: 14, top: 22, bottom: 36 };
const SAMPLES = 120; // of W between breakpoints, which is no straight line

let tallest = 0; // the end of the vertical axis; it does not follow every little change

function frame(canvas) {
  const { width, height } = sizeOnPage(canvas);
  const inside = { width: width - MARGIN.left - MARGIN.right, height: height - MARGIN.top - MARGIN.bottom };
  return {
    width,
    height,
    across: (alpha) => MARGIN.left + alpha * inside.width,
    down: (cost) => MARGIN.top + (1 - cost / (tallest || 1)) * inside.height,
    alphaAt: (across) => (across - MARGIN.left) / inside.width,
    costAt: (down) => (1 - (down - MARGIN.top) / inside.height) * tallest,
  };
}

function chooseHeight() {
  const { crossing, transport } = state;
  const kappa = state.k * state.diameter;
  const needed = 1.12 * Math.max(transport?.distance ?? 0, 1.6 * (crossing ? crossing.upper * kappa : kappa), 1e-300);
  if (Number.isFinite(needed) && (needed > tallest || needed < 0.55 * tallest)) {
    const step = niceStep(needed, 4);
    tallest = step * Math.ceil(needed / step);
  }
}

// The price at which a line through this place of the picture crosses 0 at mass 1.
export function priceAt(canvas, [across, down]) {
  const box = frame(canvas);
  const left = 1 - Math.min(0.995, Math.max(0, box.alphaAt(across)));
  return Math.max(box.costAt(down), 0) / left / state.diameter;
}

export function drawProfile(canvas) {
  chooseHeight();
  const look = colours();
  const box = frame(canvas);
  const context = prepared(canvas, box.width, box.height);
  context.font = `11px ${look.font}`;
  drawAxes(context, look, box);
  if (!state.crossing || !state.profile) return;
  context.save();
  context.beginPath();
  context.rect(box.across(0) - 1, MARGIN.top - 6, box.across(1) - box.across(0) + 8, box.down(0) - MARGIN.top + 7);
  context.clip();
  drawPrice(context, look, box);
  drawCurve(context, look, box);
  context.restore();
  drawMarks(context, look, box);
}

function drawAxes(context, look, box) {
  const step = niceStep(tallest, 4);
  context.strokeStyle = look.rule;
  context.fillStyle = look.soft;
  context.lineWidth = 1;
  context.beginPath();
  context.textAlign = "right";
  context.textBaseline = "middle";
  for (let n = 0; n * step <= tallest * 1.001; n += 1) {
    const down = Math.round(box.down(n * step)) + 0.5;
    context.moveTo(box.across(0), down);
    context.lineTo(box.across(1), down);
    context.fillText(Number((n * step).toPrecision(3)).toString(), box.across(0) - 7, down);
  }
  context.textAlign = "center";
  context.textBaseline = "top";
  for (const alpha of [0, 0.25, 0.5, 0.75, 1]) {
    context.textAlign = alpha === 1 ? "right" : "center"; // the last one stays within the picture
    const across = Math.round(box.across(alpha)) + 0.5;
    context.moveTo(across, box.down(0));
    context.lineTo(across, box.down(0) + 4);
    context.fillText(`${100 * alpha}%`, across + (alpha === 1 ? 8 : 0), box.down(0) + 7);
  }
  context.textAlign = "center";
  context.stroke();
  context.fillText("mass moved", box.across(0.5), box.down(0) + 21);
  context.textAlign = "left";
  context.fillText("cost W of moving it", 6, 2);
}

function drawPrice(context, look, box) {
  const kappa = state.k * state.diameter;
  context.strokeStyle = look.rpw;
  context.lineWidth = 1.6;
  context.setLineDash([6, 4]);
  context.beginPath();
  const start = Math.max(0, 1 - (2 * tallest) / (kappa || 1)); // far above the picture lines are not exact
  context.moveTo(box.across(start), box.down(kappa * (1 - start)));
  context.lineTo(box.across(1), box.down(0));
  context.stroke();
  context.setLineDash([]);
}

// Up to the crossing the line is strong, beyond it thin. It never turns back, although places are known to a tolerance.
function drawCurve(context, look, box) {
  if (!state.profile.isWhole && state.profile.alpha.length < 3) return; // no more than its ends
  const places = samplesOf(state.profile, state.p);
  const moved = 1 - state.crossing.upper;
  const meeting = [moved, isOfOneMoment() ? costAtCrossing() : costAt(places, moved)];
  const draw = (line, width) => {
    context.lineWidth = width;
    context.beginPath();
    for (const [alpha, cost] of line) context.lineTo(box.across(alpha), box.down(cost));
    context.stroke();
  };
  context.strokeStyle = look.ink;
  context.lineJoin = "round";
  if (!state.profile.isWhole) context.setLineDash([2, 4]); // between places that are known
  draw([meeting, ...places.filter(([alpha, cost]) => alpha > moved && cost >= meeting[1])], 1.2);
  draw([...places.filter(([alpha, cost]) => alpha < moved && cost <= meeting[1]), meeting], 2.4);
  context.setLineDash([]);
}

// At rest, bounds far apart are no number yet.
export function isHardlyKnown() {
  const { crossing, isMoving } = state;
  return crossing && !isMoving && !crossing.isSettled && crossing.upper > 2 * crossing.lower;
}

// Whether the crossing lies on the curve: while points move, one of the two may be older, or known by its bounds only.
function isOfOneMoment() {
  return state.crossing.isExact && state.crossing.moment === state.profile.moment;
}

function costAt(places, moved) {
  const after = places.find(([alpha]) => alpha >= moved) ?? places.at(-1);
  const before = places.findLast(([alpha]) => alpha < moved) ?? after;
  const share = (moved - before[0]) / (after[0] - before[0] || 1);
  return before[1] + share * (after[1] - before[1]);
}

function costAtCrossing() {
  const { crossing } = state;
  return Number.isFinite(state.p) ? crossing.planCost : crossing.upper * state.k * state.diameter;
}

// The p-th power of W is straight between breakpoints; at p = ∞, W is a stair.
function samplesOf({ alpha, cost }, p) {
  const places = [];
  for (let s = 0; s < alpha.length; s += 1) {
    if (s > 0 && Number.isFinite(p)) {
      const count = Math.min(40, Math.floor((alpha[s] - alpha[s - 1]) * SAMPLES));
      for (let t = 1; t <= count; t += 1) {
        const share = t / (count + 1);
        const largest = cost[s] || 1;
        const power = (1 - share) * (cost[s - 1] / largest) ** p + share * (cost[s] / largest) ** p;
        places.push([alpha[s - 1] + share * (alpha[s] - alpha[s - 1]), largest * power ** (1 / p)]);
      }
    }
    if (s > 0 && !Number.isFinite(p)) places.push([alpha[s - 1], cost[s]]);
    places.push([alpha[s], cost[s]]);
  }
  return places;
}

function drawMarks(context, look, box) {
  const { crossing, transport } = state;
  const taken = isHardlyKnown() ? NaN : drawCrossing(context, look, box, crossing);
  if (transport) {
    const end = [box.across(1), box.down(transport.distance)];
    dot(context, look, end, look.w);
    context.font = `600 12px ${look.font}`;
    context.fillStyle = look.w;
    context.textAlign = "right";
    context.textBaseline = "middle";
    const isNear = Math.abs(end[1] - 1 - taken) < 16;
    write(context, look, `W ${short(transport.distance)}`, end[0] - 10, isNear ? taken - 16 : end[1] - 1);
  }
}

// Gives the height of the middle of its words.
function drawCrossing(context, look, box, crossing) {
  const place = [box.across(1 - crossing.upper), box.down(costAtCrossing())];
  context.strokeStyle = look.rpw;
  context.lineWidth = 1;
  context.beginPath(); // what stays behind: from the crossing to the right
  context.moveTo(...place);
  context.lineTo(box.across(1), place[1]);
  context.stroke();
  dot(context, look, place, look.rpw);
  const text = `RPW ${short(crossing.distance)}`;
  const width = context.measureText(text).width;
  const isRoom = box.across(1) - place[0] > width + 12;
  context.fillStyle = look.rpw;
  context.textBaseline = "bottom";
  context.textAlign = isRoom ? "left" : "right";
  context.font = `600 12px ${look.font}`;
  write(context, look, text, isRoom ? place[0] + 8 : Math.max(place[0] - 9, box.across(0) + width + 8), place[1] - 5);
  return place[1] - 11;
}

// With a rim in the colour of the paper, so that lines do not run through the letters.
function write(context, look, text, across, down) {
  context.strokeStyle = look.paper;
  context.lineWidth = 4;
  context.lineJoin = "round";
  context.strokeText(text, across, down);
  context.fillText(text, across, down);
}

function dot(context, look, place, colour) {
  context.beginPath();
  context.arc(...place, 5.5, 0, 2 * Math.PI);
  context.fillStyle = look.paper;
  context.fill();
  context.beginPath();
  context.arc(...place, 4, 0, 2 * Math.PI);
  context.fillStyle = colour;
  context.fill();
}

export function short(value) {
  if (!Number.isFinite(value)) return "–";
  return value !== 0 && (Math.abs(value) < 1e-4 || Math.abs(value) >= 1e5) ? value.toExponential(2) : value.toPrecision(4);
}
