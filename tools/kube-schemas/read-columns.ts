import { type Json, list, member, text } from "./json.ts";
import { call, type Server } from "./server.ts";

/** The columns of `kubectl get`, by "group/version/resource", for everything that can be listed. */
export async function readColumns(server: Server, resources: readonly Json[]): Promise<Map<string, Json[]>> {
  const columns = new Map<string, Json[]>();
  for (const resource of resources) {
    if (!list(resource.verbs).includes("list")) continue;
    const [group, version, plural] = [text(resource.group), text(resource.version), text(resource.resource)];
    const path = `${group ? `/apis/${group}` : "/api"}/${version}/${plural}?limit=1`;
    const { body } = await call(server, { path, accept: "application/json;as=Table;v=v1;g=meta.k8s.io" });
    const found = list(member(body, "columnDefinitions")).map((column) => ({
      name: text(member(column, "name")),
      type: text(member(column, "type")),
      format: text(member(column, "format")),
      description: text(member(column, "description")),
      priority: member(column, "priority"),
    }));
    columns.set(`${group}/${version}/${plural}`, found);
  }
  return columns;
}
