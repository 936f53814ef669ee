/**
 * Holds the borders of layers.json: who may import whom, no import cycle between files (types left out) nor between
 * the folders of a package (types counted), packages entered only by their door, and no node:* or clock in the pure
 * packages. And that files of repositories are
 * read and written by the one door (plugin-kit/src/rooted): which files use node:fs at all, file-access.json says with
 * the reason; it may only shrink.
 */
import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { parseSync } from "oxc-parser";
import { cycles, folderCycles, placeOf } from "./import-cycles.ts";
import { isTest, sourceFiles } from "./source-files.ts";

interface Layers {
  /** By package; "plugins" and "languages" stand for every package of those folders, none of which imports another. */
  packages: Record<string, string[]>;
  folders: Record<string, string[]>;
  /** What a package may know of others by type alone: doors. */
  types: Record<string, string[]>;
  /** Further doors of a package, where its whole is too slow to load for some: name under src/. */
  doors: Record<string, string[]>;
  noNode: string[];
  noIo: string[];
  /** Where folders still import each other; it may only shrink. */
  folderCyclesLeft: string[];
}

interface Import {
  target: string;
  typeOnly: boolean;
}

const layers: Layers = JSON.parse(readFileSync("layers.json", "utf8"));
const fileAccess: Readonly<Record<string, readonly string[]>> = JSON.parse(
  readFileSync("tools/file-access.json", "utf8"),
);
/** Where each package lies, by its name after @capstan/. */
const folderOf = new Map(
  globSync("{packages,plugins,languages}/*/package.json").map((file) => {
    const { name }: { name: string } = JSON.parse(readFileSync(file, "utf8"));
    return [name.replace("@capstan/", ""), dirname(file)];
  }),
);
const mayAccess = new Set(Object.values(fileAccess).flat());
const impure = /\b(setTimeout|setInterval|Date\.now|Math\.random|console\.|process\.)/;

