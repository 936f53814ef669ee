import { mkdir, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { dumpYaml } from "@capstan/formats/yaml";
import { readFormerPlugins } from "@capstan/model";
import type { Log } from "@capstan/plugin-kit";
import { writeWhole } from "../surroundings/data-folder.ts";

interface Server {
  start(): void;
  stop(): Promise<void>;
}

/** Keeps a folder of plugin.yaml as argocd-cm's `configManagementPlugins` says, with a server for it while there is one. */
export class FormerPlugins implements AsyncDisposable {
  readonly #server: Server;
  readonly #to: { configDir: string; log: Log };
  #text = "";
  #settled: Promise<void>;

  constructor(server: Server, to: { configDir: string; log: Log }) {
    this.#server = server;
    this.#to = to;
    this.#settled = rm(to.configDir, { recursive: true, force: true });
  }

  /** A text that is wrong is said, and what was there stays. */
  update(text: string): void {
    if (text === this.#text) return;
    this.#text = text;
    const { log } = this.#to;
    this.#settled = this.#settled
      .then(() => this.#write(text))
      .catch((error: unknown) => log.error({ error }, "plugins of argocd-cm are not served"));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#settled;
  }

  async #write(text: string): Promise<void> {
    const { configDir, log } = this.#to;
    const plugins = readFormerPlugins(text);
    const files = new Map(plugins.map((plugin) => [`${plugin.metadata.name}.yaml`, dumpYaml(plugin)]));
    await mkdir(configDir, { recursive: true, mode: 0o700 });
    for (const [name, yaml] of files) {
      await writeWhole(join(configDir, name), yaml);
      log.warn(
        { keep: join(configDir, name) },
        `configManagementPlugins of argocd-cm is Argo CD's former way; keep this plugin.yaml instead:\n${yaml}`,
      );
    }
    for (const name of await readdir(configDir))
      if (!files.has(name)) await rm(join(configDir, name), { force: true });
    if (files.size > 0) this.#server.start();
    else await this.#server.stop();
  }
}
