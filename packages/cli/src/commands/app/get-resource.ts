import { isRecord, parseJson } from "@capstan/formats";
import { isManifest } from "@capstan/model";
import { defineCommand } from "../../command.ts";
import { flatFields, pickFields } from "../../output/flat-fields.ts";
import { isObjectFormat, outputFlag, printObject } from "../../output/print-object.ts";
import { formatTable } from "../../output/table.ts";
import { appNamespaceFlag, onApp, readAppName } from "./app-name.ts";
import { projectFlag, requireKind } from "./live-resources.ts";

export default defineCommand({
  usage: "APPNAME",
  help: "Show resources of an application as they are in the cluster: those of a kind, or one.",
  examples: [
    "capstan app get-resource guestbook --kind Pod",
    "capstan app get-resource guestbook --kind Pod --resource-name web-1 -o yaml",
    "capstan app get-resource guestbook --kind Pod --filter-fields status.podIP,status.hostIP",
  ],
  argument: "application",
  arity: [1, 1],
  flags: {
    kind: { kind: "string", help: "Kind of the resource", value: "KIND" },
    "resource-name": { kind: "string", help: "Only the one of this name", value: "NAME" },
    "filter-fields": { kind: "list", help: "Only these fields, status.podIP for one", value: "FIELD" },
    "show-managed-fields": { kind: "boolean", help: "Also who has set which field" },
    output: outputFlag(["wide", "json", "yaml"], "wide"),
    ...projectFlag,
    ...appNamespaceFlag,
  },
  async run({ args: [name = ""], flags, io, api }) {
    requireKind(flags);
    const client = await api();
    const ref = readAppName(name, flags["app-namespace"]);
    const { kind, project, "resource-name": only, output, "filter-fields": fields } = flags;
    const { nodes = [] } = await onApp(client, ref, () => client.call("getResourceTree", ref));
    const meant = nodes.filter((node) => node.kind === kind && (!only || node.name === only));
    const objects: { name: string; object: Record<string, unknown> }[] = [];
    for (const node of meant) {
      const { group, version, namespace, name: resourceName } = node;
      const request = { ...ref, project, group, version, kind, namespace, resourceName };
      const object = parseJson((await client.call("getResource", request)).manifest);
      if (!isManifest(object)) continue;
      const shown = flags["show-managed-fields"] ? object : withoutManagedFields(object);
      objects.push({
        name: resourceName,
        object: fields ? chosen(shown, resourceName, fields) : { ...shown },
      });
    }
    if (isObjectFormat(output))
      for (const [index, { object }] of objects.entries()) {
        if (index > 0) io.out("---\n");
        await printObject(io, output, object);
      }
    else {
      const rows = objects.flatMap((one) =>
        rowsOf(one, { isFiltered: fields !== undefined, hasName: !only }),
      );
      io.out(formatTable([only ? ["FIELD", "VALUE"] : ["FIELD", "RESOURCE NAME", "VALUE"], ...rows]));
    }
    io.err(`Resources '${objects.map((one) => one.name).join(", ")}' fetched\n`);
    return 0;
  },
});

function withoutManagedFields(
  object: Record<string, unknown> & { metadata: object },
): Record<string, unknown> {
  return {
    ...object,
    metadata: Object.fromEntries(Object.entries(object.metadata).filter(([key]) => key !== "managedFields")),
  };
}

/** The name is always among them. */
function chosen(
  object: Record<string, unknown>,
  name: string,
  fields: readonly string[],
): Record<string, unknown> {
  const picked = pickFields(
    object,
    fields.map((field) => field.split(".")),
  );
  const found = isRecord(picked) ? picked : {};
  return { ...found, metadata: { ...(isRecord(found.metadata) ? found.metadata : {}), name } };
}

function rowsOf(
  { name, object }: { name: string; object: Record<string, unknown> },
  { isFiltered, hasName }: { isFiltered: boolean; hasName: boolean },
): string[][] {
  return flatFields(object)
    .filter(([field]) => !(isFiltered && field === "metadata.name"))
    .map(([field, value]) => (hasName ? [field, name, value] : [field, value]));
}
