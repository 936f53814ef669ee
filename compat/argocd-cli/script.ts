/** What a person does with `argocd`: shell commands, played alike in both worlds. A script leaves nothing behind. */
export interface Script {
  readonly name: string;
  /** In the folder where the commands run; $GIT and $CHARTS in them are the addresses of the sources. */
  readonly files?: Readonly<Record<string, string>>;
  readonly steps: readonly (string | Step)[];
}

export interface Step {
  readonly run: string;
  /**
   * "lines": in any order. "code": what it prints differs between any two runs. "errors": only the exit code and what
   * it says of failures.
   */
  readonly compare?: "output" | "lines" | "code" | "errors";
  /** Compared is what comes from the first line on that begins so: what is before tells how fast things went. */
  readonly from?: string;
}

export const readStep = (step: string | Step): Step => (typeof step === "string" ? { run: step } : step);

/** The part of an outcome that both worlds must agree on. */
export interface Said {
  code: number;
  stdout?: readonly string[];
  stderr?: readonly string[];
}
