import type { Clock } from "@capstan/flow";
/** The terminal and the process, as a value: tests give texts and take texts. */
export interface Io {
  out(text: string): void;
  err(text: string): void;
  /** Whether a person reads standard output; else no colours. */
  readonly outIsTerminal: boolean;
  /** Whether a person reads standard error; else no progress. */
  readonly errIsTerminal: boolean;
  readonly columns: number;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  readonly clock: Clock;
  /** Aborted by Ctrl-C. */
  readonly signal: AbortSignal;
  /** All of standard input, of which there may be 256 MiB. */
  readInput(): Promise<string>;
  /** Asks without showing what is typed when `hidden`. */
  ask(question: string, options: { hidden: boolean }): Promise<string>;
  /** Opens a way to the server's Pod until the command ends, and gives its address. */
  forwardPort?(to: ForwardedPod): Promise<string>;
}

/** Where an installation's API server runs in a cluster; what is left out is as the kubeconfig says. */
export interface ForwardedPod {
  readonly context?: string | undefined;
  readonly namespace?: string | undefined;
  /** Label app.kubernetes.io/name; argocd-server or capstan-server without it. */
  readonly serverName?: string | undefined;
}
