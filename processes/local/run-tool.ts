import { spawn } from "node:child_process";
import { once } from "node:events";
import { defineCommand, ExitError, type Io } from "@capstan/cli/record";
import { toolPath } from "@capstan/programs";
import { dataFolderOf, readRunning } from "../up/running.ts";

/** Tells a script named like the tool, which starts this again, from the tool. */
const started = "CAPSTAN_STARTED_TOOL";

type Tool = "kubectl" | "helm";

/** A program that comes along, or that of PATH, on the cluster of the Capstan that runs; its words go on as they are. */
export function toolCommand(tool: Tool) {
  return defineCommand({
    usage: "ARGS...",
    help: `Run ${tool} on the cluster of the capstan up of this machine (CAPSTAN_DATA; KUBECONFIG goes before it).`,
    examples: [`capstan ${tool} ${tool === "helm" ? "list --all-namespaces" : "get pods --all-namespaces"}`],
    argument: "none",
    arity: [0, Number.POSITIVE_INFINITY],
    standsAlone: true,
    verbatim: true,
    ownSignals: true,
    flags: {},
    run: ({ args, io }) => runTool(tool, args, io),
  });
}

async function runTool(tool: Tool, args: readonly string[], io: Io): Promise<number> {
  const { env } = io;
  if (env[started] === tool)
    throw new ExitError(
      `the ${tool} on PATH leads to capstan ${tool} itself: put the real one before it`,
      20,
    );
  const kubeconfig = env.KUBECONFIG || (await ownKubeconfig(env.CAPSTAN_DATA));
  const child = spawn(await toolPath(tool, env), args, {
    stdio: "inherit",
    env: { ...env, [started]: tool, ...(kubeconfig === undefined ? {} : { KUBECONFIG: kubeconfig }) },
  });
  // The terminal's Ctrl-C reaches it as well, and what to do is for it to say.
  const pass = (signal: NodeJS.Signals) => child.kill(signal);
  const wait = () => undefined;
  process.on("SIGINT", wait).on("SIGTERM", pass).on("SIGHUP", pass);
  const [code, signal] = await once(child, "exit");
  process.off("SIGINT", wait).off("SIGTERM", pass).off("SIGHUP", pass);
  if (typeof code === "number") return code;
  throw new ExitError(`${tool} was ended by ${String(signal)}`, 20);
}

/** Without a running one the programs say by themselves what they lack; many of their commands need no cluster. */
async function ownKubeconfig(data: string | undefined): Promise<string | undefined> {
  return (await readRunning(dataFolderOf(data || undefined)))?.kubeconfig;
}
