import { chmod, mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type Outcome, type Place, shell } from "../clients/shell.ts";
import { sayNeutrally } from "./normalise.ts";
import { readStep, type Said, type Script, type Step } from "./script.ts";
import { type Mode, openWorkplace, type World } from "./worlds.ts";

export interface Played {
  said: readonly Said[];
  /** Raw, for a person to read. */
  raw: readonly string[];
}

export interface Turn {
  readonly script: Script;
  readonly mode: Mode;
  readonly attempt: number;
}

/** What of an outcome both worlds must agree on. */
function judged({ code, stdout, stderr }: Outcome, step: Step, { cwd, env }: Place): Said {
  const { compare = "output", from } = step;
  if (compare === "code") return { code };
  const { SERVER: server = "", GIT: git = "", CHARTS: charts = "" } = env;
  const lines = (text: string): string[] => {
    const neutral = sayNeutrally(text, {
      folder: cwd,
      git,
      charts,
      server,
    });
    const first = from === undefined ? 0 : neutral.findIndex((line) => line.startsWith(from));
    const rest = first < 0 ? neutral : neutral.slice(first);
    return compare === "lines" ? rest.sort() : rest;
  };
  if (compare === "errors") return { code, stderr: lines(stderr) };
  return { code, stdout: lines(stdout), stderr: lines(stderr) };
}

export async function play(world: World, { script, mode, attempt }: Turn): Promise<Played> {
  const place = await openWorkplace(world, `${script.name}-${attempt}`, mode);
  for (const [name, content] of Object.entries(script.files ?? {})) {
    const path = join(place.cwd, name);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(
      path,
      content.replaceAll("$GIT", world.sources.git).replaceAll("$CHARTS", world.sources.charts),
    );
    if (content.startsWith("#!")) await chmod(path, 0o755);
  }
  const said: Said[] = [];
  const raw: string[] = [];
  for (const step of script.steps.map(readStep)) {
    const started = performance.now();
    const outcome = await shell(step.run, place);
    said.push(judged(outcome, step, place));
    const ms = Math.round(performance.now() - started);
    raw.push(`${outcome.stdout}${outcome.stderr}(${outcome.code}, ${ms} ms)`);
  }
  return { said, raw };
}
