/**
 * Reads a running kube-apiserver and writes what the embedded cluster knows of the built-in kinds to
 * packages/cluster/src/schema/data: discovery rows, types, their descriptions, defaults, columns.
 *
 *   node tools/generate-kube-schemas.ts --server https://127.0.0.1:6443 --token T --etcd http://127.0.0.1:2379
 */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { brotliCompressSync, constants } from "node:zlib";
import { programFlags } from "@capstan/testkit/program-flags";
import { probeDefaults } from "./kube-schemas/probe-defaults.ts";
import { readColumns } from "./kube-schemas/read-columns.ts";
import { readDefinitions, readResources, splitDescriptions } from "./kube-schemas/read-types.ts";

const { values: flags } = programFlags({
  options: {
    server: { type: "string", default: "https://127.0.0.1:6443" },
    token: { type: "string", default: "" },
    etcd: { type: "string", default: "http://127.0.0.1:2379" },
    out: { type: "string", default: join(import.meta.dirname, "../packages/cluster/src/schema/data") },
  },
});

function compress(value: unknown): Buffer {
  return brotliCompressSync(Buffer.from(JSON.stringify(value)), {
    params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_LGWIN]: 24 },
  });
}

function rows(values: readonly unknown[]): string {
  return `[\n${values.map((value) => JSON.stringify(value)).join(",\n")}\n]\n`;
}

function lines(entries: Iterable<readonly [string, unknown]>): string {
  const body = [...entries].map(([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value)}`);
  return `{\n${body.join(",\n")}\n}\n`;
}

async function main(): Promise<void> {
  const server = { url: flags.server, token: flags.token, etcd: flags.etcd };
  await mkdir(flags.out, { recursive: true });
  const resources = await readResources(server);
  const served = resources.map(({ group, version }) =>
    group ? `apis/${group}/${version}` : `api/${version}`,
  );
  const definitions = await readDefinitions(server, new Set(served));
  const descriptions: Record<string, Record<string, string>> = {};
  const structure: [string, unknown][] = [];
  for (const [name, schema] of definitions) {
    const found: Record<string, string> = {};
    structure.push([name, splitDescriptions(schema, "", found)]);
    descriptions[name] = found;
  }
  const defaults = await probeDefaults(server, resources, definitions);
  await writeFile(join(flags.out, "resources.json"), rows(resources));
  await writeFile(join(flags.out, "definitions.json"), lines(structure));
  await writeFile(join(flags.out, "descriptions.json.br"), compress(descriptions));
  await writeFile(join(flags.out, "defaults.json"), lines(Object.entries(defaults.fields)));
  await writeFile(join(flags.out, "zero-is-absent.json"), lines(Object.entries(defaults.zeroIsAbsent)));
  await writeFile(join(flags.out, "columns.json"), lines(await readColumns(server, resources)));
  console.log(`${resources.length} resources, ${definitions.size} types`);
  console.log(`defaults that depend on other fields (the records in kinds/ must know them):`);
  for (const line of defaults.conditional) console.log(`  ${line}`);
}

await main();
