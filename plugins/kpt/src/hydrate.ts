import type { ResultList } from "./function-results.ts";
import { annotationOf, filesOf, firstNotKrm, type Item, notes } from "./item.ts";
import { type Kptfile, readKptfile } from "./kptfile.ts";
import { type HydrationOptions, type PackageNode, packagePathOf, type RenderRecord } from "./package-node.ts";
import { directSubpackages, join, type PackageFiles } from "./package-tree.ts";
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
  readonly #inputs = new Set<string>();

  constructor(files: PackageFiles, options: HydrationOptions) {
    this.files = files;
    this.options = options;
  }

  open(path: string, parent: PackageNode | undefined): PackageNode {
    const kptfile = this.#read(path);
    try {
      validateKptfile(kptfile, { files: this.files, pkg: path, shown: this.#shown(path) });
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      throw new TraceError({ operation: "pkg.read", pkg: path }, error);
    }
    const name = path === "" ? this.options.rootName : (path.split("/").at(-1) ?? path);
    return { path, displayName: parent ? `${parent.displayName}/${name}` : name, kptfile, items: [] };
  }

  /** Its own resources, which are the input that a later removal is told by. */
  load(node: PackageNode): Item[] {
    this.packages++;
    if (this.packages > maxPackages)
      throw new PackageError(`a package may hold at most ${maxPackages} packages; this one holds more`);
    const items = readResources(this.files, node.path, { packagePath: packagePathOf(node) });
    for (const path of filesOf(items)) this.#inputs.add(join(node.path, path));
    return items;
  }

  /** Every Kptfile is read before a package below runs. */
  subpackages(node: PackageNode): string[] {
    const paths = directSubpackages(this.files, node.path);
    for (const path of paths) {
      try {
        this.#read(path);
      } catch (error) {
        if (!(error instanceof Error)) throw error;
        throw new TraceError({ operation: "pkg.Subpackages", pkg: path }, error);
      }
    }
    return paths;
  }

  #read(path: string): Kptfile {
    const source = this.files.get(join(path, "Kptfile"));
    const shown = this.#shown(path);
    if (source === undefined) throw new PackageError(`No Kptfile found at "${shown}".`);
    return readKptfile(source, shown);
  }

  #shown(path: string): string {
    return path === "" ? this.options.shownRoot : `${this.options.shownRoot}/${path}`;
  }

  inputFiles(): string[] {
    return [...this.#inputs];
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
async function within<T>({ path }: { path: string }, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    throw new TraceError({ operation: "pkg.render", pkg: path }, error);
  }
}

/** Subpackages first, each with its own pipeline, then the package with all of theirs (kptops hydrate). */
export async function hydrateDepthFirst(node: PackageNode, hydration: Hydration): Promise<void> {
  const input = await within(node, async () => hydration.load(node));
  for (const path of await within(node, async () => hydration.subpackages(node))) {
    const child = await within({ path }, async () => hydration.open(path, node));
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
        const below = hydration.subpackages(node).map((path) => hydration.open(path, node));
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
