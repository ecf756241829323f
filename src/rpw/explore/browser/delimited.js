// Delimited text becomes names, rows and a decimal mark, by the rules of src/rpw/io/delimited.py, which has the reasons.

const SEPARATORS = ["\t", ";", ","];
const MISSING = new Set(["", "na", "n/a", "nan", "null", "none", "#n/a"]);
const WEIGHT_NAMES = ["weight", "weights"];
const ONE_MARK = /^[+-]?(?=[.,]?\d)\d*([.,])\d*(e[+-]?\d+)?$/i;
const THOUSANDS = /^[+-]?[1-9]\d{0,2}((\.\d{3})+(,\d*)?|(,\d{3})+(\.\d*)?)$/;
const INTEGER = /^\d+$/;
const DATE = /^\d{4}-\d{2}(-\d{2}.*)?$/;
const LIKE_A_NUMBER = /^[+-]?([.,]?\p{Nd}[\p{Nd}.,_:/+-]*(e[+-]?\p{Nd}+)?|0[xob][\p{Nd}a-f]*|inf|infinity|∞)$/iu;

export function isWeight(name) {
  return WEIGHT_NAMES.includes(name.toLowerCase());
}

// Gives names (null if there are none), rows of cells, the lines in which they begin, and the decimal mark.
export function readDelimited(text) {
  let [rows, lines, separator] = split(text.replace(/^\uFEFF+/, ""));
  const width = rows.length > 0 ? rows[0].length : 0;
  rows.forEach((row, place) => {
    if (row.length === width) return;
    throw new Error(`line ${lines[place]} has ${row.length} cell${row.length === 1 ? "" : "s"} instead of ${width}`);
  });
  const names = rows.length > 0 && hasNames(rows[0], rows.slice(1)) ? rows[0] : null;
  if (names) [rows, lines] = [rows.slice(1), lines.slice(1)];
  const isOfNumbers = names !== null && names.filter((name) => name !== "").every(isLikeANumber);
  return { names, rows, lines, decimal: decimalOf(rows, lines, separator), isOfNumbers };
}

function split(text) {
  const widths = SEPARATORS.map((each) => parsed(text, each, true)[0][0]?.length ?? 0);
  const splitting = SEPARATORS.filter((_, place) => widths[place] > 1);
  for (const separator of splitting) {
    const [rows, lines] = parsed(text, separator);
    if (rows.every((row) => row.length === rows[0].length)) return [rows, lines, separator];
  }
  const widest = splitting.length > 0 ? SEPARATORS[widths.indexOf(Math.max(...widths))] : ",";
  const [rows, lines] = parsed(text, widest);
  const isInName = !splitting.includes(",") && rows.slice(1).every((row) => row.length === 1);
  return isInName ? [...parsed(text, ","), ","] : [rows, lines, widest];
}

function parsed(text, separator, isFirstOnly = false) {
  const [rows, lines] = [[], []];
  // What is in quotes, the quote that closes, what comes after it or has none, and what ends the cell.
  const cell = new RegExp(`(?: *"([^"]*(?:""[^"]*)*)("?))?([^${separator}\\r\\n]*)(${separator}|\\r\\n?|\\n|$)`, "y");
  let line = 1;
  cell.lastIndex = 0;
  while (cell.lastIndex < text.length && !(isFirstOnly && rows.length > 0)) {
    const start = cell.lastIndex;
    const cells = [];
    let end = separator;
    while (end === separator) {
      const [, quoted, closing, rest, terminator] = cell.exec(text);
      if (closing === "") throw new Error(`line ${line}: a quote is opened there and never closed`);
      cells.push(((quoted ?? "").replaceAll('""', '"') + rest).trim());
      end = terminator;
    }
    const whole = text.slice(start, cell.lastIndex);
    if (cells.length > 1 || cells[0] !== "" || whole.includes('"')) {
      rows.push(cells);
      lines.push(line);
    }
    line += whole.match(/\r\n?|\n/g)?.length ?? 0;
  }
  return [rows, lines];
}

