/**
 * What `npm pack` in packages/plugin-kit/npm packs: the kit as JavaScript for Node 20 and later with the workspace's
 * packages in it, and its types. Other packages stay dependencies, which are checked against the workspace's.
 */
import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { rolldown } from "rolldown";

const top = join(import.meta.dirname, "..");
const home = join(top, "packages/plugin-kit/npm");
const entry = join(top, "packages/plugin-kit/src/for-authors.ts");
const dist = join(home, "dist");
const types = join(dist, "types");
const inlineImports = /import\("(\.[^"]*|@capstan\/[^"]*)"\)\.(\w+)/g;
const imports = /(import|export)( type)? \{([^}]*)\} from "(\.[^"]*|@capstan\/[^"]*)"/g;

interface PackageFile {
  version: string;
  dependencies?: Record<string, string>;
}

function readPackage(folder: string): PackageFile {
  return JSON.parse(readFileSync(join(top, folder, "package.json"), "utf8"));
}

rmSync(dist, { recursive: true, force: true });
const imported = await writeCode();
writeTypes();
checkDependencies(imported);
copyFileSync(join(top, "LICENSE"), join(home, "LICENSE"));

/** Gives the packages that the code imports. */
async function writeCode(): Promise<string[]> {
  await using bundle = await rolldown({
    input: { index: entry },
    cwd: top,
    platform: "node",
    tsconfig: false,
    transform: { target: "node20" },
    external: (id) => !/^(\.|\/|@capstan\/|@oxc-project\/runtime)/.test(id),
    checks: { ineffectiveDynamicImport: false },
  });
  const { output } = await bundle.write({ dir: dist, format: "esm", chunkFileNames: "[name].js" });
  const names = output.flatMap((chunk) =>
    chunk.type === "chunk" ? [...chunk.imports, ...chunk.dynamicImports] : [],
  );
  const files = new Set(output.map(({ fileName }) => fileName));
  return [...new Set(names.filter((name) => !files.has(name) && !name.startsWith("node:")))];
}

/** The declarations that the entry leads to, each where its source is below packages/. */
function writeTypes(): void {
  const scratch = join(home, "dist/declarations");
  const emit = { noEmit: false, declaration: true, emitDeclarationOnly: true, outDir: scratch, rootDir: top };
  // By their names they would be packages of others, for which nothing is written.
  const paths = { "@capstan/*": [join(top, "packages/*/src/index.ts")] };
  const doors = Object.fromEntries(
    ["formats/yaml", "formats/re2", "wire/plugin-protocols", "model/settings"].map((door) => [
      `@capstan/${door}`,
      [join(top, sourceOf(`@capstan/${door}`))],
    ]),
  );
  const options = {
    extends: join(top, "tsconfig.json"),
    compilerOptions: { ...emit, paths: { ...doors, ...paths } },
    include: [],
    files: [entry],
  };
  mkdirSync(scratch, { recursive: true });
  // Within the workspace, so that the compiler finds its types.
  writeFileSync(join(scratch, "tsconfig.json"), JSON.stringify(options));
  // What cannot be told of types that authors never see is of no interest: what they see is compiled by a test.
  spawnSync("tsc", ["-p", scratch]);
  const written = new Set<string>();
  const waiting = ["packages/plugin-kit/src/for-authors.ts"];
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    if (written.has(file)) continue;
    written.add(file);
    waiting.push(...writeDeclaration(scratch, file));
  }
  rmSync(scratch, { recursive: true });
}

/** Gives the sources that it leads to. Names of another package come from the very files that they are written in. */
function writeDeclaration(scratch: string, source: string): string[] {
  const found: string[] = [];
  // An import for its effect has no types.
  const text = readDeclaration(scratch, source).replace(/^import "[^"]*";\n/gm, "");
  const targetOf = (from: string, name: string) => {
    const target = from.startsWith(".")
      ? join(dirname(source), from)
      : placeOf(scratch, sourceOf(from), name);
    found.push(target);
    return target;
  };
  const bare = text.replace(inlineImports, (_all, from: string, name: string) => {
    return `import("${pathOf(source, targetOf(from, name))}").${name}`;
  });
  const own = bare.replace(imports, (...match: string[]) => {
    const [, verb = "", type = "", names = "", from = ""] = match;
    const of = new Map<string, string[]>();
    for (const name of names.split(",").map((one) => one.trim())) {
      if (name === "") continue;
      const target = targetOf(from, name.replace(/^type /, "").replace(/ as .*$/, ""));
      of.set(target, [...(of.get(target) ?? []), name]);
    }
    const line = ([target, all]: [string, string[]]) =>
      `${verb}${type} { ${all.join(", ")} } from "${pathOf(source, target)}"`;
    return [...of].map(line).join(";\n");
  });
  const left = /["'](@capstan\/[^"']*|\.[^"']*\.ts)["']/.exec(own);
  if (left) throw new Error(`${source}: ${left[0]} stays in its types; import its names one by one`);
  const place = join(types, relative("packages", source).replace(/\.ts$/, ".d.ts"));
  mkdirSync(dirname(place), { recursive: true });
  writeFileSync(place, own);
  return found;
}

function readDeclaration(scratch: string, source: string): string {
  return readFileSync(join(scratch, source.replace(/\.ts$/, ".d.ts")), "utf8");
}

function pathOf(from: string, target: string): string {
  const path = relative(dirname(from), target).replace(/\.ts$/, ".js");
  return path.startsWith(".") ? path : `./${path}`;
}

/** Through the doors of a package. */
function placeOf(scratch: string, door: string, name: string): string {
  const text = readDeclaration(scratch, door);
  for (const [, , , names = "", from = ""] of text.matchAll(imports)) {
    const given = names.split(",").map((one) => one.trim().replace(/^type /, ""));
    if (given.includes(name) && from.startsWith("."))
      return placeOf(scratch, join(dirname(door), from), name);
  }
  return door;
}

/** What the workspace's name for a package or one of its doors stands for. */
function sourceOf(name: string): string {
  const [, folder = "", door] = /^@capstan\/([^/]+)(?:\/(.+))?$/.exec(name) ?? [];
  return `packages/${folder}/src/${door ?? "index"}.ts`;
}

function checkDependencies(imported: readonly string[]): void {
  const own = readPackage("packages/plugin-kit/npm");
  const { version } = readPackage("packages/plugin-kit");
  const wanted: Record<string, string> = {};
  for (const name of ["plugin-kit", "formats", "model", "flow", "wire"])
    Object.assign(wanted, readPackage(`packages/${name}`).dependencies);
  const names = imported.map((name) => /^(@[^/]+\/)?[^/]+/.exec(name)?.[0] ?? name);
  const used = Object.fromEntries([...new Set(names)].sort().map((name) => [name, wanted[name] ?? "?"]));
  const right = { version, dependencies: used };
  const said = { version: own.version, dependencies: own.dependencies };
  if (JSON.stringify(said) !== JSON.stringify(right))
    throw new Error(`packages/plugin-kit/npm/package.json must say ${JSON.stringify(right, undefined, 2)}`);
}
