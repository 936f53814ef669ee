import { CapstanError } from "@capstan/model";
import { type EncryptedFile, type Leaf, type Plain, str } from "./encrypted-file.ts";
import { unflatten } from "./flat-metadata.ts";

interface Line {
  /** undefined: a comment. */
  key: string | undefined;
  value: Plain;
}

const prefix = "sops_";

/** A variable a line, comments begin a line with "#" (stores/dotenv). */
export function readDotenvFile(text: string, file: string): EncryptedFile {
  const lines: Line[] = [];
  const entries: [string, string][] = [];
  for (const [index, line] of text.split("\n").entries()) {
    if (line === "") continue;
    if (line.startsWith("#")) {
      lines.push({ key: undefined, value: { type: "comment", bytes: Buffer.from(line.slice(1)) } });
      continue;
    }
    const at = line.indexOf("=");
    if (at < 0)
      throw new CapstanError({ code: "MANIFEST_INVALID", file, line: index + 1, problem: 'there is no "="' });
    const key = line.slice(0, at);
    const value = line.slice(at + 1).replaceAll("\\n", "\n");
    if (key.startsWith(prefix)) entries.push([key.slice(prefix.length), value]);
    else lines.push({ key, value: str(value) });
  }
  return {
    metadata: entries.length > 0 ? unflatten(entries) : undefined,
    leaves: () => leavesOf(lines),
    print: () => Buffer.from(lines.map(printLine).join("")),
  };
}

function* leavesOf(lines: readonly Line[]): Generator<Leaf> {
  const active: string[] = [];
  const comments = [active];
  for (const line of lines) {
    if (line.key === undefined) active.push(line.value.bytes.toString());
    const path = line.key === undefined ? [] : [line.key];
    const replace = (value: Plain) => {
      line.value = value;
    };
    yield { path, comments, value: line.value, replace };
    if (line.key !== undefined) active.length = 0;
  }
}

function printLine({ key, value }: Line): string {
  const text = value.bytes.toString().replaceAll("\n", "\\n");
  return key === undefined ? `#${text}\n` : `${key}=${text}\n`;
}
