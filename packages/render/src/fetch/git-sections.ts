import { CapstanError } from "@capstan/model";

/** What git's settings say under one heading; keys are in lower case, of one that stands twice the last counts. */
export interface GitSection {
  /** In lower case. */
  readonly section: string;
  /** As in `[section "name"]`. */
  readonly name: string;
  readonly values: ReadonlyMap<string, string>;
}

/** A file of settings holds no more than that for all modules of the largest repositories. */
const maxBytes = 256 * 1024;

/** The sections of a file as git-config(1) writes it, those that stand twice as one. */
export function readGitSections(content: Buffer, file: string): GitSection[] {
  if (content.length > maxBytes)
    throw new CapstanError({ code: "FILE_TOO_LARGE", file, bytes: content.length, limitBytes: maxBytes });
  const sections = new Map<string, GitSection & { values: Map<string, string> }>();
  let values: Map<string, string> | undefined;
  for (const line of joined(content.toString())) {
    const header = /^\s*\[\s*([\w.-]+)(?:\s+"((?:[^"\\]|\\.)*)")?\s*\]\s*(.*)$/.exec(line);
    if (header) {
      const [, written = "", name = "", rest = ""] = header;
      const section = written.toLowerCase();
      const found = sections.get(`${section} ${name}`) ?? { section, name, values: new Map() };
      sections.set(`${section} ${name}`, found);
      values = found.values;
      readVariable(rest, values);
    } else if (values) readVariable(line, values);
  }
  return [...sections.values()];
}

/** A backslash at its end goes on with the next line. */
function joined(text: string): string[] {
  return text.replace(/\\\r?\n/g, "").split(/\r?\n/);
}

function readVariable(line: string, into: Map<string, string>): void {
  const [, name = "", text = ""] = /^\s*([A-Za-z][\w-]*)\s*=\s*(.*)$/.exec(line) ?? [];
  if (name !== "") into.set(name.toLowerCase(), settingText(text));
}

const escapes: Readonly<Record<string, string>> = { n: "\n", t: "\t", b: "\b" };

/** Quotes go, a comment ends it, spaces at its end do not count unless they stand in quotes. */
function settingText(text: string): string {
  let value = "";
  let certain = 0;
  let isQuoted = false;
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at] ?? "";
    if (char === '"') isQuoted = !isQuoted;
    else if (!isQuoted && (char === "#" || char === ";")) break;
    else if (char === "\\") {
      at += 1;
      value += escapes[text[at] ?? ""] ?? text[at] ?? "";
      certain = value.length;
      continue;
    } else value += char;
    if (isQuoted || char === '"' || !/\s/.test(char)) certain = value.length;
  }
  return value.slice(0, certain);
}
