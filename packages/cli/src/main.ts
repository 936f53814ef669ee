import { formatTime, nearestName, printable } from "@capstan/formats/at-start";
import { isCapstanError, messageOf } from "@capstan/model/at-start";
import { type Api, ApiError } from "./api.ts";
import {
  type Command,
  type CommandEntry,
  type Endings,
  ExitError,
  flagsOf,
  type GlobalValues,
  type Group,
  globalFlags,
  UsageError,
} from "./command.ts";
import { readArgocdOpts } from "./config/argocd-opts.ts";
import { findCommand, wordsOf } from "./find-command.ts";
import type { Io } from "./io.ts";
import { ownColours } from "./output/paint.ts";
import { parseFlags } from "./parse-flags.ts";
import { Interrupted, processIo } from "./process-io.ts";
import { callOf, groupOf, type Program, type Registry, registryOf, wordsFor } from "./program.ts";

/** Errors end with 20 as argocd's do, wrong use with 1 as cobra's, Ctrl-C with 130. */
const failed = 20;

/** One command line. */
interface Line {
  readonly program: Program;
  readonly registry: Registry;
  readonly argv: readonly string[];
}

/** Runs one command line and gives the exit code. */
export async function main(argv: readonly string[], program: Program = {}, io?: Io): Promise<number> {
  const registry = registryOf(program);
  const line = { program, registry, argv: helpAsFlag(wordsFor(program, registry, argv), registry) };
  const found = findCommand(line.argv, registry);
  const command = found && (await found.entry.load()).default;
  using real = io ? undefined : processIo({ ownSignals: command?.ownSignals === true });
  const given = io ?? real;
  if (!given) return failed;
  await using opened = new AsyncDisposableStack();
  const terminal = withForward(withoutControls(given), program, opened);
  const [first = ""] = line.argv;
  const group = groupOf(`${found?.entry.name ?? first} `, registry);
  try {
    if (found && command) return await runCommand({ ...found, command }, line, terminal);
    return await runNoCommand(line, terminal);
  } catch (error) {
    return report(error, { io: terminal, endings: command?.endings ?? group?.endings });
  }
}

/** `help app list` is `app list --help`, and so is `app help list`. */
function helpAsFlag(argv: readonly string[], registry: Registry): readonly string[] {
  const [first, second] = wordsOf(argv, registry);
  const isGroup = registry.groups.some(({ name }) => name === first?.word);
  const asked = first?.word === "help" ? first : isGroup && second?.word === "help" ? second : undefined;
  return asked ? [...argv.filter((_, index) => index !== asked.index), "--help"] : argv;
}

/** All that is printed passes here: names and messages come from people who may be anybody. */
function withoutControls(io: Io): Io {
  const colours = io.outIsTerminal ? ownColours : undefined;
  return {
    ...io,
    out: (text) => io.out(printable(text, colours)),
    err: (text) => io.err(printable(text, colours)),
  };
}

/** Ways to Pods are open until the command line ends. */
function withForward(io: Io, { forwardPort }: Program, opened: AsyncDisposableStack): Io {
  if (!forwardPort) return io;
  return { ...io, forwardPort: async (to) => opened.use(await forwardPort(to, io)).address };
}

interface Found {
  readonly entry: CommandEntry;
  readonly command: Command;
  /** What stands beside the command's name. */
  readonly rest: readonly string[];
}

async function runCommand({ entry, command, rest }: Found, line: Line, io: Io): Promise<number> {
  const call = callOf(entry.name, line.registry);
  const read = readWords(call, command, { rest, env: io.env });
  const global: GlobalValues = {
    ...(command.standsAlone ? {} : readArgocdOpts(io)),
    ...Object.fromEntries(
      Object.entries(read.flags).filter(
        ([name]) => name === "help" || (!command.standsAlone && name in globalFlags),
      ),
    ),
  };
  if (global.help) {
    const { commandHelp } = await import("./help.ts");
    io.out(commandHelp(call, command));
    return 0;
  }
  const [fewest, most] = command.arity;
  if (read.args.length < fewest || read.args.length > most)
    throw new UsageError(
      `usage: ${call} ${command.usage}\n(${read.args.length} arguments given; see ${call} --help)`,
    );
  const { program } = line;
  const shippedPlugins = async () => (await program.shippedPlugins?.(io.env)) ?? [];
  const makeCertificate = async (host: string) => {
    if (program.makeCertificate) return program.makeCertificate(host, io.clock.now());
    throw new ExitError("certificates are made by the whole program alone", failed);
  };
  let connected: Promise<Api> | undefined;
  const api = (): Promise<Api> => {
    connected ??= import("./client/connect.ts").then(({ connect }) => connect(io, global));
    return connected;
  };
  const invocation = { ...read, call, io, global, api, shippedPlugins, makeCertificate };
  if (global.logformat !== "json") return (await command.run(invocation)) ?? 0;
  try {
    return (await command.run(invocation)) ?? 0;
  } catch (error) {
    return report(error, { io: { ...io, err: (text) => io.err(asLogLine(text, io)) }, endings: bareEndings });
  }
}

