// All that the page knows, and who wants to hear when it changes.

export const MOST_POINTS = 5000; // of each cloud; src/rpw/explore/document.py has the same number

export const state = {
  dimension: 2,
  metric: "euclidean",
  names: ["A", "B"],
  columns: ["x", "y"],
  units: [1, 1], // what the columns were divided by, as they came
  clouds: [emptyCloud(), emptyCloud()],
  p: 2,
  k: 1,
  diameter: 1,
  selection: [new Set(), new Set()],
  mode: "move", // or "draw0", "draw1": a pointer moves and selects, or draws points of a cloud
  isMoving: false, // something is being dragged or played: answers must come fast
  structure: 0, // grows when points come or go: a plan for others is of no use then
  begun: 0, // the structure with which these clouds began
  crossing: null, // the answers, each with the structure it belongs to
  transport: null,
  profile: null,
  leading: null, // which column makes up nearly all of the distances
  error: "",
};

const listeners = new Map();

export function on(event, listener) {
  listeners.set(event, [...(listeners.get(event) ?? []), listener]);
}

// Events: "points", "parameters", "selection", "view", "answer", "history", "undone".
export function tell(event, detail) {
  for (const listener of listeners.get(event) ?? []) listener(detail);
}

export function emptyCloud() {
  return { points: [], weights: [] }; // coordinates point by point; in one dimension, one number each
}

export function sizeOf(side) {
  return state.clouds[side].weights.length;
}

// The cloud that a drawing mode adds to; null while points are moved.
export function drawnSide() {
  return { draw0: 0, draw1: 1 }[state.mode] ?? null;
}

export function isFull(side) {
  return sizeOf(side) >= MOST_POINTS;
}

export function hasBoth() {
  return sizeOf(0) > 0 && sizeOf(1) > 0;
}

export function pointAt(side, index) {
  const { points } = state.clouds[side];
  return state.dimension === 1 ? [points[index], 0] : [points[2 * index], points[2 * index + 1]];
}

export function movePoint(side, index, dx, dy) {
  const { points } = state.clouds[side];
  [dx, dy].slice(0, state.dimension).forEach((step, axis) => {
    const moved = points[state.dimension * index + axis] + step;
    if (Number.isFinite(moved)) points[state.dimension * index + axis] = moved;
  });
}

export function addPoint(side, [x, y], weight = 1) {
  const { points, weights } = state.clouds[side];
  points.push(...(state.dimension === 1 ? [x] : [x, y]));
  weights.push(weight);
  state.structure += 1;
}

export function setClouds(clouds, dimension = state.dimension) {
  state.clouds = clouds;
  state.dimension = dimension;
  state.selection = [new Set(), new Set()];
  state.structure += 1;
  state.begun = state.structure;
  forgetAnswers();
}

// Those about other clouds would be taken for these clouds' own.
export function forgetAnswers() {
  Object.assign(state, { crossing: null, transport: null, profile: null, leading: null });
}

// The points of a cloud with each column in another unit.
export function inUnits({ points, weights }, units) {
  const at = (place) => place % state.dimension;
  return { points: points.map((value, place) => (value * state.units[at(place)]) / units[at(place)]), weights };
}

// Keeps the points of the same clouds but puts them elsewhere, as a story does.
export function placePoints(clouds) {
  clouds.forEach((cloud, side) => {
    state.clouds[side].points = cloud.points;
  });
}

export function removeSelected() {
  for (const side of [0, 1]) {
    const gone = state.selection[side];
    if (gone.size === 0) continue;
    const { points, weights } = state.clouds[side];
    const stays = (_, place) => !gone.has(Math.floor(place / state.dimension));
    state.clouds[side] = { points: points.filter(stays), weights: weights.filter((_, place) => !gone.has(place)) };
  }
  state.selection = [new Set(), new Set()];
  state.structure += 1;
}

export function selectedCount() {
  return state.selection[0].size + state.selection[1].size;
}

export function forSelected(visit) {
  state.selection.forEach((places, side) => places.forEach((index) => visit(side, index)));
}

// ---------------------------------------------------------------- undo

const MOST_STEPS = 50;
const past = [];

// `others`: what else the next step changes, if it changes more than points.
export function remember(others = null) {
  past.push({
    clouds: state.clouds.map(({ points, weights }) => ({ points: [...points], weights: [...weights] })),
    dimension: state.dimension,
    others,
  });
  if (past.length > MOST_STEPS) past.shift();
  tell("history");
}

export function undo() {
  const before = past.pop();
  if (!before) return false;
  setClouds(before.clouds, before.dimension);
  if (before.others) tell("undone", before.others);
  tell("history");
  tell("points");
  return true;
}

export function canUndo() {
  return past.length > 0;
}
