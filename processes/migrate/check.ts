import {
  defineCommand,
  type Flags,
  type FlagValues,
  isObjectFormat,
  outputFlag,
  printObject,
} from "@capstan/cli/record";
import { repoFlags } from "../parts/repo-flags.ts";
import { apiFlags } from "../surroundings/api-options.ts";
import { clusterFlag } from "../surroundings/find-cluster.ts";
import { upFlags } from "../up/options.ts";

const seconds = { kind: "integer", value: "SECONDS", range: [0, 86_400] } as const;

export const checkFlags = {
  kubeconfig: clusterFlag,
  namespace: {
    ...apiFlags.namespace,
    short: "n",
    help: "Where Argo CD is, with its Applications, projects and settings",
  },
  "application-namespaces": apiFlags["application-namespaces"],
  app: {
    kind: "list",
    value: "NAME",
    help: "Only these applications, as NAME or NAMESPACE/NAME; several with commas",
  },
  project: { kind: "list", value: "NAME", help: "Only those of these projects" },
  all: { kind: "boolean", help: "List those too that are equal" },
  "dry-runs": {
    kind: "boolean",
    help: "Let the cluster try what the values alone do not tell (server-side dry run): the kubeconfig and the clusters' Secrets then need the right to patch",
  },
  "credential-programs": {
    kind: "boolean",
    help: "Run the programs that Secrets of clusters name for credentials: whoever may write those Secrets chooses what runs here",
  },
  parallel: { kind: "integer", value: "N", range: [1, 100], help: "Applications at a time", byDefault: "8" },
  timeout: {
    ...seconds,
    range: [1, 86_400],
    help: "How long a cluster may take to tell what it holds, and an application to be compared",
    byDefault: "120",
  },
  settle: {
    ...seconds,
    help: "Look again after this time at what differs, since both may be on their way; 0 = once is enough",
    byDefault: "15",
  },
  data: {
    kind: "string",
    value: "DIR",
    help: "Keep repositories and renders for the next check",
    byDefault: "a folder that goes at the end",
  },
  ...repoFlags("CAPSTAN_MIGRATE"),
  "plugin-sockets": upFlags["plugin-sockets"],
  "repo-server-memory-limit": upFlags["repo-server-memory-limit"],
  "allow-folder": {
    ...upFlags["allow-folder"],
    help: "Folder whose repositories applications may name as file://; repeatable (default: none)",
  },
  "secret-stores": upFlags["secret-stores"],
  verbose: { kind: "boolean", short: "v", help: "Say on standard error what is done" },
  output: outputFlag(["table", "json", "yaml"], "table"),
} as const satisfies Flags;

export type CheckFlags = FlagValues<typeof checkFlags>;

export default defineCommand({
  usage: "",
  help: "Say what would differ if Capstan took the place of an Argo CD: each Application is rendered at the revision that Argo CD compared it at, compared with its cluster by Capstan's rules, and what comes out is held against its status. Nothing is changed: all that is no reading is refused before it is sent.",
  examples: [
    "capstan admin migrate check --kubeconfig ~/.kube/config -n argocd",
    "capstan admin migrate check --app shop,billing -o json",
    "capstan admin migrate check --project payments --repo-server capstan-repo-server --repo-server-token-file token",
  ],
  notes: `Exit code: 0 nothing differs, 1 something differs or could not be told, 2 the check itself failed.

Rights to get, list and watch suffice: Applications, AppProjects and ApplicationSets, ConfigMaps and Secrets of the
namespace of Argo CD, and what applications deploy. Plugins that run as sidecars of Argo CD's repo-server are not here:
run the check in a Pod that has their sockets, or name repo servers of Capstan that do.
`,
  argument: "none",
  arity: [0, 0],
  standsAlone: true,
  endings: { prefix: "capstan admin migrate check: ", usage: 2, failed: 2 },
  flags: checkFlags,
  async run({ flags, io }) {
    const { checkInstallation } = await import("./check-installation.ts");
    const report = await checkInstallation(flags, io);
    if (isObjectFormat(flags.output)) await printObject(io, flags.output, report);
    else io.out((await import("./print-report.ts")).printReport(report));
    const { differ, unknown } = report.summary;
    return differ + unknown === 0 ? 0 : 1;
  },
});
