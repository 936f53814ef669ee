import type { ApplicationSource, ParameterAnnouncement, PluginParameter } from "@capstan/model";
import type { DescribedSource, DescribedStage, SourceDescription } from "@capstan/wire";
import { formatTable } from "./table.ts";

type Row = [name: string, value: string, from: string, type: string];

/** What can be set for a source, what holds and who says so. */
export function parameterTable(source: ApplicationSource, { description, problem }: DescribedSource): string {
  const rows = [...pluginRows(source, description), ...helmRows(source, description), ...imageRows(source)];
  const notes = [problem, ...(description?.stages ?? []).map((stage) => stage.problem)];
  const told = notes.flatMap((note) => (note ? [`${note}\n`] : [])).join("");
  return rows.length === 0 ? told : told + formatTable([["NAME", "VALUE", "FROM", "TYPE"], ...rows]);
}

function pluginRows({ plugin, helm }: ApplicationSource, description: SourceDescription | undefined): Row[] {
  const isChart = description?.helm !== undefined || (!description && helm !== undefined);
  const stages = isChart ? [] : (description?.stages ?? []);
  const isPipeline = stages.length > 1;
  const set = new Map((plugin?.parameters ?? []).map((one) => [one.name ?? "", one]));
  const rows = stages.flatMap((stage) => stageRows(stage, isPipeline ? `${stage.name}/` : "", set));
  const shown = new Set(rows.map(([name]) => name));
  for (const [name, one] of set) if (!shown.has(name)) rows.push([name, valueText(one), "application", ""]);
  for (const { name, value } of stages.flatMap(({ env }) => env))
    rows.push([`$${name}`, value, "pipeline", "variable"]);
  for (const { name = "", value = "" } of plugin?.env ?? [])
    rows.push([`$${name}`, value, "application", "variable"]);
  return rows;
}

function stageRows(
  { announced, parameters }: DescribedStage,
  prefix: string,
  set: ReadonlyMap<string, PluginParameter>,
): Row[] {
  const own = new Map(parameters.map((one) => [one.name ?? "", one]));
  const types = new Map(announced.map((one) => [one.name ?? "", one]));
  return [...new Set([...types.keys(), ...own.keys()])].map((name): Row => {
    const announcement = types.get(name);
    const type = announcement ? typeOf(announcement) : "";
    const [applications, pipelines] = [set.get(prefix + name), own.get(name)];
    if (applications) return [prefix + name, valueText(applications), "application", type];
    if (pipelines) return [prefix + name, valueText(pipelines), "pipeline", type];
    const text = valueText(announcement);
    const from = announcement?.required ? "must be set" : text === "" ? "" : "default";
    return [prefix + name, text, from, type];
  });
}

function helmRows({ helm }: ApplicationSource, description: SourceDescription | undefined): Row[] {
  const set = new Map((helm?.parameters ?? []).map(({ name = "", value = "" }) => [name, value]));
  const chart = new Map((description?.helm?.parameters ?? []).map(({ name, value }) => [name, value]));
  return [...new Set([...set.keys(), ...chart.keys()])].map((name): Row => {
    const own = set.get(name);
    return own === undefined ? [name, chart.get(name) ?? "", "chart", ""] : [name, own, "application", ""];
  });
}

function imageRows({ kustomize }: ApplicationSource): Row[] {
  return (kustomize?.images ?? []).map((image): Row => {
    const name = image.includes("=")
      ? image.slice(0, image.indexOf("="))
      : image.replace(/(@|:[^/:]*$).*/, "");
    return [name, image.slice(image.indexOf("=") + 1), "application", "image"];
  });
}

export function typeOf({ collectionType = "", itemType = "", choices = [] }: ParameterAnnouncement): string {
  if (choices.length > 0) return choices.join("|");
  const item = itemType || "string";
  return collectionType === "" || collectionType === "string" ? item : `${collectionType} of ${item}`;
}

export function valueText(value: PluginParameter | ParameterAnnouncement | undefined): string {
  const entries = Object.entries(value?.map ?? {}).map(([key, text]) => `${key}=${text}`);
  return value?.string ?? [...(value?.array ?? []), ...entries].join(", ");
}
