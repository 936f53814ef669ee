import { isRecord } from "@capstan/formats";
import { CapstanError, parseYaml } from "@capstan/model";
import {
  followLinks,
  joinWithin,
  parentOf,
  type RenderContext,
  type SourceTree,
  splitList,
  stripQuotes,
} from "@capstan/plugin-kit";

export type AppCommand =
  | { kind: "node"; entry: string }
  | GoCommand
  | PythonCommand
  | { kind: "command"; program: string; args: readonly string[] };

export interface GoCommand {
  kind: "go";
  /** What `go run` is to build, as it is written. */
  target: readonly string[];
  args: readonly string[];
  /** Directory of go.mod, from the repository's root. */
  module: string;
}

export interface PythonCommand {
  kind: "python";
  /** The interpreter. */
  program: string;
  args: readonly string[];
  /** File with the packages that it needs, from the repository's root. */
  lock?: string;
}

export interface AppFile {
  /** From the repository's root. */
  readonly file: string;
  readonly command: AppCommand;
  /** As written. */
  readonly text: string;
  /** Directory that it writes to, as far as the file says. */
  readonly output: string;
}

export const appFileName = "cdk8s.yaml";
/** Programs that run an entry file in Node, of which a warm process takes the place. */
const nodeRunners = new Set(["npx", "node", "ts-node", "tsx", "bun"]);
const pipenvLock = "Pipfile.lock";
const requirements = "requirements.txt";
/** Of this machine only: it is asked what it is before there is a sandbox. */
const interpreterName = /^(\/usr\/(local\/)?bin\/)?python(3(\.\d+)?)?$/;
const scriptName = /\.[mc]?[jt]s$/;

/** cdk8s.yaml of the application's directory. */
export async function readAppFile({ tree, path }: RenderContext): Promise<AppFile> {
  const file = inDirectory(path, appFileName);
  const text = await readText(tree, file);
  if (text === undefined) throw new CapstanError({ code: "FILE_MISSING", file, neededBy: "plugin cdk8s" });
  const content = parseYaml(text, { file });
  const app = isRecord(content) && typeof content.app === "string" ? content.app.trim() : "";
  if (app === "")
    throw new CapstanError({
      code: "MANIFEST_INVALID",
      file,
      field: "app",
      problem: 'it must be the command that runs the application, such as "node main.js"',
    });
  const output = isRecord(content) && typeof content.output === "string" ? content.output : "dist";
  return { file, text: app, output, command: await readCommand(app, tree, path) };
}

