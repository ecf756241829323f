// Three stories. Each has a paragraph, clouds, and something that goes from 0 to 1.

import { heap, randomNumbers } from "./samples.js";

const COUNT = 60;
const NOISE = 3;
const SPREAD = 0.06;

function clouds(seed, middle, shift) {
  const random = randomNumbers(seed);
  return [heap(random, COUNT, middle, SPREAD), heap(random, COUNT, [middle[0] + shift, middle[1]], SPREAD)];
}

// The same clouds, with some points of the second one elsewhere.
function withNoise([first, second], places) {
  places.forEach(([x, y], index) => {
    second.points[2 * index] = x;
    second.points[2 * index + 1] = y;
  });
  return [first, second];
}

const NOISY_PLACES = [
  [0.04, 0.49],
  [0.07, 0.06],
  [0.02, 0.31],
];

function shiftAndNoise(shift) {
  return withNoise(clouds(7, [0.47, 0.27], shift), NOISY_PLACES.slice(0, NOISE));
}

export const STORIES = {
  outlier: {
    title: "One outlier",
    text: `Both clouds come from the same place. Then one of the ${COUNT} orange points moves away. W₂ follows it, and
      grows for as long as the point moves. RPW leaves the point behind, and never rises by more than the point’s
      share of the mass, which is 1/${COUNT}.`,
    handle: "Distance of the outlier",
    seconds: 6,
    settings: { p: 2, k: 1, diameter: 1 },
    at: (t) => {
      const made = clouds(3, [0.24, 0.27], 0);
      const home = made[1].points.slice(0, 2);
      return { clouds: withNoise(made, [[home[0] + t * (0.81 - home[0]), home[1] + t * (0.44 - home[1])]]) };
    },
  },
  shift: {
    title: "A shift and noise",
    text: `${NOISE} of the ${COUNT} orange points are noise, far away. They alone make W₂ large. RPW begins near their
      share of the mass, ${NOISE}/${COUNT} = ${NOISE / COUNT}. Then the other orange points move to the right. RPW stays
      where it is until the move is about kΔ × ${NOISE / COUNT} long. From there on it grows with the move.`,
    handle: "Length of the shift",
    seconds: 6,
    settings: { p: 2, k: 1, diameter: 1 },
    at: (t) => ({ clouds: shiftAndNoise(0.3 * t) }),
  },
  price: {
    title: "What k does",
    text: `Here are a shift and noise together. Now k, the cost of leaving mass behind, changes. At a small k
      it is cheap to leave mass behind: much stays, and RPW is large. As k grows, more moves, until only the noise is
      left behind. At a very large k the noise moves too, and kΔ × RPW comes close to W₂.`,
    handle: "k, from 0.03 to 30",
    seconds: 8,
    settings: { p: 2, k: 0.03, diameter: 1 },
    at: (t) => ({ clouds: shiftAndNoise(0.12), k: 0.03 * 1000 ** t }),
  },
};
