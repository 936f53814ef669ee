import { CORE_SCHEMA, load, YAMLException } from "js-yaml";

export interface RepeatedField {
  /** "spec.containers[0].name" */
  path: string;
  key: string;
  /** From 1. */
  line: number;
}

interface Frame {
  path: string;
  /** Of an object; a list has none. */
  keys: Set<string> | undefined;
  key: string;
  index: number;
  expectsKey: boolean;
}

const mostProblems = 100;

/** Fields that one object has twice; of them JSON.parse keeps the last and says nothing. The text is JSON. */
export function repeatedFields(text: string): RepeatedField[] {
  return isWrittenBack(text) ? [] : lookForRepeated(text);
}

/** What parsing has kept whole has no field twice: most clients write what comes out again, to the letter. */
function isWrittenBack(text: string): boolean {
  try {
    return JSON.stringify(JSON.parse(text)) === text;
  } catch {
    return false; // nested deeper than calls can be
  }
}

function lookForRepeated(text: string): RepeatedField[] {
  const found: RepeatedField[] = [];
  const frames: Frame[] = [];
  let frame: Frame | undefined;
  for (let at = 0; at < text.length && found.length < mostProblems; at += 1) {
    const char = text[at];
    if (char === "{" || char === "[") {
      const keys = char === "{" ? new Set<string>() : undefined;
      frame = { path: pathBelow(frame), keys, key: "", index: 0, expectsKey: keys !== undefined };
      frames.push(frame);
    } else if (char === "}" || char === "]") {
      frames.pop();
      frame = frames.at(-1);
    } else if (char === "," && frame) {
      frame.index += 1;
      frame.expectsKey = frame.keys !== undefined;
    } else if (char === '"') {
      const end = endOfText(text, at);
      if (frame?.expectsKey)
        takeKey(frame, String(JSON.parse(text.slice(at, end + 1))), () => {
          found.push({ path: pathBelow(frame), key: frame?.key ?? "", line: lineOf(text, at) });
        });
      at = end;
    }
  }
  return found;
}

function takeKey(frame: Frame, key: string, repeated: () => void): void {
  frame.key = key;
  frame.expectsKey = false;
  if (frame.keys?.has(key)) repeated();
  frame.keys?.add(key);
}

function pathBelow(frame: Frame | undefined): string {
  if (frame === undefined) return "";
  if (frame.keys === undefined) return `${frame.path}[${frame.index}]`;
  return frame.path === "" ? frame.key : `${frame.path}.${frame.key}`;
}

function endOfText(text: string, start: number): number {
  let end = start + 1;
  while (end < text.length && text[end] !== '"') end += text[end] === "\\" ? 2 : 1;
  return end;
}

const lineOf = (text: string, at: number): number => text.slice(0, at).split("\n").length;

/** Go's words for keys that one YAML mapping has twice; undefined when there is none. JSON is YAML too. */
export function repeatedKeys(text: string): string | undefined {
  const lines = text.trimStart().startsWith("{") ? repeatedFields(text) : repeatedInYaml(text);
  if (lines.length === 0) return undefined;
  const told = lines.map(
    ({ key, line }) => `\n  line ${line}: key ${JSON.stringify(key)} already set in map`,
  );
  return `yaml: unmarshal errors:${told.join("")}`;
}

/** js-yaml stops at the first. */
function repeatedInYaml(text: string): { key: string; line: number }[] {
  try {
    load(text, { schema: CORE_SCHEMA });
    return [];
  } catch (error) {
    if (!(error instanceof YAMLException) || error.reason !== "duplicated mapping key") throw error;
    const [, key = ""] = /^\s*["']?([^"':]*)/.exec(text.slice(error.mark.position)) ?? [];
    return [{ key: key.trim(), line: error.mark.line + 1 }];
  }
}
