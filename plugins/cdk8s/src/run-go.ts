import { hash } from "node:crypto";
import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { canonicalJson } from "@capstan/formats";
import { CapstanError } from "@capstan/model";
import type { RenderContext, Stage } from "@capstan/plugin-kit";
import { cacheFolder, chosenEnv, confinedStage, isThere, withoutCredentials } from "@capstan/programs";
import { appEnv, jsiiEnv } from "./app-env.ts";
import { type GoCommand, inDirectory, readText } from "./app-file.ts";
import { placeInGo, tellingPlace } from "./failure-places.ts";
import type { HeldFolder, PackageStore } from "./package-store.ts";

type Env = Readonly<Record<string, string | undefined>>;

/** How the operator's Go finds modules, and whom it trusts. */
const operatorsOwn =
  /^(GO(PROXY|SUMDB|NOSUMDB|NOSUMCHECK|PRIVATE|NOPROXY|INSECURE|VCS|AUTH|TOOLCHAIN|ENV)|NETRC|SSL_CERT_(FILE|DIR))$/;
const installHint = "Install Go where Capstan runs, and put it on PATH";
/** As renders' own folders are called: what a killed process leaves is cleared away with theirs. */
const namePrefix = "capstan-render-";

interface Folders extends HeldFolder {
  /** Written by `go mod download` alone, so that no application changes what another compiles. */
  readonly modules: string;
  /** Written by the compiler alone. */
  readonly builds: string;
  /** Markers of what was fetched. */
  readonly fetched: string;
  readonly env: Readonly<Record<string, string>>;
}

interface GoRun {
  readonly command: GoCommand;
  readonly store: PackageStore;
  readonly operator: Env;
  readonly mayRunOpenly: boolean;
}

/** Fetches modules once for a go.sum, compiles without network, and runs what came out: the last two in a sandbox. */
export async function runGo(context: RenderContext, stage: Stage, run: GoRun): Promise<void> {
  const { command, operator, mayRunOpenly } = run;
  const { root } = await stage.workspace();
  using folders = await openFolders(stage, run.store);
  const manifest = (await readText(context.tree, inDirectory(command.module, "go.mod"))) ?? "";
  const [, name = ""] = /^\s*module\s+"?([^\s"]+)/m.exec(manifest) ?? [];
  const places = placeInGo({ module: command.module, name, path: context.path });
  const fetching = {
    ...{ GOTOOLCHAIN: "local", HOME: operator.HOME ?? homedir() },
    ...{ ...chosenEnv(operator, operatorsOwn), ...folders.env },
  };
  await fetchModules(context, stage, { ...run, manifest, folders, env: fetching });
  const asked = { program: "go", args: ["env", "GOROOT"], cwd: root, env: fetching, installHint };
  const goRoot = (await stage.run(asked)).stdout.toString().trim();
  const output = await mkdtemp(join(tmpdir(), `${namePrefix}${process.pid}-`));
  // Compiler and application may be two users; what is made is no secret.
  await chmod(output, 0o755);
  const program = join(output, "app");
  const cwd = join(root, context.path);
  const confinement = { plugin: "cdk8s", mayRunOpenly };
  try {
    const [readable, writable] = [
      [folders.modules, goRoot],
      [folders.builds, output],
    ];
    const compiler = confinedStage(stage, { ...confinement, readable, writable });
    const args = ["build", "-trimpath", "-buildvcs=false", "-o", program, ...command.target];
    const { GOTOOLCHAIN } = fetching;
    const env = { ...withoutCredentials(stage.env), GOTOOLCHAIN, GOPROXY: "off", ...folders.env };
    await tellingPlace(places, () => compiler.run({ program: "go", args, cwd, env, tool: "go build" }));
    const runner = confinedStage(stage, {
      ...confinement,
      readable: [output, dirname(process.execPath)],
    });
    const own = { ...withoutCredentials(stage.env), ...jsiiEnv, ...appEnv(context, root) };
    const tool = "the application";
    await tellingPlace(places, () => runner.run({ program, args: command.args, cwd, env: own, tool }));
  } finally {
    await rm(output, { recursive: true, force: true });
  }
}

async function openFolders(stage: Stage, store: PackageStore): Promise<Folders> {
  const held = await store.shared(join(cacheFolder(stage.env), "cdk8s", "go"), stage);
  const top = held.folder;
  const [modules, builds, fetched] = [join(top, "modules"), join(top, "builds"), join(top, "fetched")];
  for (const folder of [modules, builds, fetched]) await mkdir(folder, { recursive: true });
  return {
    ...held,
    ...{ modules, builds, fetched },
    env: { GOMODCACHE: modules, GOCACHE: builds, GOWORK: "off", CGO_ENABLED: "0", GOFLAGS: "-modcacherw" },
  };
}

/** Nothing where the application brings its modules in `vendor`. */
async function fetchModules(
  { tree }: RenderContext,
  stage: Stage,
  of: Pick<GoRun, "command" | "store"> & {
    manifest: string;
    folders: Folders;
    env: Readonly<Record<string, string>>;
  },
): Promise<void> {
  const { command, store, manifest, folders, env } = of;
  const own = (name: string) => inDirectory(command.module, name);
  if ((await readText(tree, own("vendor/modules.txt"))) !== undefined) return;
  const sums = await readText(tree, own("go.sum"));
  if (sums === undefined && /^\s*require\b/m.test(manifest))
    throw new CapstanError({
      code: "FILE_MISSING",
      file: own("go.sum"),
      neededBy: "plugin cdk8s, which fetches what it names; run go mod tidy and commit it: the application",
    });
  const marker = join(folders.fetched, hash("sha256", canonicalJson([manifest, sums ?? ""]), "hex"));
  if (await isThere(marker)) return;
  const { root } = await stage.workspace();
  stage.log.info({ folder: folders.modules }, "fetching the modules of a cdk8s application");
  const args = ["mod", "download"];
  const cwd = join(root, command.module);
  await stage.run({ program: "go", args, cwd, env, tool: "go mod download", installHint });
  await writeFile(marker, "");
  await store.grown(folders, stage);
}
