import { nearestName } from "@capstan/formats";
import type { PluginSummary } from "@capstan/wire";
import { defineCommand, ExitError, UsageError } from "../../command.ts";
import { typeOf, valueText } from "../../output/parameter-table.ts";
import { isObjectFormat, printObject } from "../../output/print-object.ts";
import { formatTable } from "../../output/table.ts";
import { installedFlags, installedPlugins } from "./installed-plugins.ts";

export default defineCommand({
  usage: "[NAME|DIR]",
  help: "Show what a plugin says of itself: what it does, what it reads, its parameters.",
  examples: [
    "capstan plugin describe helm",
    "capstan plugin describe ./my-plugin -o yaml",
    "capstan plugin describe --address plugin.example:8081",
  ],
  argument: "plugin",
  arity: [0, 1],
  flags: installedFlags,
  async run(invocation) {
    const { args, flags, io } = invocation;
    const [name] = args;
    const plugin = choose(await installedPlugins(invocation, name), name);
    if (isObjectFormat(flags.output)) await printObject(io, flags.output, plugin);
    else io.out(describe(plugin));
    return 0;
  },
});

/** The one that is named, or the only one there is. */
function choose(plugins: readonly PluginSummary[], name: string | undefined): PluginSummary {
  const names = plugins.map((one) => one.name);
  const found = plugins.find((one) => one.name === name) ?? (plugins.length === 1 ? plugins[0] : undefined);
  if (found) return found;
  if (name === undefined) throw new UsageError(`name one of ${names.join(", ")}`);
  const near = nearestName(name, names);
  throw new ExitError(`there is no plugin "${name}"${near ? `; did you mean ${near}?` : ""}`, 20);
}

const keys: Readonly<Record<PluginSummary["keyedBy"], string>> = {
  repository: "every file of the repository: a commit anywhere renders again; name inputs to change that",
  declared: "the files that it names as its inputs",
  observed: "the files that it was seen to read",
};

function describe(plugin: PluginSummary): string {
  const {
    name,
    origin,
    shapes,
    discovery,
    keyedBy,
    sensitive,
    concurrency,
    parameters,
    stages,
    notes = [],
  } = plugin;
  const facts: [string, string][] = [
    ["Name:", name],
    ["Origin:", origin],
    ["Does:", shapes.join(", ")],
    ["Used unnamed where:", whereOf(discovery)],
    ["Output depends on:", keys[keyedBy]],
    ["Sensitive:", sensitive ? "yes: its output rests on no disk and is shown masked" : "no"],
    ...(concurrency === undefined ? [] : [["Runs at once:", String(concurrency)] as [string, string]]),
    ...notes.map((note, index): [string, string] => [index === 0 ? "Notes:" : "", note]),
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
    valueText(one),
    one.tooltip ?? one.title ?? "",
  ]);
  const head = ["PARAMETER", "TYPE", "REQUIRED", "DEFAULT", "DESCRIPTION"];
  return `${formatTable(facts)}\n${formatTable([head, ...rows])}`;
}

function whereOf(discovery: string | undefined): string {
  if (discovery === undefined) return "never: applications must name it";
  return discovery === "asks the plugin" ? "the plugin says so when it is asked" : discovery;
}
