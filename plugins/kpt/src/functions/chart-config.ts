import { isRecord } from "@capstan/formats";
import {
  fieldAt,
  isNull,
  type MappingNode,
  tagOf,
  textAt,
  toJson,
  toValue,
  type YamlNode,
} from "@capstan/krm-yaml";
import { PackageError } from "../trace-error.ts";
import { dataOf, isConfigMap } from "./function-config.ts";

const merges = ["merge", "override", "replace"] as const;

/** What becomes of the chart's values and the inline ones: inline fills gaps, wins, or is all there is. */
export type ValuesMerge = (typeof merges)[number];

/** One chart to render (the function's types/helmchartargs.go). */
export interface ChartCall {
  chartHome: string;
  name: string;
  version: string;
  repo: string;
  /** The Secret with username and password. */
  auth: { name: string; namespace: string } | undefined;
  releaseName: string;
  namespace: string;
  nameTemplate: string;
  description: string;
  apiVersions: readonly string[];
  includeCRDs: boolean;
  skipTests: boolean;
  valuesFiles: readonly string[];
  valuesInline: Readonly<Record<string, unknown>>;
  valuesMerge: ValuesMerge;
}

const defaultHome = "tmp/charts";

/** The charts that a RenderHelmChart or a ConfigMap asks for. */
export function readChartCalls(config: MappingNode | undefined): ChartCall[] {
  if (config && isConfigMap(config)) return [fromConfigMap(dataOf(config))];
  if (!config || textAt(config, "kind") !== "RenderHelmChart")
    throw new PackageError("`functionConfig` must be `ConfigMap` or `RenderHelmChart`");
  const globals = new Fields(config, "").part("helmGlobals");
  return new Fields(config, "").parts("helmCharts").map((chart) => fromChart(chart, globals));
}

function fromConfigMap(data: ReadonlyMap<string, string>): ChartCall {
  const text = (name: string): string => data.get(name) ?? "";
  return {
    chartHome: text("chartHome") || defaultHome,
    name: checkName(text("name"), "data.name"),
    version: text("version"),
    repo: text("repo"),
    auth: undefined,
    releaseName: text("releaseName"),
    namespace: text("namespace"),
    nameTemplate: text("nameTemplate"),
    description: "",
    apiVersions: [],
    includeCRDs: text("includeCRDs") === "true",
    skipTests: text("skipTests") === "true",
    valuesFiles: data.has("valuesFile") ? [text("valuesFile")] : [],
    valuesInline: {},
    valuesMerge: "override",
  };
}

function fromChart(chart: Fields, globals: Fields): ChartCall {
  const args = chart.part("chartArgs");
  const options = chart.part("templateOptions");
  const values = options.part("values");
  return {
    chartHome: globals.text("chartHome") || defaultHome,
    name: checkName(args.text("name"), args.named("name")),
    version: args.text("version"),
    repo: args.text("repo"),
    auth: readAuth(args),
    releaseName: options.text("releaseName"),
    namespace: options.text("namespace"),
    nameTemplate: options.text("nameTemplate"),
    description: options.text("description"),
    apiVersions: options.texts("apiVersions"),
    includeCRDs: options.flag("includeCRDs"),
    skipTests: options.flag("skipTests"),
    valuesFiles: values.texts("valuesFiles"),
    valuesInline: values.map("valuesInline"),
    valuesMerge: readMerge(values.text("valuesMerge")),
  };
}

function readAuth(args: Fields): ChartCall["auth"] {
  if (!args.has("auth")) return undefined;
  const auth = args.part("auth");
  if (auth.text("kind") !== "Secret") throw new PackageError("auth `kind` must be `Secret`");
  return { name: auth.text("name"), namespace: auth.text("namespace") || "default" };
}

function readMerge(given: string): ValuesMerge {
  const found = merges.find((one) => one === (given || "override"));
  if (found === undefined) throw new PackageError(`valuesMerge must be one of [${merges.join(" ")}]`);
  return found;
}

/** It becomes a part of a path and of helm's arguments. */
function checkName(name: string, field: string): string {
  if (name === "") throw new PackageError(`${field} must name the chart`);
  if (/^[A-Za-z0-9][\w./-]*$/.test(name)) return name;
  throw new PackageError(`${field} "${name}" must consist of letters, digits and "-_./"`);
}

/** Typed fields of a mapping; a wrong type is told with the field's place. */
class Fields {
  readonly #node: YamlNode | undefined;
  readonly #where: string;

  constructor(node: YamlNode | undefined, where: string) {
    const isNothing = node === undefined || isNull(node);
    if (!isNothing && node.kind !== "mapping") throw new PackageError(`${where} must be a map`);
    this.#node = isNothing ? undefined : node;
    this.#where = where;
  }

  named(name: string): string {
    return this.#where === "" ? name : `${this.#where}.${name}`;
  }

  has(name: string): boolean {
    return this.#at(name) !== undefined;
  }

  part(name: string): Fields {
    return new Fields(this.#at(name), this.named(name));
  }

  parts(name: string): Fields[] {
    return this.#list(name).map((node, index) => new Fields(node, `${this.named(name)}[${index}]`));
  }

  text(name: string): string {
    return this.#textOf(this.#at(name), this.named(name));
  }

  texts(name: string): string[] {
    return this.#list(name).map((node, index) => this.#textOf(node, `${this.named(name)}[${index}]`));
  }

  flag(name: string): boolean {
    const node = this.#at(name);
    if (node === undefined) return false;
    if (node.kind !== "scalar" || tagOf(node) !== "!!bool")
      throw new PackageError(`${this.named(name)} must be true or false`);
    return node.value.toLowerCase() === "true";
  }

  map(name: string): Record<string, unknown> {
    const node = this.#at(name);
    const value = node === undefined ? {} : toJson(toValue(node));
    if (!isRecord(value)) throw new PackageError(`${this.named(name)} must be a map`);
    return value;
  }

  #at(name: string): YamlNode | undefined {
    const node = fieldAt(this.#node, name);
    return node === undefined || isNull(node) ? undefined : node;
  }

  #list(name: string): readonly YamlNode[] {
    const node = this.#at(name);
    if (node !== undefined && node.kind !== "sequence")
      throw new PackageError(`${this.named(name)} must be a list`);
    return node?.items ?? [];
  }

  #textOf(node: YamlNode | undefined, where: string): string {
    if (node === undefined) return "";
    if (node.kind !== "scalar") throw new PackageError(`${where} must be a text`);
    return node.value;
  }
}