function hasNames(first, rest) {
  const hasIndex = first.length > 1 && first[0] === "";
  const cells = first.map((cell, place) => ({ cell, place })).filter(({ cell }) => !isMissing(cell));
  const numbers = cells.filter(({ cell }) => isLikeANumber(cell));
  if (numbers.length === 0) return cells.length > 0;
  const isText = numbers.length < cells.length;
  if (areNames(numbers, rest, isText)) {
    if (numbers.length > 1 || isText || hasIndex) return true;
    throw new Error(`line 1: "${numbers[0].cell}" may be a name or a number: write a name that is none`);
  }
  if (!isText) {
    if (!mayBeYears(numbers, rest)) return false;
    throw new Error(`line 1: "${numbers[0].cell}" may be a name or a number: write a name that is none`);
  }
  if (first.some(isWeight)) return true;
  const text = cells.find(({ cell }) => !isLikeANumber(cell)).cell;
  throw new Error(`line 1: "${text.slice(0, 40)}" is not a number, and others there are: no line of names, and no point`);
}

function areNames(numbers, rest, isText) {
  const found = numbers.map(({ cell }) => cell);
  const isSequence = found.every((cell, place) => cell === String(place));
  if (rest.length > 0 && isSequence && (found.length > 1 || !isText)) return true;
  if (found.some((cell) => kindOf(cell) === "number") || new Set(found).size < found.length) return false;
  return numbers.every(({ cell, place }) => {
    const below = rest.map((row) => row[place]).filter((other) => !isMissing(other));
    return below.length > 0 && below.every((other) => kindOf(other) !== kindOf(cell));
  });
}

function mayBeYears(numbers, rest) {
  const found = numbers.map(({ cell }) => cell);
  if (found.length < 2 || found.some((cell) => kindOf(cell) !== "integer" || cell.length > 9)) return false;
  const isSuccessive = found.every((cell, place) => Number(cell) === Number(found[0]) + place);
  return isSuccessive && numbers.every(({ place }) => rest.some((row) => kindOf(row[place]) === "number"));
}

function kindOf(cell) {
  if (INTEGER.test(cell)) return "integer";
  if (DATE.test(cell)) return "date";
  return isLikeANumber(cell) ? "number" : "text";
}

function decimalOf(rows, lines, separator) {
  const seen = new Map(); // the first cell with each mark
  let isCertain = false;
  const hasCommas = rows.some((row) => row.some((cell) => cell.includes(",")));
  if (separator !== ";" && !hasCommas) return ".";
  for (const [place, row] of rows.entries()) {
    for (const cell of row) {
      const mark = cell.match(ONE_MARK)?.[1];
      const line = lines[place];
      if (!mark && THOUSANDS.test(cell)) throw new Error(`line ${line}: "${cell.slice(0, 40)}" has marks between its thousands`);
      if (!mark) continue;
      isCertain ||= !THOUSANDS.test(cell);
      if (!seen.has(mark)) seen.set(mark, { cell: cell.slice(0, 40), line });
    }
    if (seen.size > 1) throw new Error(wordsOfBoth(...seen.values()));
  }
  const [[mark, first]] = seen.size > 0 ? seen : [[".", null]];
  if (first && !isCertain && (mark === "," || separator === ";")) {
    throw new Error(`line ${first.line}: "${first.cell}" has a decimal mark, or one between thousands, and nothing tells`);
  }
  return mark;
}

function wordsOfBoth(one, other) {
  return `line ${other.line}: "${other.cell}" has another decimal mark than "${one.cell}" in line ${one.line}`;
}

function isMissing(cell) {
  return MISSING.has(cell.toLowerCase());
}

function isLikeANumber(cell) {
  return LIKE_A_NUMBER.test(cell);
}
