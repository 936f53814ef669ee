import type { RepoServerOptions } from "@capstan/render";
import type { Api } from "./api.ts";
import type { Io } from "./io.ts";

/** A flag that may be given several times is of a plural kind; lists also take commas, as Go's StringSlice. */
export type FlagKind = "string" | "strings" | "list" | "boolean" | "integer" | "duration";

export interface Flag {
  readonly kind: FlagKind;
  readonly help: string;
  readonly short?: string;
  /** Name of the value in the help. */
  readonly value?: string;
  /** Shown in the help, and used by completion. */
  readonly choices?: readonly string[];
  /** Values that there are, though others are taken too: a table of the help, and completion. */
  readonly suggestions?: readonly Suggestion[];
  /** Only for the help: what holds when it is not given. */
  readonly byDefault?: string;
  /** Variable of the environment that gives it where the command line does not. */
  readonly env?: string;
  /** Of an integer: the least and the greatest. */
  readonly range?: readonly [number, number];
  /** Read for the sake of scripts, shown nowhere. */
  readonly hidden?: true;
}

/** `name=value` with one of the values. */
export interface Suggestion {
  readonly name: string;
  readonly values: readonly string[];
  readonly help: string;
}

export type Flags = Readonly<Record<string, Flag>>;

interface ValueOf {
  string: string;
  strings: readonly string[];
  list: readonly string[];
  boolean: boolean;
  integer: number;
  /** In milliseconds. */
  duration: number;
}

export type FlagValues<F extends Flags> = { readonly [K in keyof F]?: ValueOf[F[K]["kind"]] };

export interface Invocation<F extends Flags> {
  /** How the command is called: `capstan app list`. */
  readonly call: string;
  readonly args: readonly string[];
  /** What stood behind `--`; a command that `passesOn` has it here alone. */
  readonly behindDashes: readonly string[];
  readonly flags: FlagValues<F>;
  readonly io: Io;
  /** Finds the server and logs in where that needs no asking. */
  api(): Promise<Api>;
  readonly global: GlobalValues;
  /** For renders in this process. */
  shippedPlugins(): Promise<ShippedPlugins>;
  /** For a server of this machine that is known to those that are told its authority. */
  makeCertificate(host: string): Promise<ServerCertificate>;
}

/** PEM texts. */
export interface ServerCertificate {
  readonly certificate: string;
  readonly key: string;
  readonly authority: string;
}

/** The plugins that come with Capstan beside those that `render` has by itself. */
export type ShippedPlugins = NonNullable<RepoServerOptions["plugins"]>;

/** What a positional argument is, for completion. */
export type ArgumentKind =
  | "application"
  | "project"
  | "repository"
  | "cluster"
  | "plugin"
  | "context"
  | "file"
  | "none";

/** How a failure is told, and with which exit codes the program ends: as argocd does, unless a command says more. */
export interface Endings {
  /** Before the sentence. */
  readonly prefix: string;
  /** The same of wrong use; as of the rest unless it is given. */
  readonly usagePrefix?: string;
  /** Exit code of wrong use. */
  readonly usage: number;
  /** Exit code of everything else. */
  readonly failed: number;
  /** Errors that were not made for people are told with their stack: of a program that runs for days. */
  readonly stack?: true;
}

export interface Command<F extends Flags = Flags> {
  /** After the command's name: `APPNAME`, `[APPNAME...]`. */
  readonly usage: string;
  readonly help: string;
  readonly examples?: readonly string[];
  /** Below the flags in its help. */
  readonly notes?: string;
  readonly flags: F;
  readonly argument: ArgumentKind;
  /** Fewest and most positional arguments. */
  readonly arity: readonly [number, number];
  /** Asks no server: has none of the global flags but --help. */
  readonly standsAlone?: true;
  /** What stands behind `--` is not for the command itself: it is no argument. */
  readonly passesOn?: true;
  /** Its words go on to another program as they are: nothing in them is read, --help neither. */
  readonly verbatim?: true;
  /** Looks after Ctrl-C and its like by itself; `io.signal` is never aborted. */
  readonly ownSignals?: true;
  readonly endings?: Endings;
  /** Exit code; undefined is 0. */
  run(invocation: Invocation<F>): Promise<number | undefined>;
}

export interface CommandEntry {
  /** `app list`, `version`. */
  readonly name: string;
  readonly summary: string;
  /** Other ways to say it. */
  readonly aliases?: readonly string[];
  /** Under a link of this name the program is this command. */
  readonly program?: string;
  /** For programs of Capstan, not for people. */
  readonly hidden?: true;
  load(): Promise<{ default: Command }>;
}

