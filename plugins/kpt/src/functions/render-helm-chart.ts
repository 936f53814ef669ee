import { mkdir, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { stringifyJson, withoutEndSlashes } from "@capstan/formats";
import { isNull, readYaml, textAt } from "@capstan/krm-yaml";
import { groupOf, messageOf } from "@capstan/model";
import type { ChartRequest } from "@capstan/plugin-kit";
import type { ChartTools, KrmFunction } from "../function.ts";
import { type Item, identityOf } from "../item.ts";
import { PackageError } from "../trace-error.ts";
import { type ChartCall, readChartCalls } from "./chart-config.ts";
import { checkLinks, findInPackage, placeOf } from "./chart-paths.ts";
import { valuesFor } from "./chart-values.ts";
import { inLibraryOrder } from "./library-order.ts";

/** `helm template` of charts in the package or from elsewhere; adds what is not among the resources yet. */
export const renderHelmChart: KrmFunction = inLibraryOrder(async (list, { withCharts, signal }) => {
  let calls: readonly ChartCall[];
  try {
    calls = readChartCalls(list.functionConfig);
  } catch (error) {
    return failure("failed to configure function", error);
  }
  if (!withCharts)
    return failure("failed to run function", new PackageError("there is no folder to run helm in"));
  try {
    await withCharts(async (tools) => {
      for (const [index, call] of calls.entries()) {
        const scratch = join(tools.scratch, String(index));
        await mkdir(scratch);
        addNew(list.items, await render(call, list.items, { tools, scratch }));
      }
    });
  } catch (error) {
    signal.throwIfAborted();
    return failure("failed to run function", error);
  }
  return undefined;
});

function failure(what: string, error: unknown) {
  return { exitCode: 1, stderr: `failed to evaluate function: ${what}: ${messageOf(error)}` };
}

interface Place {
  tools: ChartTools;
  /** Of this chart alone. */
  scratch: string;
}

async function render(call: ChartCall, items: readonly Item[], place: Place): Promise<Item[]> {
  const { tools, scratch } = place;
  const login = call.auth && readLogin(call.auth, items);
  const chart = (await localChart(call, tools)) ?? (await pulledChart(call, login, place));
  const files: string[] = [];
  for (const values of await valuesFor(call, chart, tools)) {
    const file = join(scratch, `values-${files.length}.yaml`);
    await writeFile(file, stringifyJson(values), { mode: 0o600 });
    files.push(file);
  }
  const printed = await tools.helm(templateArgs(call, chart, files));
  return readYaml(`output of helm for chart ${call.name}`, printed).flatMap(
    ({ root, head, foot }): Item[] => {
      if (root.kind === "mapping") return [{ root, head, foot }];
      if (root.kind === "scalar" && isNull(root)) return [];
      throw new PackageError(`chart ${call.name} printed a document that is no object`);
    },
  );
}

async function localChart({ chartHome, name }: ChartCall, tools: ChartTools): Promise<string | undefined> {
  const path = `${chartHome}/${name}`;
  const chart = await findInPackage(tools, path, "chart");
  if (chart === undefined || !(await stat(chart)).isDirectory()) return undefined;
  await checkLinks(placeOf(tools, path).root, chart);
  return chart;
}

async function pulledChart(
  call: ChartCall,
  login: ChartRequest["login"],
  { tools, scratch }: Place,
): Promise<string> {
  const { name, chartHome, repo, version } = call;
  if (!/^(https?|oci):\/\//.test(repo))
    throw new PackageError(
      `chart "${name}" is not in "${chartHome}" of the package, and ${repo === "" ? "no repo is given" : `repo "${repo}" is no URL`}. Put the chart there, or name its repository: https://… or oci://…`,
    );
  const request: ChartRequest = {
    repository: withoutEndSlashes(repo),
    name,
    version: version || "*",
    ...(login ? { login } : {}),
  };
  const archive = join(scratch, "chart.tgz");
  try {
    await writeFile(archive, await tools.pull(request));
  } catch (error) {
    throw new PackageError(`chart "${name}" is not in "${chartHome}" of the package: ${messageOf(error)}`);
  }
  return archive;
}

function readLogin(auth: NonNullable<ChartCall["auth"]>, items: readonly Item[]) {
  const secret = items.findLast((item) => {
    const { kind, name, namespace } = identityOf(item);
    return kind === "Secret" && name === auth.name && (namespace || "default") === auth.namespace;
  });
  if (!secret)
    throw new PackageError(
      `could not find Secret "${auth.name}" in namespace "${auth.namespace}" identified by auth`,
    );
  const read = (key: string): string => {
    const value = Buffer.from(textAt(secret.root, "data", key), "base64").toString();
    if (value === "") throw new PackageError(`could not find ${key} in Secret ${auth.name}`);
    return value;
  };
  return { username: read("username"), password: read("password") };
}

/** Names stand behind "--": none of them can be an option. */
function templateArgs(call: ChartCall, chart: string, valuesFiles: readonly string[]): string[] {
  const args = ["template", ...valuesFiles.flatMap((file) => ["--values", file])];
  if (call.namespace !== "") args.push("--namespace", call.namespace);
  if (call.nameTemplate !== "") args.push("--name-template", call.nameTemplate);
  for (const version of call.apiVersions) args.push("--api-versions", version);
  if (call.releaseName === "") args.push("--generate-name");
  if (call.description !== "") args.push("--description", call.description);
  if (call.includeCRDs) args.push("--include-crds");
  if (call.skipTests) args.push("--skip-tests");
  return [...args, "--", ...(call.releaseName === "" ? [] : [call.releaseName]), chart];
}

/** A resource that is there already is kept as it is, so that a second render changes nothing. */
function addNew(items: Item[], rendered: readonly Item[]): void {
  for (const item of rendered) if (!items.some((one) => keyOf(one) === keyOf(item))) items.push(item);
}

function keyOf(item: Item): string {
  const { apiVersion, kind, name, namespace } = identityOf(item);
  return [groupOf(apiVersion), kind, namespace, name].join("/");
}
