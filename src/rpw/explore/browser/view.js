// Where the points lie on the stage: the box of the world that is shown whole, and the way there and back.

import { pointAt, sizeOf, state } from "./state.js";

const MARGIN = 0.08; // of each side
const ROW = 26; // pixels from the axis to the rows of points in one dimension
const MOST_SCALE = 1e280; // and its inverse: beyond, a move by a few pixels is no number

// `box`: width and height of what must be seen, in units of the world; `scale`: pixels for one unit.
export const view = { width: 300, height: 200, scale: 300, middle: [0.42, 0.27], box: [1, 2 / 3] };

// The scale follows from the box alone, so that the old size of a window brings the old picture back.
export function resizeView(width, height) {
  Object.assign(view, { width, height });
  fitBox();
}

function fitBox() {
  const scales = [view.width / view.box[0], view.height / view.box[1]];
  const scale = Math.min(...scales.filter((each) => Number.isFinite(each) && each > 0));
  if (Number.isFinite(scale)) view.scale = scale;
}

export function toScreen(side, [x, y]) {
  const across = view.width / 2 + (x - view.middle[0]) * view.scale;
  if (state.dimension === 1) return [across, view.height / 2 + (side === 0 ? -ROW : ROW)];
  return [across, view.height / 2 - (y - view.middle[1]) * view.scale];
}

export function toWorld([across, down]) {
  return [
    view.middle[0] + (across - view.width / 2) / view.scale,
    view.middle[1] - (down - view.height / 2) / view.scale,
  ];
}

export function zoom(factor) {
  const scale = view.scale * factor;
  if (scale > MOST_SCALE || scale < 1 / MOST_SCALE) return;
  view.box = view.box.map((length) => length / factor);
  fitBox();
}

// What is looked at, to come back to it.
export function lookNow() {
  return { middle: view.middle, box: view.box };
}

export function lookAgain(look) {
  Object.assign(view, look);
  fitBox();
}

// Shows a box of the world, given by its ends, as large as it fits.
export function showBox([left, right], [low, high]) {
  const inside = 1 - 2 * MARGIN;
  if (right > left || high > low) view.box = [(right - left) / inside, (high - low) / inside]; // one point has no size
  view.middle = [(left + right) / 2, (low + high) / 2];
  fitBox();
}

export function showAll() {
  const ends = [
    [Infinity, -Infinity],
    [Infinity, -Infinity],
  ];
  for (const side of [0, 1]) {
    for (let index = 0; index < sizeOf(side); index += 1) {
      pointAt(side, index).forEach((value, axis) => {
        ends[axis][0] = Math.min(ends[axis][0], value);
        ends[axis][1] = Math.max(ends[axis][1], value);
      });
    }
  }
  if (ends[0][0] <= ends[0][1]) showBox(ends[0], ends[1]);
}

// A step of 1, 2 or 5 times a power of ten that makes about `count` parts of a length.
export function niceStep(length, count) {
  const rough = length / count;
  const power = 10 ** Math.floor(Math.log10(rough));
  return power * ([1, 2, 5].find((each) => each * power >= rough) ?? 10);
}
