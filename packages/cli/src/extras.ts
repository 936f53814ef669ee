import type { Flags, ServerCertificate, ShippedPlugins } from "./command.ts";
import type { CommandEntry } from "./commands.ts";
import type { Io } from "./io.ts";

/** A program that reads its own flags; the result is the exit code, undefined is 0. */
type Program = (argv: readonly string[]) => Promise<number | undefined>;

/** What the caller brings, since it needs what the command line may not import. */
export interface Extras {
  up?: Program;
  pluginServer?: Program;
  kpt?: Program;
  vaultPlugin?: Program;
  /** What may follow these words after `capstan kpt`: a command, or the flags of one. */
  kptNext?(before: readonly string[]): Promise<{ words: readonly string[]; flags: Flags }>;
  shippedPlugins?(env: Io["env"]): Promise<ShippedPlugins>;
  makeCertificate?(host: string, now: number): Promise<ServerCertificate>;
}

type ExtraEntry = Pick<CommandEntry, "name" | "summary"> & {
  key: "up" | "pluginServer" | "kpt" | "vaultPlugin";
};

export const extraEntries: readonly ExtraEntry[] = [
  { key: "kpt", name: "kpt", summary: "Run the functions of kpt packages, as kpt fn does" },
  { key: "vaultPlugin", name: "vault-plugin", summary: "Fill placeholders, as argocd-vault-plugin does" },
  { key: "up", name: "up", summary: "Run all of Capstan on this machine" },
  { key: "pluginServer", name: "plugin-server", summary: "Serve plugins to Capstan or to Argo CD" },
];
