import type { ApplicationSpec } from "@capstan/model";
import type { Api } from "../../api.ts";
import { UsageError } from "../../command.ts";
import { type AppRef, fetchApp } from "./app-name.ts";

/** Index of the source that --source-position or --source-name means. */
export function sourcePosition(
  { sources = [] }: ApplicationSpec,
  flags: { "source-position"?: number; "source-name"?: string },
): number {
  if (sources.length === 0) return 0;
  const position = flags["source-position"];
  if (position !== undefined) {
    if (position < 1 || position > sources.length)
      throw new UsageError(
        `--source-position: there is no source ${position}; the application has ${sources.length}`,
      );
    return position - 1;
  }
  const name = flags["source-name"];
  const index = sources.findIndex((source) => source.name !== undefined && source.name === name);
  if (index < 0)
    throw new UsageError(
      name === undefined
        ? "the application has several sources: give --source-position or --source-name"
        : `Unknown source name '${name}'`,
    );
  return index;
}

/** Of commands that take other revisions than an application's. */
export const revisionFlags = {
  revision: { kind: "string", help: "Instead of the application's revision", value: "REVISION" },
  revisions: {
    kind: "list",
    help: "One for each of --source-positions or --source-names",
    value: "REVISION",
  },
  "source-positions": { kind: "list", help: "Positions of sources, from 1", value: "N" },
  "source-names": { kind: "list", help: "Names of sources", value: "NAME" },
} as const;

interface RevisionValues {
  readonly revision?: string;
  readonly revisions?: readonly string[];
  readonly "source-positions"?: readonly string[];
  readonly "source-names"?: readonly string[];
}

export interface Revisions {
  readonly revision?: string;
  readonly revisions?: string[];
  /** From 1. */
  readonly sourcePositions?: number[];
}

/** What revision flags ask for, names of sources as positions; nothing where none is given. */
export async function readRevisions(api: Api, ref: AppRef, flags: RevisionValues): Promise<Revisions> {
  const { revision, revisions = [], "source-positions": positions = [], "source-names": names = [] } = flags;
  if (positions.length > 0 && names.length > 0)
    throw new UsageError("Only one of source-positions and source-names can be specified.");
  const chosen = positions.length > 0 ? positions : names;
  const flag = names.length > 0 ? "--source-names" : "--source-positions";
  if (revisions.length !== chosen.length)
    throw new UsageError(
      `--revisions has ${revisions.length} values and ${flag} ${chosen.length}: give as many`,
    );
  const sourcePositions = names.length > 0 ? await positionsOf(api, ref, names) : positions.map(readPosition);
  return {
    ...(revision ? { revision } : {}),
    ...(revisions.length > 0 ? { revisions: [...revisions], sourcePositions } : {}),
  };
}

function readPosition(text: string): number {
  if (!/^[1-9]\d*$/.test(text))
    throw new UsageError(`--source-positions: "${text}" is not a position; counting starts at 1`);
  return Number(text);
}

async function positionsOf(api: Api, ref: AppRef, names: readonly string[]): Promise<number[]> {
  const { spec } = await fetchApp(api, ref);
  return names.map((name) => sourcePosition(spec, { "source-name": name }) + 1);
}