function importsOf(file: string, text: string): Import[] {
  const { module } = parseSync(file, text);
  const found: Import[] = module.staticImports.map((one) => ({
    target: one.moduleRequest.value,
    typeOnly: one.entries.length > 0 && one.entries.every((entry) => entry.isType),
  }));
  for (const one of module.staticExports)
    for (const entry of one.entries)
      if (entry.moduleRequest) found.push({ target: entry.moduleRequest.value, typeOnly: entry.isType });
  for (const one of module.dynamicImports) {
    const target = text.slice(one.moduleRequest.start, one.moduleRequest.end).replace(/^["'`]|["'`]$/g, "");
    found.push({ target, typeOnly: false });
  }
  return found;
}

/** The packages that handle what repositories hold; sandboxes are about the machine's own files. */
function accessProblems(file: string, imports: readonly Import[]): string[] {
  const handles =
    /^(packages\/(plugin-kit\/src\/(?!isolation\/)|(render|programs|charts|kustomizations|krm-yaml|secret-services|sops-files)\/)|(plugins|languages)\/)/.test(
      file,
    );
  if (!handles || isTest(file)) return [];
  const uses = imports.some(({ target, typeOnly }) => /^node:fs(\/promises)?$/.test(target) && !typeOnly);
  if (uses === mayAccess.has(file)) return [];
  return [
    uses
      ? `${file}: uses node:fs; read and write files of a repository by readBelow, writeBelow and so on (plugin-kit), or say in tools/file-access.json why it touches none`
      : `${file}: uses node:fs no more; take it out of tools/file-access.json`,
  ];
}

interface Layer {
  /** Of the package, or of the program's folder. */
  name: string;
  folder: string;
  allowed: readonly string[];
}

/** What layers.json calls a package: those below plugins/ and languages/ share a line. */
function lineOf(name: string): string {
  const [top = ""] = folderOf.get(name)?.split("/") ?? [];
  return top === "plugins" || top === "languages" ? top : name;
}

function layerOf(file: string): Layer | undefined {
  const narrower = Object.keys(layers.folders).find((one) => file.startsWith(`packages/${one}/`));
  const [name, folder] = [...folderOf].find(([, one]) => file.startsWith(`${one}/`)) ?? [];
  const top = file.split("/")[0] ?? "";
  const allowed = (narrower ? layers.folders[narrower] : undefined) ?? layers.packages[lineOf(name ?? top)];
  return allowed && { name: name ?? top, folder: folder ?? top, allowed };
}

function borderProblems(file: string, imports: readonly Import[]): string[] {
  const layer = layerOf(file);
  if (!layer) return [];
  const problems: string[] = [];
  for (const { target, typeOnly } of imports) {
    const name = /^@capstan\/([^/]+)(\/.*)?$/.exec(target);
    const door = name?.[2]?.slice(1);
    if (door !== undefined && !layers.doors[name?.[1] ?? ""]?.includes(door))
      problems.push(`${file}: imports ${target}; enter a package by its door`);
    const free =
      layer.allowed.includes("*") ||
      name?.[1] === layer.name ||
      (isTest(file) && (typeOnly || name?.[1] === "testkit" || lineOf(name?.[1] ?? "") === "plugins")) ||
      (typeOnly && layers.types[layer.name]?.includes(target.replace("@capstan/", "")));
    if (name?.[1] && !free && !layer.allowed.includes(lineOf(name[1])))
      problems.push(`${file}: ${layer.name} may not import ${name[1]} (layers.json)`);
    if (target.startsWith("node:") && layers.noNode.includes(layer.name) && !isTest(file))
      problems.push(`${file}: ${layer.name} may not import ${target}`);
    const escapes =
      target.startsWith(".") && !normalize(join(dirname(file), target)).startsWith(`${layer.folder}/`);
    if (folderOf.has(layer.name) && escapes && !isTest(file))
      problems.push(`${file}: ${target} leaves the package`);
  }
  return problems;
}

function resolve(file: string, target: string): string | undefined {
  if (target.startsWith(".")) return normalize(join(dirname(file), target));
  const [, name, door = "index"] = /^@capstan\/([^/]+)(?:\/([^/]+))?$/.exec(target) ?? [];
  return name && `${folderOf.get(name)}/src/${door}.ts`;
}

const problems: string[] = [];
const graph = new Map<string, string[]>();
const inPackages = new Map<string, string[]>();
for (const file of sourceFiles()) {
  if (!existsSync(file)) continue;
  const text = readFileSync(file, "utf8");
  const imports = importsOf(file, text);
  problems.push(...borderProblems(file, imports), ...accessProblems(file, imports));
  const layer = layerOf(file);
  if (layer && layers.noIo.includes(layer.name) && !isTest(file)) {
    const code = text.replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, "");
    const hit = impure.exec(code);
    if (hit) problems.push(`${file}: ${layer.name} is pure, but uses ${hit[0]}`);
  }
  const values = imports.filter((one) => !one.typeOnly).map((one) => resolve(file, one.target));
  graph.set(file, values.filter((one) => one !== undefined && one !== file).map(String));
  const near = imports.filter(({ target }) => /^\..*\.tsx?$/.test(target));
  if (!isTest(file) && !/\/test-[^/]+$/.test(file))
    inPackages.set(
      file,
      near.map((one) => normalize(join(dirname(file), one.target))),
    );
}
for (const cycle of cycles(graph)) problems.push(`import cycle: ${cycle.join(" → ")}`);
for (const place of Object.keys(layers.folders).map((one) => `packages/${one}`))
  if (!existsSync(place)) problems.push(`layers.json: there is no folder ${place}`);
const mayHaveOne = new Set(layers.folderCyclesLeft);
for (const cycle of folderCycles(inPackages))
  if (!layers.folderCyclesLeft.includes(placeOf(cycle)))
    problems.push(`folders import each other: ${cycle.join(" → ")}`);
  else mayHaveOne.delete(placeOf(cycle));
for (const place of mayHaveOne)
  problems.push(
    `layers.json: no folders of ${place} import each other any more; take it out of folderCyclesLeft`,
  );
for (const problem of problems) console.error(problem);
console.log(
  `check-imports: ${graph.size} files, ${problems.length} problems, import cycles: ${cycles(graph).length}`,
);
process.exitCode = problems.length > 0 ? 1 : 0;
