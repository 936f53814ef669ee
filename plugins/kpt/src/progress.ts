import { describeResult, type FunctionResult } from "./function-results.ts";

/** Tells on standard error how a render goes, in kpt's words (pkg/fn/runtime/runner.go, pkg/printer). */
export class Progress {
  readonly #write: (text: string) => void;
  readonly #shorten: boolean;
  #package = "";

  constructor(write: (text: string) => void, { shortenImages = false } = {}) {
    this.#write = write;
    this.#shorten = shortenImages;
  }

  /** The functions of this package come next. */
  enter(displayName: string): void {
    this.#package = displayName;
    this.#write(`Package ${JSON.stringify(displayName)}:\n`);
  }

  leave(): void {
    this.#write("\n");
  }

  say(text: string): void {
    this.#write(`${text}\n`);
  }

  running(name: string, count: number | undefined): void {
    const resources = count === undefined ? "" : ` on ${count} resource(s)`;
    const where = this.#package === "" ? "" : ` on package ${JSON.stringify(this.#package)}`;
    this.#write(`[RUNNING] ${JSON.stringify(this.#shown(name))}${resources}${where}\n`);
  }

  ended(
    word: "PASS" | "FAIL",
    { name, ms, result }: { name: string; ms: number; result: FunctionResult },
  ): void {
    this.#write(`[${word}] ${JSON.stringify(this.#shown(name))} in ${formatMs(ms)}\n`);
    this.#lines("[Results]", result.results.map(describeResult));
    if (result.stderr !== "") this.#lines("Stderr", result.stderr.split("\n"));
    if (word === "FAIL" && result.exitCode !== 0) this.#write(`  Exit code: ${result.exitCode}\n`);
  }

  #lines(title: string, lines: readonly string[]): void {
    if (lines.length === 0) return;
    const shown = lines.map((line) => `    ${line.replaceAll("\n", " ").trim()}`);
    this.#write(`  ${title}:\n${shown.join("\n")}\n`);
  }

  #shown(name: string): string {
    if (!this.#shorten || !name.includes("/")) return name;
    const base = (name.split("@")[0] ?? "").split("/").at(-1) ?? "";
    const colon = base.indexOf(":");
    return colon < 0 ? base : `${base.slice(0, colon)} (${base.slice(colon + 1)})`;
  }
}

function formatMs(ms: number): string {
  const whole = Math.trunc(ms);
  if (whole === 0) return "0s";
  return whole < 1_000 ? `${whole}ms` : `${whole / 1_000}s`;
}
