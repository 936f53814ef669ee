import { writeFile } from "node:fs/promises";
import { isRecord } from "@capstan/formats";
import { dumpYaml } from "@capstan/formats/yaml";
import type { ApiResource } from "@capstan/kube";
import { type AppProject, argoApiVersion, parseYaml } from "@capstan/model";
import { defineCommand, ExitError } from "../../command.ts";
import { readText } from "../../read-text.ts";
import { clusterFlags, openCluster } from "./open-cluster.ts";

export default defineCommand({
  usage: "CLUSTERROLE_PATH PROJ_NAME",
  help: "Print a project that permits the kinds which a ClusterRole lets one create. The cluster says which kinds there are.",
  examples: ["capstan admin proj generate-allow-list clusterrole.yaml team"],
  argument: "file",
  arity: [2, 2],
  flags: {
    ...clusterFlags,
    out: { kind: "string", short: "o", value: "FILE", help: "File to write", byDefault: "-" },
  },
  async run({ args: [path = "", name = ""], flags, io }) {
    const role = parseYaml(await readText(path, io), { file: path });
    if (!isRecord(role) || role.kind !== "ClusterRole")
      throw new ExitError(`${path} holds no ClusterRole`, 20);
    await using cluster = await openCluster(flags, io);
    const served = await cluster.client.discovery.refresh(io.signal);
    const project: AppProject = {
      apiVersion: argoApiVersion,
      kind: "AppProject",
      metadata: { name },
      spec: { namespaceResourceWhitelist: kindsOf(role.rules, served) },
    };
    const text = dumpYaml(project);
    if (!flags.out || flags.out === "-") io.out(text);
    else await writeFile(flags.out, text);
    return 0;
  },
});

/** Of a rule only its first group counts (cmd/argocd/commands/admin/project_allowlist.go). */
function kindsOf(rules: unknown, served: readonly ApiResource[]): { group: string; kind: string }[] {
  return recordsIn(rules).flatMap((rule) => {
    const [group] = textsIn(rule.apiGroups);
    if (group === undefined || !textsIn(rule.verbs).some((verb) => /^create$/i.test(verb))) return [];
    const own = served.filter((one) => one.group === group && one.preferred);
    return textsIn(rule.resources).flatMap((resource) =>
      [...new Set(own.filter((one) => one.resource === resource).map(({ kind }) => kind))].map((kind) => ({
        group,
        kind,
      })),
    );
  });
}

const recordsIn = (value: unknown) => (Array.isArray(value) ? value.filter(isRecord) : []);
const textsIn = (value: unknown) =>
  Array.isArray(value) ? value.filter((one) => typeof one === "string") : [];
