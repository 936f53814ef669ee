import { dirname } from "node:path";
import { pathToFileURL } from "node:url";
import { resolveAuthorFiles } from "./author-files.ts";
import { isDefined, notDefined } from "./is-defined.ts";
import { readServeFlags, type ServeOptions } from "./serve-options.ts";
import { askedFor, helpOf, serveDefined, takeOver } from "./serve-plugin.ts";

export { takeOver };

/** The program of a built plugin, which has called `takeOver` before it loaded the author's files. */
export async function serveBuilt(plugin: unknown): Promise<void> {
  if (!isDefined(plugin)) throw new Error(notDefined);
  const { help, ...flags } = readServeFlags(process.argv.slice(2));
  if (help) process.stdout.write(helpOf(plugin));
  else await serveDefined(plugin, { ...flags, ...askedFor(plugin) }, process.argv[1] ?? ".");
}

/** Serves what an author's file defines, with this Capstan's kit, until SIGINT, SIGTERM or the signal. */
export async function serveProgram(file: string, options: ServeOptions): Promise<void> {
  takeOver();
  resolveAuthorFiles(dirname(file));
  const { default: plugin }: { default?: unknown } = await import(pathToFileURL(file).href);
  if (!isDefined(plugin)) throw new Error(`${file}: ${notDefined}`);
  await serveDefined(plugin, { ...askedFor(plugin), ...options }, file);
}
