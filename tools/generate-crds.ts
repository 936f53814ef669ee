/** Writes deploy/crds/ from the definitions in model; with --check only says whether they agree. */
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { dumpYaml } from "@capstan/formats/yaml";
import { crds } from "@capstan/model";
import { onlyChecks } from "@capstan/testkit/program-flags";

const isCheck = onlyChecks();
const folder = join(import.meta.dirname, "..", "deploy", "crds");
const heading = "# Made by tools/generate-crds.ts from packages/model; run npm run generate to renew it.\n";

const wanted = new Map(crds().map((crd) => [`${crd.metadata.name ?? ""}.yaml`, heading + dumpYaml(crd)]));

await mkdir(folder, { recursive: true });
const present = await readdir(folder);
const surplus = present.filter(
  (name) => name.endsWith(".yaml") && name !== "kustomization.yaml" && !wanted.has(name),
);

if (isCheck) {
  const stale = surplus.map((name) => `${name} should not be there`);
  for (const [name, text] of wanted) {
    const found = present.includes(name) ? await readFile(join(folder, name), "utf8") : undefined;
    if (found !== text) stale.push(`${name} ${found === undefined ? "is missing" : "is out of date"}`);
  }
  for (const problem of stale) console.error(`deploy/crds: ${problem}; run npm run generate`);
  process.exitCode = stale.length > 0 ? 1 : 0;
} else {
  for (const name of surplus) await rm(join(folder, name));
  for (const [name, text] of wanted) await writeFile(join(folder, name), text);
  console.log(`deploy/crds: ${wanted.size} files`);
}
