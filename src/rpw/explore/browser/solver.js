// Asks the core, in two workers. The front one finds RPW and its plan, the back one W_p and the profile. While something
// moves, and first of all at rest, they have little time; at rest they go on to the end.

import { Core } from "./core.js";
import { forgetAnswers, hasBoth, sizeOf, state, tell } from "./state.js";

const MANY_PAIRS = 250 * 250; // up to here the whole profile takes a few hundredths of a second
const AT_ONCE = 0.12; // seconds: after that, the bounds on RPW and the places of the profile that are known by then
const AT_REST = 0.4; // seconds for more places, before they are shown

// One worker with the job that it has and the one that waits. A newer job takes the place of the one that waits.
class Lane {
  constructor(makeWorker, makeInPage) {
    this.makeWorker = makeWorker;
    this.makeInPage = makeInPage;
    this.start();
  }

  start() {
    this.running = null;
    this.worker = this.makeWorker();
    this.worker.onmessage = ({ data }) => this.finish(data);
    this.worker.onerror = () => this.goOnInPage();
  }

  // Some browsers refuse a worker only after it was made.
  goOnInPage() {
    const job = this.waiting ?? this.running;
    this.makeWorker = this.makeInPage;
    this.start();
    this.waiting = job;
    this.next();
  }

  // `done` hears the answers. A `slow` job is given up when another one comes.
  ask(job, done, isSlow = false) {
    this.waiting = { job, done, isSlow };
    if (this.running?.isSlow) {
      this.worker.terminate();
      this.start();
    }
    if (!this.running) this.next();
  }

  next() {
    this.running = this.waiting;
    this.waiting = null;
    if (this.running) this.worker.postMessage({ job: this.running.job });
  }

  finish({ answers, milliseconds }) {
    const { done } = this.running;
    this.next();
    done(answers, milliseconds);
  }
}

// Where a browser has no workers for pages of this kind, the page itself computes.
class InPage {
  constructor(module) {
    this.core = new Core(module);
  }

  postMessage({ job }) {
    this.timer = setTimeout(() => this.onmessage({ data: { answers: this.core.answers(job) } }));
  }

  terminate() {
    clearTimeout(this.timer);
  }
}

let newLane, front, back, own;

export async function startSolver(bytes, workerSource) {
  const module = await WebAssembly.compile(bytes);
  const url = URL.createObjectURL(new Blob([workerSource], { type: "text/javascript" }));
  const makeInPage = () => new InPage(module);
  const makeWorker = () => {
    try {
      const worker = new Worker(url);
      worker.postMessage({ module });
      return worker;
    } catch {
      return makeInPage();
    }
  };
  newLane = () => new Lane(makeWorker, makeInPage);
  [front, back] = [newLane(), newLane()];
}

// One job by itself, for tests and for the console.
export function askOnce(job) {
  own ??= newLane();
  return new Promise((resolve) => own.ask(job, resolve));
}

function jobNow(what, limits = {}) {
  const [a, b] = state.clouds.map(({ points, weights }) => ({
    points: Float64Array.from(points),
    weights: Float64Array.from(weights),
  }));
  const { dimension, metric, p } = state;
  return { what, dimension, metric, a, b, p, kappa: state.k * state.diameter, ...limits };
}

let moment = 0; // counts the questions: an older answer does not replace a newer one
const failures = new Map(); // what the last answer of each name complained about

// Called whenever points or parameters have changed, and once more at rest.
export function solve() {
  if (!front) return;
  moment += 1;
  if (!hasBoth() || outOfRange()) {
    failures.clear();
    state.error = hasBoth() ? outOfRange() : "";
    forgetAnswers();
    tell("answer");
    return;
  }
  const asked = { moment, structure: state.structure, isSettled: !state.isMoving };
  askCrossing(asked);
  if (sizeOf(0) * sizeOf(1) <= MANY_PAIRS) askWholeProfile(asked);
  else askPlaces(asked);
}

// Whether there is time for more than a first answer.
function mayGoOn(asked) {
  return asked.isSettled && asked.moment === moment;
}

function askCrossing(asked) {
  front.ask(jobNow(["crossing", "leading"], { seconds: AT_ONCE }), ({ crossing, leading }) => {
    const goesOn = !crossing.isExact && mayGoOn(asked);
    keep("leading", leading, asked);
    if (!goesOn) return keep("crossing", crossing, asked);
    if (!crossing.error) keep("crossing", crossing, { ...asked, isSettled: false });
    front.ask(jobNow(["crossing"]), (exact) => keep("crossing", exact.crossing, asked), true);
  });
}

// Why there is no answer to ask for: the rule of Python's functions.
function outOfRange() {
  const kappa = state.k * state.diameter;
  if (Number.isFinite(kappa) && (kappa > 0 || state.k === 0)) return "";
  return `k times Δ is ${kappa === 0 ? "too small" : "too large"} for a number of 64 bits: change k or Δ.`;
}

function keep(name, answer, asked) {
  if (!hasBoth() || outOfRange() || asked.structure < state.begun) return; // what was asked about is gone
  if (answer.error) failures.set(name, answer.error);
  else failures.delete(name);
  state[name] = answer.error ? null : { ...answer, ...asked }; // no older number beside a complaint
  state.error = [...failures.values()][0] ?? "";
  tell("answer", name);
}

// The end of the whole profile is W_p.
function askWholeProfile(asked) {
  back.ask(jobNow(["profile"]), ({ profile }) => {
    if (profile.error) {
      if (asked.moment === moment) askPlaces(asked); // which needs no p-th powers of all distances together
      return;
    }
    keep("transport", { distance: profile.cost.at(-1) }, asked);
    keep("profile", { ...profile, isWhole: true }, asked);
  });
}

function askPlaces(asked) {
  const what = ["transport", "places"];
  const takeFirst = ({ transport, places }) => {
    keep("transport", transport, asked);
    takePlaces(places, asked);
  };
  back.ask(jobNow(what, { seconds: AT_ONCE, isHurried: true }), takeFirst, asked.isSettled);
}

function takePlaces(places, asked) {
  keep("profile", places, asked);
  if (places.error || places.isWhole || !mayGoOn(asked)) return;
  const known = Array.from(places.alpha, (alpha, s) => ({ alpha, cost: places.cost[s] }));
  back.ask(jobNow(["places"], { known, seconds: AT_REST }), (more) => takePlaces(more.places, asked), true);
}

// Whether all that is shown belongs to what is shown, and nothing is being computed.
export function isUpToDate() {
  const answers = [state.crossing, state.transport, state.profile];
  if (!hasBoth()) return true;
  if (state.error) return !front?.running && !back?.running;
  return answers.every((each) => each?.moment === moment && each.isSettled) && state.profile.isWhole;
}

export function isComputing() {
  return !state.error && !isUpToDate();
}
