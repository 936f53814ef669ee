import { rename, writeFile } from "node:fs/promises";
import { canonicalJson, parseJson } from "@capstan/formats";
import type { Manifest } from "@capstan/model";
import { type Flags, type FlagValues, UsageError } from "../../command.ts";
import type { Io } from "../../io.ts";
import { outputFlag, printObject } from "../../output/print-object.ts";

export const formatFlags = { output: outputFlag(["json", "yaml"], "yaml") } as const satisfies Flags;

export const inlineFlags = {
  ...formatFlags,
  inline: {
    kind: "boolean",
    short: "i",
    help: "Write it into --file, whose former content goes to FILE.back",
  },
} as const satisfies Flags;

type Written = Pick<Manifest, "apiVersion" | "kind" | "metadata"> & { readonly status?: unknown };
type Values = FlagValues<typeof inlineFlags> & { readonly file?: string };

/**
 * An object as one keeps it in git: without what a cluster says of it and without its namespace
 * (cmd/argocd/commands/admin/generatespec_utils.go omitFields).
 */
export async function writeSpec(object: Written, { output, inline, file }: Values, io: Io): Promise<void> {
  const format = output === "json" ? "json" : "yaml";
  const bare = withoutState(object);
  if (!inline) return printObject(io, format, bare);
  if (!file || file === "-" || /^https?:\/\//.test(file))
    throw new UsageError("--inline needs the --file that it is written to");
  let text = "";
  await printObject({ out: (part) => (text += part) }, format, bare);
  await rename(file, `${file}.back`);
  await writeFile(file, text);
}

function withoutState({ status: _status, ...object }: Written): unknown {
  const { creationTimestamp: _time, namespace: _namespace, ...metadata } = object.metadata;
  return parseJson(canonicalJson({ ...object, metadata }));
}
