import { join } from "node:path";
import type { Io } from "@capstan/cli/record";
import type { KptSurroundings } from "@capstan/plugin-kpt/folders";
import { cacheFolder } from "@capstan/programs";

/** What kpt's commands have of the process. */
export function surroundings({ clock, signal, env, err, readInput }: Io): KptSurroundings {
  return {
    ...{ clock, signal, env, err, readInput },
    // For programs: not a byte of it is changed.
    out: (text) => process.stdout.write(text),
    readDefinitions: async () => (await import("@capstan/cluster/definitions")).builtinDefinitions().byName,
    withImage: async (...given) => {
      const { functionImages } = await import("@capstan/render/images");
      return functionImages(join(cacheFolder(env), "images"))(...given);
    },
  };
}
