import { newestIn, parseConstraint, parseVersion, withoutEndSlashes } from "@capstan/formats";
import type { KrmFunction } from "./function.ts";
import type { Catalog } from "./functions/catalog.ts";
import { publishedVersions } from "./functions/published-versions.ts";
import type { FunctionSpec } from "./kptfile.ts";
import { allowedVariable } from "./sandboxed-image.ts";
import { PackageError } from "./trace-error.ts";

/** A function by its full name, ready to be given a configuration. */
export interface ResolvedFunction {
  image: string;
  exec: string;
  run: KrmFunction;
}

export type ResolveFunction = (spec: FunctionSpec) => Promise<ResolvedFunction>;

export interface ResolveOptions {
  catalog: Catalog;
  /** What stands before a short name. */
  imagePrefix: string;
  /** Makes a function of a command line; absent: commands are not allowed. */
  exec?: ((commandLine: string) => KrmFunction) | undefined;
  /** Makes a function of an image that does not run in process; nothing where it may not run. */
  container?: ((image: string) => KrmFunction | undefined) | undefined;
}

export const defaultImagePrefix = "ghcr.io/kptdev/krm-functions-catalog";
const catalogHomes = [
  defaultImagePrefix,
  `${defaultImagePrefix}/wasm`,
  "gcr.io/kpt-fn",
  "gcr.io/kpt-fn-contrib",
  "ghcr.io/kptdev/krm-functions-catalog/contrib",
];

/** How a Kptfile's function is run here: in process by image name and tag, as a command, or not at all. */
export function functionResolver(options: ResolveOptions): ResolveFunction {
  return async (spec) => {
    if (spec.exec !== "") {
      if (!options.exec)
        throw new PackageError("must run with `--allow-exec` option to allow running function binaries");
      return { image: "", exec: spec.exec, run: options.exec(spec.exec) };
    }
    return resolveImage(spec, options);
  };
}

function resolveImage({ image: given, tag }: FunctionSpec, options: ResolveOptions): ResolvedFunction {
  if (given === "builtins/gen-pkg-context") return fromCatalog("gen-pkg-context", given, options);
  const prefix = withoutEndSlashes(options.imagePrefix);
  const full = given.includes("/") || prefix === "" ? given : `${prefix}/${given}`;
  const name = functionName(full);
  const home = full.slice(0, Math.max(full.lastIndexOf("/"), 0));
  const isCatalog = catalogHomes.includes(home) || home === prefix;
  const known = isCatalog ? options.catalog.get(name) : undefined;
  const image = withTag(full, tag, known && name);
  if (!known) {
    const run = options.container?.(image);
    if (run) return { image, exec: "", run };
    throw unknownFunction(image, name, options.catalog);
  }
  const version = /:([^/@]+)(?:@|$)/.exec(image.slice(home.length))?.[1] ?? "latest";
  if (!isVersionIn(version, known.version)) {
    const run = options.container?.(image);
    if (run) return { image, exec: "", run };
    throw new PackageError(
      `function "${image}" cannot run here: ${name} behaves here as v${known.version}, and "${version}" is a version of another kind. Use v${known.version}, or run the program itself by \`exec:\` with --allow-exec, or its image (${allowedVariable})`,
    );
  }
  return { image, exec: "", run: known.run };
}

/** Whether a tag asks for a version that behaves as ours: the same major version, or no version at all. */
function isVersionIn(tag: string, ours: string): boolean {
  const wanted = parseVersion(tag);
  return wanted === undefined || wanted.major === parseVersion(ours)?.major;
}

/** A range of versions as `tag:` may have it; one version alone is none, nor is a word. */
function isRange(tag: string): boolean {
  return parseVersion(tag) === undefined && parseConstraint(tag) !== undefined;
}

function fromCatalog(name: string, image: string, { catalog }: ResolveOptions): ResolvedFunction {
  const known = catalog.get(name);
  if (!known) throw unknownFunction(image, name, catalog);
  return { image, exec: "", run: known.run };
}

/** `known`: the name of a function of the catalog. */
function withTag(image: string, tag: string, known: string | undefined): string {
  if (tag === "") return /@|:[^/]*$/.test(image) ? image : `${image}:latest`;
  const base = image.replace(/:[^/@]*(?=@|$)/, "").replace(/@.*$/, "");
  if (!isRange(tag)) return `${base}:${tag}`;
  const versions = known === undefined ? [] : publishedVersions(known);
  if (versions.length === 0)
    throw new PackageError(
      `which versions of "${base}" there are is not known here; name one instead of the range \`tag: ${tag}\``,
    );
  const newest = newestIn(tag, versions);
  if (newest === undefined)
    throw new PackageError(
      `no tag could be found matching the version constraint ${JSON.stringify(tag)}: versions of ${known} are ${versions.join(", ")}`,
    );
  return `${base}:${newest}`;
}

function unknownFunction(image: string, name: string, catalog: Catalog): PackageError {
  const known = [...catalog.keys()].join(", ");
  return new PackageError(
    `function "${image}" is not one of those that run here in process, and its image may not run: name it, or a path above it, in ${allowedVariable} to fetch it and run it in a sandbox. Or use one of ${known}; or give ${name || "it"} as a program with \`exec:\` and allow it (--allow-exec, or the plugin's exec list)`,
  );
}

/** "set-labels" of "ghcr.io/kptdev/krm-functions-catalog/set-labels:v0.2.0". */
export function functionName(image: string): string {
  return (image.split("/").at(-1) ?? "").replace(/[:@].*$/, "");
}
