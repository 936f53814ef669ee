import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const hook = /^(before|after)(Each)?\(/m;
/** The rooms whose files share processes, those first that wait for programs: at the end all are busy. */
const rooms: readonly RegExp[] = [
  /^processes\//,
  /^packages\/[^/]+\/src\//,
  /^packages\/ui\/browser\//,
  /^plugins\/[^/]+\/src\//,
  /^compat\//,
  /^languages\//,
];

interface Bundling {
  /** Emptied first. */
  readonly folder: string;
  /**
   * So many share a process at most: to start one and load what most tests want costs a second, more than most files;
   * one that breaks takes no more with it.
   */
  readonly together: number;
  /** What a file with hooks sets up would stand through all of its lot: such files are suites of lots of their own. */
  readonly areHookedSuites: boolean;
}

/**
 * Gives the files to run in place of those: one file for each lot, made in `folder`, and then the ones that want a
 * process of their own: at the end short ones are left.
 */
export function bundleTests(files: readonly string[], how: Bundling): string[] {
  const { folder, together, areHookedSuites } = how;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const isInRoom = (file: string): boolean => rooms.some((room) => room.test(file));
  const isSuite = (file: string): boolean => areHookedSuites && hook.test(readFileSync(file, "utf8"));
  const alone = files.filter((file) => !isInRoom(file));
  const sharing = files.filter(isInRoom).toSorted();
  const [suites, plain] = [sharing.filter(isSuite), sharing.filter((file) => !isSuite(file))];
  const lotsOf = (some: readonly string[]) =>
    rooms.flatMap((room) =>
      cutEvenly(
        some.filter((file) => room.test(file)),
        together,
      ),
    );
  const write = (
    lot: readonly string[],
    index: number,
    text: (files: readonly string[]) => string,
  ): string => {
    // The runner takes files by their names.
    const name = `${String(index).padStart(2, "0")}-${(lot[0] ?? "").split("/").slice(0, 2).join("-")}`;
    const path = join(folder, `${name}.test.mjs`);
    writeFileSync(path, text(lot));
    return path;
  };
  const made = lotsOf(plain).map((lot, index) => write(lot, index, importing));
  const ofSuites = lotsOf(suites).map((lot, index) => write(lot, made.length + index, asSuites));
  return [...made, ...ofSuites, ...alone];
}

function cutEvenly(files: readonly string[], together: number): string[][] {
  const count = Math.ceil(files.length / together);
  const size = Math.ceil(files.length / count);
  return Array.from({ length: count }, (_, index) => files.slice(index * size, (index + 1) * size));
}

/**
 * One after the other; what a file registers at its top level holds for all. Tests wait until every file is read: were
 * all those done that are known so far, the runner would take this for the end, and what a later file has to close
 * would stay open and hold the process. A hook goes to the lot, not to the test that runs while it is registered:
 * unhooked-tests.ts takes away what would say which one that is.
 */
function importing(files: readonly string[]): string {
  const imports = files.map((file) => `  await import(${JSON.stringify(pathToFileURL(file).href)});\n`);
  const unhooked = pathToFileURL(join(import.meta.dirname, "unhooked-tests.ts")).href;
  return `await import(${JSON.stringify(unhooked)});
const { test } = await import("node:test");
const { promise, resolve } = Promise.withResolvers();
test("the files of this process are read", () => promise);
try {
${imports.join("")}} finally {
  resolve();
}
`;
}

/** One after the other; hooks of a file are of its suite. */
function asSuites(files: readonly string[]): string {
  const suites = files.map((file) => {
    const [name, url] = [file, pathToFileURL(file).href].map((text) => JSON.stringify(text));
    return `describe(${name}, async () => void (await import(${url})));\n`;
  });
  return `import { describe } from "node:test";\n${suites.join("")}`;
}
