// Clouds to begin with. Their random numbers have fixed seeds: a story is the same each time.

import { emptyCloud } from "./state.js";

export function randomNumbers(seed) {
  let state = seed >>> 0;
  const uniform = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const normal = () => Math.sqrt(-2 * Math.log(1 - uniform())) * Math.cos(2 * Math.PI * uniform());
  return { uniform, normal };
}

export const SPACE = { width: 0.85, height: 0.53 }; // its diagonal is 1, and so is Δ

// Normal points around a place.
export function heap(random, count, [x, y], spread) {
  const cloud = emptyCloud();
  for (let index = 0; index < count; index += 1) {
    cloud.points.push(x + spread * random.normal(), y + spread * random.normal());
    cloud.weights.push(1);
  }
  return cloud;
}

function twoClouds(count) {
  const random = randomNumbers(count);
  const first = heap(random, count, [0.33, 0.27], 0.075);
  const second = heap(random, count, [0.45, 0.27], 0.075);
  const scattered = Math.max(1, Math.round(count / 20));
  for (let index = 0; index < scattered; index += 1) {
    second.points[2 * index] = SPACE.width * random.uniform();
    second.points[2 * index + 1] = SPACE.height * random.uniform();
  }
  return { dimension: 2, clouds: [first, second] };
}

function onLine(count) {
  const random = randomNumbers(count);
  const cloud = (middle) => ({
    points: Array.from({ length: count }, () => middle + 0.07 * random.normal()),
    weights: Array(count).fill(1),
  });
  const [first, second] = [cloud(0.3), cloud(0.42)];
  second.points[0] = 0.83;
  return { dimension: 1, clouds: [first, second] };
}

export const SAMPLES = {
  "two-60": { title: "Two clouds, 60 points each", make: () => twoClouds(60) },
  "two-200": { title: "Two clouds, 200 points each", make: () => twoClouds(200) },
  "two-2000": { title: "Two clouds, 2,000 points each", make: () => twoClouds(2000) },
  line: { title: "On a line, 40 points each", make: () => onLine(40) },
  empty: { title: "Empty: draw your own", make: () => ({ dimension: 2, clouds: [emptyCloud(), emptyCloud()] }) },
};
