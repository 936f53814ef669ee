import { defineCommand } from "../../command.ts";
import { clusterId } from "./cluster-id.ts";

export default defineCommand({
  usage: "SERVER/NAME",
  help: "Give a cluster's service account another token, and forget the old one.",
  argument: "cluster",
  arity: [1, 1],
  flags: {},
  async run({ args: [name = ""], io, api }) {
    await (await api()).call("rotateClusterAuth", clusterId(name));
    io.out(`Cluster '${name}' rotated auth\n`);
    return 0;
  },
});
