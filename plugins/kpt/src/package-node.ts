import type { FunctionContext } from "./function.ts";
import type { ResultList } from "./function-results.ts";
import type { Item } from "./item.ts";
import type { Kptfile } from "./kptfile.ts";
import type { PackageFiles } from "./package-tree.ts";
import type { Progress } from "./progress.ts";
import type { Step } from "./render-status.ts";
import type { ResolveFunction } from "./resolve-function.ts";

export interface HydrationOptions {
  /** The root directory's name, as messages show packages. */
  readonly rootName: string;
  /** The root directory as errors name it. */
  readonly shownRoot: string;
  /** Where the one who renders stands; absent: nowhere near. */
  readonly workingFolder?: string;
  readonly resolve: ResolveFunction;
  readonly context: FunctionContext;
  readonly progress: Progress;
}

/** One package on its way. */
export interface PackageNode {
  /** From the root package; "" is the root. */
  readonly path: string;
  readonly displayName: string;
  readonly kptfile: Kptfile;
  items: Item[];
}

/** What the pipelines of one render add to. */
export interface RenderRecord {
  readonly files: PackageFiles;
  readonly options: HydrationOptions;
  readonly results: ResultList;
  readonly mutationSteps: Step[];
  readonly validationSteps: Step[];
  /** Functions that ran to a good end. */
  executed: number;
}

export function packagePathOf({ path }: PackageNode): string {
  return `/${path}`;
}
