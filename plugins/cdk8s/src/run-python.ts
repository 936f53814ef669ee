import { hash } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { canonicalJson, parseJson } from "@capstan/formats";
import { CapstanError } from "@capstan/model";
import type { RenderContext, Stage } from "@capstan/plugin-kit";
import { cacheFolder, chosenEnv, confinedStage, withoutCredentials } from "@capstan/programs";
import { appEnv, jsiiEnv } from "./app-env.ts";
import { type PythonCommand, readText } from "./app-file.ts";
import { placeInPython, tellingPlace } from "./failure-places.ts";
import type { HeldFolder, PackageStore } from "./package-store.ts";
import { readRequirements } from "./read-requirements.ts";

type Env = Readonly<Record<string, string | undefined>>;

/** pip's settings, and certificate authorities. */
const operatorsOwn = /^(PIP_.+|SSL_CERT_(FILE|DIR)|REQUESTS_CA_BUNDLE|NETRC)$/;
const installHint = "Install Python 3 with pip where Capstan runs, and put it on PATH";

interface Interpreter {
  readonly program: string;
  /** Folder of its installation. */
  readonly prefix: string;
  readonly version: string;
}

/** Runs a script in a sandbox, with the packages of its lock file: installed once, wheels only. */
export async function runPython(
  context: RenderContext,
  stage: Stage,
  of: { command: PythonCommand; store: PackageStore; operator: Env; mayRunOpenly: boolean },
): Promise<void> {
  const { command, mayRunOpenly } = of;
  const { root } = await stage.workspace();
  const interpreter = await askInterpreter(command.program, stage);
  using installed = await installLocked(context, stage, { ...of, lock: command.lock, interpreter });
  const packages = installed?.folder;
  const readable = [interpreter.prefix, dirname(process.execPath), ...(packages ? [packages] : [])];
  const confined = confinedStage(stage, { plugin: "cdk8s", mayRunOpenly, readable });
  const cwd = join(root, context.path);
  // By its whole path a script is named alike in every traceback.
  const args = command.args.map((arg, at) => (at === 0 && arg.endsWith(".py") ? join(cwd, arg) : arg));
  const program = packages ? join(packages, "bin", "python") : interpreter.program;
  const own = { ...jsiiEnv, ...appEnv(context, root) };
  const env = { ...withoutCredentials(stage.env), ...own };
  await tellingPlace(placeInPython, () => confined.run({ program, args, cwd, env, tool: "python" }));
}

async function askInterpreter(program: string, stage: Stage): Promise<Interpreter> {
  const { scratch: cwd } = await stage.workspace();
  const question =
    "import json, sys; print(json.dumps([sys._base_executable, sys.base_prefix, sys.version]))";
  const { stdout } = await stage.run({ program, args: ["-I", "-c", question], cwd, installHint });
  const answer = parseJson(stdout.toString());
  const [found, prefix, version] = Array.isArray(answer) ? answer.map(String) : [];
  if (found === undefined || prefix === undefined || version === undefined)
    throw new CapstanError({ code: "PLUGIN_FAILED", plugin: "cdk8s", problem: `${program} is no Python 3` });
  return { program: found, prefix, version };
}

/** Folder of a virtual environment; nothing where the application locks no packages. */
async function installLocked(
  { tree }: RenderContext,
  stage: Stage,
  of: { lock: string | undefined; interpreter: Interpreter; store: PackageStore; operator: Env },
): Promise<HeldFolder | undefined> {
  const { lock, interpreter, store, operator } = of;
  const text = lock === undefined ? undefined : await readText(tree, lock);
  if (lock === undefined || text === undefined) return undefined;
  const lines = readRequirements(text, lock);
  const top = join(cacheFolder(stage.env), "cdk8s");
  const digest = hash("sha256", canonicalJson([lines, interpreter]), "hex");
  const folder = join(top, `python-${digest.slice(0, 32)}`);
  return store.filled(folder, stage, async (fresh) => {
    using cache = await store.shared(join(top, "pip"), stage);
    stage.log.info({ folder }, "installing the Python packages of a cdk8s application");
    const env = {
      ...pipDefaults(cache.folder),
      HOME: operator.HOME ?? homedir(),
      ...chosenEnv(operator, operatorsOwn),
    };
    const python = (args: readonly string[], tool: string) =>
      stage.run({ program: interpreter.program, args: ["-I", "-m", ...args], cwd: fresh, env, tool });
    await python(["venv", "--without-pip", fresh], "venv");
    const file = join(fresh, "requirements.txt");
    await writeFile(file, lines.map((line) => `${line}\n`).join(""));
    const into = ["--python", join(fresh, "bin", "python")];
    await python(["pip", ...into, "install", "--only-binary=:all:", "--quiet", "-r", file], "pip");
    await store.grown(cache, stage);
  });
}

/** An index that fails is told before the render's time is over. */
function pipDefaults(cache: string): Record<string, string> {
  return {
    PIP_CACHE_DIR: cache,
    PIP_DISABLE_PIP_VERSION_CHECK: "1",
    PIP_NO_INPUT: "1",
    PIP_RETRIES: "1",
    PIP_TIMEOUT: "30",
  };
}
