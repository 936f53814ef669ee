import { isRecord } from "@capstan/formats";
import { parseYaml } from "@capstan/model";
import { cell } from "../page-sections.ts";

/** A key of values.yaml. */
export interface ChartValue {
  /** With dots between its keys. */
  readonly path: string;
  readonly byDefault: unknown;
  /** The comment above it; empty without one. */
  readonly says: string;
}

type Schema = Readonly<Record<string, unknown>>;

/** What a default's type does not say; a path, or a key wherever it stands. */
const narrowed: Readonly<Record<string, Schema>> = {
  logFormat: { enum: ["text", "json"] },
  logLevel: { enum: ["info", "debug"] },
  "image.repository": { type: "string", minLength: 1 },
  "image.digest": { type: "string", pattern: "^(sha256:[0-9a-f]{64})?$" },
  "image.pullPolicy": { enum: ["IfNotPresent", "Always", "Never"] },
  "server.service.type": { enum: ["ClusterIP", "NodePort", "LoadBalancer"] },
  replicas: { type: "integer", minimum: 1 },
  targetCpuPercent: { type: "integer", minimum: 1 },
  resources: { type: "object" },
};

const stringLists = new Set(["applicationNamespaces", "allowedHosts", "trustedProxies", "extraArgs"]);

/** In their order. The file is block style, two spaces a level; what stands on one line is one value. */
export function readValues(text: string): ChartValue[] {
  const defaults = parseYaml(text);
  const path: string[] = [];
  let comment: string[] = [];
  const found: ChartValue[] = [];
  for (const line of text.split("\n")) {
    const [, indent = "", key] = /^( *)([A-Za-z]+):/.exec(line) ?? [];
    const said = /^ *# (.*)$/.exec(line)?.[1];
    if (said !== undefined) comment.push(said);
    else if (key !== undefined) {
      path.splice(indent.length / 2, path.length, key);
      if (path.at(-2) !== "resources")
        found.push({ path: path.join("."), byDefault: valueAt(defaults, path), says: comment.join(" ") });
      comment = [];
    } else comment = [];
  }
  return found;
}

function valueAt(values: unknown, path: readonly string[]): unknown {
  return path.reduce((at: unknown, key) => (isRecord(at) ? at[key] : undefined), values);
}

/** JSON Schema as Helm checks values with it: a key that is not known is refused. */
export function schemaOf(values: readonly ChartValue[]): Schema {
  return {
    $schema: "http://json-schema.org/draft-07/schema#",
    title: "Values of the chart capstan",
    ...objectOf("", values, { global: { type: "object" } }),
  };
}

function objectOf(parent: string, values: readonly ChartValue[], more: Schema = {}): Schema {
  const own = values.filter(({ path }) => path.slice(0, path.lastIndexOf(".") + 1) === parent);
  const properties = own.map((value) => [lastKey(value.path), schemaOfValue(value, values)]);
  return {
    type: "object",
    additionalProperties: false,
    properties: { ...Object.fromEntries(properties), ...more },
  };
}

function schemaOfValue({ path, byDefault, says }: ChartValue, values: readonly ChartValue[]): Schema {
  const described = says === "" ? {} : { description: says };
  const narrow = narrowed[path] ?? narrowed[lastKey(path)];
  if (narrow) return { ...described, ...narrow };
  if (isBranch(path, values)) return { ...described, ...objectOf(`${path}.`, values) };
  if (Array.isArray(byDefault)) {
    const items = stringLists.has(lastKey(path)) ? { items: { type: "string" } } : {};
    return { ...described, type: "array", ...items };
  }
  if (isRecord(byDefault)) return { ...described, type: "object" };
  return { ...described, type: Number.isInteger(byDefault) ? "integer" : typeof byDefault };
}

const lastKey = (path: string): string => path.slice(path.lastIndexOf(".") + 1);

const isBranch = (path: string, values: readonly ChartValue[]): boolean =>
  values.some((other) => other.path.startsWith(`${path}.`));

/** Those that have a default of their own; a part's comment stands at its first row. */
export function valuesTable(values: readonly ChartValue[]): string {
  const rows = values.map((value) =>
    isBranch(value.path, values)
      ? value.says === ""
        ? undefined
        : `| **\`${value.path}\`** | | ${cell(value.says)} |`
      : `| \`${value.path}\` | \`${cell(JSON.stringify(value.byDefault))}\` | ${cell(value.says)} |`,
  );
  return ["| value | default | |", "|---|---|---|", ...rows.filter((row) => row !== undefined)].join("\n");
}