async function readCommand(app: string, tree: SourceTree, path: string): Promise<AppCommand> {
  const words = splitList(app, " ").map(stripQuotes);
  const [program = "", ...args] = words;
  const script = words.find((word) => scriptName.test(word));
  if (!nodeRunners.has(program) || script === undefined)
    return (
      (await readGoCommand(words, tree, path)) ??
      (await readPythonCommand(words, tree, path)) ?? { kind: "command", program, args }
    );
  const entry = joinWithin("", script.replace(/^\.\//, "")) ?? script;
  // `node main.js` of a TypeScript application whose main.js is not committed.
  const compiled = entry.replace(/js$/, "ts");
  const isThere = async (name: string) => (await followLinks(tree, inDirectory(path, name))) !== undefined;
  const found = (await isThere(entry)) ? entry : compiled;
  // What lies elsewhere is a matter of the parameter files, and of the run.
  const isElsewhere = entry.startsWith("..");
  if (!isElsewhere && !(await isThere(found)))
    throw new CapstanError({
      code: "FILE_MISSING",
      file: inDirectory(path, entry),
      neededBy: `app of ${inDirectory(path, appFileName)}`,
    });
  return { kind: "node", entry: isElsewhere ? entry : found };
}

/** `go run` of a package or of files, without flags, in a module. */
async function readGoCommand(
  words: readonly string[],
  tree: SourceTree,
  path: string,
): Promise<GoCommand | undefined> {
  const [go, run, first = "", ...rest] = words;
  const isFile = (word: string) => word.endsWith(".go");
  const isOwn = /^\.{1,2}(\/|$)/.test(first) || isFile(first);
  if (go !== "go" || run !== "run" || !isOwn) return undefined;
  const files = isFile(first) ? rest.slice(0, rest.findLastIndex(isFile) + 1) : [];
  for (let module = path; ; module = parentOf(module)) {
    if (await followLinks(tree, inDirectory(module, "go.mod")))
      return { kind: "go", target: [first, ...files], args: rest.slice(files.length), module };
    if (module === "") return undefined;
  }
}

/** A script's run by Python itself, or by `pipenv run` where what pipenv locked is committed. */
async function readPythonCommand(
  words: readonly string[],
  tree: SourceTree,
  path: string,
): Promise<PythonCommand | undefined> {
  const isThere = async (name: string) => (await followLinks(tree, inDirectory(path, name))) !== undefined;
  const isPipenv = words[0] === "pipenv" && words[1] === "run" && (await isThere(pipenvLock));
  const [program = "", ...args] = isPipenv ? words.slice(2) : words;
  if (!interpreterName.test(program)) return undefined;
  const name = isPipenv ? pipenvLock : (await isThere(requirements)) ? requirements : undefined;
  return { kind: "python", program, args, ...(name ? { lock: inDirectory(path, name) } : {}) };
}

export interface Packages {
  /** Directory of the lock file, from the repository's root. */
  readonly directory: string;
  /** Files that an installation needs, by name. */
  readonly files: Readonly<Record<string, string>>;
}

/** package.json and its lock file: beside the application, or in a directory above. */
export async function readPackages({ tree, path }: RenderContext): Promise<Packages> {
  for (let directory = path; ; directory = parentOf(directory)) {
    for (const lock of ["package-lock.json", "npm-shrinkwrap.json"]) {
      const locked = await readText(tree, inDirectory(directory, lock));
      const manifest = await readText(tree, inDirectory(directory, "package.json"));
      if (locked === undefined || manifest === undefined) continue;
      const settings = await readText(tree, inDirectory(directory, ".npmrc"));
      const files = { [lock]: locked, "package.json": manifest };
      if (settings === undefined) return { directory, files };
      checkNpmSettings(settings, inDirectory(directory, ".npmrc"));
      return { directory, files: { ...files, ".npmrc": settings } };
    }
    if (directory === "") break;
  }
  throw new CapstanError({
    code: "FILE_MISSING",
    file: inDirectory(path, "package-lock.json"),
    hint: "plugin cdk8s installs what it names: run npm install --package-lock-only and commit it",
  });
}

/** Where packages come from and how they are laid out; nothing that names programs, folders or the environment. */
const npmSetting =
  /^(?:(?:@[\w.-]+:)?registry|\/\/[^=]+:(?:_authToken|_auth|username|_password|email|always-auth)|always-auth|legacy-peer-deps|strict-peer-deps|install-links|omit|include|engine-strict|save-exact|save-prefix|package-lock|lockfile-version|audit|audit-level|fund|progress|loglevel|provenance|update-notifier)$/;

/** npm runs outside of the sandbox: `git=`, `script-shell=` and `${VARIABLE}` would reach further than an application may. */
function checkNpmSettings(text: string, file: string): void {
  for (const line of text.split("\n").map((one) => one.trim())) {
    if (line === "" || /^[#;]/.test(line)) continue;
    const name = line.split("=", 1)[0]?.trim() ?? "";
    if (npmSetting.test(name.replace(/\[\]$/, "")) && !line.includes("${")) continue;
    throw new CapstanError({
      code: "INVALID_ARGUMENT",
      field: file,
      problem: `"${name}" is a setting of npm, or takes a variable, that an application may not choose. The operator sets it in the environment: npm_config_…`,
    });
  }
}

export function inDirectory(directory: string, name: string): string {
  return directory === "" ? name : `${directory}/${name}`;
}

export async function readText(tree: SourceTree, path: string): Promise<string | undefined> {
  const entry = await followLinks(tree, path);
  if (entry?.kind !== "file" && entry?.kind !== "executable") return undefined;
  return (await tree.read(entry)).toString();
}
