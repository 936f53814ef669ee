import { defineCommand } from "../../command.ts";
import { isObjectFormat, outputFlag, printObject } from "../../output/print-object.ts";
import { formatTable } from "../../output/table.ts";

export default defineCommand({
  usage: "",
  help: "List what is set and not honoured: by the installation, its projects and its applications.",
  examples: [
    "capstan admin settings report",
    "capstan admin settings report --all -o json",
    "capstan admin settings report --kubeconfig ~/.kube/config -n argocd",
  ],
  argument: "none",
  arity: [0, 0],
  flags: {
    all: { kind: "boolean", help: "Every setting that is known, set or not" },
    kubeconfig: {
      kind: "string",
      value: "FILE",
      help: "Read the settings of this cluster by themselves; no Capstan need run",
    },
    namespace: {
      kind: "string",
      short: "n",
      help: "Control namespace, with --kubeconfig",
      byDefault: "argocd",
    },
    output: outputFlag(["table", "json", "yaml"], "table"),
  },
  async run({ flags, io, api }) {
    const { all = false, kubeconfig, namespace = "argocd" } = flags;
    const fromCluster = async (file: string) => {
      const { readReport } = await import("./read-report.ts");
      return readReport({ kubeconfig: file, namespace }, io);
    };
    const ask = async () => (await (await api()).call("reportSettings", { all })).items;
    const items = all
      ? (await import("@capstan/engine")).allSettings()
      : kubeconfig === undefined
        ? await ask()
        : await fromCluster(kubeconfig);
    if (isObjectFormat(flags.output)) {
      await printObject(io, flags.output, items);
      return 0;
    }
    if (items.length === 0) {
      io.out("Everything that is set is honoured.\n");
      return 0;
    }
    const rows = items.map(({ where, setting, standing, blocks, note }) => [
      where,
      setting,
      blocks ? `${standing}, BLOCKS` : standing,
      note,
    ]);
    io.out(formatTable([["WHERE", "SETTING", "STANDING", "WHAT FOLLOWS"], ...rows]));
    return 0;
  },
});
