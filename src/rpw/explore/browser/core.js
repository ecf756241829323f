// The compiled core: clouds in, lists of numbers out. It runs in workers; in the page only where there are none.

import { ends, withMore } from "./places.js";

const METRICS = ["euclidean", "cityblock", "chebyshev"];
const LISTS = ["numbers", "row", "column", "mass", "unmatchedA", "unmatchedB", "alpha", "cost"];
const NO_LIMIT = 1e10; // seconds

export class Core {
  constructor(module) {
    const imports = {
      env: { emscripten_notify_memory_growth: () => {} },
      wasi_snapshot_preview1: {
        clock_time_get: (_clock, _precision, pointer) => {
          const nanoseconds = BigInt(Math.round(performance.now() * 1e6));
          new DataView(this.exports.memory.buffer).setBigUint64(pointer, nanoseconds, true);
          return 0;
        },
        proc_exit: () => {
          throw new Error("the core has stopped");
        },
      },
    };
    this.exports = new WebAssembly.Instance(module, imports).exports;
    this.exports._initialize();
  }

  // `job`: what (a list of "crossing", "leading", "transport", "places", "profile"), dimension, metric, a, b (each with
  // `points`, the coordinates point by point, and `weights`), p, kappa, and seconds if there is a limit. For "places",
  // which come after "transport" or go on from `known` ones, see places.js. Gives an answer for each name in `what`, in
  // this order: the lists that it fills, or an `error`.
  answers(job) {
    const metric = METRICS.indexOf(job.metric);
    const seconds = job.seconds ?? NO_LIMIT;
    this.write(0, job.a, job.dimension);
    this.write(1, job.b, job.dimension);
    const bounds = (kappa, tol, limit = NO_LIMIT) =>
      this.listsIf(this.exports.rpw_place(metric, job.p, kappa, tol, limit));
    const ask = {
      crossing: () => this.listsIf(this.exports.rpw_crossing(metric, job.p, job.kappa, seconds)),
      leading: () => this.listsIf(this.exports.rpw_leading_column()),
      transport: () => this.listsIf(this.exports.rpw_transport(metric, job.p, NO_LIMIT)),
      places: ({ transport }) =>
        transport?.error ? transport : withMore(job.known ?? ends(transport.distance), seconds, job.isHurried, bounds),
      profile: () => this.listsIf(this.exports.rpw_profile(metric, job.p, seconds)),
    };
    return job.what.reduce((answers, name) => ({ ...answers, [name]: ask[name](answers) }), {});
  }

  write(side, cloud, dimension) {
    const count = cloud.weights.length;
    const pointer = this.exports.rpw_cloud(side, count, dimension);
    const room = new Float64Array(this.exports.memory.buffer, pointer, count * (dimension + 1));
    room.set(cloud.points);
    room.set(cloud.weights, count * dimension);
  }

  listsIf(isAnswered) {
    if (!isAnswered) return { error: this.error() };
    const answer = {};
    LISTS.forEach((name, place) => {
      const size = this.exports.rpw_list_size(place);
      answer[name] = new Float64Array(this.exports.memory.buffer, this.exports.rpw_list(place), size).slice();
    });
    const [distance, lower, upper, cost, mass, isExact] = answer.numbers;
    return Object.assign(answer, { distance, lower, upper, planCost: cost, moved: mass, isExact: isExact === 1 });
  }

  error() {
    const bytes = new Uint8Array(this.exports.memory.buffer, this.exports.rpw_error());
    return new TextDecoder().decode(bytes.slice(0, bytes.indexOf(0)));
  }
}
