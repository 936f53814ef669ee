/** What the folder of a plugin that somebody else has written may do to whoever builds or serves it. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { chmod, mkdir, mkdtemp, readFile, rm, symlink, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { isRecord } from "@capstan/formats";
import type { Attack } from "../attack.ts";

const launcher = join(import.meta.dirname, "..", "..", "..", "bin", "capstan.js");
const limitMs = 200_000;
const commands = (name: string): string =>
  `kind: ConfigManagementPlugin\nmetadata: {name: "${name}"}\nspec: {generate: {command: [env]}}\n`;
const program = (before: string): string =>
  `${before}\nimport { definePlugin } from "@capstan/plugin-kit";\nexport default definePlugin({ name: "taken", generate: () => [] });\n`;

interface Place {
  /** Of the plugin. */
  readonly folder: string;
  readonly output: string;
  /** Holds a file `secret.json` that is not the plugin's. */
  readonly outside: string;
}

/** Runs `capstan plugin` in a folder that `lay` has filled; everything that it said. */
async function plays(
  lay: (place: Place) => Promise<unknown>,
  words: (place: Place) => readonly string[],
  look: (said: string, place: Place) => Promise<void> | void,
): Promise<void> {
  const top = await mkdtemp(join(tmpdir(), "capstan-plugin-builds-"));
  try {
    const place = { folder: join(top, "plugin"), output: join(top, "built"), outside: join(top, "outside") };
    await mkdir(place.folder);
    await mkdir(place.outside);
    await writeFile(join(place.outside, "secret.json"), '{"key": "not the plugin\'s"}\n');
    await lay(place);
    const args = [launcher, "plugin", ...words(place)];
    const said = await promisify(execFile)(process.execPath, args, { timeout: limitMs }).then(
      ({ stdout, stderr }) => `0: ${stdout}${stderr}`,
      (error: unknown) => (isRecord(error) ? `${endOf(error)}: ${error.stdout}${error.stderr}` : `${error}`),
    );
    await look(said, place);
  } finally {
    await rm(top, { recursive: true, force: true });
  }
}

/** How a command that did not succeed ended. */
const endOf = ({ code, killed }: Record<string, unknown>): string =>
  killed === true ? `did not end within ${limitMs / 1_000} s` : String(code);

const builds = ({ folder, output }: Place): string[] => ["build", folder, "-o", output];

/** A folder that is refused, with nothing built. */
function refused(
  id: string,
  { threat, heldBy, says }: { threat: string; heldBy: string; says: RegExp },
  lay: (place: Place) => Promise<unknown>,
): Attack {
  return {
    id: `plugin-builds/${id}`,
    threat,
    heldBy,
    play: async (world) => {
      await plays(lay, builds, (said, { output }) => {
        assert.match(said, says);
        assert.ok(!existsSync(output), said);
      });
      await world.assertUnharmed([]);
    },
  };
}

const heldByCopy =
  "plugin build copies files and links of the folder alone; what leads out of it, is no file or is too large is refused by its name";
const heldByImports =
  "an import of the plugin's own files must stay in its folder, or name an installed package";

