// Tables of points as text. A row is a point; a column named weight or weights holds weights.

import { MOST_POINTS } from "./state.js";

const WEIGHT_NAMES = ["weight", "weights"];
const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i; // not 0x10, which Number takes for 16
// No name of a column: a number, a missing one, or one that is written in a way that is not read here.
const LIKE_A_NUMBER = /^[+-]?(|[.,]?\d[\d.,_:/+-]*(e[+-]?\d+)?|0[xob][\da-f]*|nan|inf|infinity|∞)$/i;

// Gives dimension, points and weights, or throws an Error that says what is wrong and in which line.
export function readCsv(text) {
  const lines = text.replace(/^\uFEFF/, "").split(/\r\n|\r|\n/);
  const rows = lines.map((line, place) => ({ cells: cellsOf(line), line: place + 1 })).filter(({ cells }) => cells);
  if (rows.length === 0) throw new Error("the file holds no points");
  const hasHeader = !rows[0].cells.some((cell) => LIKE_A_NUMBER.test(cell));
  const header = hasHeader ? rows.shift().cells.map((name) => name.toLowerCase()) : null;
  if (rows.length === 0) throw new Error("the file holds no points");
  if (rows.length > MOST_POINTS) {
    throw new Error(`the file holds ${rows.length} points, and the playground takes ${MOST_POINTS}`);
  }
  const width = header ? header.length : rows[0].cells.length;
  const weightAt = header ? header.findIndex((name) => WEIGHT_NAMES.includes(name)) : -1;
  const heavy = header ? header.filter((name) => WEIGHT_NAMES.includes(name)).length : 0;
  if (heavy > 1) throw new Error(`the file has ${heavy} columns of weights; one is allowed`);
  const dimension = width - heavy;
  if (dimension < 1 || dimension > 2) {
    throw new Error(
      `points need 1 or 2 coordinates, and this file has ${dimension}; a column of weights needs the name weight`,
    );
  }
  const cloud = { points: [], weights: [] };
  for (const { cells, line } of rows) {
    if (cells.length !== width) throw new Error(`line ${line} has ${counted(cells.length, "cell")} instead of ${width}`);
    const wrong = cells.find((cell) => !isNumber(cell));
    if (wrong !== undefined) throw new Error(`line ${line}: "${wrong.slice(0, 40)}" is not a number`);
    const numbers = cells.map(Number);
    const weight = weightAt >= 0 ? numbers.splice(weightAt, 1)[0] : 1;
    if (weight < 0) throw new Error(`line ${line}: a weight is negative`);
    cloud.points.push(...numbers);
    cloud.weights.push(weight);
  }
  if (!cloud.weights.some((weight) => weight > 0)) throw new Error("all weights are 0");
  return { dimension, cloud };
}

function cellsOf(line) {
  if (line.trim() === "") return null;
  const separator = [";", "\t", ","].find((each) => line.includes(each)) ?? /\s+/;
  return line
    .trim()
    .split(separator)
    .map((cell) => cell.trim().replace(/^"(.*)"$/, "$1"));
}

export function isNumber(cell) {
  return NUMBER.test(cell) && Number.isFinite(Number(cell));
}

export function counted(count, noun) {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

export function writeCsv({ points, weights }, dimension) {
  const names = dimension === 1 ? ["x", "weight"] : ["x", "y", "weight"];
  const rows = weights.map((weight, index) =>
    [...points.slice(index * dimension, (index + 1) * dimension), weight].join(","),
  );
  return [names.join(","), ...rows, ""].join("\n");
}
