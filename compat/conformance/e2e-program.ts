import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { realProgramPath, startProcess } from "@capstan/testkit";

export type Verdict = "passed" | "failed";

export interface Outcome {
  verdict: Verdict;
  /** What a failed test said. */
  message: string;
}

interface Spec {
  ContainerHierarchyTexts: readonly string[] | null;
  LeafNodeText: string;
  State: string;
  Failure?: { Message?: string };
}

/** Some tests wait without a limit of their own; the slowest few together take half as long. */
const maxMinutes = 45;
const commonFlags = ["--ginkgo.no-color", "--ginkgo.silence-skips", `--ginkgo.timeout=${maxMinutes}m`];
const maxMs = (maxMinutes + 5) * 60_000;

/** Names of the tests that a regular expression chooses. */
export async function listTests(focus: string): Promise<readonly string[]> {
  const { specs } = await runProgram(["--ginkgo.dry-run", `--ginkgo.focus=${focus}`]);
  return [...specs].filter(([, { verdict }]) => verdict === "passed").map(([name]) => name);
}

export interface TestRun {
  /** Path of a kubeconfig file. */
  kubeconfig: string;
  names: readonly string[];
  /** File for all that the program prints. */
  log: string;
}

/** Runs tests of these names one after another; a test that did not run counts as failed. */
export async function runTests({ kubeconfig, names, log }: TestRun): Promise<Map<string, Outcome>> {
  const { specs, output } = await runProgram([
    `--kubeconfig=${kubeconfig}`,
    "--provider=skeleton",
    "--kube-api-content-type=application/json",
    `--ginkgo.focus=${names.map(escapeRegExp).join("|")}`,
  ]);
  await writeFile(log, output);
  const missing: Outcome = { verdict: "failed", message: `it did not run: ${log}` };
  return new Map(names.map((name) => [name, specs.get(name) ?? missing]));
}

const escapeRegExp = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|]/g, "\\$&");

async function runProgram(flags: readonly string[]) {
  const dir = await mkdtemp(join(tmpdir(), "capstan-conformance-"));
  const report = join(dir, "report.json");
  try {
    await using program = startProcess(
      realProgramPath("e2e.test"),
      [...commonFlags, ...flags, `--ginkgo.json-report=${report}`],
      { cwd: dir },
    );
    for (const limit = AbortSignal.timeout(maxMs); program.ended() === undefined; ) {
      if (limit.aborted) throw new Error(`e2e.test does not end:\n${program.output().slice(-4000)}`);
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
    const text = await readFile(report, "utf8").catch(() => "[]");
    return { specs: readReport(JSON.parse(text)), output: program.output() };
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

function readReport(suites: readonly { SpecReports: readonly Spec[] }[]): Map<string, Outcome> {
  const found = new Map<string, Outcome>();
  for (const spec of suites.flatMap((suite) => suite.SpecReports)) {
    const name = [...(spec.ContainerHierarchyTexts ?? []), spec.LeafNodeText].join(" ");
    if (spec.State === "skipped" || spec.State === "pending" || !name.includes("[Conformance]")) continue;
    const verdict = spec.State === "passed" ? "passed" : "failed";
    found.set(name, { verdict, message: spec.Failure?.Message ?? "" });
  }
  return found;
}
