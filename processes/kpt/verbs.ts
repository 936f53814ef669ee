import { type Flags, flagTable } from "@capstan/cli/flags";

const help = { kind: "boolean", short: "h", help: "Show this" } as const;
const output = {
  kind: "string",
  short: "o",
  help: "Where the resources go instead of into the package",
  value: "stdout|unwrap|DIR",
} as const;
const noMeta = { kind: "boolean", short: "m", help: "No longer necessary" } as const;

const both = {
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
  help,
} as const satisfies Flags;

export const ofRender = {
  ...both,
  "allow-exec": { kind: "boolean", help: "Let the package run programs" },
  "allow-network": {
    kind: "boolean",
    help: "Let functions in containers and render-helm-chart reach the network",
  },
} as const satisfies Flags;

const select = (what: string, value: string) => ({ kind: "string", help: what, value }) as const;
const selectPairs = (what: string) => ({ kind: "strings", help: what, value: "K=V" }) as const;

export const ofEval = {
  ...both,
  image: { kind: "string", short: "i", help: "The function's image", value: "IMAGE" },
  tag: { kind: "string", help: "Its tag or version range", value: "TAG" },
  exec: { kind: "string", help: "A program as the function", value: "COMMAND" },
  "fn-config": {
    kind: "string",
    help: "The function's configuration, instead of KEY=VALUE behind --",
    value: "FILE",
  },
  type: {
    kind: "string",
    short: "t",
    help: "With --save: where in the Kptfile it goes",
    choices: ["mutator", "validator"],
    byDefault: "mutator",
  },
  save: { kind: "boolean", short: "s", help: "Write the function into the Kptfile" },
  network: { kind: "boolean", help: "As --allow-network of render" },
  mount: { kind: "strings", help: "type=bind,src=DIR,dst=DIR, of containers only", value: "MOUNT" },
  env: {
    kind: "strings",
    short: "e",
    help: "Variable of containers, from this environment without =VALUE",
    value: "KEY[=VALUE]",
  },
  "as-current-user": { kind: "boolean", help: "Run containers as you, not as nobody" },
  "match-api-version": select("Only resources of this apiVersion", "VERSION"),
  "match-kind": select("Only resources of this kind", "KIND"),
  "match-name": select("Only resources of this name", "NAME"),
  "match-namespace": select("Only resources of this namespace", "NAMESPACE"),
  "match-labels": selectPairs("Only resources with these labels"),
  "match-annotations": selectPairs("Only resources with these annotations"),
  "exclude-api-version": select("All resources but those of this apiVersion", "VERSION"),
  "exclude-kind": select("All resources but those of this kind", "KIND"),
  "exclude-name": select("All resources but those of this name", "NAME"),
  "exclude-namespace": select("All resources but those of this namespace", "NAMESPACE"),
  "exclude-labels": selectPairs("All resources but those with these labels"),
  "exclude-annotations": selectPairs("All resources but those with these annotations"),
  "include-meta-resources": noMeta,
} as const satisfies Flags;

export const ofSource = {
  output: {
    ...output,
    help: "One list, or the resources one after another",
    value: "stdout|unwrap",
    byDefault: "stdout",
  },
  "fn-config": { kind: "string", help: "The configuration for the functions that follow", value: "FILE" },
  "include-meta-resources": noMeta,
  help,
} as const satisfies Flags;

export const ofSink = { help } as const satisfies Flags;

interface Verb {
  usage: string;
  about: string;
  flags: Flags;
}

export type VerbName = "render" | "eval" | "source" | "sink";

const verbs: Readonly<Record<VerbName, Verb>> = {
  render: {
    usage: "kpt [fn] render [DIR] [flags]",
    about: "Run the pipelines of a package's Kptfiles",
    flags: ofRender,
  },
  eval: {
    usage: "kpt [fn] eval [DIR|-] [flags] [-- KEY=VALUE ...]",
    about: "Run one function on a folder, or on a list on standard input",
    flags: ofEval,
  },
  source: { usage: "kpt fn source [DIR] [flags]", about: "Print a package as one list", flags: ofSource },
  sink: {
    usage: "kpt fn sink DIR",
    about: "Write the files of such a list, from standard input",
    flags: ofSink,
  },
};

const around = `
Functions that are not in process:
  CAPSTAN_KPT_IMAGES  images, or paths above them, that are fetched and run in a sandbox (bubblewrap); "*" is all
  KRM_FN_RUNTIME      docker, podman or nerdctl, which runs images instead; by default the first that is installed
  CAPSTAN_KPT_MEMORY  what a process of such a function may take: 512Mi, 4Gi, unlimited; in the sandbox 2Gi by default
  gatekeeper          wants opa on PATH
`;

const commandList = `Run the functions of kpt packages, those of the catalog in process.

Usage:
${Object.values(verbs)
  .map(({ usage, about }) => `  ${usage.padEnd(50)}${about}\n`)
  .join("")}  ${"kpt version".padEnd(50)}Print the version

More on one of them: kpt fn COMMAND --help
${around}`;

export function isVerb(word: string | undefined): word is VerbName {
  return word !== undefined && Object.hasOwn(verbs, word);
}

/** The help of one command, or of all. */
export function kptHelp(command: string): string {
  if (!isVerb(command)) return commandList;
  const { usage, about, flags } = verbs[command];
  const runs = command === "render" || command === "eval" ? around : "";
  return `${about}.\n\nUsage: ${usage}\n\nFlags:\n${flagTable(shown(flags))}${runs}`;
}

function shown({ "include-meta-resources": _gone, ...flags }: Flags): Flags {
  return flags;
}

/** For the completion of a shell: what may follow these words. */
export async function nextWords(
  before: readonly string[],
): Promise<{ words: readonly string[]; flags: Flags }> {
  const { command, isGroup } = readCommand(before);
  if (isVerb(command)) return { words: [], flags: shown(verbs[command].flags) };
  const words = Object.keys(verbs);
  return { words: isGroup ? words : ["fn", "render", "eval", "version"], flags: { help } };
}

/** The command of a line, with or without "fn" before it. */
export function readCommand(argv: readonly string[]) {
  const isGroup = argv[0] === "fn" || argv[0] === "functions";
  const [command, ...rest] = isGroup ? argv.slice(1) : argv;
  return { isGroup, command, rest };
}
