import type { ApplicationSpec } from "@capstan/model";
import { UsageError } from "../../command.ts";

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
    throw new UsageError("the application has several sources: give --source-position or --source-name");
  return index;
}
