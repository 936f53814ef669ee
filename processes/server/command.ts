import { defineCommand } from "@capstan/cli/record";
import { serverFlags } from "./options.ts";

export default defineCommand({
  usage: "",
  help: "Run the API server and the page alone, on a cluster that has Capstan's or Argo CD's objects.",
  notes: `Nothing is compared or synced by it: the loops run elsewhere, as with up --kubeconfig. The CRDs must be there.
Without --repo-server it starts a process of its own that renders what is asked for, as up does; environment of that:
see up --help.
Where argocd-secret has no password of admin, one is made and kept in the Secret argocd-initial-admin-secret.
`,
  argument: "none",
  arity: [0, 0],
  standsAlone: true,
  ownSignals: true,
  endings: { prefix: "capstan server: ", usage: 2, failed: 1, stack: true },
  flags: serverFlags,
  async run({ flags, io }) {
    await (await import("./run-server.ts")).runServer(flags, io.env);
    return 0;
  },
});