export const attacks: readonly Attack[] = [
  refused(
    "link-out",
    {
      threat: "A file of a plugin's folder is a link to one of whoever builds it",
      heldBy: heldByCopy,
      says: /out of the folder/,
    },
    async ({ folder, outside }) => {
      await writeFile(join(folder, "plugin.yaml"), commands("taken"));
      await symlink(join(outside, "secret.json"), join(folder, "data.json"));
    },
  ),
  refused(
    "link-by-link",
    {
      threat: "A link leads out of a plugin's folder by way of another one within it",
      heldBy: heldByCopy,
      says: /out of the folder/,
    },
    async ({ folder }) => {
      await writeFile(join(folder, "plugin.yaml"), commands("taken"));
      await mkdir(join(folder, "a/b"), { recursive: true });
      await symlink("../..", join(folder, "a/b/up"));
      await symlink("a/b/up/../outside/secret.json", join(folder, "data.json"));
    },
  ),
  refused(
    "import-out",
    {
      threat: "A plugin's program imports a file of whoever builds it, to have it in the image",
      heldBy: heldByImports,
      says: /outside of/,
    },
    ({ folder }) =>
      writeFile(
        join(folder, "plugin.ts"),
        program(
          'import secret from "../outside/secret.json" with { type: "json" };\nconsole.error(Object.keys(secret).length);',
        ),
      ),
  ),
  refused(
    "import-link",
    {
      threat: "The same by a link within the folder, to a file or as a package",
      heldBy: heldByImports,
      says: /outside of/,
    },
    async ({ folder, outside }) => {
      await mkdir(join(folder, "node_modules"));
      await symlink(outside, join(folder, "node_modules", "innocent"));
      await writeFile(
        join(folder, "plugin.ts"),
        program(
          'import secret from "innocent/secret.json" with { type: "json" };\nconsole.error(Object.keys(secret).length);',
        ),
      );
    },
  ),
  refused(
    "large-file",
    {
      threat: "A plugin's folder has a file of gigabytes that takes no room",
      heldBy: heldByCopy,
      says: /too large|limit|bytes/i,
    },
    async ({ folder }) => {
      await writeFile(join(folder, "plugin.yaml"), commands("taken"));
      await writeFile(join(folder, "data"), "");
      await truncate(join(folder, "data"), 2 ** 33);
    },
  ),
  refused(
    "pipe",
    {
      threat: "A plugin's folder has a pipe, at which a copy would wait for ever",
      heldBy: heldByCopy,
      says: /neither a file nor a folder/,
    },
    async ({ folder }) => {
      await writeFile(join(folder, "plugin.yaml"), commands("taken"));
      await promisify(execFile)("mkfifo", [join(folder, "data")]);
    },
  ),
  {
    id: "plugin-builds/name-out",
    threat: "A plugin's name leads out of the folder in which its socket is made",
    heldBy: "a socket's file is one name, whatever the plugin is called",
    play: async (world) => {
      await plays(
        ({ folder }) => writeFile(join(folder, "plugin.yaml"), commands("../outside/taken")),
        ({ folder, output }) => ["serve", folder, "--socket-dir", output],
        (said, { outside }) => {
          assert.match(said, /^20: .*must be one name/s);
          assert.ok(!existsSync(join(outside, "taken.sock")));
        },
      );
      await world.assertUnharmed([]);
    },
  },
  {
    id: "plugin-builds/over-other-files",
    threat:
      "A build writes over files that are somebody's own, by a folder or a link at the place of its output",
    heldBy: "plugin build replaces what it has built itself, and nothing else",
    play: async (world) => {
      const lays = (lay: (place: Place) => Promise<unknown>) => async (place: Place) => {
        await writeFile(join(place.folder, "plugin.yaml"), commands("taken"));
        await chmod(dirname(place.folder), 0o755);
        await lay(place);
      };
      const kept = async (said: string, { outside }: Place): Promise<void> => {
        assert.match(said, /holds something else|is no folder/);
        assert.match(await readFile(join(outside, "secret.json"), "utf8"), /not the plugin's/);
      };
      await plays(
        lays(async () => undefined),
        ({ folder, outside }) => ["build", folder, "-o", outside],
        kept,
      );
      await plays(
        lays(({ outside, output }) => symlink(outside, output)),
        builds,
        kept,
      );
      await world.assertUnharmed([]);
    },
  },
  {
    id: "plugin-builds/served-to-anybody",
    threat:
      "Somebody in the network sends files of his own to a plugin that was built or is served from its folder",
    heldBy: "plugin.js and plugin serve refuse to listen at an address without token or client authority",
    play: async (world) => {
      for (const file of ["plugin.yaml", "plugin.ts"] as const)
        await plays(
          ({ folder }) =>
            writeFile(join(folder, file), file === "plugin.ts" ? program("") : commands("taken")),
          ({ folder }) => ["serve", folder, "--listen", "127.0.0.1:0"],
          (said) => assert.match(said, /^20: .*--token-file.*--client-ca.*--anyone-may-call/s),
        );
      await plays(
        ({ folder }) => writeFile(join(folder, "plugin.yaml"), commands("taken")),
        builds,
        async (said, { output }) => {
          assert.match(said, /^0: /);
          const served = promisify(execFile)(
            process.execPath,
            [join(output, "plugin.js"), "--listen", "127.0.0.1:0"],
            { timeout: limitMs },
          );
          await assert.rejects(served, /--token-file.*--client-ca.*--anyone-may-call/s);
        },
      );
      await world.assertUnharmed([]);
    },
  },
];
