import { createHash } from "node:crypto";
import { globSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs";
import { readdir, rm } from "node:fs/promises";
import { dirname, join } from "node:path";

const root = join(import.meta.dirname, "..");
const top = join(root, "..", "..");
const cache = join(top, "node_modules", ".cache", "capstan-page");

/** A folder with the page as its sources are now. Built once for each state of them, whichever tests ask. */
export async function builtPage(): Promise<string> {
  const folder = join(cache, digestOfSources());
  if (await isThere(folder)) return folder;
  mkdirSync(cache, { recursive: true });
  const own = mkdtempSync(join(cache, "new-"));
  const { build } = await import("vite");
  await build({ root, logLevel: "error", build: { outDir: own, emptyOutDir: true } });
  try {
    renameSync(own, folder);
  } catch (error) {
    // Another process was quicker.
    rmSync(own, { recursive: true });
    if (!(await isThere(folder))) throw error;
  }
  const former = (await readdir(cache)).filter(
    (name) => !name.startsWith("new-") && join(cache, name) !== folder,
  );
  for (const name of former) await rm(join(cache, name), { recursive: true, force: true });
  return folder;
}

const isThere = (folder: string): Promise<boolean> =>
  readdir(folder).then(
    (names) => names.length > 0,
    () => false,
  );

/** Of the page, of the packages that it is made of, and of the versions of others. */
function digestOfSources(): string {
  const own = ["package-lock.json", "packages/ui/*.{html,ts,json}", "packages/ui/{public,src}/**/*.*"];
  const others = ["formats", "flow", "model", "wire"].map((name) => `packages/${name}/src/**/*.{ts,json}`);
  const hash = createHash("sha256");
  for (const file of globSync([...own, ...others], { cwd: top }).sort()) {
    if (file.endsWith(".test.ts") || dirname(file).includes("testdata")) continue;
    hash.update(`${file}\0`).update(readFileSync(join(top, file)));
  }
  return hash.digest("hex").slice(0, 20);
}
