import { defineCommand } from "@capstan/cli/record";
import { repoServerFlags } from "./options.ts";

export default defineCommand({
  usage: "",
  help: "Render for the other programs, on a port of its own over TLS, where callers are asked who they are.",
  notes: `It starts a process that renders, in a sandbox where bubblewrap works, and keeps repositories, charts and renders
below --data, all of which may be lost. Its own account reads Pipelines, Services and EndpointSlices of the control
namespace, and of Secrets those that RoleBindings give it: for --secret-stores. Environment of rendering: see up --help.
`,
  argument: "none",
  arity: [0, 0],
  standsAlone: true,
  ownSignals: true,
  endings: { prefix: "capstan repo-server: ", usage: 2, failed: 1, stack: true },
  flags: repoServerFlags,
  async run({ flags, io }) {
    await (await import("./run-repo-server.ts")).runRepoServer(flags, io.env);
    return 0;
  },
});
