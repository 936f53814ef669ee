import { defineCommand, isObjectFormat, outputFlag, printObject, UsageError } from "@capstan/cli/record";
import { dataFlag, dataFolderOf } from "../up/running.ts";
import { examine, type Finding } from "./examine.ts";

const marks: Readonly<Record<Finding["state"], string>> = {
  ok: "ok     ",
  lacks: "lacks  ",
  fails: "FAILS  ",
};

export default defineCommand({
  usage: "",
  help: "Look whether what Capstan needs is on this machine, or with --kubeconfig on a cluster, and say what to do where it is not. Exit code 1: something fails, so that Capstan does not run or cannot be installed. Nothing is changed.",
  examples: ["capstan doctor", "capstan doctor -o json", "capstan doctor --kubeconfig prod.yaml"],
  argument: "none",
  arity: [0, 0],
  standsAlone: true,
  flags: {
    data: dataFlag,
    kubeconfig: { kind: "string", value: "FILE", help: "Look at this cluster, where Capstan is or shall be" },
    context: { kind: "string", value: "NAME", help: "Of the kubeconfig", byDefault: "its current one" },
    namespace: {
      kind: "string",
      value: "NAMESPACE",
      help: "Of that cluster: where Capstan is or shall be",
      byDefault: "argocd",
    },
    output: outputFlag(["json", "yaml"]),
  },
  async run({ flags, io }) {
    const { env, clock, signal } = io;
    const { data, output, ...place } = flags;
    const { kubeconfig, context, namespace } = place;
    if (kubeconfig === undefined && (context !== undefined || namespace !== undefined))
      throw new UsageError("--context and --namespace need --kubeconfig FILE");
    let findings: readonly Finding[] = [];
    if (kubeconfig === undefined)
      findings = await examine({ dataDir: dataFolderOf(data), env, clock, signal });
    else {
      const { onCluster } = await import("../install/commands.ts");
      const { examineCluster } = await import("./examine-cluster.ts");
      await onCluster(place, io, async (of) => {
        findings = await examineCluster(of);
      });
    }
    if (isObjectFormat(output)) await printObject(io, output, findings);
    else
      for (const { state, what, found, todo } of findings) {
        io.out(`${marks[state]}${what.padEnd(14)}${found}\n`);
        if (todo !== undefined) io.out(`${" ".repeat(21)}${todo}\n`);
      }
    return findings.some(({ state }) => state === "fails") ? 1 : 0;
  },
});
