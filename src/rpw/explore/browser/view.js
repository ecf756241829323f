// Where the points lie on the stage: a scale and a middle, and the way there and back.

import { pointAt, sizeOf, state } from "./state.js";

const MARGIN = 0.08; // of each side
const ROW = 26; // pixels from the axis to the rows of points in one dimension

export const view = { width: 300, height: 200, scale: 300, middle: [0.42, 0.27] };

export function resizeView(width, height) {
  const shorter = Math.min(width / view.width, height / view.height);
  if (view.width > 0 && Number.isFinite(shorter) && shorter > 0) view.scale *= shorter;
  Object.assign(view, { width, height });
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
  view.scale *= factor;
}

// Shows a box of the world, given by its ends, as large as it fits.
export function showBox([left, right], [low, high]) {
  const inside = 1 - 2 * MARGIN;
  const scales = [(view.width * inside) / (right - left), (view.height * inside) / (high - low)];
  const scale = Math.min(...scales.filter((each) => Number.isFinite(each) && each > 0));
  view.scale = Number.isFinite(scale) ? scale : view.scale;
  view.middle = [(left + right) / 2, (low + high) / 2];
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
