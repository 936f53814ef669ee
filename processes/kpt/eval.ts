import { defineCommand, type Flags, type FlagValues, UsageError } from "@capstan/cli/record";
import { containerSettings } from "./container-settings.ts";
import { metaResources, readRunFlags, refuseMetaResources, runFlags, runNotes } from "./run-flags.ts";

const select = (help: string, value: string) => ({ kind: "string", help, value }) as const;
const selectPairs = (help: string) => ({ kind: "list", help, value: "K=V" }) as const;

const evalFlags = {
  ...runFlags,
  image: { kind: "string", short: "i", help: "The function's image", value: "IMAGE" },
  tag: { kind: "string", help: "Its tag or version range", value: "TAG" },
  exec: { kind: "string", help: "A program as the function", value: "COMMAND" },
  "fn-config": {
    kind: "string",
    help: "The function's configuration, instead of KEY=VALUE behind --",
    value: "FILE",
  },
  type: {
    kind: "string",
    short: "t",
    help: "With --save: where in the Kptfile it goes",
    choices: ["mutator", "validator"],
    byDefault: "mutator",
  },
  save: { kind: "boolean", short: "s", help: "Write the function into the Kptfile" },
  network: { kind: "boolean", help: "As --allow-network of render" },
  mount: { kind: "strings", help: "type=bind,src=DIR,dst=DIR, of containers only", value: "MOUNT" },
  env: {
    kind: "strings",
    short: "e",
    help: "Variable of containers, from this environment without =VALUE",
    value: "KEY[=VALUE]",
  },
  "as-current-user": { kind: "boolean", help: "Run containers as you, not as nobody" },
  "match-api-version": select("Only resources of this apiVersion", "VERSION"),
  "match-kind": select("Only resources of this kind", "KIND"),
  "match-name": select("Only resources of this name", "NAME"),
  "match-namespace": select("Only resources of this namespace", "NAMESPACE"),
  "match-labels": selectPairs("Only resources with these labels"),
  "match-annotations": selectPairs("Only resources with these annotations"),
  "exclude-api-version": select("All resources but those of this apiVersion", "VERSION"),
  "exclude-kind": select("All resources but those of this kind", "KIND"),
  "exclude-name": select("All resources but those of this name", "NAME"),
  "exclude-namespace": select("All resources but those of this namespace", "NAMESPACE"),
  "exclude-labels": selectPairs("All resources but those with these labels"),
  "exclude-annotations": selectPairs("All resources but those with these annotations"),
  ...metaResources,
} as const satisfies Flags;

export default defineCommand({
  usage: "[DIR|-] [flags] [-- KEY=VALUE ...]",
  help: "Run one function on a folder, or on a list on standard input.",
  notes: runNotes,
  argument: "file",
  arity: [0, 1],
  standsAlone: true,
  passesOn: true,
  flags: evalFlags,
  async run({ args, behindDashes, flags, io }) {
    refuseMetaResources(flags);
    const { image = "", exec = "", type = "mutator" } = flags;
    if ((image === "") === (exec === ""))
      throw new UsageError(`must specify --image or --exec${image === "" ? "" : ", and not both"}`);
    if (behindDashes.length > 0 && flags["fn-config"])
      throw new UsageError("give a configuration with --fn-config or behind --, not both");
    const request = {
      ...readRunFlags(flags, args),
      allowExec: true,
      allowNetwork: flags.network ?? false,
      containers: containerSettings(flags, exec),
      image,
      tag: flags.tag ?? "",
      exec,
      fnConfig: flags["fn-config"] ?? "",
      args: behindDashes,
      type: type === "validator" ? ("validator" as const) : ("mutator" as const),
      save: flags.save ?? false,
      match: readSelection("match", flags),
      exclude: readSelection("exclude", flags),
    };
    const { evalKptFolder } = await import("@capstan/plugin-kpt/folders");
    const { surroundings } = await import("./surroundings.ts");
    return evalKptFolder(request, surroundings(io));
  },
});

/** Which resources the function is run on. */
function readSelection(side: "match" | "exclude", flags: FlagValues<typeof evalFlags>) {
  return {
    apiVersion: flags[`${side}-api-version`] ?? "",
    kind: flags[`${side}-kind`] ?? "",
    name: flags[`${side}-name`] ?? "",
    namespace: flags[`${side}-namespace`] ?? "",
    labels: pairs(flags[`${side}-labels`] ?? []),
    annotations: pairs(flags[`${side}-annotations`] ?? []),
  };
}

function pairs(given: readonly string[]): Map<string, string> {
  return new Map(
    given.map((pair) => {
      const at = pair.indexOf("=");
      if (at < 1) throw new UsageError(`"${pair}" must be KEY=VALUE`);
      return [pair.slice(0, at), pair.slice(at + 1)];
    }),
  );
}
