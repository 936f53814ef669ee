import { printable } from "@capstan/model";
import { ApiError } from "./client/api.ts";
import { connector } from "./client/connect.ts";
import { type Command, ExitError, globalFlags, UsageError } from "./command.ts";
import { type CommandEntry, commands } from "./commands.ts";
import { type Extras, extraEntries } from "./extras.ts";
import { findCommand, wordsOf } from "./find-command.ts";
import { commandHelp, groupHelp } from "./help.ts";
import type { Io } from "./io.ts";
import { nearest } from "./nearest.ts";
import { ownColours } from "./output/paint.ts";
import { parseFlags } from "./parse-flags.ts";
import { Interrupted, processIo } from "./process-io.ts";

/** Errors end with 20 as argocd's do, wrong use with 1 as cobra's, Ctrl-C with 130. */
const failed = 20;

/** Runs one command line and gives the exit code. */
export async function main(argv: readonly string[], extra: Extras = {}, io?: Io): Promise<number> {
  for (const { name, key } of extraEntries)
    if (argv[0] === name && extra[key]) return (await extra[key](argv.slice(1))) ?? 0;
  using real = io ? undefined : processIo();
  const given = io ?? real;
  if (!given) return failed;
  const terminal = withoutControls(given);
  try {
    return await dispatch(argv, extra, terminal);
  } catch (error) {
    return report(error, terminal);
  }
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

async function dispatch(argv: readonly string[], extra: Extras, io: Io): Promise<number> {
  const extras = extraEntries.filter(({ key }) => extra[key]);
  if (argv[0] === "__complete") {
    const { complete } = await import("./completion/complete.ts");
    await complete(argv.slice(argv[1] === "--" ? 2 : 1), io, extra);
    return 0;
  }
  const found = findCommand(argv);
  if (!found) return unknownCommand(argv, { extras, io });
  const command = (await found.entry.load()).default;
  return runCommand(found.entry.name, command, { argv: found.rest, io, extra });
}

async function runCommand(
  name: string,
  command: Command,
  { argv, io, extra }: { argv: readonly string[]; io: Io; extra: Extras },
): Promise<number> {
  const { flags, args } = parseFlags(argv, { ...globalFlags, ...command.flags });
  const { flags: global } = parseFlags([], globalFlags);
  const given = { ...global, ...pickGlobal(flags) };
  if (given.help) {
    io.out(commandHelp(name, command));
    return 0;
  }
  const [fewest, most] = command.arity;
  if (args.length < fewest || args.length > most)
    throw new UsageError(
      `usage: capstan ${name} ${command.usage}\n(${args.length} arguments given; see capstan ${name} --help)`,
    );
  const shippedPlugins = async () => (await extra.shippedPlugins?.(io.env)) ?? [];
  const makeCertificate = async (host: string) => {
    if (extra.makeCertificate) return extra.makeCertificate(host, io.clock.now());
    throw new ExitError("certificates are made by the whole program alone", failed);
  };
  const api = connector(io, given);
  const invocation = { args, flags, io, global: given, api, shippedPlugins, makeCertificate };
  return (await command.run(invocation)) ?? 0;
}

function pickGlobal(flags: Readonly<Record<string, unknown>>): object {
  return Object.fromEntries(
    Object.keys(globalFlags).flatMap((name) => (name in flags ? [[name, flags[name]]] : [])),
  );
}

function unknownCommand(
  argv: readonly string[],
  { extras, io }: { extras: readonly Pick<CommandEntry, "name" | "summary">[]; io: Io },
): number {
  const [first = "", second = ""] = wordsOf(argv).map(({ word }) => word);
  const names = [...commands, ...extras].map(({ name }) => name);
  const groups = new Set(names.filter((name) => name.includes(" ")).map((name) => name.split(" ")[0] ?? ""));
  const asksForHelp = argv.some((arg) => arg === "--help" || arg === "-h") || first === "help";
  const isGroup = groups.has(first);
  if (first === "" || first === "help" || (isGroup && second === "")) {
    const text = groupHelp(isGroup ? first : "", isGroup ? [] : extras);
    if (asksForHelp || first === "") io.out(text);
    else io.err(text);
    return asksForHelp || first === "" ? 0 : 1;
  }
  const typed = isGroup ? `${first} ${second}` : first;
  const near = nearest(
    typed,
    isGroup ? names.filter((name) => name.startsWith(`${first} `)) : [...groups, ...names],
  );
  throw new UsageError(
    `unknown command: ${typed}${near ? `; did you mean ${near}?` : ""}\nSee capstan --help`,
  );
}

function report(error: unknown, io: Io): number {
  if (error instanceof Interrupted || io.signal.reason instanceof Interrupted) {
    io.err("interrupted\n");
    return 130;
  }
  if (error instanceof UsageError) {
    io.err(`${error.message}\n`);
    return 1;
  }
  if (error instanceof ExitError) {
    if (error.message) io.err(`${error.message}\n`);
    return error.exitCode;
  }
  const message = error instanceof Error ? error.message : String(error);
  const hint = error instanceof ApiError && error.status === 401 ? "\nLog in with: capstan login SERVER" : "";
  io.err(`error: ${message}${hint}\n`);
  return failed;
}
