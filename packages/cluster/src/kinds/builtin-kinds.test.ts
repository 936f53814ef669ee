import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { builtinDefinitions, dataFolder } from "../schema/builtin-definitions.ts";
import { loadBuiltins } from "../schema/catalog.ts";
import { builtinKinds } from "./builtin-kinds.ts";

const computed = builtinKinds.flatMap((kind) => kind.computed?.described ?? []);
const described = [...loadBuiltins().resources, ...computed];
const keyOf = ({ group, resource }: { group: string; resource: string }) => `${group}/${resource}`;

test("every resource that is served has one record, and every record is served", () => {
  assert.deepEqual(builtinKinds.map(keyOf).sort(), [...new Set(described.map(keyOf))].sort());
});

test("a record speaks of columns and types that there are", () => {
  const columns: Record<string, { name: string }[]> = JSON.parse(
    readFileSync(join(dataFolder, "columns.json"), "utf8"),
  );
  const types = builtinDefinitions().byName;
  for (const kind of builtinKinds) {
    const versions = described.filter((info) => keyOf(info) === keyOf(kind));
    const shown = versions.flatMap(({ group, version, resource }) =>
      (columns[`${group}/${version}/${resource}`] ?? []).map(({ name }) => name),
    );
    for (const name of Object.keys(kind.cells ?? {}))
      assert.ok(shown.includes(name), `${keyOf(kind)} ${name}`);
    for (const name of Object.keys(kind.defaults ?? {})) assert.ok(types[name], `${keyOf(kind)} ${name}`);
  }
});

test("a type has the defaults of one kind only", () => {
  const names = builtinKinds.flatMap(({ defaults = {} }) => Object.keys(defaults));
  assert.equal(new Set(names).size, names.length);
});
