import { withoutEndSlashes } from "@capstan/formats";
import { CapstanError } from "@capstan/model";

/** What .gitmodules says of one submodule. */
export interface SubmoduleEntry {
  /** From the root of its repository. */
  readonly path: string;
  readonly url: string;
}

/** A file of settings holds no more than that for all modules of the largest repositories. */
const maxBytes = 256 * 1024;

/**
 * The submodules of a repository that name a path and an address (gitmodules(5)); of a section that stands twice the
 * last word counts, as git reads it. Nothing else of the file has a meaning here: no command, branch or name.
 */
export function readSubmodules(file: Buffer): SubmoduleEntry[] {
  if (file.length > maxBytes)
    throw new CapstanError({
      code: "FILE_TOO_LARGE",
      file: ".gitmodules",
      bytes: file.length,
      limitBytes: maxBytes,
    });
  const sections = new Map<string, { path?: string; url?: string }>();
  let current: { path?: string; url?: string } | undefined;
  for (const line of joined(file.toString())) {
    const header = /^\s*\[\s*([\w.-]+)(?:\s+"((?:[^"\\]|\\.)*)")?\s*\]\s*(.*)$/.exec(line);
    if (header) {
      const [, section = "", name = "", rest = ""] = header;
      current = section.toLowerCase() === "submodule" ? (sections.get(name) ?? {}) : undefined;
      if (current) sections.set(name, current);
      if (current) readVariable(rest, current);
    } else if (current) readVariable(line, current);
  }
  return [...sections.values()].flatMap(({ path, url }) =>
    path === undefined || url === undefined ? [] : [{ path: withoutEndSlashes(path), url }],
  );
}

/** A backslash at its end goes on with the next line. */
function joined(text: string): string[] {
  return text.replace(/\\\r?\n/g, "").split(/\r?\n/);
}

function readVariable(line: string, into: { path?: string; url?: string }): void {
  const [, name = "", text = ""] = /^\s*([A-Za-z][\w-]*)\s*=\s*(.*)$/.exec(line) ?? [];
  const key = name.toLowerCase();
  if (key === "path" || key === "url") into[key] = settingText(text);
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

/**
 * The address that a submodule's means below its repository's: `./` and `../` go along its path, as git counts them
 * (submodule--helper resolve_relative_url). undefined: none that is fetched from, or one that leads above the host.
 */
export function submoduleUrl(url: string, repositoryUrl: string): string | undefined {
  // Git takes what begins with - for an option, and a line's end for another header.
  if (url === "" || url.startsWith("-") || /\p{Cc}/u.test(url)) return undefined;
  if (!/^\.\.?(\/|$)/.test(url)) return isRemote(url) ? url : undefined;
  const [, top = "", rest = ""] =
    /^([a-z+]+:\/\/[^/]*\/?|[^/:]+:)(.*)$/i.exec(withoutEndSlashes(repositoryUrl.trim())) ?? [];
  if (top === "") return undefined;
  const path = rest.split("/").filter((part) => part !== "");
  for (const part of url.split("/")) {
    if (part === "." || part === "") continue;
    if (part !== "..") path.push(part);
    else if (path.pop() === undefined) return undefined;
  }
  return path.length === 0 ? undefined : `${top}${path.join("/")}`;
}

/** Addresses of a network alone: a folder of this machine is nobody's to name in a repository. */
function isRemote(url: string): boolean {
  return /^(https?|ssh|git):\/\/[^/]/i.test(url) || /^(?:[\w.-]+@)?[\w.-]+:(?!\/\/|:)[^:]/.test(url);
}
