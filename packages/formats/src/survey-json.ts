/** What a JSON text is like, found in one pass over it, before any of it is made into values. */
export interface JsonSurvey {
  /** How deep brackets stand in each other; counting ends one above what was asked for. */
  readonly depth: number;
  /** Objects, lists, and what is parted by commas: no fewer than it has values, but for one in each bracket. */
  readonly values: number;
  /** Where integers stand that a double cannot hold: begin and end of each. Not those where a key belongs. */
  readonly longIntegers: readonly (readonly [number, number])[];
}

/** Strings are skipped. A text that is no JSON has a survey too. */
export function surveyJson(text: string, maxDepth = Number.POSITIVE_INFINITY): JsonSurvey {
  let [depth, deepest, values] = [0, 0, 0];
  const longIntegers: [number, number][] = [];
  for (let at = 0; at < text.length && deepest <= maxDepth; at += 1) {
    const code = text.charCodeAt(at);
    if (code === quote) at = closingQuote(text, at);
    else if (code === comma) values += 1;
    else if (code === openBracket || code === openBrace) {
      values += 1;
      depth += 1;
      if (depth > deepest) deepest = depth;
    } else if (code === closeBracket || code === closeBrace) depth -= 1;
    else if (code >= zero && code <= nine) {
      const end = endOfNumber(text, at);
      const length = end - at;
      if (length >= leastDigits && length <= mostDigits && isLongInteger(text, at, end))
        longIntegers.push([at, end]);
      at = end - 1;
    }
  }
  return { depth: deepest, values, longIntegers };
}

const [quote, comma, openBracket, closeBracket, openBrace, closeBrace] = [0x22, 0x2c, 0x5b, 0x5d, 0x7b, 0x7d];
const [zero, nine, point, plus, minus, letterE] = [0x30, 0x39, 0x2e, 0x2b, 0x2d, 0x65];
/** 2^53 has as many. */
const leastDigits = 16;
/** What is longer is no number of anybody's, and takes long to be made: it stays a double. */
const mostDigits = 100;

function closingQuote(text: string, from: number): number {
  for (let at = text.indexOf('"', from + 1); at >= 0; at = text.indexOf('"', at + 1)) {
    let slashes = 0;
    while (text[at - 1 - slashes] === "\\") slashes += 1;
    if (slashes % 2 === 0) return at;
  }
  return text.length;
}

/** Of digits and what else a number has behind its first one. */
function endOfNumber(text: string, from: number): number {
  let end = from + 1;
  for (; end < text.length; end += 1) {
    const code = text.charCodeAt(end);
    const isDigit = code >= zero && code <= nine;
    if (!isDigit && code !== point && code !== plus && code !== minus && (code | 0x20) !== letterE)
      return end;
  }
  return end;
}

/** In JSON a number is no key, and begins with no zero: such a text stays what it is, which is wrong. */
function isLongInteger(text: string, from: number, end: number): boolean {
  const digits = text.slice(from, end);
  if (!/^[1-9]\d*$/.test(digits) || Number.isSafeInteger(Number(digits))) return false;
  const next = /\S/g;
  next.lastIndex = end;
  return next.exec(text)?.[0] !== ":";
}
