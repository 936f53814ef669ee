/**
 * Reads a running kube-apiserver and writes the roles and bindings that every cluster starts with to
 * packages/cluster/src/security/data/roles.json. The rules of aggregated roles are left out: they follow from the others.
 *
 *   node tools/generate-kube-roles.ts --server https://127.0.0.1:6443 --token T
 */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { programFlags } from "@capstan/testkit/program-flags";
import { list, member } from "./kube-schemas/json.ts";
import { get } from "./kube-schemas/server.ts";

const { values: flags } = programFlags({
  options: {
    server: { type: "string", default: "https://127.0.0.1:6443" },
    token: { type: "string", default: "" },
    out: {
      type: "string",
      default: join(import.meta.dirname, "../packages/cluster/src/security/data/roles.json"),
    },
  },
});

const kinds = {
  ClusterRole: "clusterroles",
  ClusterRoleBinding: "clusterrolebindings",
  Role: "roles",
  RoleBinding: "rolebindings",
};
const apiVersion = "rbac.authorization.k8s.io/v1";

function row(kind: string, item: unknown): unknown[] {
  const of = (...path: string[]) => member(item, ...path);
  if (of("metadata", "labels", "kubernetes.io/bootstrapping") === undefined) return [];
  const aggregationRule = of("aggregationRule");
  const metadata = {
    name: of("metadata", "name"),
    namespace: of("metadata", "namespace"),
    labels: of("metadata", "labels"),
    annotations: of("metadata", "annotations"),
  };
  const content =
    kind.endsWith("Role") && aggregationRule === undefined
      ? { rules: of("rules") ?? null }
      : { aggregationRule, roleRef: of("roleRef"), subjects: of("subjects") };
  return [{ apiVersion, kind, metadata, ...content }];
}

const server = { url: flags.server, token: flags.token, etcd: "" };
const rows: unknown[] = [];
for (const [kind, plural] of Object.entries(kinds))
  for (const item of list(member(await get(server, `/apis/${apiVersion}/${plural}`), "items")))
    rows.push(...row(kind, item));
await writeFile(flags.out, `[\n${rows.map((one) => JSON.stringify(one)).join(",\n")}\n]\n`);
