import { basename, dirname, join } from "node:path";

const ownFolder = join(import.meta.dirname, "..");
const isInstalled = basename(dirname(ownFolder)) === "node_modules";

/**
 * Files and folders that these programs themselves consist of: what whoever is confined must still see to run them.
 * Installed by npm, their dependencies stand beside them.
 */
export const ownFiles: readonly string[] = isInstalled
  ? [dirname(ownFolder)]
  : ["bin", "packages", "plugins", "languages", "processes", "node_modules", "package.json"].map((name) =>
      join(ownFolder, name),
    );
