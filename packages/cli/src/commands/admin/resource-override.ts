import { groupOf, type Manifest } from "@capstan/model";
import { openScripts, type Scripts } from "@capstan/planning";
import type { FlagValues } from "../../command.ts";
import type { Io } from "../../io.ts";
import { type GivenSettings, readGivenSettings, readObject, type settingsFlags } from "./settings-source.ts";

interface Overridden {
  object: Manifest;
  settings: GivenSettings;
}

interface Given {
  path: string;
  flags: FlagValues<typeof settingsFlags>;
  io: Io;
}

/** The object that `admin settings resource-overrides` is asked about, and the settings; what cannot be read of them is said. */
export async function readOverridden({ path, flags, io }: Given): Promise<Overridden> {
  const object = await readObject(path);
  const settings = await readGivenSettings(flags, io);
  for (const { where, field, problem } of settings.problems)
    if (field.startsWith("resource.customizations")) io.err(`warning: ${where}: ${field} ${problem}\n`);
  return { object, settings };
}

/** The scripts of those settings; what goes wrong in one is told by whoever asked. */
export function openGivenScripts(settings: GivenSettings, { clock }: Io): Scripts {
  const log = { info: () => undefined, warn: () => undefined };
  return openScripts({ settings: { current: settings }, clock, log });
}

/** As argocd says it: the group is empty for what Kubernetes has without one. */
export const kindOf = ({ apiVersion, kind }: Manifest): string => `'${groupOf(apiVersion)}/${kind}'`;
