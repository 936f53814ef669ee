import { statSync, writeFileSync } from "node:fs";
import { basename, dirname, join, posix, relative } from "node:path";
import { type Plugin, rolldown } from "rolldown";
import { pathFrom, withChanges } from "./change-code.ts";
import { readLiterals, readPlaces } from "./read-literals.ts";
import { doorOf, ownFile, readWorkspaces, type Workspace } from "./workspaces.ts";

/** Where bin/capstan.js looks for it. */
const place = "processes/dist";
/** What starts with each program, and what the first start of a checkout is made quick by. */
const programs = { capstan: "processes/capstan.ts", "first-start": "processes/first-start.ts" };
/** A program of its own, which is shown its file and nothing else of ours. */
const apart: ReadonlySet<string> = new Set(["plugins/cdk8s/src/app-worker.ts"]);

interface Bundling {
  /** Holds the repository's files as they will lie there; the bundle goes below it. */
  readonly top: string;
  /** How a source is called there. */
  readonly nameOf: (source: string) => string;
  /** Said in the bundle: as long as none of its sources is another, it stands for them. Else it always does. */
  readonly datesSources: boolean;
}

/**
 * Writes the programs, their threads and our packages as few files of JavaScript into processes/dist: a process that
 * loads hundreds of modules by one pays a kilobyte of text and several of objects for each, and a third of its start.
 * Packages of others are loaded from where they lie. A file that asks for its place (`import.meta`) is told that of its
 * source, and finds there what lies beside it. Runs in the repository's top folder.
 */
export async function bundleProgram({ top, nameOf, datesSources }: Bundling): Promise<void> {
  const workspaces = readWorkspaces();
  await using bundle = await rolldown({
    input: programs,
    platform: "node",
    tsconfig: false,
    external: (name) => !/^[./\0]/.test(name) && doorOf(name, workspaces) === undefined,
    plugins: [atTheirPlaces(workspaces, nameOf)],
    checks: { ineffectiveDynamicImport: false },
  });
  const folder = join(top, place);
  const { output } = await bundle.write({
    dir: folder,
    format: "esm",
    comments: false,
    cleanDir: true,
    chunkFileNames: "[name]-[hash].js",
  });
  const sources = output
    .flatMap((one) => (one.type === "chunk" ? one.moduleIds : []))
    .filter((id) => !id.startsWith("\0"))
    .map((id) => relative(process.cwd(), id));
  const dates = datesSources ? [...new Set(sources)].sort().map(dateOf) : [];
  writeFileSync(join(folder, "sources.json"), JSON.stringify(Object.fromEntries(dates)));
}

function dateOf(source: string): [string, readonly [number, number]] {
  const { mtimeMs, size } = statSync(source);
  return [source, [mtimeMs, size]];
}

/** Modules named by where they lie, threads above all, are files of the bundle too: what both load is there once. */
function atTheirPlaces(
  workspaces: ReadonlyMap<string, Workspace>,
  nameOf: (source: string) => string,
): Plugin {
  const named = new Map<string, string>();
  const bundledName = (source: string): string => {
    const name = basename(source).replace(/\.ts$/, ".js");
    const other = named.get(name);
    if (other !== undefined && other !== source) throw new Error(`${other} and ${source} have one name`);
    named.set(name, source);
    return name;
  };
  return {
    name: "capstan-places",
    transform(code, id) {
      const source = relative(process.cwd(), id);
      if (!source.endsWith(".ts") || source.startsWith("..")) return null;
      const changes = readPlaces(source, code).flatMap(({ asks, given, ...where }) => {
        const target = asks === "resolve" ? doorOf(given ?? "", workspaces) : source;
        return target === undefined ? [] : [{ ...where, text: placeOf(asks, nameOf(target)) }];
      });
      for (const { isModule, value, ...where } of readLiterals(source, code)) {
        const target = isModule ? undefined : ownFile(value, source);
        if (target === undefined) continue;
        const lies = apart.has(target) ? nameOf(target) : posix.join(place, bundledName(target));
        if (!apart.has(target))
          this.emitFile({ type: "chunk", id: join(process.cwd(), target), fileName: basename(lies) });
        changes.push({ ...where, text: JSON.stringify(pathFrom(nameOf(source), lies)) });
      }
      return changes.length === 0 ? null : { code: withChanges(code, changes), map: null };
    },
    generateBundle(_options, bundle) {
      for (const one of Object.values(bundle))
        if (one.type === "chunk") one.code = one.code.replace(/[\u0100-\uffff]/g, escaped);
    },
  };
}

/** V8 keeps a whole text with two bytes for each letter as soon as one of them needs it. */
function escaped(letter: string): string {
  return `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

/** The expression that says it in a file of the bundle. */
function placeOf(asks: "dirname" | "filename" | "url" | "resolve", target: string): string {
  const path = JSON.stringify(posix.relative(place, asks === "dirname" ? dirname(target) : target));
  return asks === "url" || asks === "resolve"
    ? `new URL(${path}, import.meta.url).href`
    : `process.getBuiltinModule("node:path").join(import.meta.dirname, ${path})`;
}
