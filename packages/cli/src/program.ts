import type { CommandEntry, Group, ServerCertificate, ShippedPlugins } from "./command.ts";
import { commands, groups } from "./commands.ts";
import type { ForwardedPod, Io } from "./io.ts";

/** What the caller brings, since it needs what the command line may not import. */
export interface Program {
  /** Name of the link by which it was started. */
  readonly calledAs?: string;
  readonly commands?: readonly CommandEntry[];
  readonly groups?: readonly Group[];
  shippedPlugins?(env: Io["env"]): Promise<ShippedPlugins>;
  makeCertificate?(host: string, now: number): Promise<ServerCertificate>;
  /** With kubectl; the way is open until it is disposed of. */
  forwardPort?(to: ForwardedPod, from: Pick<Io, "env" | "signal">): Promise<ForwardedPort>;
}

export interface ForwardedPort extends AsyncDisposable {
  /** localhost:PORT */
  readonly address: string;
}

/** All commands of one program. */
export interface Registry {
  readonly commands: readonly CommandEntry[];
  readonly groups: readonly Group[];
}

export function registryOf(program: Program): Registry {
  return {
    commands: [...commands, ...(program.commands ?? [])],
    groups: [...groups, ...(program.groups ?? [])],
  };
}

/** Under the name of a program whose place a command takes, its words are left out. */
export function wordsFor({ calledAs = "" }: Program, registry: Registry, argv: readonly string[]): string[] {
  const meant = [...registry.commands, ...registry.groups].find(
    ({ program }) => program !== undefined && calledAs.startsWith(program),
  );
  return [...(meant ? meant.name.split(" ") : []), ...argv];
}

export function groupOf(name: string, { groups: all }: Registry): Group | undefined {
  return all.find((group) => name.startsWith(`${group.name} `));
}

/** How a command is called: `capstan app list`, `kpt fn render`. */
export function callOf(name: string, registry: Registry): string {
  const group = groupOf(`${name} `, registry);
  return group?.program === undefined
    ? `capstan${name === "" ? "" : ` ${name}`}`
    : group.program + name.slice(group.name.length);
}
