import type { Clock } from "@capstan/flow";
import type { MappingNode } from "@capstan/krm-yaml";
import type { ChartRequest } from "@capstan/plugin-kit";
import type { Item } from "./item.ts";

export type Severity = "error" | "warning" | "info";

/** What a function says of its input (KRM functions specification, ResourceList.results). */
export interface ResultItem {
  message: string;
  severity?: string;
  resourceRef?: { apiVersion?: string; kind?: string; name?: string; namespace?: string };
  field?: { path?: string; currentValue?: string; proposedValue?: string };
  file?: { path?: string; index?: number };
  tags?: ReadonlyMap<string, string>;
}

/** Input and output of a function: it may change, add and remove items. */
export interface ResourceList {
  items: Item[];
  /** Absent where the pipeline gives none. */
  readonly functionConfig: MappingNode | undefined;
  results: ResultItem[];
}

/** How a run ended; no end is a good end. */
export interface FunctionEnd {
  exitCode: number;
  stderr: string;
}

/** A folder by the path that it has for functions. */
export interface Mount {
  source: string;
  target: string;
}

/** The package on disk with helm beside it, for functions that render charts. */
export interface ChartTools {
  /** The root package's folder. */
  readonly root: string;
  /** Folders elsewhere that the one who calls lets functions read. */
  readonly mounts?: readonly Mount[];
  /** For files that are not of the package; gone after the render. */
  readonly scratch: string;
  /** What helm prints. */
  helm(args: readonly string[]): Promise<string>;
  /** A packed chart; rejects where none may be fetched. */
  pull(request: ChartRequest): Promise<Uint8Array>;
}

export type WithCharts = <T>(work: (tools: ChartTools) => Promise<T>) => Promise<T>;

/**
 * What opa prints of a query, with files of Rego and JSON in a folder of its own: `input.json` is the input, all else
 * is loaded. Rejects with TOOL_FAILED and what opa told where it cannot say.
 */
export type RunPolicies = (files: ReadonlyMap<string, string>, query: string) => Promise<string>;

/** Where a function may run another program, and until when. */
export interface FunctionContext {
  readonly signal: AbortSignal;
  readonly clock: Clock;
  /** Where programs are found. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Whether the one who renders lets functions reach the network. */
  readonly allowNetwork: boolean;
  /** Files of the whole package, for functions that read others than resources. */
  readonly readFile: (path: string) => Promise<Uint8Array | undefined>;
  /** Absent: there is no folder, and no charts are rendered. */
  readonly withCharts?: WithCharts;
  /** Absent: there is nothing to run opa in. */
  readonly runPolicies?: RunPolicies;
}

type MaybePromise<T> = T | Promise<T>;

export type KrmFunction = (
  list: ResourceList,
  context: FunctionContext,
) => MaybePromise<FunctionEnd | undefined>;

/** As programs made with kpt's Go library end when they found the input wrong. */
export const failed: FunctionEnd = {
  exitCode: 1,
  stderr: "failed to evaluate function: error: function failure",
};
