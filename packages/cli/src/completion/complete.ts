import type { Api } from "../api.ts";
import { connect } from "../client/connect.ts";
import {
  type ArgumentKind,
  type Command,
  type Flags,
  flagsOf,
  type GlobalValues,
  globalFlags,
} from "../command.ts";
import { readArgocdOpts } from "../config/argocd-opts.ts";
import { readConfig } from "../config/config-file.ts";
import { configPath } from "../config/config-path.ts";
import { findCommand } from "../find-command.ts";
import type { Io } from "../io.ts";
import { parseFlags } from "../parse-flags.ts";
import type { Registry } from "../program.ts";
import { applicationFacts, applicationFlags } from "./application-values.ts";

export interface Candidate {
  value: string;
  help?: string;
}

const patienceMs = 2_000;

/** Prints what the last word may become, one candidate a line, with a tab before its explanation. */
export async function complete(words: readonly string[], io: Io, registry: Registry): Promise<void> {
  const typed = words.at(-1) ?? "";
  const candidates = await candidatesFor(words.slice(0, -1), { typed, io, registry });
  const lines = candidates
    .filter(({ value }) => value.startsWith(typed))
    .map(({ value, help }) => (help ? `${value}\t${help}` : value));
  io.out(lines.map((line) => `${line}\n`).join(""));
}

interface Typing {
  typed: string;
  io: Io;
  registry: Registry;
}

async function candidatesFor(
  before: readonly string[],
  { typed, io, registry }: Typing,
): Promise<Candidate[]> {
  const found = findCommand(before, registry);
  if (!found) return commandWords(before, registry);
  const command = (await found.entry.load()).default;
  const flags = flagsOf(command);
  const open = openFlag(found.rest, flags);
  const typing = { command: found.entry.name, flags, io, before: found.rest };
  if (open) return flagValues(open, { ...typing, before: found.rest.slice(0, -1) });
  const assigned = /^--([\w-]+)=/.exec(typed)?.[1];
  if (assigned) {
    const values = await flagValues(assigned, typing);
    return values.map(({ value, ...rest }) => ({ value: `--${assigned}=${value}`, ...rest }));
  }
  if (typed.startsWith("-")) return flagNames(flags);
  return argumentValues(command, { before: found.rest, flags, io });
}

/** The next word of the commands that begin so, and of their short forms. */
function commandWords(before: readonly string[], { commands, groups }: Registry): Candidate[] {
  const words = before.filter((word) => !word.startsWith("-"));
  const prefix = words.map((word) => `${word} `).join("");
  const found = new Map<string, string>();
  for (const { name, summary, aliases = [], hidden } of commands)
    for (const one of hidden ? [] : [name, ...aliases]) {
      const [first = "", second] = one.slice(prefix.length).split(" ");
      if (!one.startsWith(prefix) || (one !== name && second !== undefined)) continue;
      const group = prefix === "" ? groups.find((each) => each.name === first) : undefined;
      found.set(first, second === undefined ? summary : (group?.summary ?? ""));
    }
  return [...found].map(([value, help]) => ({ value, help }));
}

function flagNames(flags: Flags): Candidate[] {
  return Object.entries(flags).flatMap(([name, { help, hidden }]) =>
    hidden ? [] : [{ value: `--${name}`, help }],
  );
}

/** The flag before the cursor that still waits for its value. */
function openFlag(before: readonly string[], flags: Flags): string | undefined {
  const last = before.at(-1) ?? "";
  const entry = Object.entries(flags).find(
    ([name, { short }]) => last === `--${name}` || (short && last === `-${short}`),
  );
  return entry && entry[1].kind !== "boolean" ? entry[0] : undefined;
}

interface FlagTyping {
  command: string;
  flags: Flags;
  io: Io;
  before: readonly string[];
}

