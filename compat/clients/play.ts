import { chmod, mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Client } from "./clients.ts";
import { openWorkplace, type Target } from "./clusters.ts";
import { normalise } from "./normalise.ts";
import { readStep, type Said, type Script, type Step } from "./script.ts";
import { type Outcome, shell } from "./shell.ts";

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
