import { stat } from "node:fs/promises";
import { isRecord } from "@capstan/formats";
import { parseYaml } from "@capstan/model";
import type { ChartTools } from "../function.ts";
import { readLimited } from "../package-folder.ts";
import { PackageError } from "../trace-error.ts";
import type { ChartCall } from "./chart-config.ts";
import { findInPackage } from "./chart-paths.ts";

type Values = Readonly<Record<string, unknown>>;

/**
 * What helm is given over the chart's own values, each over the one before. Every file takes up what came before it,
 * inline values first, so that of two files the first wins under `override` (HelmChartInflationGenerator.go
 * createNewMergedValuesFiles).
 */
export async function valuesFor(call: ChartCall, chart: string, tools: ChartTools): Promise<Values[]> {
  if (call.valuesMerge === "replace") return [call.valuesInline];
  const add = call.valuesMerge === "override" ? override : fill;
  const all: Values[] = [];
  let values: Values = call.valuesInline;
  for (const { file, text } of await valueTexts(call, chart, tools)) {
    const own = parseYaml(text, { file });
    if (!isRecord(own) && own !== null && own !== undefined)
      throw new PackageError(`values file "${file}" must hold a map`);
    values = add(own ?? {}, values);
    all.push(values);
  }
  return all.length === 0 ? [values] : all;
}

async function valueTexts(
  { valuesFiles, valuesMerge }: ChartCall,
  chart: string,
  tools: ChartTools,
): Promise<{ file: string; text: string }[]> {
  const texts: { file: string; text: string }[] = [];
  for (const file of valuesFiles) {
    if (/^https?:/.test(file))
      throw new PackageError(`values file "${file}" is not fetched here. Put it into the package`);
    const path = await findInPackage(tools, file, "values file");
    if (path === undefined || !(await stat(path)).isFile())
      throw new PackageError(`values file "${file}" is not in the package`);
    texts.push({ file, text: (await readLimited(path, file)).toString() });
  }
  // Helm lays whatever is given over the chart's values itself; to fill their gaps they have to be known.
  if (valuesFiles.length === 0 && valuesMerge === "merge")
    texts.push({ file: "values.yaml of the chart", text: await tools.helm(["show", "values", "--", chart]) });
  return texts;
}

function override(base: Values, over: Values): Values {
  const merged = new Map(Object.entries(base));
  for (const [key, value] of Object.entries(over)) {
    const old = merged.get(key);
    merged.set(key, isRecord(old) && isRecord(value) ? override(old, value) : value);
  }
  return Object.fromEntries(merged);
}

/** Only what is missing or empty is set, and not to null (mergo.Merge without WithOverride). */
function fill(base: Values, more: Values): Values {
  const merged = new Map(Object.entries(base));
  for (const [key, value] of Object.entries(more)) {
    const old = merged.get(key);
    if (isRecord(old) && isRecord(value)) merged.set(key, fill(old, value));
    else if (isEmpty(old) && value !== null) merged.set(key, value);
  }
  return Object.fromEntries(merged);
}

function isEmpty(value: unknown): boolean {
  if (Array.isArray(value)) return value.length === 0;
  if (isRecord(value)) return Object.keys(value).length === 0;
  return !value;
}
