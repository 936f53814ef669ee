import { notificationCatalog } from "@capstan/engine";
import { dumpYaml } from "@capstan/formats/yaml";
import { textsIn } from "@capstan/kube";
import { defineCommand } from "../../command.ts";
import { clusterFlags, openCluster } from "./open-cluster.ts";

const name = "argocd-notifications-cm";

export default defineCommand({
  usage: "",
  help: "Print triggers and templates for a beginning as a ConfigMap, or put those that are not there into the cluster.",
  examples: [
    "capstan admin notifications catalog > argocd-notifications-cm.yaml",
    "capstan admin notifications catalog --apply --url https://cd.example.com -n argocd",
  ],
  notes: "What is set already stays as it is. Templates link to the address in context.argocdUrl.\n",
  argument: "none",
  arity: [0, 0],
  flags: {
    ...clusterFlags,
    apply: { kind: "boolean", help: "Write it to the cluster in place of printing it" },
    url: { kind: "string", help: "Address of the page, for links in messages", value: "URL" },
  },
  async run({ flags, io }) {
    const context = flags.url ? { context: dumpYaml({ argocdUrl: flags.url.replace(/\/+$/, "") }) } : {};
    const wanted: Record<string, string> = { ...notificationCatalog(), ...context };
    const object = { apiVersion: "v1", kind: "ConfigMap", metadata: { name } };
    if (!flags.apply) {
      io.out(dumpYaml({ ...object, data: wanted }));
      return 0;
    }
    await using cluster = await openCluster(flags, io);
    const { client, namespace } = cluster;
    const ref = { apiVersion: "v1", kind: "ConfigMap", namespace, name };
    const found = await client.get(ref, io.signal);
    const set = textsIn(found?.data);
    const data = Object.fromEntries(Object.entries(wanted).filter(([key]) => !Object.hasOwn(set, key)));
    const added = Object.keys(data);
    if (!found)
      await client.create({ ...object, metadata: { name, namespace }, data }, { signal: io.signal });
    else if (added.length > 0)
      await client.patch(ref, { type: "merge", body: { data } }, { signal: io.signal });
    for (const key of added) io.out(`${key} added\n`);
    for (const key of Object.keys(wanted)) if (!added.includes(key)) io.out(`${key} is set already\n`);
    return 0;
  },
});
