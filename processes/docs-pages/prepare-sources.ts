/** What pages of docs/ find that speak of charts, keys and plugins of the reader's. */
import { chmod, mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { lackingOciRegistry, startGitServer, startOciRegistry } from "@capstan/testkit";
import { generateIdentity, identityToRecipient } from "age-encryption";
import { startTestVault } from "../up/test-secrets.ts";
import { type Names, scriptOf } from "./page-script.ts";
import { type Preparation, prepareCharts, startCapstanIn } from "./prepare.ts";

/** A Helm repository, and an OCI registry that holds the chart of the reader's repository. */
export async function prepareSources({ opened, place }: Preparation): Promise<Names> {
  const charts = await prepareCharts({ opened });
  if (lackingOciRegistry()) return charts;
  const credentials = { username: "me", password: "a password" };
  const registry = opened.use(await startOciRegistry({ credentials }));
  await place.type(`${scriptOf([], {})}cd "$(mktemp -d)" && helm package ~/demo/helm &&
    echo '${credentials.password}' | helm registry login ${registry.host} -u me --password-stdin --plain-http &&
    helm push shop-1.0.0.tgz oci://${registry.host}/charts --plain-http`);
  return {
    ...charts,
    "registry.example/charts": `${registry.host}/charts`,
    "--password …": `--password '${credentials.password}'`,
  };
}

/**
 * age-keygen, which prints as the real one: age itself is not needed. And a store that answers as Vault does, in which
 * what the page puts there is already: neither Vault nor its command is to be had.
 */
export async function prepareSecrets({ opened, place }: Preparation): Promise<Names> {
  const identity = await generateIdentity();
  const recipient = await identityToRecipient(identity);
  const programs = {
    "age-keygen": `echo '${identity}' > "$2"\necho 'Public key: ${recipient}' >&2`,
    vault: "exit 0",
  };
  for (const [name, text] of Object.entries(programs)) {
    await writeFile(join(place.bin, name), `#!/bin/sh\n${text}\n`);
    await chmod(join(place.bin, name), 0o755);
  }
  const vault = opened.use(await startTestVault("root", { web: { password: "hunter2" } }));
  return { "age1…": recipient, "http://127.0.0.1:8200": vault.address };
}

const ownPlugin = `import { definePlugin, list, map, number, string } from "@capstan/plugin-kit";

export default definePlugin({
  name: "names",
  discover: { fileName: "names.txt" },
  parameters: {
    prefix: string({ default: "" }),
    weight: number({ default: 1 }),
    hosts: list({ default: [] }),
    labels: map({ default: { tier: "web" } }),
  },
  generate: async ({ read, variables, parameters: { prefix, weight, hosts, labels } }) =>
    (await read("names.txt")).split("\\n").filter(Boolean).map((name) => ({
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: prefix + name, labels },
      data: { weight: String(weight), hosts: hosts.join(), region: variables.REGION ?? "" },
    })),
});
`;

/** A plugin of the reader's that Capstan serves, and a repository that wants it. */
export async function preparePlugins({ opened, place }: Preparation): Promise<Names> {
  const file = join(place.home, "plugins", "names", "plugin.ts");
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, ownPlugin);
  const server = opened.use(await startGitServer());
  await server.createRepository("deployments", { "apps/web/names.txt": "ada\n" });
  await startCapstanIn(place, "--plugins ~/plugins");
  return { "https://git.example": server.url };
}
