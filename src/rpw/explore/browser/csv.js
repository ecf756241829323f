// Tables of points as text. A row is a point; a column named weight or weights holds weights.

import { isWeight, readDelimited } from "./delimited.js";
import { MOST_POINTS } from "./state.js";

const NUMBER = /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i; // not 0x10, which Number takes for 16

// Gives dimension, points, weights, names of columns and a note, or throws an Error that says what is wrong and in which line.
export function readCsv(text) {
  const { names, rows, lines, decimal, isOfNumbers } = readDelimited(text);
  if (rows.length === 0) throw new Error("the file holds no points");
  if (rows.length > MOST_POINTS) {
    throw new Error(`the file holds ${rows.length} points, and the playground takes ${MOST_POINTS}`);
  }
  const empty = names ? names.indexOf("") : -1;
  if (empty >= 0) throw new Error(`line 1: the name of column ${empty + 1} is empty`);
  const weightAt = names ? names.findIndex(isWeight) : -1;
  const heavy = names ? names.filter(isWeight).length : 0;
  if (heavy > 1) throw new Error(`the file has ${heavy} columns of weights; one is allowed`);
  const dimension = rows[0].length - heavy;
  if (dimension < 1 || dimension > 2) {
    throw new Error(
      `points need 1 or 2 coordinates, and this file has ${dimension}; a column of weights needs the name weight`,
    );
  }
  const cloud = { points: [], weights: [] };
  rows.forEach((row, place) => {
    const line = lines[place];
    const numbers = row.map((cell) => numberOf(cell, decimal, line));
    const weight = weightAt >= 0 ? numbers.splice(weightAt, 1)[0] : 1;
    if (weight < 0) throw new Error(`line ${line}: a weight is negative`);
    cloud.points.push(...numbers);
    cloud.weights.push(weight);
  });
  if (!cloud.weights.some((weight) => weight > 0)) throw new Error("all weights are 0");
  const columns = names?.filter((name) => !isWeight(name));
  return { dimension, cloud, columns, note: isOfNumbers ? `The first line (${names.join(", ")}) was taken for names.` : "" };
}

function numberOf(cell, decimal, line) {
  const plain = decimal === "," ? cell.replaceAll(/[.,]/g, (mark) => (mark === "," ? "." : "_")) : cell;
  if (!isNumber(plain)) throw new Error(`line ${line}: "${cell.slice(0, 40)}" is not a number`);
  return Number(plain);
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
