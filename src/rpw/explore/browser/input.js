// Pointers and keys on the stage: select, drag, draw, remove.

import { radiusOf } from "./draw.js";
import { say } from "./readouts.js";
import {
  addPoint,
  drawnSide,
  forSelected,
  isFull,
  movePoint,
  pointAt,
  remember,
  removeSelected,
  selectedCount,
  sizeOf,
  state,
  tell,
  undo,
} from "./state.js";
import { toScreen, toWorld, view } from "./view.js";

const NEAR = { mouse: 10, pen: 14, touch: 24 }; // pixels
const BRUSH = 13; // pixels between points that are drawn in one go
const STEP = 4; // pixels that an arrow key moves
const REST = 220; // milliseconds without a key

export const gesture = { kind: null, marquee: null, hover: null };

let stage, timer;

export function listenOn(canvas) {
  stage = canvas;
  stage.addEventListener("pointerdown", begin);
  stage.addEventListener("pointermove", go);
  for (const event of ["pointerup", "pointercancel"]) stage.addEventListener(event, end);
  stage.addEventListener("pointerleave", () => hoverOver(null));
  stage.addEventListener("keydown", onKey);
}

// From now on answers have to come fast; a little after the last call they may take their time.
export function moveForAMoment() {
  state.isMoving = true;
  clearTimeout(timer);
  timer = setTimeout(comeToRest, REST);
}

export function comeToRest() {
  clearTimeout(timer);
  state.isMoving = false;
  tell("points");
}

function placeOf(event) {
  const box = stage.getBoundingClientRect();
  const within = (value, most) => Math.min(most, Math.max(0, value));
  return [within(event.clientX - box.left, view.width), within(event.clientY - box.top, view.height)];
}

function nearest([across, down], kind) {
  let best = null;
  let least = Infinity;
  for (const side of [0, 1]) {
    for (let index = 0; index < sizeOf(side); index += 1) {
      const [x, y] = toScreen(side, pointAt(side, index));
      const distance = Math.hypot(x - across, y - down) - radiusOf(side, index);
      if (distance < least) [least, best] = [distance, { side, index }];
    }
  }
  return least <= (NEAR[kind] ?? NEAR.mouse) ? best : null;
}

function hoverOver(found) {
  if (found?.side === gesture.hover?.side && found?.index === gesture.hover?.index) return;
  gesture.hover = found;
  stage.style.cursor = state.mode === "move" ? (found ? "grab" : "default") : "crosshair";
  tell("view");
}

// ---------------------------------------------------------------- pointers

function begin(event) {
  if (gesture.kind || event.button > 0) return;
  stage.focus({ preventScroll: true });
  stage.setPointerCapture(event.pointerId);
  const place = placeOf(event);
  gesture.pointer = event.pointerId;
  gesture.last = place;
  if (state.mode !== "move") return beginDrawing(place);
  const hit = nearest(place, event.pointerType);
  if (hit) return beginDragging(hit, event.shiftKey);
  if (!event.shiftKey) clearSelection();
  gesture.kind = "marquee";
  gesture.marquee = { from: place, to: place };
  gesture.before = state.selection.map((chosen) => new Set(chosen));
}

function beginDrawing(place) {
  if (isFull(drawnSide())) {
    tell("view"); // the message says why nothing is drawn
    return;
  }
  remember();
  gesture.kind = "draw";
  state.isMoving = true;
  drawAt(place);
}

function beginDragging({ side, index }, isAdding) {
  const chosen = state.selection[side];
  if (isAdding && chosen.has(index)) {
    chosen.delete(index);
    tell("selection");
    return;
  }
  if (!isAdding && !chosen.has(index)) clearSelection();
  state.selection[side].add(index);
  remember();
  gesture.kind = "drag";
  state.isMoving = true;
  stage.style.cursor = "grabbing";
  tell("selection");
}

function go(event) {
  const place = placeOf(event);
  if (!gesture.kind) return hoverOver(event.pointerType === "mouse" ? nearest(place, "mouse") : null);
  if (event.pointerId !== gesture.pointer) return;
  if (gesture.kind === "drag") dragTo(place);
  if (gesture.kind === "marquee") reachTo(place);
  if (gesture.kind === "draw" && Math.hypot(place[0] - gesture.last[0], place[1] - gesture.last[1]) >= BRUSH) drawAt(place);
}