/** Commands whose names begin with the same word. */
export interface Group {
  readonly name: string;
  readonly summary: string;
  /** The program whose place its commands take, also under a link of that name. */
  readonly program?: string;
  /** May stand before the command's own name too. */
  readonly flags?: Flags;
  /** Below the commands in its help. */
  readonly notes?: string;
  /** What to do in place of a command that the other program has. */
  readonly instead?: Readonly<Record<string, string>>;
  readonly endings?: Endings;
}

/** Keeps the flags' types while commands of all kinds stand in one list. */
export function defineCommand<const F extends Flags>(command: Command<F>): Command {
  return {
    ...command,
    run: (invocation) => command.run({ ...invocation, flags: invocation.flags as FlagValues<F> }),
  };
}

const help = { kind: "boolean", short: "h", help: "Show this" } as const;

/** Of argocd when it goes past the server: taken for the sake of scripts, and without a meaning here. */
const ofDirectAccess = { kind: "string", help: "Only with --core", hidden: true } as const;

export const globalFlags = {
  server: { kind: "string", help: "Address of the server (CAPSTAN_SERVER, ARGOCD_SERVER)", value: "ADDRESS" },
  "auth-token": { kind: "string", help: "Token (CAPSTAN_AUTH_TOKEN, ARGOCD_AUTH_TOKEN)", value: "TOKEN" },
  config: {
    kind: "string",
    help: "Configuration file, the one of argocd",
    value: "FILE",
    byDefault: "~/.config/argocd/config",
  },
  "argocd-context": { kind: "string", help: "Context of the configuration to use", value: "NAME" },
  insecure: { kind: "boolean", help: "Do not check the server's certificate" },
  plaintext: { kind: "boolean", help: "Speak HTTP without TLS" },
  "server-crt": {
    kind: "string",
    help: "Authority that vouches for the server's certificate",
    value: "FILE",
  },
  "client-crt": { kind: "string", help: "Certificate to show to the server", value: "FILE" },
  "client-crt-key": { kind: "string", help: "Key of --client-crt", value: "FILE" },
  header: {
    kind: "list",
    short: "H",
    help: "Further header of each request, `Name: value`; several with commas",
    value: "HEADER",
  },
  "grpc-web": { kind: "boolean", help: "Accepted for compatibility; all calls are REST" },
  "grpc-web-root-path": { kind: "string", help: "Path below which the server is found", value: "PATH" },
  "http-retry-max": { kind: "integer", help: "Retries of a request that did not get through", value: "N" },
  "prompts-enabled": {
    kind: "boolean",
    help: "Ask before what is optional to ask",
    byDefault: "as the configuration says, else false",
  },
  loglevel: {
    kind: "string",
    help: "debug says more on standard error, error leaves out warnings",
    choices: ["debug", "info", "warn", "error"],
    byDefault: "info",
  },
  logformat: {
    kind: "string",
    help: "How the error at the end is told",
    choices: ["text", "json"],
    byDefault: "text",
  },
  core: { kind: "boolean", help: "Refused: only the server is asked", hidden: true },
  "port-forward": { kind: "boolean", help: "Reach the server's Pod through the cluster, by kubectl" },
  "port-forward-namespace": {
    kind: "string",
    help: "The same, in this namespace",
    value: "NAMESPACE",
    byDefault: "the one of the kubeconfig",
  },
  "kube-context": { kind: "string", help: "Context of the kubeconfig for --port-forward", value: "NAME" },
  "controller-name": ofDirectAccess,
  "redis-compress": ofDirectAccess,
  "redis-haproxy-name": ofDirectAccess,
  "redis-name": ofDirectAccess,
  "repo-server-name": ofDirectAccess,
  "server-name": {
    kind: "string",
    help: "Label app.kubernetes.io/name of the server's Pods for --port-forward (ARGOCD_SERVER_NAME)",
    value: "NAME",
    byDefault: "argocd-server or capstan-server",
  },
  verbose: { kind: "boolean", short: "v", help: "Say more on standard error" },
  help,
} as const satisfies Flags;

export type GlobalValues = FlagValues<typeof globalFlags>;

/** All flags that a command takes. */
export function flagsOf({ flags, standsAlone }: Pick<Command, "flags" | "standsAlone">): Flags {
  return standsAlone ? { ...flags, help } : { ...globalFlags, ...flags };
}

/** Wrong use: said without more words, exit code 1 as cobra's commands have it. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** A command that has found out something other than success: its text is printed, its code is the exit code. */
export class ExitError extends Error {
  override readonly name = "ExitError";
  readonly exitCode: number;
  constructor(message: string, exitCode: number) {
    super(message);
    this.exitCode = exitCode;
  }
}
