import { join } from "node:path";

const ownFolder = join(import.meta.dirname, "..");

/** Files and folders that these programs themselves consist of: what whoever is confined must still see to run them. */
export const ownFiles: readonly string[] = [
  "bin",
  "packages",
  "plugins",
  "languages",
  "processes",
  "node_modules",
  "package.json",
].map((name) => join(ownFolder, name));