async function flagValues(name: string, { command, flags, io, before }: FlagTyping): Promise<Candidate[]> {
  const { choices, suggestions } = flags[name] ?? {};
  if (choices) return choices.map((value) => ({ value }));
  if (suggestions)
    return suggestions.flatMap((one) =>
      one.values.map((value) => ({ value: `${one.name}=${value}`, help: one.help })),
    );
  const ofApplication = applicationFlags[name];
  const [app] = readArguments(before, flags);
  if (ofApplication && command.startsWith("app ") && app !== undefined)
    return fromServer(io, before, async (api) => ofApplication(command, await applicationFacts(api, app)));
  if (name === "config-management-plugin" || name === "plugin") return fromServer(io, before, pluginNames);
  if (name === "project") return fromServer(io, before, projectNames);
  if (name === "argocd-context") return contextNames(io, before);
  return [];
}

async function argumentValues(
  { argument, arity }: Command,
  { before, flags, io }: { before: readonly string[]; flags: Flags; io: Io },
): Promise<Candidate[]> {
  const given = readArguments(before, flags);
  if (given.length >= arity[1]) return [];
  const candidates = await byKind[argument](io, before);
  return candidates.filter(({ value }) => !given.includes(value));
}

function readArguments(before: readonly string[], flags: Flags): readonly string[] {
  try {
    return parseFlags(before, flags).args;
  } catch {
    return [];
  }
}

const byKind: Record<ArgumentKind, (io: Io, before: readonly string[]) => Promise<Candidate[]>> = {
  application: (io, before) => fromServer(io, before, applicationNames),
  project: (io, before) => fromServer(io, before, projectNames),
  repository: (io, before) => fromServer(io, before, repositoryUrls),
  cluster: (io, before) => fromServer(io, before, clusterNames),
  plugin: (io, before) => fromServer(io, before, pluginNames),
  context: contextNames,
  file: async () => [],
  none: async () => [],
};

/** Nothing rather than an error or a long wait: a person is typing. */
async function fromServer(
  io: Io,
  before: readonly string[],
  ask: (api: Api) => Promise<Candidate[]>,
): Promise<Candidate[]> {
  const over = new AbortController();
  const timer = io.clock.sleep(patienceMs, AbortSignal.any([io.signal, over.signal])).then(
    () => [],
    () => [],
  );
  const asked = connect(io, globalOf(io, before))
    .then(ask)
    .catch(() => []);
  const found = await Promise.race([asked, timer]);
  over.abort();
  return found;
}

function globalOf(io: Io, before: readonly string[]): GlobalValues {
  return { ...readArgocdOpts(io), ...parseFlags(globalPart(before), globalFlags).flags };
}

function globalPart(before: readonly string[]): string[] {
  return before.flatMap((word, index) => {
    const name = /^--([\w-]+)/.exec(word)?.[1] ?? "";
    const flag = Object.entries(globalFlags).find(([known]) => known === name)?.[1];
    if (!flag) return [];
    return flag.kind === "boolean" || word.includes("=") ? [word] : [word, before[index + 1] ?? ""];
  });
}

async function applicationNames(api: Api): Promise<Candidate[]> {
  const fields = "items.metadata.name,items.status.sync.status,items.status.health.status";
  const { items } = await api.call("listApplications", { fields });
  return items.map(({ metadata, status }) => ({
    value: metadata.name,
    help: [status?.sync?.status, status?.health?.status].filter(Boolean).join(", "),
  }));
}

async function projectNames(api: Api): Promise<Candidate[]> {
  const { items } = await api.call("listProjects", { fields: "items.metadata.name" });
  return items.map(({ metadata }) => ({ value: metadata.name }));
}

async function pluginNames(api: Api): Promise<Candidate[]> {
  const { plugins } = await api.call("listPlugins", {});
  return plugins.map(({ name, shapes }) => ({ value: name, help: shapes.join(", ") }));
}

async function clusterNames(api: Api): Promise<Candidate[]> {
  const { items } = await api.call("listClusters", {});
  return items.map(({ name, server }) => ({ value: name || server, help: server }));
}

async function repositoryUrls(api: Api): Promise<Candidate[]> {
  const { items } = await api.call("listRepositories", {});
  return items.map(({ repo }) => ({ value: repo }));
}

async function contextNames(io: Io, before: readonly string[]): Promise<Candidate[]> {
  const path = await configPath(io, globalOf(io, before));
  const config = await readConfig(path).catch(() => undefined);
  return (config?.contexts ?? []).map(({ name, server }) => ({ value: name, help: server }));
}
