/** What one client does in a namespace of its own: shell commands, played alike on both clusters. */
export interface Script {
  readonly name: string;
  /** Which client: each of its versions plays the script. */
  readonly client: "kubectl" | "helm";
  /** Many commands that say little beside what others say: `--short` leaves it out. */
  readonly slow?: true;
  /** In the folder where the commands run. */
  readonly files?: Readonly<Record<string, string>>;
  readonly steps: readonly (string | Step)[];
}

export interface Step {
  readonly run: string;
  /** "code": what it prints is known to differ between any two clusters. "lines": in any order. */
  readonly compare?: "output" | "lines" | "code";
}

export const readStep = (step: string | Step): Step => (typeof step === "string" ? { run: step } : step);

/** The exit code and what a step printed: the part that both clusters must agree on. */
export interface Said {
  code: number;
  stdout?: readonly string[];
  stderr?: readonly string[];
}
