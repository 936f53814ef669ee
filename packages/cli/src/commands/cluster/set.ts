import { defineCommand, UsageError } from "../../command.ts";
import { readPairs } from "../../read-pairs.ts";
import { clusterId } from "./cluster-id.ts";

export default defineCommand({
  usage: "NAME",
  help: "Change what is kept of a cluster; what no flag names stays as it is.",
  examples: ["capstan cluster set prod --name production --namespace web --namespace api"],
  argument: "cluster",
  arity: [1, 1],
  flags: {
    name: { kind: "string", help: "Its new name", value: "NAME" },
    namespace: { kind: "strings", help: "Namespaces that are managed; * for all", value: "NAMESPACE" },
    label: { kind: "strings", help: "Label, name=value", value: "LABEL" },
    annotation: { kind: "strings", help: "Annotation, name=value", value: "ANNOTATION" },
  },
  async run({ args: [name = ""], flags, io, api }) {
    const { name: newName, namespace, label, annotation } = flags;
    const updatedFields = [
      ...(newName ? ["name"] : []),
      ...(namespace ? ["namespaces"] : []),
      ...(label ? ["labels"] : []),
      ...(annotation ? ["annotations"] : []),
    ];
    if (updatedFields.length === 0) throw new UsageError("Specify the cluster field to be updated.");
    const namespaces = namespace?.length === 1 && namespace[0] === "*" ? [""] : namespace;
    await (await api()).call("updateCluster", {
      ...clusterId(name),
      updatedFields,
      cluster: {
        server: "",
        name: newName ?? "",
        ...(namespaces ? { namespaces: [...namespaces] } : {}),
        ...(label ? { labels: readPairs("label", label) } : {}),
        ...(annotation ? { annotations: readPairs("annotation", annotation) } : {}),
      },
    });
    io.out(`Cluster '${name}' updated.\n`);
    return 0;
  },
});
