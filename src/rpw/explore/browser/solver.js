// Asks the core, in two workers. The front one finds RPW and its plan. The back one finds W_p and the profile: up to the
// crossing while something moves, and all of it at rest.

import { Core } from "./core.js";
import { hasBoth, sizeOf, state, tell } from "./state.js";

const MANY_PAIRS = 250 * 250; // up to here the whole profile takes a few hundredths of a second
const WHILE_MOVING = 0.12; // seconds for RPW: after that, the bounds proven by then
const CURVE_WHILE_MOVING = 0.16;
const MOST_FOR_PROFILE = 20; // seconds at rest: without an answer by then, the part up to the crossing stays

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

function jobNow(what, seconds) {
  const [a, b] = state.clouds.map(({ points, weights }) => ({
    points: Float64Array.from(points),
    weights: Float64Array.from(weights),
  }));
  const { dimension, metric, p } = state;
  return { what, dimension, metric, a, b, p, kappa: state.k * state.diameter, seconds };
}

let moment = 0; // counts the questions: an older answer does not replace a newer one
const failures = new Map(); // what the last answer of each name complained about

// Called whenever points or parameters have changed, and once more at rest.
export function solve() {
  if (!front) return;
  moment += 1;
  if (!hasBoth()) {
    failures.clear();
    state.error = "";
    Object.assign(state, { crossing: null, transport: null, profile: null });
    tell("answer");
    return;
  }
  const wrong = outOfRange();
  if (wrong) {
    failures.clear();
    state.error = wrong;
    Object.assign(state, { crossing: null, transport: null, profile: null });
    tell("answer");
    return;
  }
  const asked = { moment, structure: state.structure, isSettled: !state.isMoving };
  front.ask(jobNow(["crossing"], state.isMoving ? WHILE_MOVING : undefined), ({ crossing }) => {
    keep("crossing", crossing, asked);
  });
  const isSmall = sizeOf(0) * sizeOf(1) <= MANY_PAIRS || state.dimension === 1;
  if (isSmall) {
    askWholeProfile(asked, false);
  } else {
    askInParts(asked);
  }
}

// Why there is no answer to ask for: the rule of Python's functions.
function outOfRange() {
  const kappa = state.k * state.diameter;
  if (Number.isFinite(kappa) && (kappa > 0 || state.k === 0)) return "";
  return `k times Δ is ${kappa === 0 ? "too small" : "too large"} for a number of 64 bits: change k or Δ.`;
}

function keep(name, answer, asked) {
  if (!hasBoth() || outOfRange()) return; // what was asked about is gone
  if (answer.error) failures.set(name, answer.error);
  else failures.delete(name);
  state[name] = answer.error ? null : { ...answer, ...asked }; // no older number beside a complaint
  state.error = [...failures.values()][0] ?? "";
  tell("answer", name);
}

// The end of the whole profile is W_p.
function askWholeProfile(asked, isSlow) {
  const take = ({ profile }) => {
    if (profile.error && isSlow) {
      if (state.profile) state.profile.isLast = true; // the part up to the crossing is all there will be
      return;
    }
    if (profile.error) return askInParts(asked, true); // W alone may have an answer
    keep("transport", { distance: profile.cost.at(-1) }, asked);
    keep("profile", { ...profile, isWhole: true }, asked);
  };
  back.ask(jobNow(["profile"], MOST_FOR_PROFILE), take, isSlow);
}

function askInParts(asked, isLast = false) {
  back.ask(jobNow(["toCrossing", "transport"], CURVE_WHILE_MOVING), ({ toCrossing, transport }) => {
    keep("profile", { ...toCrossing, isWhole: false, isLast }, asked);
    keep("transport", transport, asked);
    if (!isLast && asked.isSettled && asked.moment === moment) askWholeProfile(asked, true);
  });
}

// Whether all that is shown belongs to what is shown, and nothing is being computed.
export function isUpToDate() {
  const answers = [state.crossing, state.transport, state.profile];
  if (!hasBoth()) return true;
  if (state.error) return !front?.running && !back?.running;
  const areOfNow = answers.every((each) => each?.moment === moment && each.isSettled);
  return areOfNow && Boolean(state.profile.isWhole || state.profile.isLast);
}
