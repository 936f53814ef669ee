/** What a person would type, and what the page says is printed then. */
export interface DocsCommand {
  /** Of the page, counted from 1. */
  readonly line: number;
  /** Without `$ `; with the lines of its here-documents and those behind a backslash. */
  readonly text: string;
  /** The lines until the next command; `…` stands for any. */
  readonly output: readonly string[];
}

/** A block of code of a page. */
export interface DocsBlock {
  /** Of the block's first line of code, counted from 1. */
  readonly line: number;
  /** The nearest heading above, without its signs; "" before the first. */
  readonly heading: string;
  /** What a fence names; "" of an indented block. */
  readonly language: string;
  /** Without the indentation. */
  readonly text: string;
  /** None where no line begins with `$ `: the block shows a file or an output. */
  readonly commands: readonly DocsCommand[];
}

interface RawBlock {
  line: number;
  heading: string;
  language: string;
  lines: string[];
}

const indentation = "    ";

/** The blocks of code of a page in Markdown, fenced (CommonMark 4.5) and indented (4.4), in order. */
export function readDocsBlocks(page: string): DocsBlock[] {
  return rawBlocks(page.split("\n")).map(({ lines, ...block }) => ({
    ...block,
    text: `${lines.join("\n")}\n`,
    commands: readCommands(lines, block.line),
  }));
}

function rawBlocks(lines: readonly string[]): RawBlock[] {
  const blocks: RawBlock[] = [];
  let heading = "";
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? "";
    const fence = /^(```+|~~~+)\s*(\S*)/.exec(line);
    heading = /^#+\s+(.*)$/.exec(line)?.[1] ?? heading;
    if (fence) {
      const [, sign = "", language = ""] = fence;
      const end = lines.findIndex((one, index) => index > at && one.startsWith(sign));
      const stop = end === -1 ? lines.length : end;
      blocks.push({ line: at + 2, heading, language, lines: lines.slice(at + 1, stop) });
      at = stop;
    } else if (line.startsWith(indentation) && isOpen(lines, at)) {
      const stop = endOfIndented(lines, at);
      const own = lines.slice(at, stop).map((one) => one.slice(indentation.length));
      blocks.push({ line: at + 1, heading, language: "", lines: own });
      at = stop - 1;
    }
  }
  return blocks;
}

/** An indented line goes on with a paragraph or an item of a list where one is open. */
function isOpen(lines: readonly string[], at: number): boolean {
  const before = lines[at - 1] ?? "";
  if (before.trim() !== "" && !before.startsWith("#")) return false;
  const last = lines.slice(0, at).findLast((line) => /^\S/.test(line)) ?? "";
  return !/^([-*+]|\d+[.)])\s/.test(last);
}

/** Blank lines inside belong to it, those behind it do not. */
function endOfIndented(lines: readonly string[], from: number): number {
  let stop = from;
  for (let at = from; at < lines.length; at++) {
    const line = lines[at] ?? "";
    if (line.startsWith(indentation)) stop = at + 1;
    else if (line.trim() !== "") break;
  }
  return stop;
}

function readCommands(lines: readonly string[], firstLine: number): DocsCommand[] {
  const commands: { line: number; text: string; output: string[] }[] = [];
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? "";
    if (line.startsWith("$ ")) {
      const stop = endOfCommand(lines, at);
      const text = [line.slice(2), ...lines.slice(at + 1, stop)].join("\n");
      commands.push({ line: firstLine + at, text, output: [] });
      at = stop - 1;
    } else commands.at(-1)?.output.push(line);
  }
  return commands;
}

function endOfCommand(lines: readonly string[], from: number): number {
  let at = from;
  for (; at < lines.length; at++) {
    const line = lines[at] ?? "";
    const [, word] = /<<-?\s*['"]?(\w+)/.exec(line) ?? [];
    if (word !== undefined) {
      const end = lines.findIndex((one, index) => index > at && one.trim() === word);
      return end === -1 ? lines.length : end + 1;
    }
    if (!line.endsWith("\\")) break;
  }
  return Math.min(at + 1, lines.length);
}
