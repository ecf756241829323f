// The profile from a few of its places: where lines of chosen prices cross it, each within a tolerance. A whole profile
// of many points has too many breakpoints to be walked through in a page.

const WIDE = 1 / 40; // of the picture: at 1 / 64, two clouds of 2,000 points took 15 s instead of 8
const TOL = 1 / 128; // likewise, between the bounds of a place: at a quarter of it one place of 2,876 points took 11 s

// Both ends are known: nothing moves for nothing, and all of the mass for W.
export function ends(w) {
  return [
    { alpha: 0, cost: 0 },
    { alpha: 1, cost: w },
  ];
}

// Adds places until none is missing or time is up. `bounds` gives those on RPW at a price within a tolerance. If
// `isHurried`, it may run out of its seconds, and then there is no place; else a call adds at least one.
export function withMore(known, seconds, isHurried, bounds) {
  const places = [...known];
  const end = performance.now() + 1000 * seconds;
  let after = widest(places);
  for (let left = seconds; after > 0 && left > 0; left = (end - performance.now()) / 1000) {
    const [before, next] = [places[after - 1], places[after]];
    const middle = { alpha: (before.alpha + next.alpha) / 2, cost: before.cost / 2 + next.cost / 2 };
    const kappa = middle.cost / (1 - middle.alpha);
    const tol = TOL * Math.min(1, places.at(-1).cost / kappa);
    const found = bounds(kappa, tol, isHurried ? left : undefined);
    if (isHurried && (found.error || found.upper - found.lower > 1.001 * tol)) break;
    if (found.error) return found;
    const unmoved = found.lower / 2 + found.upper / 2;
    places.splice(after, 0, {
      alpha: between(before.alpha, 1 - unmoved, next.alpha),
      cost: between(before.cost, kappa * unmoved, next.cost),
    });
    after = widest(places);
  }
  return { alpha: places.map(({ alpha }) => alpha), cost: places.map(({ cost }) => cost), isWhole: after === 0 };
}

// The profile never falls, so between two places it stays in the box that has them as corners. Gives the place at the
// end of the widest box, by its shorter side; 0 if no box is wide.
function widest(places) {
  const w = places.at(-1).cost;
  let [found, most] = [0, WIDE];
  for (let s = 1; s < places.length; s += 1) {
    const [across, up] = [places[s].alpha - places[s - 1].alpha, (places[s].cost - places[s - 1].cost) / w];
    if (Math.min(across, up) > most) [found, most] = [s, Math.min(across, up)];
  }
  return found;
}

function between(least, value, most) {
  return Math.min(most, Math.max(least, value));
}
