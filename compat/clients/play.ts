import { execFile } from "node:child_process";
import { chmod, mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Client } from "./clients.ts";
import { openWorkplace, type Target, type Workplace } from "./clusters.ts";
import { normalise } from "./normalise.ts";
import { readStep, type Said, type Script, type Step } from "./script.ts";

export interface Played {
  said: readonly Said[];
  /** Raw, for a person to read. */
  raw: readonly string[];
}

export interface Turn {
  readonly script: Script;
  readonly client: Client;
  readonly attempt: number;
}

const stepLimitMs = 120_000;

interface Outcome {
  code: number;
  stdout: string;
  stderr: string;
}

function shell(command: string, { cwd, env }: Workplace): Promise<Outcome> {
  return new Promise((resolve) => {
    const options = { cwd, env, timeout: stepLimitMs, maxBuffer: 64 << 20 };
    const child = execFile("/bin/sh", ["-c", command], options, (error, stdout, stderr) => {
      const code = error === null ? 0 : typeof error.code === "number" ? error.code : -1;
      resolve({ code, stdout, stderr: code === -1 ? `${stderr}${error?.message}` : stderr });
    });
    child.stdin?.end();
  });
}

/** What of an outcome both clusters must agree on. */
function sayNeutrally(
  { code, stdout, stderr }: Outcome,
  { compare = "output" }: Step,
  namespace: string,
): Said {
  if (compare === "code") return { code };
  const lines = (text: string): string[] => {
    const neutral = normalise(text.replaceAll(namespace, "<namespace>"));
    return compare === "lines" ? neutral.sort() : neutral;
  };
  return { code, stdout: lines(stdout), stderr: lines(stderr) };
}

export async function play(target: Target, { client, script, attempt }: Turn): Promise<Played> {
  const namespace = `${script.name}-${client.name}-${attempt}`.replaceAll(/[^a-z0-9]+/g, "-");
  const workplace = await openWorkplace(target, client, namespace);
  for (const [name, content] of Object.entries(script.files ?? {})) {
    const path = join(workplace.cwd, name);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, content);
    if (content.startsWith("#!")) await chmod(path, 0o755);
  }
  await shell(`kubectl create namespace ${namespace}`, workplace);
  const said: Said[] = [];
  const raw: string[] = [];
  for (const step of script.steps.map(readStep)) {
    const outcome = await shell(step.run, workplace);
    said.push(sayNeutrally(outcome, step, namespace));
    raw.push(`${outcome.stdout}${outcome.stderr}(${outcome.code})`);
  }
  await shell(`kubectl delete namespace ${namespace} --wait=false`, workplace);
  return { said, raw };
}
