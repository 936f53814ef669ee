import { CapstanError } from "@capstan/model";

const maxNameBytes = 255;

/**
 * A name from a chart, an index, an archive or a registry where it becomes the name of a file: one part of a path.
 * `field` says whose name it is, for the error. A leading "-" is refused: programs would read an option.
 */
export function fileName(name: string, field: string): string {
  const problem = nameProblem(name);
  if (problem === undefined) return name;
  const shown = JSON.stringify(name.length > 200 ? `${name.slice(0, 200)}…` : name);
  throw new CapstanError({ code: "INVALID_ARGUMENT", field, problem: `${shown} ${problem}` });
}

/**
 * Whether a path leads into a folder `.git`: no repository has one, and git, wherever it is started below, would take
 * programs to run from the configuration in it.
 */
export function hasGitFolder(path: string): boolean {
  return path.split("/").some((part) => /^\.git$/i.test(part));
}

/** What keeps a text from being the name of a file. */
export function nameProblem(name: string): string | undefined {
  if (name === "" || name === "." || name === "..") return "is no name";
  if (/[/\\]/.test(name)) return "must be one name, without / and \\";
  if ([...name].some((char) => char < " " || char === "\u007f")) return "has control characters";
  if (name.startsWith("-")) return "begins with a -, as options do";
  if (Buffer.byteLength(name) > maxNameBytes) return `is longer than ${maxNameBytes} bytes`;
  return undefined;
}
