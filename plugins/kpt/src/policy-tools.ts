import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isRecord, parseJson, stringifyJson } from "@capstan/formats";
import { runCommand, type Stage, writeBelow } from "@capstan/plugin-kit";
import { sandboxCommand, toolPath } from "@capstan/programs";
import type { FunctionContext, RunPolicies } from "./function.ts";
import { PackageError } from "./trace-error.ts";

/** What policies may not do: reach the network, or see the variables of the machine. */
const forbidden = ["http.send", "net.lookup_ip_addr", "opa.runtime"];
const opaLimitMs = 60_000;
const mostOutputBytes = 16 * 2 ** 20;

type RunOpa = (args: readonly string[]) => Promise<string>;

/** Of a package in a repository. */
export function stagePolicies(stage: Stage): RunPolicies {
  let uses = 0;
  return async (files, query) => {
    const { scratch } = await stage.workspace();
    const folder = join(scratch, `policies-${uses++}`);
    await mkdir(folder);
    const program = await toolPath("opa", stage.env);
    return ask({ folder, files, query }, async (args) => {
      const command = await alone({ program, args, folder }, { searchPath: stage.env.PATH ?? "", ...stage });
      const { stdout } = await stage.run({ ...command, tool: "opa", shownArgs: args });
      return stdout.toString();
    });
  };
}

/** Of a folder on a command line. */
export function folderPolicies({ env, signal, clock }: FunctionContext): RunPolicies {
  return async (files, query) => {
    const program = await toolPath("opa", env);
    // As renders' own folders are called: what a killed process leaves is cleared away with theirs.
    const folder = await mkdtemp(join(tmpdir(), `capstan-render-${process.pid}-`));
    const searchPath = env.PATH ?? "";
    try {
      return await ask({ folder, files, query }, async (args) => {
        const jailed = await alone({ program, args, folder }, { searchPath, clock });
        const command = {
          ...jailed,
          tool: "opa",
          shownArgs: args,
          env: { PATH: searchPath },
          hide: [folder],
        };
        const limits = { clock, signal, timeoutMs: opaLimitMs, maxStdoutBytes: mostOutputBytes };
        return (await runCommand(command, limits)).stdout.toString();
      });
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  };
}

/** Without a network where a sandbox works; what policies can do elsewhere, `forbidden` says. */
async function alone(
  { program, args, folder }: { program: string; args: readonly string[]; folder: string },
  { searchPath, clock }: { searchPath: string; clock: FunctionContext["clock"] },
) {
  const plain = { program, args, cwd: folder };
  const own = { own: [folder], readable: [program], searchPath, clock, network: false };
  return (await sandboxCommand(plain, own)) ?? plain;
}

interface Question {
  folder: string;
  files: ReadonlyMap<string, string>;
  query: string;
}

async function ask({ folder, files, query }: Question, opa: RunOpa): Promise<string> {
  for (const [path, content] of files) {
    writeBelow(folder, path, { data: Buffer.from(content), mode: 0o600 });
  }
  await writeFile(join(folder, "capabilities.json"), await capabilities(opa));
  const loaded = [...files.keys()]
    .filter((path) => path !== "input.json")
    .flatMap((path) => ["--data", path]);
  const given = ["--capabilities", "capabilities.json", "--input", "input.json", ...loaded];
  const timeout = ["--timeout", `${opaLimitMs / 1000}s`];
  return opa(["eval", "--v0-compatible", "--format", "raw", ...timeout, ...given, query]);
}

/** All that this opa can do, but for what is forbidden. */
async function capabilities(opa: RunOpa): Promise<string> {
  const known = parseJson(await opa(["capabilities", "--current", "--v0-compatible"]));
  if (!isRecord(known) || !Array.isArray(known.builtins))
    throw new PackageError("opa does not say what it can do; version 1.0 or newer is needed");
  const builtins = known.builtins.filter((one) => !isRecord(one) || !forbidden.includes(String(one.name)));
  return stringifyJson({ ...known, builtins, allow_net: [] });
}
