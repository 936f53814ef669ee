import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

/** So many share a process at most: one that breaks takes no more with it. */
const filesTogether = 12;
/** Files of these start programs of their own and take long alone; others cost less than the start of their process. */
const shared = /^((packages|plugins|languages)\/[^/]+\/src|compat\/[^/]+)\//;

/**
 * Test files of one package share processes, since starting one and loading the package takes longer than most files.
 * Gives the files to run in their place: those that want a process of their own, which take longest, and one file for
 * each group, made in `folder`.
 */
export function bundleTests(files: readonly string[], folder: string): string[] {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const alone = files.filter((file) => !shared.test(file));
  const groups = Map.groupBy(
    files.filter((file) => shared.test(file)),
    (file) => shared.exec(file)?.[0] ?? "",
  );
  const made = [...groups].flatMap(([group, all]) => {
    const count = Math.ceil(all.length / filesTogether);
    const size = Math.ceil(all.length / count);
    return Array.from({ length: count }, (_, index) => {
      const path = join(folder, `${group.replaceAll("/", "-")}${index}.test.mjs`);
      writeFileSync(path, importing(all.slice(index * size, (index + 1) * size)));
      return path;
    });
  });
  return [...alone, ...made];
}

/**
 * One after the other; what a file registers at its top level holds for all. Files with hooks come first: the runner
 * takes a hook for one of the test that runs while it is registered, if that is a short one.
 */
function importing(files: readonly string[]): string {
  const { hooked = [], others = [] } = Object.groupBy(files, (file) =>
    /^(before|after)\(/m.test(readFileSync(file, "utf8")) ? "hooked" : "others",
  );
  return [...hooked, ...others]
    .map((file) => `await import(${JSON.stringify(pathToFileURL(file).href)});\n`)
    .join("");
}
