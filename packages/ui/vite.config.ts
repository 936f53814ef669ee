import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants } from "node:zlib";
import * as shapes from "@capstan/model/shapes";
import react from "@vitejs/plugin-react";
import { defineConfig, type Plugin } from "vite";

/** `npm run dev` shows a running Capstan: CAPSTAN_URL names it (default: what `npm start` prints). */
const server = process.env.CAPSTAN_URL ?? "http://127.0.0.1:8080";

const firstShown =
  /ui\/src\/(primitives\/(time-ago|durations|middle-cut|copy-button|states|dialog|segmented|filter-menu|narrow)|queries\/(kept|ask|client|query-client|rights|applications|page-secret|connection|places|scope|details)|streams\/(keep-live|open-streams|request-failure|rows-told|stream-port)|parts\/(application-(rights|facts)|forms\/create-right))\.tsx?$|\/state-order\.ts$/;

const noShapes = "\0no-shapes";

/** What a body must look like is for servers to check: the page's table of calls is without it. */
const withoutShapes: Plugin = {
  name: "without-shapes",
  enforce: "pre",
  resolveId: (source, importer = "") =>
    source === "@capstan/model/shapes" && importer.includes("/wire/src/rest/") ? noShapes : undefined,
  load(id) {
    if (id !== noShapes) return undefined;
    const names = Object.keys(shapes).map((name) => `nothing as ${name}`);
    return `const nothing = () => nothing; export { ${names.join(", ")} };`;
  },
};

const brotli = promisify(brotliCompress);
/** 10: eleven would save 2 % and take four times as long. */
const brotliParams = { [constants.BROTLI_PARAM_QUALITY]: 10 };

/** Beside each file as browsers take it: who opens a server's page first does not wait until it has compressed it. */
const compressed: Plugin = {
  name: "compressed",
  apply: "build",
  // As they are written: other plugins still change what a bundle holds.
  async writeBundle({ dir = "" }, bundle) {
    const files = Object.keys(bundle).filter((name) => /\.(js|css)$/.test(name));
    const made = files.map(async (name) => {
      const file = join(dir, name);
      await writeFile(`${file}.br`, await brotli(await readFile(file), { params: brotliParams }));
    });
    await Promise.all(made);
  },
};

export default defineConfig({
  root: import.meta.dirname,
  // `npm ci` builds it: who installs wants to hear what is wrong, no list of files.
  logLevel: process.argv.includes("build") ? "warn" : "info",
  // Addresses within the page begin at its <base>, which the server sets (--basehref).
  base: "./",
  plugins: [withoutShapes, react(), compressed],
  server: {
    proxy: Object.fromEntries(
      ["/api", "/auth"].map((path) => [path, { target: server, changeOrigin: true, secure: false }]),
    ),
  },
  // Of the streams: one file, since a worker is fetched anew by each browser that starts it.
  worker: { format: "es", plugins: () => [withoutShapes] },
  build: {
    outDir: "dist",
    emptyOutDir: true,
    target: "es2023",
    reportCompressedSize: false,
    chunkSizeWarningLimit: 700,
    rolldownOptions: {
      input: ["index.html", "plugin-dev.html"],
      checks: { pluginTimings: false },
      // What the list and an application both show first: many small files compress worse than one.
      output: { codeSplitting: { groups: [{ name: "first", test: firstShown }] } },
    },
  },
});
