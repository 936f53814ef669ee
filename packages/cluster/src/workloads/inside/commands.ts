import { posix } from "node:path";
import { nothingRuns } from "../simulation.ts";
import type { Files } from "./files-of.ts";

/** A simulated process' surroundings; `cd` and `export` change them. */
export interface Surroundings {
  readonly files: Files;
  readonly variables: Map<string, string>;
  folder: string;
  readonly now: () => number;
}

export interface Result {
  readonly out?: string | Uint8Array;
  readonly err?: string;
  readonly code: number;
  /** How long it takes. */
  readonly takesMs?: number;
}

type Command = (words: readonly string[], around: Surroundings) => Result;

/** Why a file is not. */
export const onlyThere = `${nothingRuns}: only what volumes bring and what was copied here is there`;
const print = (text: string): Result => ({ out: `${text}\n`, code: 0 });
const user = "root";

/** All that a simulated container can do. */
export const commands: Readonly<Record<string, Command>> = {
  ":": () => ({ code: 0 }),
  true: () => ({ code: 0 }),
  false: () => ({ code: 1 }),
  cat,
  cd,
  date: (_words, { now }) => print(new Date(now()).toUTCString()),
  echo,
  env: (_words, { variables }) => ({ out: listed(variables), code: 0 }),
  export: (words, { variables }) => assign(words, variables),
  help: () => print(`${nothingRuns}. Known here: ${[...Object.keys(commands), "tar", "exit"].join(" ")}`),
  hostname: (_words, { variables }) => print(variables.get("HOSTNAME") ?? ""),
  id: () => print(`uid=0(${user}) gid=0(${user})`),
  ls,
  printenv,
  pwd: (_words, { folder }) => print(folder),
  sleep,
  test,
  uname: () => print("capstan-simulated"),
  whoami: () => print(user),
};

export function unknownCommand(name: string): Result {
  return { err: `capstan: ${name}: not found: this container is ${nothingRuns}\n`, code: 127 };
}

function echo(words: readonly string[]): Result {
  const isOpen = words[0] === "-n";
  const text = (isOpen ? words.slice(1) : words).join(" ");
  return { out: isOpen ? text : `${text}\n`, code: 0 };
}

function listed(variables: ReadonlyMap<string, string>): string {
  return [...variables].map(([name, value]) => `${name}=${value}\n`).join("");
}

function assign(words: readonly string[], variables: Map<string, string>): Result {
  for (const word of words) {
    const equals = word.indexOf("=");
    if (equals > 0) variables.set(word.slice(0, equals), word.slice(equals + 1));
  }
  return { code: 0 };
}

function printenv(words: readonly string[], { variables }: Surroundings): Result {
  if (words.length === 0) return { out: listed(variables), code: 0 };
  const found = words.flatMap((name) => variables.get(name) ?? []);
  return { out: found.map((value) => `${value}\n`).join(""), code: found.length === words.length ? 0 : 1 };
}

export function pathOf(word: string, { folder }: Pick<Surroundings, "folder">): string {
  const path = posix.resolve(folder, word);
  return path === "" ? "/" : path;
}

function cat(words: readonly string[], around: Surroundings): Result {
  const out: Buffer[] = [];
  let err = "";
  for (const word of words) {
    const path = pathOf(word, around);
    const content = around.files.read(path);
    if (content !== undefined) out.push(content);
    else if (around.files.list(path)) err += `cat: ${word}: Is a directory\n`;
    else err += `cat: ${word}: No such file or directory (${onlyThere})\n`;
  }
  return { out: Buffer.concat(out), err, code: err === "" ? 0 : 1 };
}

function cd([word = "/root"]: readonly string[], around: Surroundings): Result {
  const path = pathOf(word, around);
  if (around.files.list(path) === undefined) return { err: `cd: ${word}: No such directory\n`, code: 1 };
  around.folder = path;
  return { code: 0 };
}

function ls(words: readonly string[], around: Surroundings): Result {
  const isLong = words.some((word) => /^-\w*l/.test(word));
  const asked = words.filter((word) => !word.startsWith("-"));
  let out = "";
  let err = "";
  for (const word of asked.length === 0 ? ["."] : asked) {
    const path = pathOf(word, around);
    const names = around.files.list(path) ?? (around.files.read(path) ? [word] : undefined);
    if (names === undefined) err += `ls: ${word}: No such file or directory\n`;
    else
      out += names
        .map((name) => `${isLong ? longLine(posix.join(path, name), around) : ""}${name}\n`)
        .join("");
  }
  return { out, err, code: err === "" ? 0 : 1 };
}

function longLine(path: string, { files }: Surroundings): string {
  const content = files.read(path);
  const mode = content === undefined ? "drwxr-xr-x" : "-rw-r--r--";
  return `${mode} 1 ${user} ${user} ${String(content?.length ?? 0).padStart(8)} `;
}

/** What `kubectl cp` asks before it copies. */
function test(words: readonly string[], around: Surroundings): Result {
  const [flag = "", word = ""] = words;
  const path = pathOf(word, around);
  const isFolder = around.files.list(path) !== undefined;
  const isFile = around.files.read(path) !== undefined;
  const answers: Readonly<Record<string, boolean>> = {
    "-d": isFolder,
    "-f": isFile,
    "-e": isFolder || isFile,
  };
  const answer = Object.hasOwn(answers, flag) ? answers[flag] : undefined;
  if (answer === undefined || words.length !== 2)
    return { err: "test: simulated: it knows -d, -e and -f, each with one path\n", code: 2 };
  return { code: answer ? 0 : 1 };
}

const longestSleepMs = 24 * 3_600_000;

function sleep([word = ""]: readonly string[]): Result {
  const seconds = /^inf(inity)?$/.test(word) ? Number.POSITIVE_INFINITY : Number(word.replace(/s$/, ""));
  if (word === "" || Number.isNaN(seconds) || seconds < 0)
    return { err: `sleep: invalid time interval '${word}'\n`, code: 1 };
  return { code: 0, takesMs: Math.min(seconds * 1_000, longestSleepMs) };
}
