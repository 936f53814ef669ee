import { eachChar, lower, upper } from "../values/letters.ts";

const connector = /[-_\s\u0085]/u;
const isConnector = (char: string): boolean => connector.test(char) && char !== "\ufeff";
const isUpper = (char: string): boolean => /\p{Lu}/u.test(char);

/** Words in capitals, their connectors gone but for those at the front and doubled ones (huandu/xstrings ToPascalCase). */
export function pascalCase(text: string): string {
  const chars = [...text];
  const start = chars.findIndex((char) => !isConnector(char));
  // Of connectors alone xstrings writes the last twice.
  if (start < 0) return text + (chars.at(-1) ?? "");
  let made = chars.slice(0, start).join("");
  let previous = upper(chars[start] ?? "");
  let wasUpper = isUpper(chars[start] ?? "");
  for (const char of chars.slice(start + 1)) {
    let current = char;
    if (isConnector(char) && isConnector(previous)) {
      made += previous;
      previous = char;
      continue;
    }
    if (isConnector(previous)) {
      wasUpper = isUpper(char);
      current = upper(char);
    } else {
      if (wasUpper && isUpper(char)) current = lower(char);
      else wasUpper = false;
      made += previous;
    }
    previous = current;
  }
  return made + previous;
}

type WordKind = "number" | "upper" | "letters" | "connector" | "punctuation" | "other" | "none";

interface Word {
  readonly kind: WordKind;
  readonly text: string;
}

const none: Word = { kind: "none", text: "" };
const letter = /\p{L}/u;
const shapes: readonly (readonly [WordKind, RegExp])[] = [
  ["connector", /[-_\s\u0085]+/uy],
  ["punctuation", /\p{P}+/uy],
  // "HTTPStatus" is HTTP and Status.
  [
    "upper",
    /\p{Lu}{2,}(?=\p{Lu}(?!\p{Lu})\p{L})|\p{Lu}(?=\p{Lu}(?!\p{Lu})\p{L})|\p{Lu}{2,}|\p{Lu}(?:(?!\p{Lu})\p{L})*/uy,
  ],
  ["letters", /\p{L}(?:(?!\p{Lu})\p{L})*/uy],
  ["number", /\p{N}+/uy],
];

function splitWords(text: string): Word[] {
  const cells = cellsOf(text);
  const shadow = cells.map(({ as }) => as).join("");
  const words: Word[] = [];
  let used = 0;
  for (let at = 0; at < shadow.length; ) {
    const { kind, text: found } = wordAt(shadow, at);
    at += found.length;
    const from = used;
    used += [...found].length;
    const shown = cells.slice(from, used).map((cell) => cell.text);
    words.push({ kind, text: shown.join("") });
  }
  return words;
}

interface Cell {
  readonly text: string;
  /** The character by which it counts. */
  readonly as: string;
}

/** What is no character is part of the next one, and at the end one more like the last (nextValidRune). */
function cellsOf(text: string): Cell[] {
  const cells: Cell[] = [];
  let broken = "";
  for (const char of text) {
    if (char.isWellFormed() && char !== "\ufffd") {
      cells.push({ text: broken + char, as: char });
      broken = "";
    } else broken += char;
  }
  if (broken !== "") cells.push({ text: broken, as: cells.at(-1)?.as ?? "\ufffd" });
  return cells;
}

function wordAt(text: string, at: number): Word {
  for (const [kind, shape] of shapes) {
    shape.lastIndex = at;
    const found = shape.exec(text)?.[0];
    if (found !== undefined) return { kind, text: found };
  }
  const other = /[^-_\s\p{L}\p{N}\p{P}]+/uy;
  other.lastIndex = at;
  return { kind: "other", text: other.exec(text)?.[0] ?? String.fromCodePoint(text.codePointAt(at) ?? 0) };
}

const joinsNothing: ReadonlySet<WordKind> = new Set<WordKind>(["connector", "punctuation"]);

/** Words in small letters with a connector between (huandu/xstrings ToSnakeCase, ToKebabCase). */
export function separateWords(text: string, mark: "_" | "-"): string {
  const words = splitWords(text);
  let made = "";
  let next = 0;
  const take = (): Word => words[next++] ?? none;
  const isLeft = (): boolean => next < words.length;
  const add = (word: Word): void => {
    made += lowered(word, mark);
  };
  /** Letters and digits that stand together stay so. */
  const addRun = (from: Word): Word => {
    let word = from;
    while (word.kind === "letters" || word.kind === "number") {
      add(word);
      word = take();
    }
    return word;
  };
  let word = take();
  while (isLeft()) {
    if (word.kind !== "connector") add(word);
    const before = word;
    word = take();
    if (before.kind === "connector") add(before);
    else if (before.kind === "number") {
      word = addRun(word);
      if (word.kind !== "none" && !joinsNothing.has(word.kind)) made += mark;
    } else if (before.kind !== "punctuation") word = afterLetters(word);
  }
  add(word);
  return made;

  function afterLetters(first: Word): Word {
    if (first.kind !== "number") {
      if (!joinsNothing.has(first.kind)) made += mark;
      return first;
    }
    if (!isLeft()) return first;
    let follower = take();
    if (follower.kind !== "letters") {
      add(first);
      if (!joinsNothing.has(follower.kind)) made += mark;
      return follower;
    }
    made += mark;
    add(first);
    follower = addRun(follower);
    if (follower.kind !== "none" && !joinsNothing.has(follower.kind)) made += mark;
    return follower;
  }
}

function lowered({ kind, text }: Word, mark: string): string {
  if (kind === "connector") return eachChar(text, (char) => (isConnector(char) ? mark : char));
  return kind === "upper" ? [...text].map((char) => (letter.test(char) ? lower(char) : char)).join("") : text;
}
