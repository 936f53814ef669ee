import { mkdir, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { helmEnv } from "@capstan/charts";
import { type ChartRequest, type RenderContext, runCommand, type Stage } from "@capstan/plugin-kit";
import { toolPath } from "@capstan/programs";
import type { FunctionContext, Mount, WithCharts } from "./function.ts";
import { readLimited } from "./package-folder.ts";
import { PackageError } from "./trace-error.ts";

/** Of a package in a repository: a chart from elsewhere comes as those do that a chart depends on. */
export function stageCharts({ path }: RenderContext, stage: Stage): WithCharts {
  let uses = 0;
  return async (work) => {
    const workspace = await stage.workspace();
    const root = join(workspace.root, path);
    // Paths are shown in errors: the same in every render.
    const scratch = join(workspace.scratch, `charts-${uses++}`);
    await mkdir(scratch, { recursive: true });
    const program = await toolPath("helm", stage.env);
    const env = await helmEnv(workspace.scratch);
    const helm = async (args: readonly string[]): Promise<string> => {
      const { stdout } = await stage.run({ program, tool: "helm", args, cwd: root, env });
      return stdout.toString();
    };
    return work({ root, scratch, helm, pull: async (request) => (await stage.chart(request)).data });
  };
}

const helmLimitMs = 5 * 60_000;

/** Of a folder on a command line: helm has the settings of the one who calls. */
export function folderCharts(
  root: string,
  context: FunctionContext,
  mounts: readonly Mount[] = [],
): WithCharts {
  const { env, signal, clock } = context;
  const set = Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return async (work) => {
    // As renders' own folders are called: what a killed process leaves is cleared away with theirs.
    const scratch = await mkdtemp(join(tmpdir(), `capstan-render-${process.pid}-`));
    const helm = async (args: readonly string[]): Promise<string> => {
      const program = await toolPath("helm", env);
      const place = { cwd: root, env: Object.fromEntries(set), hide: [scratch] };
      const command = { program, tool: "helm", args, ...place };
      const { stdout } = await runCommand(command, { clock, signal, timeoutMs: helmLimitMs });
      return stdout.toString();
    };
    const pull = async (request: ChartRequest): Promise<Uint8Array> => {
      if (!context.allowNetwork) throw new PackageError(`the network is not allowed. ${advice(request)}`);
      const folder = await mkdtemp(join(scratch, "pulled-"));
      await helm(pullArgs(request, folder));
      const [archive] = await readdir(folder);
      if (archive === undefined) throw new PackageError(`helm pull left no chart. ${advice(request)}`);
      return readLimited(join(folder, archive), archive);
    };
    try {
      return await work({ root, mounts, scratch, helm, pull });
    } finally {
      await rm(scratch, { recursive: true, force: true });
    }
  };
}

function pullArgs(request: ChartRequest, folder: string): string[] {
  // Arguments are seen by everyone on the machine.
  if (request.login)
    throw new PackageError(
      `credentials from a Secret are not given to helm on the command line. ${advice(request)}`,
    );
  const { repository, name, version } = request;
  const to = ["--destination", folder, "--version", version];
  return repository.startsWith("oci://")
    ? ["pull", ...to, `${repository}/${name}`]
    : ["pull", ...to, "--repo", repository, "--", name];
}

function advice({ repository, name, version }: ChartRequest): string {
  const chart = repository.startsWith("oci://") ? `${repository}/${name}` : `${name} --repo ${repository}`;
  return `Put the chart into the package (helm pull ${chart} --version '${version}' --untar --untardir tmp/charts), or allow the network (--allow-network, for eval --network)`;
}
