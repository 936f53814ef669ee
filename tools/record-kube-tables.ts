/**
 * Lays the objects of packages/cluster/src/kinds/testdata/tables/objects.yaml into the etcd of a running
 * kube-apiserver and writes the Table rows that it prints of them to rows.json beside it.
 *
 *   node tools/record-kube-tables.ts --server https://127.0.0.1:6443 --token T --etcd http://127.0.0.1:2379
 */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { programFlags } from "@capstan/testkit/program-flags";
import { load } from "js-yaml";
import { isJson, type Json, list, member, text } from "./kube-schemas/json.ts";
import { readResources } from "./kube-schemas/read-types.ts";
import { deleteFromEtcd, get, putIntoEtcd } from "./kube-schemas/server.ts";
import { objectPath, storageKey } from "./kube-schemas/storage-keys.ts";

const { values: flags } = programFlags({
  options: {
    server: { type: "string", default: "https://127.0.0.1:6443" },
    token: { type: "string", default: "" },
    etcd: { type: "string", default: "http://127.0.0.1:2379" },
  },
});
const server = { url: flags.server, token: flags.token, etcd: flags.etcd };
const folder = join(import.meta.dirname, "../packages/cluster/src/kinds/testdata/tables");
const asTable = "application/json;as=Table;v=v1;g=meta.k8s.io";

async function record(row: unknown, resources: readonly Json[]): Promise<Json> {
  const object = member(row, "object");
  const apiVersion = text(member(object, "apiVersion"));
  const resource = resources.find(
    ({ group, version, resource: plural }) =>
      plural === member(row, "resource") && apiVersion === (group ? `${group}/${version}` : version),
  );
  if (!resource || !isJson(object) || !isJson(object.metadata)) throw new Error(JSON.stringify(row));
  const name = text(object.metadata.name);
  const namespace = resource.namespaced ? { namespace: "default" } : {};
  const metadata = { ...object.metadata, ...namespace, creationTimestamp: "2025-01-01T00:00:00Z" };
  const key = storageKey(resource, name);
  await putIntoEtcd(server, key, { ...object, metadata });
  const [table, stored] = [
    await get(server, objectPath(resource, name), asTable),
    await get(server, objectPath(resource, name)),
  ];
  const now = Date.now();
  await deleteFromEtcd(server, key);
  const printed = list(member(table, "rows"))[0];
  return {
    resource: member(row, "resource"),
    apiVersion,
    now,
    object: stored,
    cells: member(printed, "cells"),
    ...(isJson(printed) && printed.conditions ? { conditions: printed.conditions } : {}),
  };
}

const resources = await readResources(server);
const rows: Json[] = [];
for (const row of list(load(await readFile(join(folder, "objects.yaml"), "utf8"))))
  rows.push(await record(row, resources));
await writeFile(join(folder, "rows.json"), `[\n${rows.map((row) => JSON.stringify(row)).join(",\n")}\n]\n`);
console.log(`${rows.length} rows`);
