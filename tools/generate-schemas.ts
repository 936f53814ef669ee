/**
 * Writes the JSON schemas of the files that people write, to docs/schemas and into the packages whose readers they are
 * for, from packages/model. With --check only says whether they agree.
 */
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileSchema, type SchemaName, schemaNames } from "@capstan/model";
import { onlyChecks } from "@capstan/testkit/program-flags";

const root = join(import.meta.dirname, "..");
const places: readonly { readonly folder: string; readonly names: readonly SchemaName[] }[] = [
  { folder: "docs/schemas", names: schemaNames },
  { folder: "packages/plugin-kit/schemas", names: ["plugin", "pipeline", "test-application"] },
];
const isCheck = onlyChecks();

for (const { folder, names } of places) {
  const wanted = new Map(
    names.map((name) => [`${name}.schema.json`, `${JSON.stringify(fileSchema(name), null, 2)}\n`]),
  );
  await mkdir(join(root, folder), { recursive: true });
  const present = await readdir(join(root, folder));
  const surplus = present.filter((name) => name.endsWith(".schema.json") && !wanted.has(name));
  for (const name of surplus) {
    if (isCheck) tell(`${folder}/${name} should not be there`);
    else await rm(join(root, folder, name));
  }
  for (const [name, text] of wanted) {
    const file = join(root, folder, name);
    if (!isCheck) await writeFile(file, text);
    else if (!present.includes(name) || (await readFile(file, "utf8")) !== text)
      tell(`${folder}/${name} is missing or out of date`);
  }
  if (!isCheck) console.log(`${folder}: ${wanted.size} schemas`);
}

function tell(problem: string): void {
  console.error(`${problem}; run npm run generate`);
  process.exitCode = 1;
}
