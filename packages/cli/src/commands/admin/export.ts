import { chmod, writeFile } from "node:fs/promises";
import { dumpYaml } from "@capstan/formats/yaml";
import { defineCommand } from "../../command.ts";
import { asBackup, backedUp, namespaceFlags, readScope } from "./backup-objects.ts";
import { clusterFlags, openCluster } from "./open-cluster.ts";

export default defineCommand({
  usage: "",
  help: "Print all that Argo CD or Capstan keeps in a cluster: settings, secrets, projects, applications and sets of them.",
  examples: ["capstan admin export > backup.yaml", "capstan admin export -n argocd --out backup.yaml"],
  notes: "What is printed holds secrets: keep it as you keep them.\n",
  argument: "none",
  arity: [0, 0],
  flags: {
    ...clusterFlags,
    ...namespaceFlags,
    out: { kind: "string", short: "o", value: "FILE", help: "File to write", byDefault: "-" },
  },
  async run({ flags, io }) {
    await using cluster = await openCluster(flags, io);
    const place = { ...cluster, signal: io.signal };
    const objects = await backedUp(place, await readScope(place, flags));
    const text = objects.map((object) => `${dumpYaml(asBackup(object, cluster.namespace))}---\n`).join("");
    if (!flags.out || flags.out === "-") io.out(text);
    else {
      await writeFile(flags.out, text, { mode: 0o600 });
      await chmod(flags.out, 0o600);
    }
    return 0;
  },
});
