import type { ParameterAnnouncement } from "@capstan/model";
import type { PluginSummary } from "@capstan/wire";
import { defineCommand, ExitError } from "../../command.ts";
import { nearest } from "../../nearest.ts";
import { isObjectFormat, printObject } from "../../output/print-object.ts";
import { formatTable } from "../../output/table.ts";
import { installedFlags, installedPlugins } from "./installed-plugins.ts";

export default defineCommand({
  usage: "NAME|DIR",
  help: "Show what a plugin says of itself: what it does, what it reads, its parameters.",
  examples: ["capstan plugin describe helm", "capstan plugin describe ./my-plugin -o yaml"],
  argument: "file",
  arity: [1, 1],
  flags: installedFlags,
  async run(invocation) {
    const { args, flags, io } = invocation;
    const [name = ""] = args;
    const plugins = await installedPlugins(invocation, name);
    const plugin =
      plugins.find((one) => one.name === name) ?? (plugins.length === 1 ? plugins[0] : undefined);
    if (!plugin) {
      const near = nearest(
        name,
        plugins.map((one) => one.name),
      );
      throw new ExitError(`there is no plugin "${name}"${near ? `; did you mean ${near}?` : ""}`, 20);
    }
    if (isObjectFormat(flags.output)) await printObject(io, flags.output, plugin);
    else io.out(describe(plugin));
    return 0;
  },
});

const keys: Readonly<Record<PluginSummary["keyedBy"], string>> = {
  repository: "every file of the repository: a commit anywhere renders again; name inputs to change that",
  declared: "the files that it names as its inputs",
  observed: "the files that it was seen to read",
};

function describe(plugin: PluginSummary): string {
  const { name, origin, shapes, discovery, keyedBy, sensitive, concurrency, parameters, stages } = plugin;
  const facts: [string, string][] = [
    ["Name:", name],
    ["Origin:", origin],
    ["Does:", shapes.join(", ")],
    ["Used unnamed where:", discovery ?? "never: applications must name it"],
    ["Output depends on:", keys[keyedBy]],
    ["Sensitive:", sensitive ? "yes: its output rests on no disk and is shown masked" : "no"],
    ...(concurrency === undefined ? [] : [["Runs at once:", String(concurrency)] as [string, string]]),
    ...(stages ?? []).map((stage, index): [string, string] => [
      index === 0 ? "Stages:" : "",
      stage.name === stage.plugin ? stage.name : `${stage.name} (${stage.plugin})`,
    ]),
  ];
  if (parameters.length === 0) return formatTable(facts);
  const rows = parameters.map((one) => [
    one.name ?? "",
    typeOf(one),
    one.required ? "yes" : "",
    defaultOf(one),
    one.tooltip ?? one.title ?? "",
  ]);
  const head = ["PARAMETER", "TYPE", "REQUIRED", "DEFAULT", "DESCRIPTION"];
  return `${formatTable(facts)}\n${formatTable([head, ...rows])}`;
}

function typeOf({ collectionType = "", itemType = "" }: ParameterAnnouncement): string {
  const item = itemType || "string";
  return collectionType === "" || collectionType === "string" ? item : `${collectionType} of ${item}`;
}

function defaultOf({ string, array, map }: ParameterAnnouncement): string {
  const entries = Object.entries(map ?? {}).map(([key, value]) => `${key}=${value}`);
  return string ?? [...(array ?? []), ...entries].join(", ");
}