/** For programs: nothing stands before the sentence. */
const bareEndings: Endings = { prefix: "", usage: 1, failed };

/** As argocd logs an error that it ends with. */
function asLogLine(text: string, { clock }: Pick<Io, "clock">): string {
  return `${JSON.stringify({ level: "fatal", msg: text.trimEnd(), time: formatTime(clock.now()) })}\n`;
}

function readWords(
  call: string,
  command: Command,
  { rest, env }: { rest: readonly string[]; env: Io["env"] },
) {
  if (command.verbatim) return { args: rest, flags: {}, behindDashes: [] };
  try {
    const read = parseFlags(rest, flagsOf(command), env);
    if (!command.passesOn) return read;
    return { ...read, args: read.args.slice(0, read.args.length - read.behindDashes.length) };
  } catch (error) {
    if (!(error instanceof UsageError) || !command.standsAlone) throw error;
    throw new UsageError(`${error.message}\nSee ${call} --help`);
  }
}

async function runNoCommand({ argv, registry }: Line, io: Io): Promise<number> {
  if (argv[0] === "__complete") {
    const { complete } = await import("./completion/complete.ts");
    await complete(argv.slice(argv[1] === "--" ? 2 : 1), io, registry);
    return 0;
  }
  const { groupHelp, programHelp } = await import("./help.ts");
  const words = wordsOf(argv, registry).map(({ word }) => word);
  if (words.length === 0) {
    io.out(programHelp(registry));
    return 0;
  }
  const group = groupMeant(words.join(" "), registry);
  if (!group || words.length > begunWords(words, registry)) throw unknownCommand(words, group, registry);
  const isMeant = group.program !== undefined || argv.some((arg) => arg === "--help" || arg === "-h");
  (isMeant ? io.out : io.err)(groupHelp(group, registry));
  return isMeant ? 0 : 1;
}

/** `admin rbac` is another name of a group, for its commands have names that begin so. */
function groupMeant(typed: string, registry: Registry): Group | undefined {
  const group = groupOf(`${typed} `, registry);
  if (group?.name === typed) return group;
  const meant = registry.commands.find(({ aliases = [] }) =>
    aliases.some((alias) => alias.startsWith(`${typed} `)),
  );
  return meant ? groupOf(meant.name, registry) : group;
}

/** How many of the words some command begins with. */
function begunWords(words: readonly string[], registry: Registry): number {
  const begun = words.findIndex((_, index) => {
    const start = `${words.slice(0, index + 1).join(" ")} `;
    return !namesIn(registry).some((name) => name.startsWith(start));
  });
  return begun < 0 ? words.length : begun;
}

function namesIn({ commands }: Registry): string[] {
  return commands.flatMap(({ name, aliases = [], hidden }) => (hidden ? [] : [name, ...aliases]));
}

function unknownCommand(words: readonly string[], group: Group | undefined, registry: Registry): UsageError {
  const typed = words.slice(0, begunWords(words, registry) + 1).join(" ");
  const groups = registry.groups.map(({ name }) => name);
  const names = namesIn(registry).filter((name) => !group || name.startsWith(`${group.name} `));
  const near = nearestName(typed, group ? names : [...groups, ...names]);
  const advice = adviceOf(words, group) ?? (near && `did you mean ${near}?`);
  const shown = callOf(typed, registry).replace(/^capstan /, "");
  return new UsageError(
    `unknown command: ${shown}${advice ? `; ${advice}` : ""}\nSee ${callOf(group?.name ?? "", registry)} --help`,
  );
}

/** Of a command that the other program has in this group. */
function adviceOf(words: readonly string[], group: Group | undefined): string | undefined {
  return group?.instead?.[words[group.name.split(" ").length] ?? ""];
}

const asArgocd: Endings = { prefix: "error: ", usagePrefix: "", usage: 1, failed };

function report(
  error: unknown,
  { io, endings = asArgocd }: { io: Io; endings: Endings | undefined },
): number {
  if (error instanceof Interrupted || io.signal.reason instanceof Interrupted) {
    io.err("interrupted\n");
    return 130;
  }
  if (error instanceof ExitError) {
    if (error.message) io.err(`${error.message}\n`);
    return error.exitCode;
  }
  const { prefix, usagePrefix = prefix } = endings;
  if (error instanceof UsageError) {
    io.err(`${usagePrefix}${error.message}\n`);
    return endings.usage;
  }
  const hint = error instanceof ApiError && error.status === 401 ? "\nLog in with: capstan login SERVER" : "";
  const isTold = !endings.stack || isCapstanError(error) || !(error instanceof Error);
  io.err(`${prefix}${isTold ? messageOf(error) : error.stack}${hint}\n`);
  return endings.failed;
}
