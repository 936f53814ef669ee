import type { ScalarNode, ScalarStyle } from "./node.ts";
import { resolveTag } from "./resolve-tag.ts";

export interface ScalarPlace {
  isFlow: boolean;
  isKey: boolean;
  /** Column of the lines of a block scalar. */
  indent: number;
}

/** A scalar as go-yaml's emitter writes it (emitterc.go yaml_emitter_select_scalar_style), never folding lines. */
export function printScalar(node: ScalarNode, place: ScalarPlace): string {
  const { value } = node;
  switch (chooseStyle(node, place)) {
    case "plain":
      return value;
    case "single":
      return `'${value.replaceAll("'", "''")}'`;
    case "literal":
      return printBlock("|", value, place.indent);
    case "folded":
      return printBlock(">", value, place.indent);
    default:
      return doubleQuoted(value);
  }
}

function chooseStyle({ value, style, tag }: ScalarNode, { isFlow, isKey }: ScalarPlace): ScalarStyle {
  const can = analyze(value);
  let chosen: ScalarStyle = style;
  if (chosen === "plain" && tag === "!!str" && resolveTag(value) !== "!!str") chosen = "plain";
  if (isKey && value.includes("\n")) chosen = "double";
  if (chosen === "plain") {
    const isAllowed = isFlow ? can.flowPlain : can.blockPlain;
    const isEmptyInPlace = value === "" && (isFlow || isKey);
    if (!isAllowed || isEmptyInPlace) chosen = value.includes("\n") && can.block ? "literal" : "single";
  }
  if (chosen === "single" && (!can.single || value.includes("\n"))) chosen = "double";
  const isBlock = chosen === "literal" || chosen === "folded";
  if (isBlock && (!can.block || isFlow || isKey)) chosen = "double";
  return chosen;
}

interface Allowed {
  flowPlain: boolean;
  blockPlain: boolean;
  single: boolean;
  block: boolean;
}

/** Which styles can hold the text (emitterc.go yaml_emitter_analyze_scalar). */
function analyze(value: string): Allowed {
  if (value === "") return { flowPlain: false, blockPlain: true, single: true, block: false };
  const isSpecial = special.test(value);
  const hasSpaceBreak = / \n/.test(value);
  const hasBreakSpace = /\n /.test(value);
  const isEdged = /^[ \n]|[ \n]$/.test(value);
  const hasBreak = value.includes("\n");
  const isQuoted = hasSpaceBreak || isSpecial || value.includes("\t");
  const noPlain = isEdged || hasBreak || isQuoted || hasBreakSpace || /^(?:---|\.\.\.)/.test(value);
  return {
    flowPlain: !noPlain && !flowIndicator.test(value),
    blockPlain: !noPlain && !blockIndicator.test(value),
    single: !(isQuoted || hasBreakSpace),
    block: !(hasSpaceBreak || isSpecial || value.endsWith(" ")),
  };
}

const blockIndicator = /^[#,[\]{}&*!|>'"%@`]|^[-?:](?:\s|$)|:(?:\s|$)|\s#/;
const flowIndicator = /^[#,[\]{}&*!|>'"%@`?:]|^-(?:\s|$)|[,?[\]{}:]|\s#/;
// What go-yaml does not hold for printable: control characters and all beyond the basic plane.
const special =
  /[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd]|[\r\u2028\u2029\ufeff]|[\u{10000}-\u{10ffff}]/u;

const escapes = new Map<string, string>([
  ["\0", "\\0"],
  ["\x07", "\\a"],
  ["\b", "\\b"],
  ["\t", "\\t"],
  ["\n", "\\n"],
  ["\v", "\\v"],
  ["\f", "\\f"],
  ["\r", "\\r"],
  ["\x1b", "\\e"],
  ['"', '\\"'],
  ["\\", "\\\\"],
  ["\x85", "\\N"],
  ["\xa0", "\\_"],
  ["\u2028", "\\L"],
  ["\u2029", "\\P"],
]);

function doubleQuoted(value: string): string {
  const inner = Array.from(value, (char) => {
    const escaped = escapes.get(char);
    if (escaped !== undefined) return escaped;
    const code = char.codePointAt(0) ?? 0;
    if (code < 0x20 || code === 0x7f) return `\\x${code.toString(16).toUpperCase().padStart(2, "0")}`;
    if (code === 0xfeff || (code >= 0xd800 && code <= 0xdfff))
      return `\\u${code.toString(16).toUpperCase().padStart(4, "0")}`;
    return code > 0xffff ? `\\U${code.toString(16).toUpperCase().padStart(8, "0")}` : char;
  });
  return `"${inner.join("")}"`;
}

function printBlock(mark: "|" | ">", value: string, indent: number): string {
  const lines = mark === "|" ? value.split("\n") : foldedLines(value);
  const hint = /^[ \n]/.test(value) ? "2" : "";
  const chomp = value.endsWith("\n") ? (value.endsWith("\n\n") || value === "\n" ? "+" : "") : "-";
  const pad = " ".repeat(indent);
  const shown = lines.at(-1) === "" ? lines.slice(0, -1) : lines;
  return [`${mark}${hint}${chomp}`, ...shown.map((line) => (line === "" ? "" : pad + line))].join("\n");
}

/** Every first break of a run is written twice: a folded line would join what follows (emitterc.go write_folded_scalar). */
function foldedLines(value: string): string[] {
  return value.replace(/([^\n])\n/g, "$1\n\n").split("\n");
}
