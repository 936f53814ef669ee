import type { ResultList } from "./function-results.ts";
import { annotationOf, firstNotKrm, type Item, notes } from "./item.ts";
import { readKptfile } from "./kptfile.ts";
import { type HydrationOptions, type PackageNode, packagePathOf, type RenderRecord } from "./package-node.ts";
import { directSubpackages, join, type PackageFiles, resourceFiles } from "./package-tree.ts";
import { Pipeline } from "./pipeline.ts";
import { readResources } from "./read-resources.ts";
import type { Step } from "./render-status.ts";
import { PackageError, TraceError } from "./trace-error.ts";
import { validateKptfile } from "./validate-kptfile.ts";

const maxPackages = 1_000;

/** What all packages of one render share. */
export class Hydration implements RenderRecord {
  readonly files: PackageFiles;
  readonly options: HydrationOptions;
  readonly results: ResultList = { exitCode: 0, items: [] };
  readonly mutationSteps: Step[] = [];
  readonly validationSteps: Step[] = [];
  executed = 0;
  packages = 0;
  readonly #read = new Set<string>();

  constructor(files: PackageFiles, options: HydrationOptions) {
    this.files = files;
    this.options = options;
  }

  open(path: string, parent: PackageNode | undefined): PackageNode {
    const source = this.files.get(join(path, "Kptfile"));
    const shown = path === "" ? this.options.shownRoot : `${this.options.shownRoot}/${path}`;
    if (source === undefined) throw new PackageError(`No Kptfile found at "${shown}".`);
    const kptfile = readKptfile(source, shown);
    validateKptfile(kptfile, this.files, path);
    const name = path === "" ? this.options.rootName : (path.split("/").at(-1) ?? path);
    return { path, displayName: parent ? `${parent.displayName}/${name}` : name, kptfile, items: [] };
  }

  /** Its own resources, which are the input that a later removal is told by. */
  load(node: PackageNode): Item[] {
    this.packages++;
    if (this.packages > maxPackages)
      throw new PackageError(`a package may hold at most ${maxPackages} packages; this one holds more`);
    for (const file of resourceFiles(this.files, node.path)) this.#read.add(file);
    return readResources(this.files, node.path, { packagePath: packagePathOf(node) });
  }

  children(node: PackageNode): PackageNode[] {
    return directSubpackages(this.files, node.path).map((path) => this.open(path, node));
  }

  inputFiles(): string[] {
    return [...this.#read];
  }

  /** Runs one package's functions; `node.items` is what they left, also where one failed. */
  async run(node: PackageNode, input: Item[]): Promise<void> {
    node.items = input;
    const { progress } = this.options;
    progress.enter(node.displayName);
    const { mutators, validators } = node.kptfile;
    if (mutators.length === 0 && validators.length === 0) {
      const problem = firstNotKrm(input);
      if (problem === undefined) return;
      throw new PackageError(`input resource list must contain only KRM resources: ${problem}`);
    }
    await new Pipeline(node, this).run();
    progress.leave();
  }
}

/** Whatever goes wrong in it is told with the package. */
async function within<T>(node: PackageNode, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    throw new TraceError({ operation: "pkg.render", pkg: node.path }, error);
  }
}

/** Subpackages first, each with its own pipeline, then the package with all of theirs (kptops hydrate). */
export async function hydrateDepthFirst(node: PackageNode, hydration: Hydration): Promise<void> {
  const input = await within(node, async () => hydration.load(node));
  for (const child of await within(node, async () => hydration.children(node))) {
    try {
      await within(child, () => hydrateDepthFirst(child, hydration));
    } finally {
      input.push(...child.items);
      node.items = input;
    }
  }
  await within(node, () => hydration.run(node, input));
}

/** Parents first, each with all that is below it (kptops hydrateBfsOrder). */
export async function hydrateBreadthFirst(root: PackageNode, hydration: Hydration): Promise<void> {
  const nodes = [root];
  const children = new Map<PackageNode, PackageNode[]>();
  try {
    await within(root, async () => {
      for (const node of nodes) {
        node.items = hydration.load(node);
        const below = hydration.children(node);
        children.set(node, below);
        nodes.push(...below);
      }
      for (const node of nodes) {
        try {
          await hydration.run(node, [...node.items, ...descendants(node, children)]);
        } finally {
          distribute(node, nodes);
        }
      }
    });
  } finally {
    root.items = nodes.flatMap((node) => node.items);
  }
}

function descendants(node: PackageNode, children: ReadonlyMap<PackageNode, PackageNode[]>): Item[] {
  return (children.get(node) ?? []).flatMap((child) => [...child.items, ...descendants(child, children)]);
}

/** Each item goes to the package that it is noted to belong to. */
function distribute(node: PackageNode, nodes: readonly PackageNode[]): void {
  const byPackage = Map.groupBy(
    node.items,
    (item) => annotationOf(item, notes.packagePath) || packagePathOf(node),
  );
  node.items = [];
  for (const target of nodes) {
    const own = byPackage.get(packagePathOf(target));
    if (own) target.items = own;
  }
}