function dragTo(place) {
  const [from, to] = [toWorld(gesture.last), toWorld(place)];
  forSelected((side, index) => movePoint(side, index, to[0] - from[0], to[1] - from[1]));
  gesture.last = place;
  tell("points");
}

function reachTo(place) {
  gesture.marquee.to = place;
  const [left, right] = [gesture.marquee.from[0], place[0]].sort((x, y) => x - y);
  const [top, bottom] = [gesture.marquee.from[1], place[1]].sort((x, y) => x - y);
  state.selection = [0, 1].map((side) => {
    const chosen = new Set(gesture.before[side]);
    for (let index = 0; index < sizeOf(side); index += 1) {
      const [x, y] = toScreen(side, pointAt(side, index));
      if (x >= left && x <= right && y >= top && y <= bottom) chosen.add(index);
    }
    return chosen;
  });
  tell("selection");
}

function drawAt(place) {
  gesture.last = place;
  if (!isFull(drawnSide())) addPoint(drawnSide(), toWorld(place));
  tell("points");
}

function end(event) {
  if (event.pointerId !== gesture.pointer) return;
  const { kind } = gesture;
  Object.assign(gesture, { kind: null, marquee: null, pointer: null });
  stage.style.cursor = "";
  if (kind === "drag" || kind === "draw") comeToRest();
  else tell("selection");
}

// ---------------------------------------------------------------- keys

const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };

function onKey(event) {
  if (event.altKey || event.metaKey) return;
  if (event.ctrlKey) {
    if (event.key === "z" && undo()) event.preventDefault();
    return;
  }
  const act = actionOf(event);
  if (!act) return;
  event.preventDefault();
  act();
}

function actionOf({ key, shiftKey }) {
  if (ARROWS[key]) return () => moveByKey(ARROWS[key], shiftKey ? 10 * STEP : STEP);
  return {
    n: () => choose(1),
    N: () => choose(-1),
    a: () => selectAll(0),
    b: () => selectAll(1),
    Escape: () => clearSelection(),
    Delete: removeChosen,
    Backspace: removeChosen,
    Enter: addInMiddle,
    " ": addInMiddle,
  }[key];
}

function moveByKey([dx, dy], pixels) {
  if (selectedCount() === 0) return choose(1);
  if (!state.isMoving) remember();
  forSelected((side, index) => movePoint(side, index, (dx * pixels) / view.scale, (dy * pixels) / view.scale));
  moveForAMoment();
  tell("points");
}

// The next point, or the one before: those of A, and then those of B.
function choose(step) {
  const all = sizeOf(0) + sizeOf(1);
  if (all === 0) return;
  let place = step > 0 ? -1 : all;
  forSelected((side, index) => {
    place = index + (side === 1 ? sizeOf(0) : 0);
  });
  place = (place + step + all) % all;
  const side = place < sizeOf(0) ? 0 : 1;
  const index = place - (side === 1 ? sizeOf(0) : 0);
  clearSelection();
  state.selection[side].add(index);
  const [x, y] = pointAt(side, index).map((value) => value.toPrecision(3));
  say(`Point ${index + 1} of ${state.names[side]}, at ${x}${state.dimension === 2 ? `, ${y}` : ""}`);
  tell("selection");
}

export function selectAll(side) {
  clearSelection();
  for (let index = 0; index < sizeOf(side); index += 1) state.selection[side].add(index);
  say(`${sizeOf(side)} ${sizeOf(side) === 1 ? "point" : "points"} of ${state.names[side]} selected`);
  tell("selection");
}

export function clearSelection() {
  state.selection = [new Set(), new Set()];
  tell("selection");
}

export function removeChosen() {
  const count = selectedCount();
  if (count === 0) return;
  remember();
  removeSelected();
  say(`${count} ${count === 1 ? "point was" : "points were"} removed`);
  comeToRest();
}

function addInMiddle() {
  const side = drawnSide();
  if (side === null || isFull(side)) return;
  remember();
  addPoint(side, toWorld([view.width / 2, view.height / 2]));
  clearSelection();
  state.selection[side].add(sizeOf(side) - 1);
  say(`A point was added to ${state.names[side]}. Arrow keys move it.`);
  comeToRest();
}
