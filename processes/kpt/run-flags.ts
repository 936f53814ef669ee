import { type Flags, type FlagValues, UsageError } from "@capstan/cli/record";

export const output = {
  kind: "string",
  short: "o",
  help: "Where the resources go instead of into the package",
  value: "stdout|unwrap|DIR",
} as const;

/** As kpt takes it, and refuses it. */
export const metaResources = {
  "include-meta-resources": { kind: "boolean", short: "m", help: "No longer necessary", hidden: true },
} as const satisfies Flags;

export function refuseMetaResources(flags: FlagValues<typeof metaResources>): void {
  if (flags["include-meta-resources"])
    throw new UsageError(
      "--include-meta-resources is no longer necessary because meta resources are now included by default",
    );
}

/** Those of render and eval. */
export const runFlags = {
  output,
  "results-dir": { kind: "string", help: "Write what the functions found to DIR/results.yaml", value: "DIR" },
  "image-pull-policy": {
    kind: "string",
    help: "Of functions in containers: Always, IfNotPresent or Never",
    value: "POLICY",
    byDefault: "IfNotPresent",
  },
  "image-prefix": {
    kind: "string",
    help: "Of short image names",
    value: "PREFIX",
    byDefault: "KPT_IMAGE_PREFIX, then that of the catalog",
  },
  "allow-alpha-wasm": {
    kind: "boolean",
    help: "Accepted; wasm functions run from images that are allowed (below)",
  },
  "truncate-output": { kind: "boolean", help: "Accepted and without effect: output is never cut" },
} as const satisfies Flags;

export const runNotes = `Functions that are not in process:
  CAPSTAN_KPT_IMAGES  images, or paths above them, that are fetched and run in a sandbox (bubblewrap); "*" is all
  KRM_FN_RUNTIME      docker, podman or nerdctl, which runs images instead; by default the first that is installed
  CAPSTAN_KPT_MEMORY  what a process of such a function may take: 512Mi, 4Gi, unlimited; in the sandbox 2Gi by default
  gatekeeper          wants opa on PATH
`;

/** What render and eval have in common. */
export function readRunFlags(flags: FlagValues<typeof runFlags>, [directory = "."]: readonly string[]) {
  return {
    directory,
    output: flags.output ?? "",
    resultsDir: flags["results-dir"] ?? "",
    imagePrefix: flags["image-prefix"],
  };
}
