import module from "node:module";
import { pathToFileURL } from "node:url";

/**
 * Lets what an author wrote find the kit also where it is not installed, and always that of this Capstan. With a
 * `generation` its own files are read anew whenever that changes.
 */
export function resolveAuthorFiles(folder: string, generation?: () => number): void {
  const below = pathToFileURL(`${folder}/`).href;
  module.registerHooks({
    resolve(specifier, context, next) {
      if (specifier === "@capstan/plugin-kit")
        return { url: new URL("../for-authors.ts", import.meta.url).href, shortCircuit: true };
      const found = next(specifier, context);
      const isOwn = found.url.startsWith(below) && !found.url.includes("/node_modules/");
      return isOwn && generation
        ? { ...found, url: `${found.url.replace(/\?.*$/, "")}?${generation()}` }
        : found;
    },
  });
}
