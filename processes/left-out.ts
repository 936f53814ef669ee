/** Stands in the package capstan-cli for the modules that it leaves out, under the names that others import of them. */
import { defineCommand, ExitError } from "@capstan/cli/record";
import { ownVersion } from "./surroundings/own-process.ts";

const failed = 20;

const refused = defineCommand({
  usage: "",
  help: "Not in capstan-cli.",
  argument: "none",
  arity: [0, Number.MAX_SAFE_INTEGER],
  standsAlone: true,
  verbatim: true,
  flags: {},
  async run({ call }) {
    throw leftOut(call, call);
  },
});

function leftOut(what: string, command: string): ExitError {
  return new ExitError(
    `${what} is not in capstan-cli, which is the command line alone: npm i capstan-${ownVersion()}.tgz brings the whole program, and npx ${command} does it`,
    failed,
  );
}

export default refused;
export const install = refused;
export const upgrade = refused;
export const uninstall = refused;
export const queues = refused;
export const memory = refused;
export const cpu = refused;
export const heap = refused;
export const toolCommand = () => refused;

export async function openLocalRender(): Promise<never> {
  throw leftOut(
    "rendering on this machine (--local, --socket-dir, --address)",
    "capstan with the same words",
  );
}

export async function openLocalPlugin(): Promise<never> {
  throw leftOut("starting a plugin", "capstan with the same words");
}
