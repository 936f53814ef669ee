import { realpathSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname, extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { stripVTControlCharacters } from "node:util";
import { messageOf } from "@capstan/model";
import { isWithin } from "@capstan/plugin-kit";
import type { Plugin } from "rolldown";
import { ExitError } from "../../command.ts";

const entryId = "\0capstan-entry";
const takeOverId = "\0capstan-take-over";
const oldestNode = "node20";
/** Of the kit's files: TypeScript, or JavaScript where Capstan is installed from its package. */
const ending = extname(import.meta.filename);

export interface BundleOptions {
  /** Real paths. */
  readonly folder: string;
  /** The program that is bundled; absent: the kit's server for plugin.yaml. */
  readonly program?: string | undefined;
  /** Further folders that files may come from. */
  readonly also: readonly string[];
  readonly output: string;
}

/**
 * Writes plugin.js, and what it needs beside it: the author's program, the packages that it imports, the kit of this
 * Capstan, for Node 20 and later. Gives the folders of the packages. What is bundled is read, not run.
 */
export async function bundlePlugin(options: BundleOptions): Promise<string[]> {
  const { rolldown } = await import("rolldown");
  const { output, folder } = options;
  const kit = dirname(fileURLToPath(import.meta.resolve("@capstan/plugin-kit/serve")));
  const worker = join(kit, "spawner", `spawner-worker${ending}`);
  const inputs = options.program === undefined ? { "spawner-worker": worker } : {};
  const modules = new Set<string>();
  for (const [name, input] of Object.entries({ plugin: entryId, ...inputs })) {
    await using bundle = await rolldown({
      input: { [name]: input },
      cwd: folder,
      platform: "node",
      tsconfig: false,
      transform: { target: oldestNode },
      plugins: [authorFiles(options, kit)],
      onLog: (_level, log) => {
        if (log.code === "UNRESOLVED_IMPORT") throw new ExitError(log.message, 20);
      },
    });
    const built = await bundle
      .write({ dir: output, format: "esm", codeSplitting: false })
      .catch((error: unknown) => {
        if (error instanceof ExitError) throw error;
        throw new ExitError(stripVTControlCharacters(messageOf(error)), 20);
      });
    for (const chunk of built.output)
      if (chunk.type === "chunk") for (const id of Object.keys(chunk.modules)) modules.add(id);
  }
  const packages = [...modules].flatMap(
    (id) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(id)?.[0] ?? [],
  );
  return [...new Set(packages)].sort();
}

function entryOf(program: string | undefined): string {
  const problem =
    "(error) => { process.stderr.write(`error: ${error?.message ?? error}\\n`); process.exitCode = 1; }";
  const start =
    program === undefined
      ? 'import { serveCommands } from "@capstan/plugin-kit/serve";\nconst served = serveCommands(import.meta.dirname);'
      : `import ${JSON.stringify(takeOverId)};\nimport plugin from ${JSON.stringify(program)};\nimport { serveBuilt } from "@capstan/plugin-kit/serve";\nconst served = serveBuilt(plugin);`;
  return `${start}\nawait served.catch(${problem});\n`;
}

function authorFiles(options: BundleOptions, kit: string): Plugin {
  const { folder, program } = options;
  const own: Readonly<Record<string, string>> = {
    "@capstan/plugin-kit": join(kit, `for-authors${ending}`),
    "@capstan/plugin-kit/serve": join(kit, `serve${ending}`),
  };
  const isAuthors = (file: string | undefined): file is string =>
    file !== undefined && isWithin(folder, file) && !file.includes("/node_modules/");
  return {
    name: "capstan-author-files",
    async resolveId(source, importer, extra) {
      if (source === entryId || source === takeOverId) return source;
      if (own[source] !== undefined) return own[source];
      if (!isAuthors(importer)) return null;
      const found = await this.resolve(source, importer, { ...extra, skipSelf: true });
      if (found === null)
        throw new ExitError(
          `${importer} imports "${source}", which is not there; if it is a package: npm install ${source}`,
          20,
        );
      if (!found.external) checkPlace(found.id, { source, importer }, options);
      return found;
    },
    load(id) {
      if (id === takeOverId) return 'import { takeOver } from "@capstan/plugin-kit/serve";\ntakeOver();\n';
      return id === entryId ? entryOf(program) : null;
    },
    transform(code, id) {
      if (!isAuthors(id) || !code.includes("import.meta.main")) return null;
      // Node before 24.2 has none, and in a bundle every file would be the main one.
      return { code: code.replaceAll("import.meta.main", String(id === program)), map: null };
    },
  };
}

/** Whose folder is built may be another than who wrote it: nothing but what is installed or given comes from elsewhere. */
function checkPlace(
  id: string,
  { source, importer }: { source: string; importer: string },
  { folder, also }: BundleOptions,
): void {
  const file = realpathSync(id.replace(/\?.*$/, ""));
  if (/\.node$/.test(file))
    throw new ExitError(
      `${importer} imports ${file}: a program of one machine, which no bundle can hold`,
      20,
    );
  if ([folder, ...also].some((one) => isWithin(one, file)) || file.includes("/node_modules/")) return;
  throw new ExitError(
    `${importer} imports "${source}", which is ${file}, outside of ${folder}; put it there, install it as a package, or allow its folder: --with DIR`,
    20,
  );
}

/** The licences of what is bundled, one after the other. */
export async function readLicences(packages: readonly string[]): Promise<string> {
  const texts: string[] = [];
  for (const folder of packages) {
    const { name, version, license }: Record<string, unknown> = JSON.parse(
      await readFile(join(folder, "package.json"), "utf8"),
    );
    const names = ["LICENSE", "LICENSE.md", "LICENSE.txt", "LICENCE", "license"];
    let text = "";
    for (const file of names) text ||= await readFile(join(folder, file), "utf8").catch(() => "");
    texts.push(`${name} ${version}: ${license}\n\n${text}`);
  }
  return texts.join(`\n${"-".repeat(79)}\n`);
}
