import { fromJson, fromValue, type MappingNode, textAt, toValue, type YamlValue } from "@capstan/krm-yaml";
import { groupOf } from "@capstan/model";
import { runStarlark, StarlarkError } from "@capstan/starlark";
import type { SchemaDefinitions } from "../check-schema.ts";
import {
  type FunctionContext,
  type FunctionEnd,
  failed,
  type KrmFunction,
  type ResourceList,
} from "../function.ts";
import type { Item } from "../item.ts";
import { dataOf, problem } from "./function-config.ts";
import type { ReadDefinitions } from "./kubeconform.ts";
import { inLibraryOrder } from "./library-order.ts";

/** Runs a script on the resources, in a thread that ends with its limits. `read`: what it finds in ctx.open_api. */
export function starlark(read?: ReadDefinitions): KrmFunction {
  return inLibraryOrder(async (list, context) => {
    const script = readScript(list.functionConfig);
    if (typeof script === "string") {
      list.results = [problem(script)];
      return failed;
    }
    try {
      const asks = script.source.includes("open_api");
      const openApi = asks && read ? openApiOf(await read()) : undefined;
      return await runScript(list, { ...script, ...(openApi === undefined ? {} : { openApi }) }, context);
    } catch (error) {
      if (!(error instanceof StarlarkError)) throw error;
      list.results = [problem(error.message)];
      const printed = error.printed === "" ? "" : `${error.printed.trimEnd()}\n`;
      return { exitCode: 1, stderr: `${printed}${failed.stderr}` };
    }
  });
}

interface Script {
  name: string;
  source: string;
  openApi?: YamlValue;
}

/** As Kubernetes' OpenAPI 2 document has them. */
function openApiOf(definitions: SchemaDefinitions): YamlValue {
  const text = JSON.stringify(definitions).replaceAll("#/components/schemas/", "#/definitions/");
  return new Map<string, YamlValue>([
    ["swagger", "2.0"],
    ["definitions", fromJson(JSON.parse(text))],
  ]);
}

async function runScript(
  list: ResourceList,
  { source, ...script }: Script,
  { signal, clock }: FunctionContext,
): Promise<FunctionEnd | undefined> {
  const resourceList: YamlValue = new Map<string, YamlValue>([
    ["apiVersion", "config.kubernetes.io/v1"],
    ["kind", "ResourceList"],
    ["items", list.items.map((item) => toValue(item.root))],
    ["functionConfig", list.functionConfig ? toValue(list.functionConfig) : null],
  ]);
  const end = await runStarlark(source, { ...script, resourceList }, { signal, clock });
  const items = end.resourceList instanceof Map ? end.resourceList.get("items") : undefined;
  list.items = Array.isArray(items) ? items.map(itemOf) : [];
  const stderr = end.printed.trimEnd();
  return stderr === "" ? undefined : { exitCode: 0, stderr };
}

function readScript(config: MappingNode | undefined): Script | string {
  if (!config) return "FunctionConfig is missing. Expect `ConfigMap` or `StarlarkRun`";
  const [kind, apiVersion] = [textAt(config, "kind"), textAt(config, "apiVersion")];
  const isRun = kind === "StarlarkRun" && groupOf(apiVersion) === "fn.kpt.dev";
  if (!isRun && !(kind === "ConfigMap" && groupOf(apiVersion) === ""))
    return `\`functionConfig\` must be either /v1, Kind=ConfigMap or fn.kpt.dev/v1alpha1, Kind=StarlarkRun, but we got: ${goKind(apiVersion, kind)}`;
  const source = isRun ? textAt(config, "source") : (dataOf(config).get("source") ?? "");
  if (source === "") return "`source` must not be empty";
  return { name: textAt(config, "metadata", "name") || "starlark-function-run", source };
}

function goKind(apiVersion: string, kind: string): string {
  return `${apiVersion.includes("/") ? apiVersion : `/${apiVersion}`}, Kind=${kind}`;
}

/** What a script leaves has no style of its own; its keys come sorted. */
function itemOf(value: YamlValue): Item {
  const root = fromValue(value, { isSorted: true });
  if (root.kind !== "mapping") throw new StarlarkError('an item of ctx.resource_list["items"] is no object');
  return { root, head: "", foot: "" };
}
