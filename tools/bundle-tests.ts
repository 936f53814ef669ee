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
}

/**
 * Gives the files to run in place of those: one file for each lot, made in `folder`, and then the ones that want a
 * process of their own: at the end short ones are left.
 */
export function bundleTests(files: readonly string[], how: Bundling): string[] {
  const { folder, together } = how;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const isInRoom = (file: string): boolean => rooms.some((room) => room.test(file));
  const sharing = files.filter(isInRoom).toSorted();
  const { suites = [], plain = [] } = Object.groupBy(sharing, (file) =>
    hook.test(readFileSync(file, "utf8")) ? "suites" : "plain",
  );
  const lotsOf = (some: readonly string[]): string[][] =>
    rooms.flatMap((room) => {
      const inRoom = some.filter((file) => room.test(file));
      return cutEvenly(inRoom, together);
    });
  const lots = [
    ...lotsOf(plain).map((lot) => ({ lot, text: importing(lot) })),
    ...lotsOf(suites).map((lot) => ({ lot, text: asSuites(lot) })),
  ];
  const made = lots.map(({ lot, text }, index) => {
    // The runner takes files by their names.
    const name = `${String(index).padStart(2, "0")}-${(lot[0] ?? "").split("/").slice(0, 2).join("-")}`;
    const path = join(folder, `${name}.test.mjs`);
    writeFileSync(path, text);
    return path;
  });
  return [...made, ...files.filter((file) => !isInRoom(file))];
}

function cutEvenly(files: readonly string[], together: number): string[][] {
  const count = Math.ceil(files.length / together);
  const size = Math.ceil(files.length / count);
  return Array.from({ length: count }, (_, index) => files.slice(index * size, (index + 1) * size));
}

/**
 * One after the other, without what node:test would follow each promise with (unhooked-tests.ts). Tests wait until every
 * file is read: were all those done that are known so far, the runner would take this for the end.
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

/** One after the other. What one sets up by its hooks is its own: they are of its suite. */
function asSuites(files: readonly string[]): string {
  const suites = files.map((file) => {
    const [name, url] = [file, pathToFileURL(file).href].map((text) => JSON.stringify(text));
    return `describe(${name}, async () => void (await import(${url})));\n`;
  });
  return `import { describe } from "node:test";\n${suites.join("")}`;
}
